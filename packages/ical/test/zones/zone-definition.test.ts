import { type IncomingItem, readTree, writeTimeZone, zonesOfFile } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { longZones } from "../../../../test/support/long-inputs.ts";
import { inEnglish } from "../../src/sentences.ts";
import { readClock, settleClock } from "../../src/time-values.ts";
import { calendar, octets, readFine, readOne } from "../files.ts";

const part = (kind: string, ...lines: readonly string[]): readonly string[] => [
  `BEGIN:${kind}`,
  ...lines,
  `END:${kind}`,
];
const standard = (...lines: readonly string[]) => part("STANDARD", ...lines);
const daylight = (...lines: readonly string[]) => part("DAYLIGHT", ...lines);
const offsets = (from: string, to: string) => [`TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`];

const east = [
  ...standard(
    "DTSTART:16010101T020000",
    "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11",
    ...offsets("-0400", "-0500"),
  ),
  ...daylight(
    "DTSTART:16010101T020000",
    "RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3",
    ...offsets("-0500", "-0400"),
  ),
];
const berlin = [
  ...standard(
    "DTSTART:16010101T030000",
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
    ...offsets("+0200", "+0100"),
  ),
  ...daylight(
    "DTSTART:16010101T020000",
    "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
    ...offsets("+0100", "+0200"),
  ),
];

/** A file whose events have these lines, in a time zone with this definition. */
const inZone = (tzid: string, block: readonly string[], ...events: readonly string[][]) =>
  calendar(
    ...["BEGIN:VTIMEZONE", `TZID:${tzid}`, ...block, "END:VTIMEZONE"],
    ...events.flatMap((lines, at) => ["BEGIN:VEVENT", `UID:u${at}`, ...lines, "END:VEVENT"]),
  );

const startOf = ({ when }: IncomingItem): string =>
  when?.kind === "times" ? when.start.toInstant().toString() : "no time";

/** A local time in UTC, or the problem. */
function utc(tzid: string, block: readonly string[], clock: string): string {
  const item = readOne(inZone(tzid, block, [`DTSTART;TZID=${tzid}:${clock}`]));
  const [problem] = item.problems;
  return problem ? `${problem.code}: ${inEnglish(problem.message)}` : startOf(item);
}

describe("a zone defined by a file is read by its rules when it is called", () => {
  it.each([
    "Customized Time Zone",
    "Customized Time Zone 1",
    "tzone://Microsoft/Custom",
    "Eastern",
    "(GMT-05.00) Eastern Time (US & Canada)",
    "(no TZ description)",
    "Mars/Base",
    "/mozilla.org/20050126_1/Mars/Base",
    "US-Eastern",
    "Zeitzone „Büro“",
    "New York, Boston",
    "EDT",
    "EST",
    "est",
    "MST",
    "HST",
    "GMT",
    "CET",
    "EET",
    "MET",
    "WET",
    "UTC",
    "EST5EDT",
    "GMT+0",
  ])("%s", (tzid) => {
    expect(utc(tzid, east, "20260701T100000")).toBe("2026-07-01T14:00:00Z");
    expect(utc(tzid, east, "20260115T100000")).toBe("2026-01-15T15:00:00Z");
  });

  it.each([
    ["Europe/Berlin", "2026-07-01T08:00:00Z"],
    ["europe/berlin", "2026-07-01T08:00:00Z"],
    ["/freeassociation.sourceforge.net/Europe/Berlin", "2026-07-01T08:00:00Z"],
    ["W. Europe Standard Time", "2026-07-01T08:00:00Z"],
    ["Japan", "2026-07-01T01:00:00Z"],
    ["Etc/GMT-3", "2026-07-01T07:00:00Z"],
  ])("but not when it is a place: %s", (tzid, expected) => {
    expect(utc(tzid, east, "20260701T100000")).toBe(expected);
  });

  it("in its own quotation marks", () => {
    const bytes = inZone('"Own"', east, ['DTSTART;TZID="Own":20260701T100000']);
    expect(startOf(readOne(bytes))).toBe("2026-07-01T14:00:00Z");
  });

  it("EST without rules, as in the zone database", () => {
    expect(utc("EST", [], "20260701T100000")).toBe("2026-07-01T15:00:00Z");
  });
});

describe("the rules of a definition are followed", () => {
  const eras = [
    ...standard(
      "DTSTART:19671029T020000",
      ...offsets("-0400", "-0500"),
      "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z",
    ),
    ...daylight(
      "DTSTART:19870405T020000",
      ...offsets("-0500", "-0400"),
      "RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20060402T070000Z",
    ),
    ...daylight(
      "DTSTART:20070311T020000",
      ...offsets("-0500", "-0400"),
      "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU",
    ),
    ...standard(
      "DTSTART:20071104T020000",
      ...offsets("-0400", "-0500"),
      "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
    ),
  ];
  const given = [
    ...standard("DTSTART:20100101T000000", ...offsets("+0300", "+0300")),
    ...daylight(
      "DTSTART:20110401T000000",
      ...offsets("+0300", "+0400"),
      "RDATE:20120402T000000,20130403T000000",
      "RDATE;VALUE=DATE-TIME:20140404T000000",
    ),
    ...standard(
      "DTSTART:20111001T000000",
      ...offsets("+0400", "+0300"),
      "RDATE:20121002T000000,20131003T000000",
      "RDATE:20141004T000000",
    ),
  ];
  const rule = (parts: string) => [
    ...standard(
      "DTSTART:20000101T000000",
      ...offsets("+0100", "+0000"),
      "RRULE:FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1",
    ),
    ...daylight("DTSTART:20000301T000000", ...offsets("+0000", "+0100"), `RRULE:${parts}`),
  ];
  const cases: readonly [string, readonly string[], string, string][] = [
    ["the first pass of a repeated hour", berlin, "20261025T023000", "2026-10-25T00:30:00Z"],
    ["the hour before it", berlin, "20261025T013000", "2026-10-24T23:30:00Z"],
    ["the hour behind it", berlin, "20261025T030000", "2026-10-25T02:00:00Z"],
    ["a gap", berlin, "20260329T023000", "2026-03-29T01:30:00Z"],
    ["the end of a gap", berlin, "20260329T030000", "2026-03-29T01:00:00Z"],
    ["the last minute before a gap", berlin, "20260329T015900", "2026-03-29T00:59:00Z"],
    ["a year far away", berlin, "22260701T100000", "2226-07-01T08:00:00Z"],
    ["an old era", eras, "20060320T120000", "2006-03-20T17:00:00Z"],
    ["the last day of an era", eras, "20061029T013000", "2006-10-29T05:30:00Z"],
    ["the last change of an era", eras, "20061029T030000", "2006-10-29T08:00:00Z"],
    ["a new era", eras, "20070320T120000", "2007-03-20T16:00:00Z"],
    ["before the first era", eras, "19600701T120000", "1960-07-01T16:00:00Z"],
    ["a date of a list", given, "20130701T120000", "2013-07-01T08:00:00Z"],
    ["behind a date of a list", given, "20131101T120000", "2013-11-01T09:00:00Z"],
    ["the last list", given, "20140701T120000", "2014-07-01T08:00:00Z"],
    ["behind all lists", given, "20300701T120000", "2030-07-01T09:00:00Z"],
    ["before all lists", given, "20000701T120000", "2000-07-01T09:00:00Z"],
    [
      "one without end, as in 1601",
      standard("DTSTART:16010101T000000", ...offsets("+0545", "+0545")),
      "20260701T120000",
      "2026-07-01T06:15:00Z",
    ],
    [
      "days of a month",
      rule("FREQ=YEARLY;BYMONTH=3;BYDAY=SU;BYMONTHDAY=8,9,10,11,12,13,14"),
      "20260308T120000",
      "2026-03-08T11:00:00Z",
    ],
    [
      "the day before them",
      rule("FREQ=YEARLY;BYMONTH=3;BYDAY=SU;BYMONTHDAY=8,9,10,11,12,13,14"),
      "20260307T120000",
      "2026-03-07T12:00:00Z",
    ],
    [
      "the last of a set",
      rule("FREQ=YEARLY;BYMONTH=3;BYDAY=SU;BYSETPOS=-1"),
      "20260329T120000",
      "2026-03-29T11:00:00Z",
    ],
    [
      "a day of the year",
      rule("FREQ=YEARLY;BYYEARDAY=60"),
      "20260301T120000",
      "2026-03-01T11:00:00Z",
    ],
    [
      "every second year",
      rule("FREQ=YEARLY;INTERVAL=2"),
      "20250701T120000",
      "2025-07-01T12:00:00Z",
    ],
    ["so many years", rule("FREQ=YEARLY;COUNT=3"), "20030701T120000", "2003-07-01T12:00:00Z"],
    [
      "until a local time",
      rule("FREQ=YEARLY;UNTIL=20100301T000000"),
      "20100701T120000",
      "2010-07-01T11:00:00Z",
    ],
    [
      "with its time of day",
      rule("FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=-1SU;BYMONTH=3"),
      "20260329T120000",
      "2026-03-29T11:00:00Z",
    ],
    [
      "from a date on",
      standard("DTSTART;VALUE=DATE:20170101", ...offsets("+1100", "+1100")),
      "20260701T120000",
      "2026-07-01T01:00:00Z",
    ],
    ["until a date", rule("FREQ=YEARLY;UNTIL=20100301"), "20110701T120000", "2011-07-01T12:00:00Z"],
    [
      "in lower case",
      rule("freq=yearly;bymonth=3;byday=-1su"),
      "20260329T120000",
      "2026-03-29T11:00:00Z",
    ],
  ];
  it.each(cases)("for %s", (_what, block, clock, expected) => {
    expect(utc("Own", block, clock)).toBe(expected);
  });

  it("for a nominal day over a clock change", () => {
    const span = (length: string) => {
      const bytes = inZone("Own", berlin, [
        "DTSTART;TZID=Own:20261024T120000",
        `DURATION:${length}`,
      ]);
      const { when } = readOne(bytes);
      return when?.kind === "times" ? when.end?.toInstant().toString() : null;
    };
    expect(span("P1D")).toBe("2026-10-25T11:00:00Z");
    expect(span("PT24H")).toBe("2026-10-25T10:00:00Z");
  });

  it("like the runtime for every zone, at each change and around it", () => {
    const zones = Intl.supportedValuesOf("timeZone").filter((_zone, at) => at % 4 === 0);
    const wrong: string[] = [];
    for (const zone of zones) {
      const years = { fromYear: 2014, toYear: 2027 };
      const text = writeTimeZone({ zone, tzid: "Own", ...years }).replace(/^X-LIC.*\r\n/m, "");
      const found = zonesOfFile(
        readTree(`BEGIN:VCALENDAR\r\n${text}END:VCALENDAR\r\n`),
        zone,
      )("Own");
      if (typeof found === "string" || !("settle" in found)) throw new Error(`${zone} is not read`);
      for (const clock of clocksAround(zone, years)) {
        const expected = [
          clock.toZonedDateTime(zone),
          clock.toZonedDateTime(zone, { disambiguation: "later" }),
        ];
        const read = [
          settleClock({ clock, zone: found }),
          settleClock({ clock, zone: found }, "second"),
        ];
        const isSame = read.every(
          (time, at) => time?.epochMilliseconds === expected[at]?.epochMilliseconds,
        );
        if (!isSame) wrong.push(`${zone} ${clock.toString()}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

function clocksAround(
  zone: string,
  { fromYear, toYear }: { readonly fromYear: number; readonly toYear: number },
): readonly Temporal.PlainDateTime[] {
  const clocks = [
    new Temporal.PlainDateTime(fromYear, 7, 1),
    new Temporal.PlainDateTime(toYear, 12, 1),
  ];
  let at = new Temporal.PlainDateTime(fromYear, 1, 2).toZonedDateTime(zone);
  for (;;) {
    const next = at.getTimeZoneTransition("next");
    if (!next || next.year > toYear) return clocks;
    const before = next.subtract({ minutes: 1 }).toPlainDateTime();
    for (const minutes of [-60, -59, -30, 0, 1, 30, 60, 61, 90])
      clocks.push(before.add({ minutes }));
    at = next;
  }
}

describe("a definition that cannot be followed is refused with the reason:", () => {
  const fine = offsets("+0100", "+0200");
  const start = "DTSTART:20000101T000000";
  const cases: readonly [string, readonly string[], string][] = [
    ["none", [], "holds no STANDARD"],
    ["no start", standard(...fine), "DTSTART"],
    ["a start in UTC", standard("DTSTART:20000101T000000Z", ...fine), "DTSTART"],
    ["a start in a 13th month", standard("DTSTART:20001301T000000", ...fine), "DTSTART"],
    ["no offset", standard(start, "TZOFFSETFROM:+0100"), "TZOFFSETTO"],
    ["an offset in words", standard(start, ...offsets("+0100", "soon")), "TZOFFSETTO"],
    ["an offset of days", standard(start, ...offsets("+9900", "+9900")), "TZOFFSETTO"],
    ["two offsets", standard(start, ...fine, "TZOFFSETTO:+0300"), "TZOFFSETTO"],
    ["a strange rule", standard(start, ...fine, "RRULE:FREQ=SECONDLY"), "RRULE"],
    ["a rule without frequency", standard(start, ...fine, "RRULE:BYMONTH=3"), "RRULE"],
    ["a rule by hours", standard(start, ...fine, "RRULE:FREQ=YEARLY;BYHOUR=1,2,3"), "RRULE"],
    [
      "two rules",
      standard(start, ...fine, "RRULE:FREQ=YEARLY", "RRULE:FREQ=YEARLY;COUNT=2"),
      "two",
    ],
    ["a rule of no month", standard(start, ...fine, "RRULE:FREQ=YEARLY;BYMONTH=99"), "RRULE"],
    ["an odd UNTIL", standard(start, ...fine, "RRULE:FREQ=YEARLY;UNTIL=soon"), "UNTIL"],
    [
      "an RDATE of periods",
      standard(start, ...fine, "RDATE;VALUE=PERIOD:20010101T000000/PT1H"),
      "RDATE",
    ],
    ["an EXDATE", standard(start, ...fine, "EXDATE:20010101T000000"), "EXDATE"],
    [
      "all days",
      standard(start, ...fine, "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU"),
      "cannot be followed",
    ],
    [
      "two that begin together",
      [...standard(start, ...fine), ...standard(start, ...offsets("+0100", "+0300"))],
      "cannot be followed",
    ],
  ];
  it.each(cases)("%s", (_what, block, reason) => {
    expect(utc("Own", block, "20260701T100000")).toContain("unknown-zone: DTSTART: the time zone");
    expect(utc("Own", block, "20260701T100000")).toContain(reason);
  });

  it.each([
    ["no start", standard(...offsets("+05:30", "+05:30"))],
    ["no offset before", standard(start, "TZOFFSETTO:+0530")],
    ["a start in UTC", standard("DTSTART:20000101T000000Z", ...offsets("+0530", "+0530"))],
  ])("but not with only one offset: %s", (_what, block) => {
    expect(utc("Own", block, "20260701T100000")).toBe("2026-07-01T04:30:00Z");
  });

  it("a known abbreviation with such rules", () => {
    expect(utc("EST", standard(...fine), "20260701T100000")).toContain("unknown-zone");
  });

  it("two of one name, if they differ", () => {
    const twice = (second: readonly string[]) => {
      const event = ["BEGIN:VEVENT", "UID:u", "DTSTART;TZID=Own:20260701T100000", "END:VEVENT"];
      const block = (lines: readonly string[]) => [
        "BEGIN:VTIMEZONE",
        "TZID:Own",
        ...lines,
        "END:VTIMEZONE",
      ];
      return readOne(calendar(...block(berlin), ...block(second), ...event)).problems;
    };
    expect(twice(berlin)).toEqual([]);
    expect(twice(east)).toMatchObject([{ code: "unknown-zone" }]);
  });
});

it.each(longZones)("a definition finishes $name", ({ make, most }) => {
  expect(readFine(octets(make(most))).items).toHaveLength(most);
});

it("readClock() is null for an unknown zone", () => {
  const tree = readTree(
    octets(
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=No:20260701T100000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    ),
  );
  const [line] = tree.components[0]?.lines ?? [];
  expect(line && readClock(line, zonesOfFile(tree, "UTC"))).toBeNull();
});
