import { describe, expect, it } from "vitest";
import { createThrottle, type Throttle } from "../../src/people/throttle.ts";
import { handClock } from "../support/test-store.ts";

function rig() {
  const clock = handClock("2026-11-21T09:00:00Z");
  return { clock, throttle: createThrottle({ clock }) };
}

it("answerable() comes after the wait, or at once with the seconds until the next try", async () => {
  const clock = handClock("2026-11-21T09:00:00Z");
  const waiting: { readonly ms: number; readonly end: () => void }[] = [];
  const pause = (ms: number) => new Promise<void>((end) => void waiting.push({ ms, end }));
  const throttle = createThrottle({ clock, pause });
  for (let nth = 0; nth < 5; nth++) expect(await throttle.answerable(...ana)).toBeNull();

  const late = throttle.answerable(...ana);
  const meanwhile = Promise.resolve("still waiting");
  expect(await Promise.race([late, meanwhile])).toBe("still waiting");
  expect(waiting.map(({ ms }) => ms)).toEqual([500]);
  for (const { end } of waiting) end();
  expect(await late).toBeNull();

  for (let nth = 0; nth < 15; nth++) throttle.wrong(...ana);
  expect(await throttle.answerable(...ana)).toBe(600);
});

type Sender = readonly [address: string, login: string];

const ana: Sender = ["192.0.2.1", "ana"];

/** Wrong passwords in turn, each sent after the answer to the one before; returns the last decision. */
function fail(
  { throttle, clock }: ReturnType<typeof rig>,
  times: number,
  sender: Sender = ana,
): ReturnType<Throttle["wrong"]> {
  let decision: ReturnType<Throttle["wrong"]> = { kind: "go" };
  for (let nth = 0; nth < times; nth++) {
    decision = throttle.wrong(...sender);
    if (decision.kind === "wait") clock.advance({ milliseconds: decision.ms });
  }
  return decision;
}

describe("wrong()", () => {
  it("answers at once, then later and later, then refuses, as failures grow", () => {
    const all = rig();
    const seen = Array.from({ length: 16 }, () => {
      const decision = fail(all, 1);
      return decision.kind === "wait" ? decision.ms : decision.kind;
    });
    expect(seen.slice(0, 5)).toEqual(["go", "go", "go", "go", "go"]);
    expect(seen.slice(5, 9)).toEqual([500, 1000, 2000, 4000]);
    expect(seen.slice(9, 15)).toEqual([5000, 5000, 5000, 5000, 5000, 5000]);
    expect(seen[15]).toBe("refuse");
  });

  it("refuses until enough failures are ten minutes old, and does not count refused ones", () => {
    const all = rig();
    fail(all, 15);
    all.clock.advance({ minutes: 9 });
    const refused = all.throttle.wrong(...ana);
    if (refused.kind !== "refuse") throw new Error("it was not turned away");
    all.clock.advance({ seconds: refused.retryAfterSeconds });
    expect(all.throttle.wrong(...ana).kind).toBe("wait");
    all.clock.advance({ minutes: 11 });
    expect(all.throttle.wrong(...ana)).toEqual({ kind: "go" });
  });

  it.each([
    ["from elsewhere", "192.0.2.2", "ana"],
    ["for someone else, from there", "192.0.2.1", "ben"],
    ["from elsewhere in IPv6", "2001:db8:0:2::1", "ana"],
  ])("answers a failure %s at once", (_how, address, login) => {
    const all = rig();
    fail(all, 15);
    expect(all.throttle.wrong(address, login)).toEqual({ kind: "go" });
  });

  it.each<[string, Sender, Sender]>([
    ["the login in capitals", ana, ["192.0.2.1", " ANA "]],
    ["IPv4 written as IPv6", ["::ffff:192.0.2.1", "ana"], ana],
    ["another host of the same IPv6 network", ["2001:db8::1", "ana"], ["2001:DB8:0:0:9::7", "ana"]],
    ["the same host with its zone", ["fe80::1%eth0", "ana"], ["fe80::1", "ana"]],
  ])("recognises %s", (_how, sender, again) => {
    const all = rig();
    fail(all, 15, sender);
    expect(all.throttle.wrong(...again).kind).toBe("refuse");
  });

  it("delays one address that tries many logins, and refuses nobody", () => {
    const all = rig();
    for (let nth = 0; nth < 100; nth++) fail(all, 1, ["192.0.2.1", `person ${nth}`]);
    expect(all.throttle.wrong("192.0.2.1", "person 100").kind).toBe("wait");
    expect(all.throttle.wrong("192.0.2.9", "person 100").kind).toBe("go");
  });

  it("lets at most twenty wait at once", () => {
    const all = rig();
    for (let nth = 0; nth < 20; nth++) fail(all, 1, ["192.0.2.1", `person ${nth}`]);
    const kinds = Array.from(
      { length: 25 },
      (_, at) => all.throttle.wrong("192.0.2.1", `more ${at}`).kind,
    );
    expect(kinds.filter((kind) => kind === "wait")).toHaveLength(20);
    expect(kinds.slice(20)).toEqual(Array.from({ length: 5 }, () => "refuse"));
    all.clock.advance({ seconds: 6 });
    expect(all.throttle.wrong("192.0.2.1", "later").kind).toBe("wait");
  });

  it("forgets the oldest of very many", () => {
    const all = rig();
    fail(all, 15);
    for (let nth = 0; nth < 6000; nth++) {
      all.throttle.wrong(`10.0.${nth >> 8}.${nth & 255}`, "x");
    }
    expect(all.throttle.wrong(...ana).kind).toBe("go");
  });
});

describe("right()", () => {
  it("forgives the login from that address, and nothing else", () => {
    const all = rig();
    fail(all, 9);
    fail(all, 9, ["192.0.2.1", "ben"]);
    all.throttle.right(...ana);
    expect(all.throttle.wrong("192.0.2.2", "ana").kind).toBe("go");
    expect(all.throttle.wrong("192.0.2.1", "ben").kind).toBe("wait");
    fail(all, 13);
    expect(all.throttle.wrong(...ana).kind).not.toBe("refuse");
  });

  it("does not let an own account erase guesses at others", () => {
    const all = rig();
    for (let nth = 0; nth < 60; nth++) {
      fail(all, 1, ["192.0.2.1", `person ${nth}`]);
      all.throttle.right("192.0.2.1", "own");
    }
    expect(all.throttle.wrong("192.0.2.1", "person 61").kind).toBe("wait");
  });
});
