import { describe, expect, it } from "vitest";
import { isDenied, isLookUpRefused, restOf } from "../../src/sync/plan-snapshot.ts";
import type { Failure } from "../../src/upstream/failure.ts";

const request = "GET /projects";
const seconds = (count: number) => Temporal.Duration.from({ seconds: count });
const refused = (status: number): Failure => ({ kind: "refused", status, message: "", request });
const maxAge = seconds(960);
const limited = { kind: "rate-limited", retryAfter: seconds(99), request } as const;
const busy = (retryAfter: Temporal.Duration | null): Failure => ({
  kind: "unavailable",
  status: 503,
  message: "",
  request,
  retryAfter,
});

it.each([
  [refused(403), true, true],
  [refused(404), true, true],
  [refused(401), false, false],
  [{ kind: "unreadable", message: "", request }, false, true],
  [{ kind: "service-refused", code: 1, message: "", request }, false, true],
  [busy(null), false, false],
  [{ kind: "aborted", request }, false, false],
] as const)("a refusal that responds with %j is classified", (failure, denied, refusal) => {
  expect([isDenied(failure), isLookUpRefused(failure)]).toEqual([denied, refusal]);
});

describe("the rest after a refusal", () => {
  it.each([
    ["the service asks for longer", busy(seconds(60)), 60],
    ["it asks for less", busy(seconds(5)), 15],
    ["it asks for nothing", busy(null), 15],
    ["it is over its limit", limited, 99],
    ["it refuses", refused(403), 15],
    ["it fails and asks for hours", busy(seconds(7200)), 960],
    ["it is over its limit for hours", { ...limited, retryAfter: seconds(7200) }, 7200],
  ] as const)("when %s", (_what, failure, rest) => {
    expect(restOf(failure, { failures: 1, maxAge }).total("seconds")).toBe(rest);
  });

  it("never exceeds maxAge, however often it came", () => {
    expect(restOf(refused(403), { failures: 500, maxAge }).total("seconds")).toBe(960);
  });
});
