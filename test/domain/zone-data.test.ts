import { describe, expect, it } from "vitest";
import { isOldZoneData, releasedOn, zoneDataOf } from "../../src/domain/zone-data.ts";

describe("zoneDataOf()", () => {
  it("picks the versions of this runtime", () => {
    const { tz, icu } = zoneDataOf(process.versions);
    expect(tz).toMatch(/^20\d\d[a-z]$/);
    expect(icu).toMatch(/^\d+\.\d+/);
  });

  it("says nothing when the runtime says nothing", () => {
    expect(zoneDataOf({ node: "26.0.0" })).toEqual({ tz: null, icu: null });
  });
});

it.each([
  ["2026a", "2026-01-01"],
  ["2026c", "2026-05-01"],
  ["2021j", "2021-12-01"],
  ["2026", undefined],
  ["", undefined],
])("releasedOn() of %j is %s", (tz, expected) => {
  expect(releasedOn(tz)?.toString()).toBe(expected);
});

it.each([
  ["2026c", "2026-11-22", false],
  ["2025b", "2026-03-01", false],
  ["2025b", "2026-03-02", true],
  ["2019a", "2026-11-22", true],
  [null, "2026-11-22", false],
])("isOldZoneData() of %s on %s is %s", (tz, today, expected) => {
  expect(isOldZoneData({ tz, icu: null }, Temporal.PlainDate.from(today))).toBe(expected);
});
