import { describe, expect, it } from "vitest";
import {
  type BrakeState,
  judgeLeavers,
  judgeLoss,
  mayBury,
  nextBrake,
} from "../../src/sync/brake.ts";

const released = Temporal.Instant.from("2026-05-01T10:00:00Z");
const held = (missing: number, more: Partial<NonNullable<BrakeState>> = {}): BrakeState => ({
  missing,
  needsPerson: false,
  releasedAt: null,
  ...more,
});

describe("judgeLoss()", () => {
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
  ] as const)("result when %i of %i are missing: %s", (missing, total, verdict) => {
    expect(judgeLoss({ missing, total })).toBe(verdict);
  });
});

describe("judgeLeavers()", () => {
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
  ] as const)("result when %i of %i are missing: %s", (missing, total, verdict) => {
    expect(judgeLeavers({ missing, total })).toBe(verdict);
  });
});

describe("nextBrake()", () => {
  const few = { missing: 3, total: 100 };
  const many = { missing: 30, total: 100 };
  const most = { missing: 60, total: 100 };
  it.each([
    ["few and no brake", null, few, { kind: "keep" }],
    ["few come back", held(30), few, { kind: "lift" }],
    ["many", null, many, { kind: "hold", needsPerson: false, anew: false }],
    ["the same many", held(30), many, { kind: "keep" }],
    ["more", held(20), many, { kind: "hold", needsPerson: false, anew: false }],
    ["most", held(60), most, { kind: "hold", needsPerson: true, anew: false }],
    ["the same most", held(60, { needsPerson: true }), most, { kind: "keep" }],
    ["agreed", held(60, { needsPerson: true, releasedAt: released }), most, { kind: "keep" }],
    [
      "more than agreed",
      held(59, { needsPerson: true, releasedAt: released }),
      most,
      { kind: "hold", needsPerson: true, anew: true },
    ],
  ] as const)("result when %s", (_what, brake, loss, step) => {
    expect(nextBrake(brake, loss)).toEqual(step);
  });
});

describe("mayBury()", () => {
  it.each([
    ["there is no brake", null, 5, true],
    ["all is confirmed", held(30), 0, true],
    ["one is not confirmed", held(30), 1, false],
    ["a person has to agree", held(60, { needsPerson: true }), 0, false],
    ["a person has agreed", held(60, { needsPerson: true, releasedAt: released }), 4, true],
  ] as const)("result when %s", (_what, brake, unconfirmed, may) => {
    expect(mayBury(brake, unconfirmed)).toBe(may);
  });
});
