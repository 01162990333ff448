import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PollCandidate, TurnOrder } from "../../src/sync/turn-order.ts";

const now = Temporal.Instant.from("2026-05-01T10:00:00Z");
const candidate = (name: string, more: Partial<PollCandidate> = {}): PollCandidate => ({
  name,
  kind: "tasks",
  turn: 0,
  attemptedAt: null,
  underWay: false,
  ended: 0,
  hurried: false,
  pollHurried: false,
  notBefore: null,
  days: null,
  ...more,
});
const ago = (minutes: number) => now.subtract({ minutes });
const choose = (candidates: readonly PollCandidate[], room = 10) =>
  new TurnOrder(candidates).next({ now, room });

describe("the order of sources", () => {
  it("is lookups, labels, events, tasks, then subtasks by nearness at first", () => {
    const order = choose([
      candidate("s:none", { kind: "subtasks" }),
      candidate("s:far", { kind: "subtasks", days: 40 }),
      candidate("s:near", { kind: "subtasks", days: 1 }),
      candidate("t"),
      candidate("e", { kind: "events" }),
      candidate("l", { kind: "labels" }),
      candidate("todo", { kind: "todolists" }),
      candidate("people", { kind: "people" }),
      candidate("projects", { kind: "projects" }),
    ]);
    expect(order.join(" ")).toBe("projects people todo l e t s:near s:far s:none");
  });

  it("continues with the oldest after a restart, lookups and unread ones first", () => {
    const order = choose([
      candidate("fresh", { attemptedAt: ago(1) }),
      candidate("stale", { attemptedAt: ago(60), kind: "subtasks" }),
      candidate("never", { kind: "subtasks" }),
      candidate("projects", { kind: "projects", attemptedAt: ago(1) }),
    ]);
    expect(order).toEqual(["projects", "never", "stale", "fresh"]);
  });

  it("takes the longest waiting if all were read", () => {
    const all = [3, 1, 2].map((turn) => candidate(`t${turn}`, { turn }));
    expect(choose(all, 2)).toEqual(["t1", "t2"]);
  });

  it("lets subtasks wait for first reads of lists, but not for slow ones", () => {
    const list = (seconds: number, ended = 0) =>
      candidate("t", { underWay: true, turn: 5, ended, attemptedAt: now.subtract({ seconds }) });
    const first = candidate("s", { kind: "subtasks" });
    const known = candidate("k", { kind: "subtasks", attemptedAt: ago(60) });
    expect(choose([list(1), first, known])).toEqual(["k"]);
    expect(choose([list(3), first, known])).toEqual(["s", "k"]);
    expect(choose([list(1, 3), first, known])).toEqual(["s", "k"]);
  });

  it("leaves out what is being read or rests", () => {
    const all = [
      candidate("busy", { underWay: true }),
      candidate("rests", { notBefore: now.add({ seconds: 1 }) }),
      candidate("rested", { notBefore: now }),
    ];
    expect(choose(all)).toEqual(["rested"]);
    expect(choose(all, 0)).toEqual([]);
  });

  it("prefers hurried ones, but keeps half of the turns for the others", () => {
    const hurried = [9, 8, 7].map((turn) => candidate(`h${turn}`, { turn, hurried: true }));
    const others = [1, 2, 3].map((turn) => candidate(`o${turn}`, { turn }));
    expect(choose([...others, ...hurried], 4)).toEqual(["h7", "h8", "o1", "o2"]);
    const rushing = candidate("r", { underWay: true, pollHurried: true, turn: 10 });
    expect(choose([rushing, ...others, ...hurried], 1)).toEqual(["o1"]);
  });

  it("never lets anyone wait longer than two rounds", () => {
    const walk = fc.record({
      count: fc.integer({ min: 1, max: 40 }),
      limit: fc.integer({ min: 2, max: 8 }),
      steps: fc.array(fc.nat({ max: 1_000_000 }), { minLength: 250, maxLength: 250 }),
    });
    fc.assert(
      fc.property(walk, ({ count, limit, steps }) => {
        const longest = longestWait({ count, limit, steps });
        expect(longest).toBeLessThanOrEqual(2 * count + 2 * limit);
      }),
      { numRuns: 40 },
    );
  });
});

/** Plays polls that end in any order while any of them may be hurried; returns the polls between two of one source. */
function longestWait({
  count,
  limit,
  steps,
}: {
  readonly count: number;
  readonly limit: number;
  readonly steps: readonly number[];
}): number {
  let all = Array.from({ length: count }, (_, index) => candidate(`s${index}`));
  let turn = 0;
  let longest = 0;
  const change = (name: string, more: Partial<PollCandidate>) => {
    all = all.map((one) => (one.name === name ? { ...one, ...more } : one));
  };
  for (const step of steps) {
    const busy = all.filter(({ underWay }) => underWay);
    for (const name of choose(all, limit - busy.length)) {
      const { turn: last, hurried } = all.find((one) => one.name === name) ?? candidate(name);
      turn += 1;
      longest = Math.max(longest, turn - last);
      change(name, { turn, underWay: true, hurried: false, pollHurried: hurried });
    }
    // First in, first out, like the gate; the hurried ones are the same few again and again.
    const first = all.filter(({ underWay }) => underWay).toSorted((a, b) => a.turn - b.turn)[0];
    if (first) change(first.name, { underWay: false, pollHurried: false });
    for (let index = 0; index < step % 4; index += 1) {
      change(`s${(step + index) % Math.min(count, 5)}`, { hurried: true, notBefore: null });
    }
  }
  return Math.max(longest, ...all.map((one) => turn - one.turn));
}

it("gives the earliest end of a rest, and null if none rests", () => {
  const soon = now.add({ seconds: 5 });
  const all = [
    candidate("a"),
    candidate("b", { notBefore: now.add({ seconds: 9 }) }),
    candidate("c", { notBefore: soon }),
    candidate("d", { notBefore: now, underWay: true }),
  ];
  expect(new TurnOrder(all).nextDueAt).toEqual(soon);
  expect(new TurnOrder([candidate("a")]).nextDueAt).toBeNull();
});
