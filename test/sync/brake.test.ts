import { describe, expect, it } from "vitest";
import {
  type BrakeState,
  judgeLoss,
  judgeLossOfPeople,
  mayBury,
  nextBrake,
} from "../../src/sync/absence.ts";

const released = Temporal.Instant.from("2026-05-01T10:00:00Z");
const braked = (missing: number, more: Partial<NonNullable<BrakeState>> = {}): BrakeState => ({
  missing,
  needsPerson: false,
  releasedAt: null,
  ...more,
});

it.each([
  [0, 100, "free"],
  [10, 10, "free"],
  [11, 55, "free"],
  [11, 54, "confirmed"],
  [11, 22, "confirmed"],
  [11, 21, "agreed"],
  [50, 100, "confirmed"],
  [51, 100, "agreed"],
  [200, 1000, "free"],
  [201, 1000, "confirmed"],
  [11, 11, "agreed"],
] as const)("%i of %i missing items: %s", (missing, total, verdict) => {
  expect(judgeLoss({ missing, total })).toBe(verdict);
});

it.each([
  [1, 1, "free"],
  [1, 2, "free"],
  [2, 2, "agreed"],
  [2, 4, "free"],
  [3, 5, "agreed"],
  [10, 20, "free"],
  [11, 40, "agreed"],
  [11, 55, "free"],
  [0, 0, "free"],
] as const)("%i of %i missing people: %s", (missing, total, verdict) => {
  expect(judgeLossOfPeople({ missing, total })).toBe(verdict);
});

describe("the brake", () => {
  const few = { missing: 3, total: 100 };
  const many = { missing: 30, total: 100 };
  const most = { missing: 60, total: 100 };
  it.each([
    ["few and no brake", null, few, { kind: "keep" }],
    ["few come back", braked(30), few, { kind: "lift" }],
    ["many", null, many, { kind: "brake", needsPerson: false, isNew: false }],
    ["the same many", braked(30), many, { kind: "keep" }],
    ["more", braked(20), many, { kind: "brake", needsPerson: false, isNew: false }],
    ["most", braked(60), most, { kind: "brake", needsPerson: true, isNew: false }],
    ["the same most", braked(60, { needsPerson: true }), most, { kind: "keep" }],
    ["agreed", braked(60, { needsPerson: true, releasedAt: released }), most, { kind: "keep" }],
    [
      "more than agreed",
      braked(59, { needsPerson: true, releasedAt: released }),
      most,
      { kind: "brake", needsPerson: true, isNew: true },
    ],
  ] as const)("is kept or lifted when %s", (_what, brake, loss, step) => {
    expect(nextBrake(brake, loss)).toEqual(step);
  });
});

it.each([
  ["there is no brake", null, 5, true],
  ["all is confirmed", braked(30), 0, true],
  ["one is not confirmed", braked(30), 1, false],
  ["a person has to agree", braked(60, { needsPerson: true }), 0, false],
  ["a person has agreed", braked(60, { needsPerson: true, releasedAt: released }), 4, true],
] as const)("allows burying when %s", (_what, brake, unconfirmed, may) => {
  expect(mayBury(brake, unconfirmed)).toBe(may);
});
