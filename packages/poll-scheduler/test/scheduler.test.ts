import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Recalled,
  Scheduler,
  type SchedulerOptions,
  schedulerDefaults,
} from "../src/scheduler.ts";

const pace = 0.5;

function scheduler(keys: readonly string[], options: Partial<SchedulerOptions> = {}) {
  const made = new Scheduler({
    ...schedulerDefaults,
    pace,
    quietAfter: Number.POSITIVE_INFINITY,
    ...options,
  });
  for (const key of keys) made.put(key, { weight: 1, cost: 1 });
  return made;
}

/** Runs this many polls from `from` on; `changes` returns when a source changed since its last poll. */
function run(
  made: Scheduler,
  {
    from = 0,
    polls,
    changes = () => [],
  }: {
    readonly from?: number;
    readonly polls: number;
    readonly changes?: (key: string, now: number) => readonly number[];
  },
): readonly string[] {
  const asked: string[] = [];
  for (let poll = 0; poll < polls; poll += 1) {
    const now = from + poll / pace;
    const choice = made.next(now);
    if (choice.kind === "wait") continue;
    asked.push(choice.key);
    made.observe(choice.key, { at: now, times: changes(choice.key, now) });
  }
  return asked;
}

/** A source that changes every `every` seconds, as its polls show it. */
function regular(every: number) {
  const seen = new Map<string, number>();
  return (key: string, now: number): readonly number[] => {
    const before = seen.get(key) ?? now;
    seen.set(key, now);
    const times: number[] = [];
    for (let at = Math.ceil(before / every) * every; at < now; at += every) times.push(at);
    return times;
  };
}

const share = (asked: readonly string[], key: string) =>
  asked.filter((one) => one === key).length / asked.length;

describe("next()", () => {
  it("waits for ever when there is no source", () => {
    expect(scheduler([]).next(0)).toEqual({ kind: "wait", until: Number.POSITIVE_INFINITY });
  });

  it("polls each source once before any a second time, in their order of arrival", () => {
    expect(run(scheduler(["a", "b", "c"]), { polls: 3 })).toEqual(["a", "b", "c"]);
  });

  it("goes round when nothing is known and nothing happens", () => {
    const asked = run(scheduler(["a", "b", "c"]), { polls: 30 });
    for (const key of ["a", "b", "c"]) expect(share(asked, key)).toBeCloseTo(1 / 3, 1);
  });

  it("polls a new source at once", () => {
    const made = scheduler(["a", "b"]);
    run(made, { polls: 20 });
    made.put("c", { weight: 1, cost: 1 });
    expect(made.next(41)).toEqual({ kind: "poll", key: "c" });
  });

  it("polls no source twice at the same time", () => {
    const made = scheduler(["a", "b"]);
    run(made, { polls: 10 });
    const first = made.next(30);
    const second = made.next(30);
    expect(new Set([first, second].map((choice) => choice.kind === "poll" && choice.key))).toEqual(
      new Set(["a", "b"]),
    );
    expect(made.next(30).kind).toBe("wait");
  });

  it("polls no source that has left", () => {
    const made = scheduler(["a", "b"]);
    run(made, { polls: 10 });
    made.remove("a");
    expect(new Set(run(made, { from: 20, polls: 10 }))).toEqual(new Set(["b"]));
  });

  it("rests a source after an abandoned poll", () => {
    const made = scheduler(["a", "b"]);
    run(made, { polls: 10 });
    made.giveUp("b", { now: 20, until: 60 });
    expect(run(made, { from: 20, polls: 20 })).not.toContain("b");
    expect(run(made, { from: 60, polls: 4 })).toContain("b");
  });

  it("prefers sources that change, matter and are cheap", () => {
    const busy = regular(200);
    const changes = (key: string, now: number) => (key === "busy" ? busy(key, now) : []);
    const asked = run(scheduler(["busy", "b", "c", "d"]), { polls: 2000, changes });
    expect(share(asked.slice(1000), "busy")).toBeGreaterThan(0.4);

    const weighed = scheduler(["a", "b", "c"]);
    weighed.put("a", { weight: 16, cost: 1 });
    weighed.put("c", { weight: 1, cost: 16 });
    const counts = run(weighed, { polls: 400 });
    expect(share(counts, "a") / share(counts, "b")).toBeGreaterThan(2.5);
    expect(share(counts, "b") / share(counts, "c")).toBeGreaterThan(2.5);
  });

  it("follows a new importance at once", () => {
    const made = scheduler(["a", "b", "c", "d"]);
    run(made, { polls: 100 });
    made.put("c", { weight: 1e6, cost: 1 });
    expect(made.next(202)).toEqual({ kind: "poll", key: "c" });
  });

  it("chooses the highest worth of all, as if it had compared every source", () => {
    const weight = fc.double({ min: 0.1, max: 10, noNaN: true });
    const weights = fc.array(weight, { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 50, max: 5000 }), (given, every) => {
        const keys = given.map((_, i) => `s${i}`);
        const made = scheduler(keys);
        for (const [i, key] of keys.entries()) made.put(key, { weight: given[i] ?? 1, cost: 1 });
        const changes = regular(every);
        run(made, { polls: keys.length, changes });
        for (let poll = keys.length; poll < 400; poll += 1) {
          const now = poll / pace;
          const worths = keys.map((key) => made.worth(key, now) ?? 0);
          const choice = made.next(now);
          if (choice.kind === "wait") throw new Error("Nobody was chosen without a price");
          expect(made.worth(choice.key, now)).toBe(Math.max(...worths));
          made.observe(choice.key, { at: now, times: changes(choice.key, now) });
        }
      }),
      { numRuns: 20 },
    );
  });

  it("chooses nearly the highest worth among thousands", () => {
    const keys = Array.from({ length: 5000 }, (_, i) => `s${i}`);
    const made = scheduler(keys, { maxAge: Number.POSITIVE_INFINITY });
    for (const [i, key] of keys.entries()) made.put(key, { weight: 1 + (i % 97), cost: 1 });
    run(made, { polls: keys.length });
    for (let poll = 0; poll < 200; poll += 1) {
      const now = (keys.length + poll) / pace;
      const choice = made.next(now);
      if (choice.kind === "wait") throw new Error("Nobody was chosen without a price");
      const most = Math.max(...keys.map((key) => made.worth(key, now) ?? 0));
      expect(made.worth(choice.key, now)).toBeGreaterThan(0.9 * most);
      made.observe(choice.key, { at: now, times: [] });
    }
  });

  it("leaves no source alone beyond the ceiling, however little it matters", () => {
    const made = scheduler(["a", "b"], { maxAge: 60 });
    made.put("b", { weight: 1e-12, cost: 1 });
    const asked = run(made, { polls: 600 });
    const turns = asked.flatMap((key, turn) => (key === "b" ? [turn] : []));
    const gaps = turns.slice(1).map((turn, i) => (turn - (turns[i] ?? 0)) / pace);
    expect(Math.max(...gaps)).toBe(60);
  });

  it("spends most polls on important sources if the ceiling cannot be met, and omits none", () => {
    const keys = Array.from({ length: 40 }, (_, i) => `s${i}`);
    const made = scheduler(keys, { maxAge: 10 });
    made.put("s0", { weight: 1e6, cost: 1 });
    const asked = run(made, { polls: 800 });
    expect(share(asked, "s0")).toBeGreaterThan(0.65);
    expect(new Set(asked.slice(-170)).size).toBe(40);
  });

  it("divides its polls between the oldest and the important while everything is beyond the ceiling", () => {
    const keys = Array.from({ length: 40 }, (_, i) => `s${i}`);
    const made = scheduler(keys, { maxAge: 200 });
    made.put("s0", { weight: 1e6, cost: 1 });
    run(made, { polls: 400 });
    const after = run(made, { from: 10_000, polls: 80 });
    expect(share(after, "s0")).toBeGreaterThan(0.4);
    expect(new Set(after).size).toBe(40);
  });

  it("uses a part of the pace when such a long silence is unlikely, and all of it after a change", () => {
    const made = scheduler(["a", "b", "c", "d"], { quietAfter: 3600, quietPart: 0.2 });
    const busy = regular(400);
    const hours = 1800;
    expect(run(made, { polls: 2 * hours, changes: busy })).toHaveLength(2 * hours);
    expect(run(made, { from: 2 * hours * 2, polls: hours / 2 })).toHaveLength(hours / 2);
    const used = run(made, { from: 3 * hours * 2 + 10, polls: 4000 }).length / 4000;
    expect(used).toBeGreaterThan(0.1);
    expect(used).toBeLessThan(0.25);
    const from = 3 * hours * 2 + 10 + 4000 / pace;
    made.hint("a", { now: from, changes: 10 });
    const [first] = run(made, { from, polls: 1, changes: () => [from - 1] });
    expect(first).toBe("a");
    expect(run(made, { from: from + 1 / pace, polls: 100 })).toHaveLength(100);
  });

  it("keeps its pace when such a long silence is ordinary", () => {
    const made = scheduler(["a", "b", "c", "d"], { quietAfter: 3600 });
    run(made, { polls: 30 * 1800, changes: regular(5 * 3600) });
    expect(run(made, { from: 60 * 1800, polls: 2 * 1800 })).toHaveLength(2 * 1800);
  });
});

describe("hint()", () => {
  it("brings a source to the front", () => {
    const made = scheduler(["a", "b", "c", "d"]);
    run(made, { polls: 100 });
    const [last] = run(made, { from: 200, polls: 1 });
    made.hint(last ?? "", { now: 202, changes: 1 });
    expect(made.next(202)).toEqual({ kind: "poll", key: last });
  });

  it("counts again after a poll that was already under way", () => {
    const made = scheduler(["a", "b", "c", "d"]);
    run(made, { polls: 100 });
    const first = made.next(200);
    if (first.kind === "wait") throw new Error("Nobody was chosen");
    made.hint(first.key, { now: 201, changes: 1 });
    made.observe(first.key, { at: 200, times: [] });
    expect(made.next(202)).toEqual(first);
  });

  it("is used up by the next poll", () => {
    const made = scheduler(["a", "b"]);
    run(made, { polls: 100 });
    made.hint("a", { now: 200, changes: 1 });
    const asked = run(made, { from: 200, polls: 40 });
    expect(share(asked, "a")).toBeLessThan(0.6);
  });
});

describe("unchanged()", () => {
  it.each([1, 0.9])(
    "leaves a source alone that is reported with certainty %f, until a hint",
    (certainty) => {
      const keys = ["reported", "b", "c", "d"];
      const made = scheduler(keys);
      run(made, { polls: 400 });
      const asked: string[] = [];
      for (let poll = 400; poll < 800; poll += 1) {
        const now = poll / pace;
        made.unchanged("reported", { at: now, certainty });
        asked.push(...run(made, { from: now, polls: 1 }));
      }
      expect(share(asked, "reported")).toBeLessThan(0.1);
      made.hint("reported", { now: 800 / pace, changes: 1 });
      expect(made.next(800 / pace)).toEqual({ kind: "poll", key: "reported" });
    },
  );

  it("undoes neither a hint nor what may have happened since", () => {
    const made = scheduler(["a", "b"]);
    run(made, { polls: 100 });
    const before = made.worth("a", 300) ?? 0;
    made.unchanged("a", { at: 250, certainty: 1 });
    expect(made.worth("a", 300)).toBeLessThan(before);
    expect(made.worth("a", 300)).toBeGreaterThan(0);
    made.hint("a", { now: 300, changes: 1 });
    const hinted = made.worth("a", 301);
    made.unchanged("a", { at: 301, certainty: 1 });
    expect(made.worth("a", 301)).toBe(hinted);
  });

  it("respects the ceiling of age", () => {
    const made = scheduler(["reported", "b"], { maxAge: 300 });
    run(made, { polls: 100 });
    const asked: string[] = [];
    for (let poll = 100; poll < 1000; poll += 1) {
      made.unchanged("reported", { at: poll / pace, certainty: 1 });
      asked.push(...run(made, { from: poll / pace, polls: 1 }));
    }
    expect(asked.filter((key) => key === "reported").length).toBeGreaterThanOrEqual(5);
  });
});

describe("dump()", () => {
  it("survives a restart: the first poll does not teach what all sources share", () => {
    const keys = ["a", "b", "c", "d"];
    const made = scheduler(keys);
    run(made, { polls: 4000, changes: regular(600) });
    const kept = made.dump();
    const options = { ...schedulerDefaults, pace, quietAfter: Number.POSITIVE_INFINITY };
    const next = new Scheduler(options, structuredClone(kept));
    for (const key of keys) next.put(key, { weight: 1, cost: 1 });
    run(next, { from: 8000, polls: 40, changes: regular(600) });
    expect(next.common().population.sessionPrior).toEqual(kept.population.sessionPrior);
    expect(next.common().days).toEqual(kept.days);
  });

  it("lets another process continue with the same choices", () => {
    const keys = ["a", "b", "c"];
    const changes = regular(300);
    const one = scheduler(keys);
    run(one, { polls: 1500, changes });
    const kept = structuredClone(one.dump());
    const other = new Scheduler({ ...schedulerDefaults, pace }, kept);
    for (const key of keys) other.put(key, { weight: 1, cost: 1 });
    for (const key of keys) {
      const [before, after] = [one, other].map((made) => made.worth(key, 3300) ?? 0);
      expect((after ?? 0) / (before ?? 1)).toBeCloseTo(1, 1);
    }
    expect(other.next(3300).kind).toBe("poll");
  });

  it("begins again with a belief of another size", () => {
    const one = scheduler(["a"]);
    run(one, { polls: 10 });
    const population = { hypotheses: 5, slowest: 1e-6, fastest: 1e-2, speeds: [1e-6] };
    const options = { ...schedulerDefaults, pace, population };
    const other = new Scheduler(options, one.dump());
    other.put("a", { weight: 1, cost: 1 });
    expect(run(other, { from: 20, polls: 3 })).toEqual(["a", "a", "a"]);
  });
});

it("keeps reading busy sources while all quiet ones come near the ceiling of age", () => {
  const busy = Array.from({ length: 20 }, (_, nth) => `busy ${nth}`);
  const quiet = Array.from({ length: 180 }, (_, nth) => `quiet ${nth}`);
  const keys = [...busy, ...quiet];
  const made = scheduler(keys, { maxAge: 825 });
  const often = regular(40);
  const changes = (key: string, now: number) => (key.startsWith("busy") ? often(key, now) : []);
  run(made, { polls: keys.length, changes });
  for (const key of keys) {
    const times = key.startsWith("busy") ? Array.from({ length: 50 }, (_, n) => (n - 50) * 40) : [];
    made.recall(key, { from: -3 * 86_400, activity: () => 1, times });
  }
  const asked = run(made, { from: keys.length / pace, polls: 1600, changes });
  for (let from = 0; from < asked.length; from += 100) {
    const some = asked.slice(from, from + 100);
    expect(some.filter((key) => key.startsWith("busy")).length).toBeGreaterThan(25);
  }
});

describe("recall()", () => {
  const day = 86_400;
  const keys = Array.from({ length: 20 }, (_, nth) => `source ${nth}`);
  const known = { from: -day, activity: () => 1, times: [] };

  /** Twenty sources read at 0, the last of which is recalled with these options. */
  function recalled(told: Partial<Recalled>) {
    const made = scheduler(keys);
    for (const key of keys) made.observe(key, { at: 0, times: [] });
    for (const key of keys.slice(0, -1)) made.recall(key, known);
    made.recall(keys.at(-1) ?? "", { ...known, ...told });
    return share(run(made, { from: 1, polls: 150 }), keys.at(-1) ?? "");
  }

  it("polls sooner and more often what was changed ten minutes ago", () => {
    expect(recalled({ times: [-1800, -900, -600] })).toBeGreaterThan(1.5 / keys.length);
  });

  it("says nothing more of what was polled since", () => {
    const made = scheduler(["a"]);
    made.observe("a", { at: 0, times: [] });
    made.observe("a", { at: 60, times: [30] });
    const before = made.dump();
    made.recall("a", known);
    expect(made.dump()).toEqual(before);
  });
});
