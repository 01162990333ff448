import { describe, expect, it } from "vitest";
import { retryLater, settleFailure, type Trial } from "../../../src/edits/delivery/settle.ts";
import type { Failure } from "../../../src/upstream/failure.ts";

const now = Temporal.Instant.from("2026-11-20T12:00:00Z");
const request = "PUT /projects/1/events/2";
const unavailable: Failure = {
  kind: "unavailable",
  status: 503,
  message: "down",
  request,
  retryAfter: null,
};

const trial = (fields: Partial<Trial> = {}): Trial => ({
  attempts: 1,
  createdAt: now.subtract({ hours: 1 }),
  now,
  random: 1,
  ...fields,
});

/** The pause in seconds; null when the edit is parked. */
function pause(failure: Failure, fields: Partial<Trial> = {}): number | null {
  const settlement = settleFailure(failure, trial(fields));
  return settlement.kind === "retry" ? now.until(settlement.notBefore).total("seconds") : null;
}

describe("a failed edit", () => {
  it.each<[string, Failure]>([
    ["a refusal", { kind: "refused", status: 422, message: "title is too long", request }],
    [
      "a refusal with status 200",
      { kind: "service-refused", code: 2033, message: "title is too long", request },
    ],
  ])("is parked with the service's message for %s", (_name, failure) => {
    const settlement = settleFailure(failure, trial());
    expect(settlement).toMatchObject({ kind: "park", reason: "refused" });
    expect(settlement.problem).toContain("title is too long");
  });

  it.each<[string, Failure]>([
    ["unavailable", unavailable],
    ["unreadable", { kind: "unreadable", message: "HTML", request }],
    ["unknown-outcome", { kind: "unknown-outcome", message: "reset", request }],
  ])("is retried with longer pauses when it is %s", (_name, failure) => {
    const createdAt = now.subtract({ hours: 3 });
    const pauses = [1, 2, 3, 8, 9, 10, 60].map((attempts) =>
      pause(failure, { attempts, createdAt }),
    );
    expect(pauses).toEqual([2, 4, 8, 256, 512, 600, 600]);
    expect(pause(failure, { attempts: 3, random: 0 })).toBe(4);
  });

  it("pauses at most a fraction of the time already waited", () => {
    const pauseAfter = (ago: Temporal.DurationLike) =>
      pause(unavailable, { attempts: 9, createdAt: now.subtract(ago) });
    expect(pauseAfter({ seconds: 5 })).toBe(15);
    expect(pauseAfter({ minutes: 8 })).toBe(60);
  });

  it.each<[string, Failure, string | undefined]>([
    ["unavailable", unavailable, "service"],
    ["unknown-outcome", { kind: "unknown-outcome", message: "reset", request }, "service"],
    ["aborted", { kind: "aborted", request }, undefined],
  ])("names what it waits for when it is %s", (_name, failure, waitsFor) => {
    const settlement = settleFailure(failure, trial());
    expect(settlement.kind === "retry" && settlement.waitsFor).toBe(waitsFor);
  });

  it("waits as long as the service asks", () => {
    const retryAfter = Temporal.Duration.from({ minutes: 20 });
    expect(pause({ ...unavailable, retryAfter })).toBe(1200);
    expect(pause({ kind: "rate-limited", retryAfter, request })).toBe(1200);
    expect(
      pause({ kind: "rate-limited", retryAfter: Temporal.Duration.from({ seconds: 1 }), request }),
    ).toBe(2);
  });

  it("is released at once when aborted, however old it is", () => {
    const old = { attempts: 99, createdAt: now.subtract({ hours: 99 }) };
    expect(pause({ kind: "aborted", request }, old)).toBe(0);
  });

  it("is parked after a day, but never before twenty tries", () => {
    const dayOld = now.subtract({ hours: 24 });
    expect(pause(unavailable, { createdAt: dayOld, attempts: 19 })).not.toBeNull();
    expect(
      pause(unavailable, { createdAt: dayOld.add({ seconds: 1 }), attempts: 99 }),
    ).not.toBeNull();
    expect(settleFailure(unavailable, trial({ createdAt: dayOld, attempts: 20 }))).toMatchObject({
      kind: "park",
      reason: "failed",
      problem: expect.stringContaining("503"),
    });
  });

  it("is never parked, and counts no try, during a complete outage", () => {
    const weekOld = now.subtract({ hours: 24 * 7 });
    const out = trial({ createdAt: weekOld, attempts: 99, isOut: true });
    expect(settleFailure(unavailable, out)).toMatchObject({ kind: "retry", isInterrupted: true });
  });
});

it("retryLater() keeps its message", () => {
  expect(retryLater("not yet", trial())).toMatchObject({
    problem: "not yet",
  });
});
