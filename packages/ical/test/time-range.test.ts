import { matchesPropertyRange, matchesTimeRange } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { at, range, read } from "./ranges.ts";

function matches(name: string, lines: readonly string[], asked: ReturnType<typeof range>): boolean {
  const { component, context } = read(name, lines);
  return matchesTimeRange(component, asked, context);
}

type Case = readonly [number | string | null, number | string | null, boolean];
/** Name, lines, and matching ranges. From ten to twelve, unless stated. */
const rows: readonly (readonly [string, string, readonly string[], readonly Case[]])[] = [
  [
    "VEVENT",
    "DTSTART and DTEND",
    [`DTSTART:${at(10)}`, `DTEND:${at(12)}`],
    [
      [8, 10, false],
      [8, 10.1, true],
      [11, 11.5, true],
      [11.9, 14, true],
      [12, 14, false],
      [null, 10, false],
      [null, 11, true],
      [12, null, false],
      [11, null, true],
      [null, null, true],
    ],
  ],
  [
    "VEVENT",
    "DTSTART and a DURATION",
    [`DTSTART:${at(10)}`, "DURATION:PT2H"],
    [
      [8, 10, false],
      [11, 11.5, true],
      [12, 14, false],
    ],
  ],
  [
    "VEVENT",
    "a DURATION of nothing",
    [`DTSTART:${at(10)}`, "DURATION:PT0S"],
    [
      [8, 10, false],
      [10, 11, true],
      [10.1, 11, false],
    ],
  ],
  [
    "VEVENT",
    "an end at the start",
    [`DTSTART:${at(10)}`, `DTEND:${at(10)}`],
    [
      [10, 11, true],
      [9, 10, false],
    ],
  ],
  [
    "VEVENT",
    "a time alone",
    [`DTSTART:${at(10)}`],
    [
      [9, 10, false],
      [10, 11, true],
      [10.1, 11, false],
    ],
  ],
  [
    // In Berlin the day lasts from 22:00 to 22:00 UTC.
    "VEVENT",
    "a date alone",
    ["DTSTART;VALUE=DATE:20260701"],
    [
      ["2026-06-30T20:00:00Z", "2026-06-30T22:00:00Z", false],
      ["2026-06-30T20:00:00Z", "2026-06-30T22:01:00Z", true],
      [21, 23, true],
      [22, 23, false],
    ],
  ],
  [
    "VEVENT",
    "dates",
    ["DTSTART;VALUE=DATE:20260701", "DTEND;VALUE=DATE:20260703"],
    [
      ["2026-07-02T21:59:00Z", null, true],
      ["2026-07-02T22:00:00Z", null, false],
    ],
  ],
  [
    "VEVENT",
    "a date and a DURATION",
    ["DTSTART;VALUE=DATE:20260701", "DURATION:P2D"],
    [
      ["2026-07-02T21:59:00Z", null, true],
      ["2026-07-02T22:00:00Z", null, false],
    ],
  ],
  [
    "VEVENT",
    "floating times and times of a zone",
    ["DTSTART:20260701T120000", "DTEND;TZID=America/New_York:20260701T080000"],
    [
      [8, 10, false],
      [11.9, 14, true],
      [12, 14, false],
    ],
  ],
  ["VEVENT", "no start", ["SUMMARY:x"], [[null, null, false]]],
  ["VEVENT", "a start that cannot be read", ["DTSTART:x"], [[null, null, false]]],
  [
    "VTODO",
    "DTSTART and a DURATION",
    [`DTSTART:${at(10)}`, "DURATION:PT2H"],
    [
      [8, 9.9, false],
      [8, 10, false],
      [8, 10.1, true],
      [12, 14, true],
      [12.1, 14, false],
    ],
  ],
  [
    "VTODO",
    "DTSTART and DUE",
    [`DTSTART:${at(10)}`, `DUE:${at(12)}`],
    [
      [8, 10, false],
      [8, 10.1, true],
      [11, 11.5, true],
      [11.9, 14, true],
      [12, 14, false],
    ],
  ],
  [
    "VTODO",
    "DTSTART and DUE at one moment",
    [`DTSTART:${at(10)}`, `DUE:${at(10)}`],
    [
      [10, 11, true],
      [8, 10, true],
      [8, 9, false],
      [10.1, 11, false],
    ],
  ],
  [
    "VTODO",
    "DTSTART alone",
    [`DTSTART:${at(10)}`, `COMPLETED:${at(1)}`, `CREATED:${at(1)}`],
    [
      [9, 10, false],
      [10, 11, true],
      [10.1, 11, false],
    ],
  ],
  [
    "VTODO",
    "DUE alone",
    [`DUE:${at(12)}`, `COMPLETED:${at(1)}`],
    [
      [8, 11.9, false],
      [8, 12, true],
      [11.9, 13, true],
      [12, 13, false],
    ],
  ],
  [
    "VTODO",
    "COMPLETED and CREATED",
    [`CREATED:${at(10)}`, `COMPLETED:${at(12)}`],
    [
      [8, 9.9, false],
      [8, 10, true],
      [11, 11.5, true],
      [12, 14, true],
      [12.1, 14, false],
    ],
  ],
  [
    "VTODO",
    "COMPLETED alone",
    [`COMPLETED:${at(10)}`],
    [
      [8, 9, false],
      [8, 10, true],
      [10, 11, true],
      [10.1, 11, false],
    ],
  ],
  [
    "VTODO",
    "CREATED alone",
    [`CREATED:${at(10)}`],
    [
      [8, 10, false],
      [8, 10.1, true],
      [20, 21, true],
    ],
  ],
  [
    "VTODO",
    "nothing at all",
    ["SUMMARY:x"],
    [
      [8, 10, true],
      [null, null, true],
    ],
  ],
  [
    "VTODO",
    "a due date, the whole day",
    ["DUE;VALUE=DATE:20260701"],
    [
      ["2026-06-30T10:00:00Z", "2026-06-30T21:59:00Z", false],
      ["2026-06-30T22:00:00Z", "2026-07-01T22:00:00Z", true],
      [21.9, 23, true],
      [22, 23, false],
    ],
  ],
  [
    "VTODO",
    "dates from start to due",
    ["DTSTART;VALUE=DATE:20260701", "DUE;VALUE=DATE:20260702"],
    [
      ["2026-06-30T10:00:00Z", "2026-06-30T22:00:00Z", false],
      [12, 13, true],
      ["2026-07-02T21:59:00Z", null, true],
      ["2026-07-02T22:00:00Z", null, false],
    ],
  ],
  [
    "VTODO",
    "a start date, the whole day",
    ["DTSTART;VALUE=DATE:20260701"],
    [
      [21.9, 23, true],
      [22, 23, false],
    ],
  ],
  ["VJOURNAL", "a date", [`DTSTART:${at(10)}`], [[null, null, false]]],
  ["VFREEBUSY", "a range", [`DTSTART:${at(10)}`, `DTEND:${at(12)}`], [[null, null, false]]],
  ["VTIMEZONE", "anything", [`DTSTART:${at(10)}`], [[null, null, false]]],
];

it.each(
  rows.flatMap(([name, what, lines, cases]) =>
    cases.map(([start, end, expected]) => ({ name, what, lines, start, end, expected })),
  ),
)(
  "matchesTimeRange() $expected for a $name with $what, from $start to $end",
  ({ name, lines, start, end, expected }) => {
    expect(matches(name, lines, range(start, end))).toBe(expected);
  },
);

describe("matchesPropertyRange()", () => {
  const matchesLine = (line: string, asked: ReturnType<typeof range>) => {
    const { component, context } = read("VTODO", [line]);
    const [own] = component.lines;
    if (!own) throw new Error("no line was read");
    return matchesPropertyRange(own, asked, context);
  };

  it.each<[string, number | string | null, number | string | null, boolean]>([
    [`COMPLETED:${at(10)}`, 10, 11, true],
    [`COMPLETED:${at(10)}`, 9, 10, false],
    [`COMPLETED:${at(10)}`, 10.1, null, false],
    ["DUE:20260701T120000", 10, 10.1, true],
    ["DUE;VALUE=DATE:20260701", 21.9, 23, true],
    ["DUE;VALUE=DATE:20260701", 22, 23, false],
    ["SUMMARY:x", null, null, false],
  ])("tells for %s from %s to %s: %s", (line, start, end, expected) => {
    expect(matchesLine(line, range(start, end))).toBe(expected);
  });
});
