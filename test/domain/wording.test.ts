import { describe, expect, it } from "vitest";
import { distanceInWords, lengthInWords, spanInWords } from "../../src/domain/wording.ts";
import { inLanguage } from "../../src/texts/say.ts";
import { berlin } from "../reminders/rig.ts";
import { dates, times } from "../support/items.ts";

describe("spanInWords()", () => {
  it.each([
    [
      "Tue 24 Nov 2026, 10:00–11:00 (Europe/Berlin)",
      times("2026-11-24T10:00", "2026-11-24T11:00"),
      berlin,
    ],
    ["Tue 24 Nov 2026, 10:00 (Europe/Berlin)", times("2026-11-24T10:00", null), berlin],
    [
      "Tue 24 Nov 2026, 23:00 – Wed 25 Nov 2026, 01:30 (Europe/Lisbon)",
      times("2026-11-25T00:00", "2026-11-25T02:30"),
      "Europe/Lisbon",
    ],
    ["Wed 9 Sep 2026 (all day)", dates("2026-09-09", "2026-09-10"), "Asia/Tokyo"],
    [
      "Sun 25 Oct 2026, 01:30–02:30 UTC+01:00 (Europe/Berlin)",
      times("2026-10-24T23:30", "2026-10-25T01:30", "UTC"),
      berlin,
    ],
    [
      "Sun 25 Oct 2026, 02:15 UTC+02:00–02:15 UTC+01:00 (Europe/Berlin)",
      times("2026-10-25T00:15", "2026-10-25T01:15", "UTC"),
      berlin,
    ],
  ])("is %s", (expected, when, zone) => {
    expect(spanInWords(when, zone)).toBe(expected);
  });

  it("uses twelve hours and puts the month first in the US", () => {
    const span = times("2026-11-24T10:00", "2026-11-24T15:30");
    const told = inLanguage(
      () => "en-US",
      () => spanInWords(span, berlin),
    );
    expect(told).toBe("Tue, Nov 24, 2026, 10:00 AM–3:30 PM (Europe/Berlin)");
  });
});

describe("distanceInWords()", () => {
  const now = Temporal.ZonedDateTime.from("2026-11-24T10:00[Europe/Berlin]");
  it.each([
    ["Starts in 15 minutes.", times("2026-11-24T10:15", null)],
    ["Starts in 1 minute.", times("2026-11-24T10:01:10", null)],
    ["Starts now.", times("2026-11-24T10:00:20", null)],
    ["Starts in 2 hours 30 minutes.", times("2026-11-24T12:30", null)],
    ["Starts in 1 day 2 hours.", times("2026-11-25T12:05", null)],
    ["Starts in 7 days.", times("2026-12-01T10:00", null)],
    ["Started 5 minutes ago.", times("2026-11-24T09:55", "2026-11-24T10:30")],
    ["Started 1 hour ago and is over.", times("2026-11-24T09:00", "2026-11-24T09:30")],
    ["Started 2 hours ago and is over.", times("2026-11-24T08:00", null)],
    ["Starts today.", dates("2026-11-24", "2026-11-25")],
    ["Starts tomorrow.", dates("2026-11-25", "2026-11-26")],
    ["Starts in 3 days.", dates("2026-11-27", "2026-11-28")],
    ["Started yesterday.", dates("2026-11-23", "2026-11-26")],
    ["Started 2 days ago and is over.", dates("2026-11-22", "2026-11-24")],
  ])("is %s", (expected, when) => {
    expect(distanceInWords(when, now)).toBe(expected);
  });

  it("counts calendar days when the clocks change in between", () => {
    const before = Temporal.ZonedDateTime.from("2026-10-24T10:00[Europe/Berlin]");
    expect(distanceInWords(times("2026-10-25T10:00", null), before)).toBe("Starts in 1 day.");
    const utc = new Temporal.ZonedDateTime(0n, "UTC");
    expect(lengthInWords(Temporal.Duration.from("PT1500M"), utc)).toBe("1 day 1 hour");
    expect(lengthInWords(Temporal.Duration.from("PT20S"), utc)).toBe("0 minutes");
  });
});
