import { describe, expect, it } from "vitest";
import { nearness } from "../../src/sync/follow-parents.ts";
import { restOfLookUp } from "../../src/sync/look-ups.ts";
import { restAfter } from "../../src/sync/plan-snapshot.ts";

describe("the rest after a failure", () => {
  const cap = Temporal.Duration.from({ minutes: 16 });
  it("doubles with each failure up to the maximum", () => {
    const rests = [1, 2, 3, 6, 7, 8, 1000].map((failures) => restAfter(failures, cap));
    expect(rests.map((rest) => rest.total("seconds"))).toEqual([15, 30, 60, 480, 960, 960, 960]);
  });

  it("is never zero, even if the maximum is tiny", () => {
    expect(restAfter(1, Temporal.Duration.from({ milliseconds: 1 })).total("milliseconds")).toBe(1);
  });
});

describe("the rest of a lookup", () => {
  const maxAge = Temporal.Duration.from({ minutes: 15 });
  const minutes = (lookUps: number) =>
    restOfLookUp({ maxAge, lookUps, pace: 2.25 }).total("minutes");

  it("is a third of the ceiling while lookups are few", () => {
    expect([5, 22, 67].map(minutes)).toEqual([5, 5, 5]);
  });

  it("leaves most requests to lists if lookups are many, within the ceiling", () => {
    expect(minutes(162)).toBe(12);
    expect([203, 1002].map(minutes)).toEqual([15, 15]);
  });
});

it("nearness counts days in both directions", () => {
  const today = Temporal.PlainDate.from("2026-05-10");
  expect(nearness(today.add({ days: 3 }), today)).toBe(3);
  expect(nearness(today.subtract({ months: 1 }), today)).toBe(30);
});
