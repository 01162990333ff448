import type { When } from "@dayferry/ical";
import { readMoment } from "@dayferry/sandbox";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sameWhen } from "../../src/domain/same-values.ts";
import { holdFault, readServiceTimes, writeServiceTimes } from "../../src/domain/service-times.ts";
import { zone as berlin, dates, times } from "../support/items.ts";

interface Row {
  readonly start: string;
  readonly end: string | null;
  readonly allDay?: boolean;
  readonly zone?: string;
}

const read = ({ start, end, allDay = false, zone = berlin }: Row) =>
  readServiceTimes({ start, end, allDay }, zone);

/** Start and end as text, without the account's zone and without seconds. */
function shown(row: Row): string {
  const result = read(row);
  if (!result.ok) return result.failure;
  const { start, end } = result.value;
  return `${String(start)} to ${String(end ?? "-")}`.replaceAll(
    /:00(?=[+-]\d\d:\d\d\[)|\[Europe\/Berlin\]/g,
    "",
  );
}

describe("times read from the service", () => {
  it.each<[string, string, string, Partial<Row>?]>([
    [
      "takes wall clocks of the account's zone",
      "2026-11-24 10:00 | 2026-11-24 11:30",
      "2026-11-24T10:00+01:00 to 2026-11-24T11:30+01:00",
    ],
    [
      "takes a T, seconds and white space",
      " 2026-11-24T10:00:59  | 2026-11-24 11:30:10.5",
      "2026-11-24T10:00+01:00 to 2026-11-24T11:30+01:00",
    ],
    [
      "takes a form with an offset for the instant it names",
      "2026-11-24T10:00:30Z | 2026-11-24 12:00+0100",
      "2026-11-24T05:00-05:00[America/New_York] to 2026-11-24T06:00-05:00[America/New_York]",
      { zone: "America/New_York" },
    ],
    ["has no end when it is missing", "2026-11-24 10:00 | -", "2026-11-24T10:00+01:00 to -"],
    ["has no end when it is blank", "2026-11-24 10:00 |   ", "2026-11-24T10:00+01:00 to -"],
    [
      "has no end when it equals the start",
      "2026-11-24 10:00 | 2026-11-24 10:00",
      "2026-11-24T10:00+01:00 to -",
    ],
    [
      "stays timed from midnight to 23:59",
      "2026-11-24 00:00 | 2026-11-24 23:59",
      "2026-11-24T00:00+01:00 to 2026-11-24T23:59+01:00",
    ],
    [
      "makes the last day exclusive for whole days",
      "2016-04-20 00:00 | 2016-04-22 23:59",
      "2016-04-20 to 2016-04-23",
      { allDay: true },
    ],
    [
      "takes one day where whole days have no end",
      "2016-04-20 | -",
      "2016-04-20 to 2016-04-21",
      { allDay: true },
    ],
    [
      "keeps the day where its midnight does not exist",
      "2018-11-04 00:00 | 2018-11-04 23:59",
      "2018-11-04 to 2018-11-05",
      { allDay: true, zone: "America/Sao_Paulo" },
    ],
    [
      "keeps the day that a zone left out altogether",
      "2011-12-30 00:00 | 2011-12-30 23:59",
      "2011-12-30 to 2011-12-31",
      { allDay: true, zone: "Pacific/Apia" },
    ],
    [
      "moves a wall clock that does not exist forward",
      "2026-03-29 02:30 | 2026-03-29 04:00",
      "2026-03-29T03:30+02:00 to 2026-03-29T04:00+02:00",
    ],
    [
      "keeps the distance to an end that the missing hour would put before the start",
      "2026-03-29 02:30 | 2026-03-29 03:00",
      "2026-03-29T03:30+02:00 to 2026-03-29T04:00+02:00",
    ],
    [
      "takes the first pass of a repeated hour",
      "2026-10-25 02:30 | 2026-10-25 02:45",
      "2026-10-25T02:30+02:00 to 2026-10-25T02:45+02:00",
    ],
    [
      "takes the second pass for an end that the first would put before the start",
      "2026-10-25 02:50 | 2026-10-25 02:10",
      "2026-10-25T02:50+02:00 to 2026-10-25T02:10+01:00",
    ],
    [
      "ends a year before the last one that can be written, as the day after has to be written too",
      "2026-11-24 | 9999-12-31 23:59",
      "2026-11-24 to 9999-12-30",
      { allDay: true },
    ],
    [
      "writes the last possible minute for later times",
      "2026-11-24 10:00 | 9999-12-31 10:00",
      "2026-11-24T10:00+00:00[UTC] to 9999-12-29T23:59+00:00[UTC]",
      { zone: "UTC" },
    ],
    [
      "writes the first possible day for earlier ones",
      "0001-01-01 00:00 | 0001-01-01 23:59",
      "0001-01-02 to 0001-01-03",
      { allDay: true },
    ],
  ])("%s", (_name, span, expected, more = {}) => {
    const [start = "", end = ""] = span.split(" | ");
    expect(shown({ start, end: end === "-" ? null : end, ...more })).toBe(expected);
  });

  it.each<[string, Row]>([
    ["2026-11-24 09:00", { start: "2026-11-24 10:00", end: "2026-11-24 09:00" }],
    ["2026-11-23", { start: "2026-11-24", end: "2026-11-23", allDay: true }],
    ["2026-10-25 01:10", { start: "2026-10-25 02:50", end: "2026-10-25 01:10" }],
    ["2026-03-29 02:00", { start: "2026-03-29 02:30", end: "2026-03-29 02:00" }],
    ["2026-10-25T02:10+02:00", { start: "2026-10-25 02:50", end: "2026-10-25T02:10+02:00" }],
    ["2026-02-30 10:00", { start: "2026-02-30 10:00", end: null }],
    ["2026-11-24 24:30", { start: "2026-11-24 24:30", end: null }],
    ["2026-13-01T10:00Z", { start: "2026-13-01T10:00Z", end: null }],
    ["tomorrow", { start: "tomorrow", end: null }],
    ["", { start: "", end: null }],
    ["10:00", { start: "2026-11-24 10:00", end: "10:00" }],
  ])("are refused with the value %j", (value, row) => {
    const result = read(row);
    expect(result.ok).toBe(false);
    expect(result.ok ? "" : result.failure).toContain(`"${value}"`);
  });
});

describe("times written to the service", () => {
  it.each<[string, When, ReturnType<typeof writeServiceTimes>]>([
    [
      "names the offset of timed events and cuts seconds",
      times("2026-07-01T10:00:59", "2026-07-01T11:00"),
      { start: "2026-07-01T10:00:00+02:00", end: "2026-07-01T11:00:00+02:00", allDay: false },
    ],
    [
      "writes no unknown end",
      times("2026-11-24T10:00", null),
      { start: "2026-11-24T10:00:00+01:00", end: null, allDay: false },
    ],
    [
      "leaves the end of one day out",
      dates("2016-04-20", "2016-04-21"),
      { start: "2016-04-20", end: null, allDay: true },
    ],
    [
      "makes the last day inclusive",
      dates("2016-04-20", "2016-04-23"),
      { start: "2016-04-20", end: "2016-04-22", allDay: true },
    ],
    [
      "writes the lower minute of an offset that has seconds",
      times("1850-01-01T10:00", "1850-01-01T11:00", "America/New_York"),
      { start: "1850-01-01T10:00:00-04:57", end: "1850-01-01T11:00:00-04:57", allDay: false },
    ],
  ])("%s", (_name, when, expected) => {
    expect(writeServiceTimes(when)).toEqual(expected);
  });

  it("are read back the same, even where clocks change", () => {
    const start = fc.integer({ min: 1_767_225_600, max: 1_830_297_600 }).map((s) => s - (s % 60));
    const zone = fc.constantFrom(berlin, "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata");
    fc.assert(
      fc.property(start, fc.integer({ min: 0, max: 5000 }), zone, (from, length, name) => {
        const first = Temporal.Instant.fromEpochMilliseconds(from * 1000);
        const when: When = {
          kind: "times",
          start: first.toZonedDateTimeISO(name),
          end: length === 0 ? null : first.add({ minutes: length }).toZonedDateTimeISO(name),
        };
        const again = readServiceTimes(writeServiceTimes(when), name);
        expect(again.ok && sameWhen(again.value, when)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

/** Minutes of any zone and time: most of them near a clock change, if there is any. */
const anyMinute = fc
  .record({
    zone: fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
    second: fc.integer({ min: -4_000_000_000, max: 5_000_000_000 }),
    near: fc.boolean(),
    minutes: fc.integer({ min: -200, max: 200 }),
  })
  .map(({ zone, second, near, minutes }) => {
    const any = Temporal.Instant.fromEpochMilliseconds(second * 1000).toZonedDateTimeISO(zone);
    const time = (near && any.getTimeZoneTransition("next")) || any;
    return time.add({ minutes }).round({ smallestUnit: "minute", roundingMode: "floor" });
  });

/** The answers of a service that keeps only the clock of the account's zone. */
function heldBy(when: When, zone: string): When | null {
  const { start, end, allDay } = writeServiceTimes(when);
  const clock = (text: string) => readMoment(text, zone) ?? "";
  const [from, to] = [clock(start), end === null ? null : clock(end)];
  const answer = readServiceTimes({ start: from, end: to, allDay }, zone);
  return answer.ok && (to === null || to >= from) ? answer.value : null;
}

describe("limits of the service's times", () => {
  it("are found exactly if its response is another moment", () => {
    fc.assert(
      fc.property(anyMinute, fc.integer({ min: 0, max: 400 }), (start, length) => {
        const end = length === 0 ? null : start.add({ minutes: length });
        const when: When = { kind: "times", start, end };
        const held = heldBy(when, start.timeZoneId);
        const isHeld = held !== null && sameWhen(held, when);
        expect([when, holdFault(when, start.timeZoneId) === null]).toEqual([when, isHeld]);
      }),
      { numRuns: 3000, seed: 7 },
    );
  });

  it.each([
    ["2026-10-25T00:30Z", "2026-10-25T02:00Z", null],
    ["2026-10-25T00:30Z", null, null],
    ["2026-10-25T01:30Z", null, /^the start, 2026-10-25T01:30Z, is the second 2026-10-25 02:30/],
    ["2026-10-25T01:00Z", "2026-10-25T02:00Z", /^the start/],
    ["2026-10-24T22:00Z", "2026-10-25T01:30Z", /^the end, 2026-10-25T01:30Z, is the second/],
    ["2026-10-25T00:50Z", "2026-10-25T01:10Z", /^the end/],
    ["2026-10-25T00:30Z", "2026-10-25T01:30Z", /^the end/],
    ["2026-10-25T00:30:10Z", "2026-10-25T00:30:50Z", null],
    ["9998-12-31T22:59Z", null, null],
    ["9998-12-31T23:00Z", null, /^9999-01-01 is outside the years 1000 to 9998/],
  ])("from %s to %s: %s", (from, to, expected) => {
    const at = (text: string) => Temporal.Instant.from(text).toZonedDateTimeISO("UTC");
    const when: When = { kind: "times", start: at(from), end: to === null ? null : at(to) };
    const message = holdFault(when, berlin)?.message ?? null;
    if (expected === null) expect(message).toBeNull();
    else expect(message).toMatch(expected);
  });

  it.each([
    ["1000-01-01", "9999-01-01", true],
    ["0999-12-31", "1000-01-02", false],
    ["2026-01-01", "9999-01-02", false],
  ])("for days from %s to %s: none, %s", (start, end, isHeld) => {
    expect(holdFault(dates(start, end), berlin) === null).toBe(isHeld);
  });
});
