import { type EventCard, type When, writeEvent } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { UnwritableEventError } from "../../src/write/write-event.ts";
import { at, card, dates, timed } from "../cards.ts";

const linesOf = (fields: Partial<EventCard>): readonly string[] =>
  writeEvent(card(fields)).replaceAll("\r\n ", "").split("\r\n");

describe("writeEvent()", () => {
  it("writes all of a card, alarms after the properties", () => {
    const written = linesOf({
      uid: "a,b;c\\d",
      summary: "A, B",
      description: "one\ntwo",
      html: "<p>one</p>\n<p>two, three</p>",
      categories: ["Milestone", "x, y", " "],
      reminder: Temporal.Duration.from("PT15M"),
      transparent: true,
      classification: "PRIVATE",
      status: "confirmed",
      url: "https://a.b/?c=1,2;3",
    });
    expect(written).toEqual([
      "BEGIN:VEVENT",
      "UID:a\\,b\\;c\\\\d",
      "SEQUENCE:2",
      "DTSTAMP:20260601T080000Z",
      "DTSTART;TZID=Europe/Berlin:20260701T100000",
      "DTEND;TZID=Europe/Berlin:20260701T110000",
      "SUMMARY:A\\, B",
      "TRANSP:TRANSPARENT",
      "DESCRIPTION:one\\ntwo",
      "X-ALT-DESC;FMTTYPE=text/html:<p>one</p>\\n<p>two\\, three</p>",
      "CATEGORIES:Milestone,x\\, y",
      "URL;VALUE=URI:https://a.b/?c=1%2C2%3B3",
      "CREATED:20260501T080000Z",
      "LAST-MODIFIED:20260601T080000Z",
      "CLASS:PRIVATE",
      "X-DAYFERRY-BASE:2",
      "STATUS:CONFIRMED",
      "BEGIN:VALARM",
      "ACTION:DISPLAY",
      "TRIGGER:-PT15M",
      "DESCRIPTION:A\\, B",
      "END:VALARM",
      "END:VEVENT",
      "",
    ]);
  });

  it("omits what a card does not have", () => {
    const written = linesOf({ createdAt: null, html: "<p>x</p>" }).map(
      (line) => line.split(/[;:]/)[0],
    );
    expect(written).not.toContain("CREATED");
    expect(written).not.toContain("DESCRIPTION");
    expect(written).not.toContain("X-ALT-DESC");
    expect(written).not.toContain("BEGIN:VALARM");
    expect(linesOf({ status: "no status\r\nX:1" }).join()).not.toContain("STATUS");
  });

  const inTokyo: When = {
    kind: "times",
    start: at("2026-07-01T10:00").withTimeZone("Asia/Tokyo"),
    end: null,
  };

  it.each([
    [
      "times",
      timed("2026-07-01T10:00", "2026-07-01T11:00"),
      ";TZID:20260701T100000 ;TZID:20260701T110000",
    ],
    ["no end", timed("2026-07-01T10:00", null), ";TZID:20260701T100000 ;TZID:20260701T103000"],
    ["times of another zone", inTokyo, ";TZID:20260701T100000 ;TZID:20260701T103000"],
    [
      "the first pass of an overlap",
      timed("2026-10-25T02:30+02:00", null),
      ":20261025T003000Z :20261025T010000Z",
    ],
    [
      "the first pass alone",
      timed("2026-10-25T02:00+02:00", "2026-10-25T04:00"),
      ":20261025T000000Z :20261025T030000Z",
    ],
    [
      "the second pass of an overlap",
      timed("2026-10-25T02:30+01:00", "2026-10-25T04:00"),
      ":20261025T013000Z :20261025T030000Z",
    ],
    [
      "an end in the second pass",
      timed("2026-10-25T01:00", "2026-10-25T02:30+01:00"),
      ":20261024T230000Z :20261025T013000Z",
    ],
    ["one day", dates("2026-07-01", "2026-07-02"), ";DATE:20260701 ;DATE:20260702"],
    ["a new year", dates("2026-12-30", "2027-01-03"), ";DATE:20261230 ;DATE:20270103"],
  ] as const)("writes %s", (_what, when, span) => {
    const written = linesOf({ when });
    const long = span.replaceAll("TZID", "TZID=Europe/Berlin").replaceAll("DATE", "VALUE=DATE");
    const [start = "", end = ""] = long.split(" ");
    expect(written).toContain(`DTSTART${start}`);
    expect(written).toContain(`DTEND${end}`);
  });

  it("writes UTC without TZID", () => {
    expect(linesOf({ zone: "Etc/UTC" })).toContain("DTSTART:20260701T080000Z");
  });

  it.each([
    ["PT0S", "TRIGGER:PT0S"],
    ["P1D", "TRIGGER:-P1D"],
    ["P1W", "TRIGGER:-P7D"],
    ["PT90M", "TRIGGER:-PT1H30M"],
  ])("writes a reminder of %s", (reminder, expected) => {
    expect(linesOf({ reminder: Temporal.Duration.from(reminder) })).toContain(expected);
  });

  it("describes the alarm of an event without title", () => {
    const written = linesOf({ summary: "", reminder: Temporal.Duration.from("PT5M") });
    expect(written).toContain("DESCRIPTION:Reminder");
  });

  it("throws when the card is invalid", () => {
    expect(() => writeEvent(card({ uid: "\r\n" }))).toThrow(UnwritableEventError);
    const backwards = timed("2026-07-01T10:00", "2026-07-01T09:00");
    expect(() => writeEvent(card({ when: backwards }))).toThrow(/event-1@dayferry.*ends at/);
    const day = Temporal.PlainDate.from("2026-07-01");
    expect(() => writeEvent(card({ when: { kind: "dates", start: day, end: day } }))).toThrow(
      /ends on/,
    );
  });
});
