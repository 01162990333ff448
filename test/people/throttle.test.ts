import { describe, expect, it } from "vitest";
import { createThrottle, type Throttle } from "../../src/people/throttle.ts";
import { handClock } from "../support/test-store.ts";

function rig() {
  const clock = handClock("2026-11-21T09:00:00Z");
  return { clock, throttle: createThrottle({ clock }) };
}

type Sender = readonly [address: string, login: string];

function fail(throttle: Throttle, times: number, sender: Sender = ["192.0.2.1", "ana"]) {
  for (let nth = 0; nth < times; nth++) throttle.failed(...sender);
}

describe("before()", () => {
  it("before() result when wrong ones grow in number: at once, later, later still, not at all", () => {
    const { throttle } = rig();
    const seen = Array.from({ length: 16 }, () => {
      const passage = throttle.before("192.0.2.1", "ana");
      throttle.failed("192.0.2.1", "ana");
      return passage.kind === "wait" ? passage.ms : passage.kind;
    });
    expect(seen.slice(0, 5)).toEqual(["go", "go", "go", "go", "go"]);
    expect(seen.slice(5, 9)).toEqual([500, 1000, 2000, 4000]);
    expect(seen.slice(9, 15)).toEqual([5000, 5000, 5000, 5000, 5000, 5000]);
    expect(seen[15]).toBe("refuse");
  });

  it("before() result when refused: until enough of them are ten minutes old", () => {
    const { throttle, clock } = rig();
    fail(throttle, 15);
    expect(throttle.before("192.0.2.1", "ana")).toEqual({ kind: "refuse", retryAfterSeconds: 600 });
    clock.advance({ seconds: 599 });
    expect(throttle.before("192.0.2.1", "ana")).toEqual({ kind: "refuse", retryAfterSeconds: 1 });
    clock.advance({ seconds: 1 });
    expect(throttle.before("192.0.2.1", "ana")).toEqual({ kind: "go" });
  });

  it("before() result when tried in vain meanwhile: what was not looked at does not count", () => {
    const { throttle, clock } = rig();
    fail(throttle, 15);
    clock.advance({ minutes: 9 });
    throttle.before("192.0.2.1", "ana");
    clock.advance({ minutes: 1 });
    expect(throttle.before("192.0.2.1", "ana")).toEqual({ kind: "go" });
  });

  it.each([
    ["from elsewhere", "192.0.2.2", "ana"],
    ["for somebody else, from there", "192.0.2.1", "ben"],
    ["from elsewhere in IPv6", "2001:db8:0:2::1", "ana"],
  ])("before() result %s", (_how, address, login) => {
    const { throttle } = rig();
    fail(throttle, 15);
    expect(throttle.before(address, login)).toEqual({ kind: "go" });
  });

  it.each<[string, Sender, Sender]>([
    ["the login in capitals", ["192.0.2.1", "ana"], ["192.0.2.1", " ANA "]],
    ["IPv4 in its IPv6 dress", ["::ffff:192.0.2.1", "ana"], ["192.0.2.1", "ana"]],
    ["another host of the same IPv6 network", ["2001:db8::1", "ana"], ["2001:DB8:0:0:9::7", "ana"]],
    ["the same host with its zone", ["fe80::1%eth0", "ana"], ["fe80::1", "ana"]],
  ])("before() result for %s: the same", (_how, wrong, again) => {
    const { throttle } = rig();
    fail(throttle, 15, wrong);
    expect(throttle.before(...again).kind).toBe("refuse");
  });

  it("before() result when one address tries one login after the other", () => {
    const { throttle } = rig();
    for (let nth = 0; nth < 60; nth++) throttle.failed("192.0.2.1", `person ${nth}`);
    expect(throttle.before("192.0.2.1", "person 99").kind).toBe("refuse");
    expect(throttle.before("192.0.2.9", "person 99").kind).toBe("go");
  });

  it("before() result when many wait at once: at most twenty do", () => {
    const { throttle, clock } = rig();
    fail(throttle, 9);
    const kinds = Array.from({ length: 25 }, () => throttle.before("192.0.2.1", "ana").kind);
    expect(kinds.filter((kind) => kind === "wait")).toHaveLength(20);
    expect(kinds.slice(20)).toEqual(Array.from({ length: 5 }, () => "refuse"));
    clock.advance({ seconds: 6 });
    expect(throttle.before("192.0.2.1", "ana").kind).toBe("wait");
  });
});

describe("succeeded()", () => {
  it("succeeded() forgives the login from that address, and nothing else", () => {
    const { throttle } = rig();
    fail(throttle, 9);
    fail(throttle, 9, ["192.0.2.1", "ben"]);
    throttle.succeeded("192.0.2.1", "ana");
    expect(throttle.before("192.0.2.1", "ana").kind).toBe("go");
    expect(throttle.before("192.0.2.1", "ben").kind).toBe("wait");
  });

  it("succeeded() does not let an own account wash away guesses at others", () => {
    const { throttle } = rig();
    for (let nth = 0; nth < 60; nth++) {
      throttle.failed("192.0.2.1", `person ${nth}`);
      throttle.succeeded("192.0.2.1", "own");
    }
    expect(throttle.before("192.0.2.1", "person 61").kind).toBe("refuse");
  });
});

describe("failed()", () => {
  it("failed() forgets the oldest of very many", () => {
    const { throttle } = rig();
    fail(throttle, 15);
    for (let nth = 0; nth < 6000; nth++) throttle.failed(`10.0.${nth >> 8}.${nth & 255}`, "x");
    expect(throttle.before("192.0.2.1", "ana").kind).toBe("go");
    expect(throttle.before("10.0.23.111", "x").kind).toBe("go");
  });
});
