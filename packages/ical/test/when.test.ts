import {
  endsAt,
  inZone,
  isLead,
  isZone,
  startsAt,
  type When,
  wallClock,
  wholeMinutes,
} from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { dates, times, zone } from "../../../test/support/items.ts";

describe("startsAt(), endsAt()", () => {
  it.each<[string, When, string, string]>([
    [
      "are the instants of a timed event",
      times("2026-11-24T10:00", "2026-11-24T11:00"),
      "2026-11-24T09:00:00Z",
      "2026-11-24T10:00:00Z",
    ],
    [
      "are half an hour apart when no end is known",
      times("2026-11-24T10:00", null),
      "2026-11-24T09:00:00Z",
      "2026-11-24T09:30:00Z",
    ],
    [
      "are midnights of the zone for whole days, also of a day of 25 hours",
      dates("2026-10-25", "2026-10-26"),
      "2026-10-24T22:00:00Z",
      "2026-10-25T23:00:00Z",
    ],
  ])("%s", (_name, when, start, end) => {
    expect(startsAt(when, zone).toString()).toBe(start);
    expect(endsAt(when, zone).toString()).toBe(end);
  });

  it("take the first moment of a day that has no midnight", () => {
    const day = dates("2018-11-04", "2018-11-05");
    expect(startsAt(day, "America/Sao_Paulo").toString()).toBe("2018-11-04T03:00:00Z");
  });
});

describe("inZone()", () => {
  it("shows the same moments elsewhere", () => {
    const there = inZone(times("2026-11-24T10:00", "2026-11-24T11:00"), "Asia/Tokyo");
    expect(there.start.toString()).toBe("2026-11-24T18:00:00+09:00[Asia/Tokyo]");
    expect(there.end?.toString()).toBe("2026-11-24T19:00:00+09:00[Asia/Tokyo]");
    expect(inZone(times("2026-11-24T10:00", null), "Asia/Tokyo").end).toBeNull();
  });

  it("keeps whole days", () => {
    const day = dates("2026-11-24", "2026-11-25");
    expect(inZone(day, "Asia/Tokyo")).toBe(day);
  });
});

it.each([
  ["2026-03-29T02:30", "2026-03-29T03:30:00+02:00[Europe/Berlin]"],
  ["2026-10-25T02:30", "2026-10-25T02:30:00+02:00[Europe/Berlin]"],
])("wallClock() settles %s", (clock, expected) => {
  expect(wallClock(Temporal.PlainDateTime.from(clock), zone).toString()).toBe(expected);
});

it.each([
  ["PT15M", 15],
  ["PT90S", 2],
  ["P1D", 1440],
  ["P1W", 10_080],
  ["P1M", 44_640],
  ["PT0S", 0],
])("wholeMinutes() %s is %i", (length, expected) => {
  expect(wholeMinutes(Temporal.Duration.from(length))).toBe(expected);
});

describe("isZone()", () => {
  it.each(["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+1"])(
    "is true when it is %s",
    (zone) => expect(isZone(zone)).toBe(true),
  );
  it.each(["", "+01:00", "Mars/Phobos", "Europe/Berlin\r\nX:1", "Europe Berlin", "W. Europe Time"])(
    "is false when it is %j",
    (zone) => expect(isZone(zone)).toBe(false),
  );
});

it.each([
  ["PT0S", true],
  ["P366D", true],
  ["P367D", false],
  ["P6999993D", false],
])("isLead() of %s is %s", (length, expected) => {
  expect(isLead(Temporal.Duration.from(length))).toBe(expected);
});
