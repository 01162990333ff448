import { matchesPropertyRange, matchesTimeRange } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { at, range, read } from "./ranges.ts";

function matches(name: string, lines: readonly string[], asked: ReturnType<typeof range>): boolean {
  const { component, context } = read(name, lines);
  return matchesTimeRange(component, asked, context);
}

/** Lines, with @ before an hour of the day; then the ranges that match and those that do not, `-` for an open end. */
const rows: readonly (readonly [string, string, string, string])[] = [
  [
    "VEVENT",
    "DTSTART:@10 DTEND:@12",
    "8/10.1 11/11.5 11.9/14 -/11 11/- -/-",
    "8/10 12/14 -/10 12/-",
  ],
  ["VEVENT", "DTSTART:@10 DURATION:PT2H", "11/11.5", "8/10 12/14"],
  ["VEVENT", "DTSTART:@10 DURATION:PT0S", "10/11", "8/10 10.1/11"],
  ["VEVENT", "DTSTART:@10 DTEND:@10", "10/11", "9/10"],
  ["VEVENT", "DTSTART:@10", "10/11", "9/10 10.1/11"],
  // In Berlin the day lasts from 22:00 to 22:00 UTC.
  [
    "VEVENT",
    "DTSTART;VALUE=DATE:20260701",
    "2026-06-30T20:00:00Z/2026-06-30T22:01:00Z 21/23",
    "2026-06-30T20:00:00Z/2026-06-30T22:00:00Z 22/23",
  ],
  [
    "VEVENT",
    "DTSTART;VALUE=DATE:20260701 DTEND;VALUE=DATE:20260703",
    "2026-07-02T21:59:00Z/-",
    "2026-07-02T22:00:00Z/-",
  ],
  [
    "VEVENT",
    "DTSTART;VALUE=DATE:20260701 DURATION:P2D",
    "2026-07-02T21:59:00Z/-",
    "2026-07-02T22:00:00Z/-",
  ],
  [
    "VEVENT",
    "DTSTART:20260701T120000 DTEND;TZID=America/New_York:20260701T080000",
    "11.9/14",
    "8/10 12/14",
  ],
  ["VEVENT", "SUMMARY:x", "", "-/-"],
  ["VEVENT", "DTSTART:x", "", "-/-"],
  ["VTODO", "DTSTART:@10 DURATION:PT2H", "8/10.1 12/14", "8/9.9 8/10 12.1/14"],
  ["VTODO", "DTSTART:@10 DUE:@12", "8/10.1 11/11.5 11.9/14", "8/10 12/14"],
  ["VTODO", "DTSTART:@10 DUE:@10", "10/11 8/10", "8/9 10.1/11"],
  ["VTODO", "DTSTART:@10 COMPLETED:@1 CREATED:@1", "10/11", "9/10 10.1/11"],
  ["VTODO", "DUE:@12 COMPLETED:@1", "8/12 11.9/13", "8/11.9 12/13"],
  ["VTODO", "CREATED:@10 COMPLETED:@12", "8/10 11/11.5 12/14", "8/9.9 12.1/14"],
  ["VTODO", "COMPLETED:@10", "8/10 10/11", "8/9 10.1/11"],
  ["VTODO", "CREATED:@10", "8/10.1 20/21", "8/10"],
  ["VTODO", "SUMMARY:x", "8/10 -/-", ""],
  [
    "VTODO",
    "DUE;VALUE=DATE:20260701",
    "2026-06-30T22:00:00Z/2026-07-01T22:00:00Z 21.9/23",
    "2026-06-30T10:00:00Z/2026-06-30T21:59:00Z 22/23",
  ],
  [
    "VTODO",
    "DTSTART;VALUE=DATE:20260701 DUE;VALUE=DATE:20260702",
    "12/13 2026-07-02T21:59:00Z/-",
    "2026-06-30T10:00:00Z/2026-06-30T22:00:00Z 2026-07-02T22:00:00Z/-",
  ],
  ["VTODO", "DTSTART;VALUE=DATE:20260701", "21.9/23", "22/23"],
  ["VJOURNAL", "DTSTART:@10", "", "-/-"],
  ["VFREEBUSY", "DTSTART:@10 DTEND:@12", "", "-/-"],
  ["VTIMEZONE", "DTSTART:@10", "", "-/-"],
];

const moment = (text: string) => (text === "-" ? null : text.length > 9 ? text : Number(text));

it.each(
  rows.flatMap(([name, lines, inside, outside]) =>
    [inside, outside].flatMap((ranges, at) =>
      ranges
        .split(" ")
        .filter((each) => each !== "")
        .map((each) => ({ name, lines, each, expected: at === 0 })),
    ),
  ),
)(
  "matchesTimeRange() is $expected for a $name with $lines in $each",
  ({ name, lines, each, expected }) => {
    const [start = null, end = null] = each.split("/").map(moment);
    const own = lines.replaceAll(/@([\d.]+)/g, (_, hour) => at(Number(hour))).split(" ");
    expect(matches(name, own, range(start, end))).toBe(expected);
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
  ])("answers for %s from %s to %s: %s", (line, start, end, expected) => {
    expect(matchesLine(line, range(start, end))).toBe(expected);
  });
});
