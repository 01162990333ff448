import { describe, expect, it } from "vitest";
import { calendar, eventFile, problemsOf, readFine, readOne, todoFile } from "../files.ts";

const when = (...lines: readonly string[]) => readOne(eventFile(...lines)).when;

const shown = (...lines: readonly string[]): string | undefined => {
  const found = when(...lines);
  if (!found) return undefined;
  return `${found.start.toString()} ${found.end?.toString() ?? "-"}`;
};

describe("the time of an event", () => {
  /** The text after DTSTART, and the line after it; times of 1 July are given without their day. */
  const cases: readonly [string, string, string][] = [
    ["UTC", "20260701T100000Z | DTEND:20260701T110000Z", "10:00Z 11:00Z"],
    ["a zone", ";TZID=America/New_York:20260701T100000", "10:00-04:00[America/New_York]"],
    [
      "a zone in another case, quoted",
      ';TZID="america/new_york":20260701T100000',
      "10:00-04:00[America/New_York]",
    ],
    [
      "a vendor's prefix",
      ";TZID=/freeassociation.sourceforge.net/Europe/Berlin:20260701T100000",
      "10:00+02:00[Europe/Berlin]",
    ],
    ["a Windows name", ";TZID=Tokyo Standard Time:20260701T100000", "10:00+09:00[Asia/Tokyo]"],
    [
      "a display name",
      ';TZID="(UTC-05:00) Eastern Time (US & Canada)":20260701T100000',
      "10:00-04:00[America/New_York]",
    ],
    ["floating", "20260701T100000", "10:00+02:00[Europe/Berlin]"],
    ["Z beside a TZID", ";TZID=Asia/Tokyo:20260701T100000Z", "10:00Z"],
    [
      "the first pass of an overlap",
      ";TZID=Europe/Berlin:20261025T023000",
      "2026-10-25T02:30+02:00[Europe/Berlin]",
    ],
    [
      "a gap, moved on",
      ";TZID=Europe/Berlin:20260329T023000",
      "2026-03-29T03:30+02:00[Europe/Berlin]",
    ],
    [
      "midnight in a gap",
      ";TZID=America/Sao_Paulo:20181104T000000",
      "2018-11-04T01:00-02:00[America/Sao_Paulo]",
    ],
    ["a leap second", "20161231T235960Z", "2016-12-31T23:59:59Z"],
    ["an equal end", "20260701T100000Z | DTEND:20260701T100000Z", "10:00Z"],
    [
      "an end in another zone",
      "20260701T100000Z | DTEND;TZID=Europe/Berlin:20260701T123000",
      "10:00Z 12:30+02:00[Europe/Berlin]",
    ],
    ["a duration", "20260701T100000Z | DURATION:PT1H30M", "10:00Z 11:30Z"],
    [
      "a nominal day over a change of the clocks",
      ";TZID=Europe/Berlin:20261024T120000 | DURATION:P1D",
      "2026-10-24T12:00+02:00[Europe/Berlin] 2026-10-25T12:00+01:00[Europe/Berlin]",
    ],
    [
      "24 hours over a change of the clocks",
      ";TZID=Europe/Berlin:20261024T120000 | DURATION:PT24H",
      "2026-10-24T12:00+02:00[Europe/Berlin] 2026-10-25T11:00+01:00[Europe/Berlin]",
    ],
    ["no duration", "20260701T100000Z | DURATION:PT0S", "10:00Z"],
    ["a date", ";VALUE=DATE:20260701", "2026-07-01 2026-07-02"],
    [
      "a date without VALUE, with TZID",
      ";TZID=Mars/Base:20260701 | DTEND:20260704",
      "2026-07-01 2026-07-04",
    ],
    [
      "a date with an equal end",
      ";VALUE=DATE:20260701 | DTEND;VALUE=DATE:20260701",
      "2026-07-01 2026-07-02",
    ],
    ["a date and weeks", ";VALUE=DATE:20260701 | DURATION:P2W", "2026-07-01 2026-07-15"],
    ["a leap day", ";VALUE=DATE:20280229", "2028-02-29 2028-03-01"],
    ["a date and 24 hours", ";VALUE=DATE:20260701 | DURATION:PT24H", "2026-07-01 2026-07-02"],
    [
      "a date and hours over a change of the clocks",
      ";VALUE=DATE:20260328 | DURATION:PT72H",
      "2026-03-28 2026-03-31",
    ],
    ["a date and seconds", ";VALUE=DATE:20260701 | DURATION:PT172800S", "2026-07-01 2026-07-03"],
    ["a date and minutes", ";VALUE=DATE:20260701 | DURATION:PT1440M", "2026-07-01 2026-07-02"],
    ["a date, a day and hours", ";VALUE=DATE:20260701 | DURATION:P1DT24H", "2026-07-01 2026-07-03"],
    ["a date and a week", ";VALUE=DATE:20260701 | DURATION:P1W", "2026-07-01 2026-07-08"],
    ["a date and no seconds", ";VALUE=DATE:20260701 | DURATION:PT0S", "2026-07-01 2026-07-02"],
    [
      "a name with a colon, unquoted",
      ";TZID=(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna:20260701T100000",
      "10:00+02:00[Europe/Berlin]",
    ],
    [
      "a name with a colon, unquoted, with VALUE behind it",
      ";TZID=(UTC+09:00) Osaka, Sapporo, Tokyo;VALUE=DATE-TIME:20260701T100000",
      "10:00+09:00[Asia/Tokyo]",
    ],
  ];
  it.each(cases)("is read from %s", (_what, text, expected) => {
    const [first = "", ...more] = text.split(" | ");
    const span = shown(`DTSTART${first.startsWith(";") ? "" : ":"}${first}`, ...more);
    const brief = span
      ?.replaceAll(/2026-07-01T|:00(?=[+-]\d\d:\d\d\[)/g, "")
      .replaceAll("+00:00[UTC]", "Z");
    expect(brief?.replace(/ -$/, "")).toBe(expected);
  });

  const berlin = (clock: string) => `;TZID=Europe/Berlin:2026${clock}00`;
  /** Month, day, hour and minute of start and end. */
  const nights: readonly [string, string, string, string][] = [
    ["from a gap to its end", "0329T0230", "0329T0300", "03:30+02:00 04:00+02:00"],
    ["as long as a gap", "0329T0200", "0329T0300", "03:00+02:00 04:00+02:00"],
    [
      "from a gap to less than an hour behind it",
      "0329T0230",
      "0329T0315",
      "03:30+02:00 04:15+02:00",
    ],
    ["from a gap to just as late", "0329T0230", "0329T0330", "03:30+02:00 04:30+02:00"],
    ["from a gap to the morning", "0329T0230", "0329T0900", "03:30+02:00 09:00+02:00"],
    ["within a gap", "0329T0215", "0329T0245", "03:15+02:00 03:45+02:00"],
    ["at a moment in a gap", "0329T0230", "0329T0230", "03:30+02:00 -"],
    ["into a gap", "0329T0130", "0329T0230", "01:30+01:00 03:30+02:00"],
    ["from the first pass into the second", "1025T0245", "1025T0215", "02:45+02:00 02:15+01:00"],
    ["over the repeated hour", "1025T0130", "1025T0330", "01:30+02:00 03:30+01:00"],
  ];
  it.each(nights)("is resolved %s", (_what, start, end, expected) => {
    const spoken = [`DTSTART${berlin(start)}`, `DTEND${berlin(end)}`];
    expect(shown(...spoken)?.replaceAll(/\d{4}-\d\d-\d\dT|:00(?=\+)|\[.*?\]/g, "")).toBe(expected);
    const due = readOne(todoFile(spoken[0] ?? "", `DUE${berlin(end)}`));
    expect(due.problems).toEqual([]);
  });

  it("is resolved from a gap to an end given in UTC", () => {
    expect(shown(`DTSTART${berlin("0329T0230")}`, "DTEND:20260329T010000Z")).toBe(
      "2026-03-29T03:30:00+02:00[Europe/Berlin] 2026-03-29T04:00:00+02:00[Europe/Berlin]",
    );
  });

  it("is refused from a gap to an end before it", () => {
    const read = readOne(eventFile(`DTSTART${berlin("0329T0230")}`, "DTEND:20260329T003000Z"));
    expect(read.problems).toMatchObject([{ code: "end-before-start" }]);
  });

  const refused: readonly [readonly string[], number, string][] = [
    [["DTSTART;VALUE=DATE:20260701", "DURATION:PT25H"], 6, "bad-duration"],
    [["DTSTART;VALUE=DATE:20260701", "DURATION:PT86399S"], 6, "bad-duration"],
    [["DTSTART;VALUE=DATE:20260701", "DURATION:-P1D"], 6, "bad-duration"],
    [["DTSTART:20260701T100000", "DTEND:20260701T110000Z"], 6, "date-kind"],
    [["DTSTART;TZID=Europe/Rome:20260701T100000", "DTEND:20260701T110000"], 6, "date-kind"],
    [["DTSTART:20261301T000000Z"], 5, "bad-date"],
    [["DTSTART:20260701T256100Z"], 5, "bad-date"],
    [["DTSTART:20260701T240000Z"], 5, "bad-date"],
    [["DTSTART:20260701T1000Z"], 5, "bad-date"],
    [["DTSTART:2026-07-01T10:00:00Z"], 5, "bad-date"],
    [["DTSTART:20260701T100000+0200"], 5, "bad-date"],
    [["DTSTART:20260229"], 5, "bad-date"],
    [["DTSTART;VALUE=DATE:20260701T100000"], 5, "bad-date"],
    [["DTSTART;VALUE=DATE-TIME:20260701"], 5, "bad-date"],
    [["DTSTART;VALUE=PERIOD:20260701T100000Z/PT1H"], 5, "bad-date"],
    [["DTSTART:20260701T100000Z", "DTEND:garbage"], 6, "bad-date"],
    [["DTSTART;TZID=Mars/Base:20260701T100000"], 5, "unknown-zone"],
    [["DTSTART;TZID=Customized Time Zone:20260701T100000"], 5, "unknown-zone"],
    [['DTSTART;TZID="(UTC+01:00) Mars, Base":20260701T100000'], 5, "unknown-zone"],
    [["DTSTART:20260701T100000Z", "DTEND;VALUE=DATE:20260702"], 6, "date-kind"],
    [["DTSTART;VALUE=DATE:20260701", "DTEND:20260702T000000Z"], 6, "date-kind"],
    [["DTSTART:20260701T100000Z", "DTEND:20260701T095959Z"], 6, "end-before-start"],
    [["DTSTART;VALUE=DATE:20260702", "DTEND;VALUE=DATE:20260701"], 6, "end-before-start"],
    [["DTSTART:20260701T100000Z", "DTEND:20260701T110000Z", "DURATION:PT1H"], 7, "end-twice"],
    [["DTEND:20260701T110000Z"], 5, "end-without-start"],
    [["DURATION:PT1H"], 5, "end-without-start"],
    [["DTSTART:20260701T100000Z", "DURATION:-PT1H"], 6, "bad-duration"],
    [["DTSTART:20260701T100000Z", "DURATION:1 hour"], 6, "bad-duration"],
    [["DTSTART:20260701T100000Z", "DURATION:P"], 6, "bad-duration"],
    [["DTSTART:20260701T100000Z", "DURATION:PT"], 6, "bad-duration"],
    [["DTSTART:20260701T100000Z", "DURATION:PT"], 6, "bad-duration"],
    [["DTSTART;VALUE=DATE:20260701", "DURATION:PT36H"], 6, "bad-duration"],
    [["DTSTART:20260701T100000Z", "DTSTART:20260702T100000Z"], 6, "twice"],
    [["SUMMARY:a", "SUMMARY:b"], 6, "twice"],
    [["PERCENT-COMPLETE:101"], 5, "bad-value"],
    [["PERCENT-COMPLETE:half"], 5, "bad-value"],
    [["RDATE:20260701T100000Z"], 5, "recurrence"],
    [["DTSTART:20260701T100000Z", "EXDATE:20260701T100000Z"], 6, "recurrence"],
    [["RECURRENCE-ID;RANGE=THISANDFUTURE:20260701T100000Z"], 5, "recurrence"],
    [["DTSTART:20260701T100000Z", "RRULE:FREQ=NEVER"], 6, "recurrence"],
    [["DTSTART:20260701T100000Z", "RRULE:FREQ=DAILY;INTERVAL=0"], 6, "recurrence"],
  ];
  it.each(refused)("is a problem in %j", (lines, line, code) => {
    expect(problemsOf(eventFile(...lines))).toEqual([[line, "u1", code]]);
  });

  it("refuses an overridden item even when its own rule is missing", () => {
    const bytes = calendar(
      ...["BEGIN:VEVENT", "UID:a", "DTSTART:20260701T100000Z", "END:VEVENT"],
      ...["BEGIN:VEVENT", "UID:a", "RECURRENCE-ID:20260702T100000Z", "END:VEVENT"],
      ...["BEGIN:VEVENT", "UID:b", "END:VEVENT"],
    );
    const found = readFine(bytes).items.map((item) => item.problems.map(({ code }) => code));
    expect(found).toEqual([["recurrence"], ["recurrence"], []]);
  });

  it("accepts a property that is written twice in the same way", () => {
    expect(readOne(eventFile("SUMMARY:a", "SUMMARY:a"))).toMatchObject({
      summary: "a",
      problems: [],
    });
  });

  it.each([
    [["BEGIN:VEVENT", "END:VEVENT"], 3, "missing-uid"],
    [["BEGIN:VEVENT", "UID: ", "END:VEVENT"], 4, "missing-uid"],
    [["BEGIN:VEVENT", `UID:${"x".repeat(1001)}`, "END:VEVENT"], 4, "bad-uid"],
    [["BEGIN:VEVENT", "UID:a\\nb", "END:VEVENT"], 4, "bad-uid"],
  ])("includes the UID in %j", (lines, line, code) => {
    const bytes = calendar(...lines);
    expect(readOne(bytes).problems).toMatchObject([{ line, code }]);
  });

  it("does not affect the other items of the file", () => {
    const bytes = calendar(
      ...["BEGIN:VEVENT", "UID:a", "DTSTART:never", "END:VEVENT"],
      ...["BEGIN:VEVENT", "UID:b", "DTSTART:20260701", "END:VEVENT"],
    );
    expect(readFine(bytes).items.map((item) => item.problems.length)).toEqual([1, 0]);
  });
});

describe("a to-do", () => {
  it("has a start and a due date", () => {
    const item = readOne(todoFile("DTSTART;VALUE=DATE:20260701", "DUE;VALUE=DATE:20260703"));
    expect(item.when).toBeUndefined();
    expect(item.start).toMatchObject({ kind: "date" });
    expect(item.due?.kind === "date" && item.due.on.toString()).toBe("2026-07-03");
  });

  it("is due at a time, or a duration after its start", () => {
    const timed = readOne(todoFile("DUE;TZID=Asia/Tokyo:20260703T090000")).due;
    expect(timed?.kind === "time" && timed.at.toString()).toBe(
      "2026-07-03T09:00:00+09:00[Asia/Tokyo]",
    );
    const after = readOne(todoFile("DTSTART:20260701", "DURATION:P2D")).due;
    expect(after?.kind === "date" && after.on.toString()).toBe("2026-07-03");
  });

  it.each([
    [["DTSTART:20260703", "DUE:20260701"], 6, "end-before-start"],
    [["DTSTART:20260703", "DUE:20260702T100000Z"], 6, "end-before-start"],
    [["DUE:20260704", "DURATION:P1D"], 6, "end-twice"],
    [["DURATION:P1D"], 5, "end-without-start"],
    [["COMPLETED:soon"], 5, "bad-date"],
  ])("is refused for %j", (lines, line, code) => {
    expect(problemsOf(todoFile(...lines))).toEqual([[line, "u1", code]]);
  });

  it("has no reminder in the service", () => {
    const alarm = ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT5M", "END:VALARM"];
    const item = readOne(todoFile("DUE:20260703T100000Z", ...alarm));
    expect(item.alarm?.toString()).toBe("PT5M");
    expect(item.unstorable).toMatchObject([{ line: 6, name: "VALARM" }]);
  });
});

describe("an event marked as whole days", () => {
  const marks = ["X-MICROSOFT-CDO-ALLDAYEVENT:TRUE", "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT:true"];
  const york = ";TZID=America/New_York:";
  const days: readonly [string, readonly string[], string][] = [
    [
      "from midnight to midnight",
      [`DTSTART${york}20260701T000000`, `DTEND${york}20260703T000000`],
      "2026-07-01 2026-07-03",
    ],
    ["floating", ["DTSTART:20260701T000000", "DTEND:20260702T000000"], "2026-07-01 2026-07-02"],
    ["for a duration", [`DTSTART${york}20260307T000000`, "DURATION:P2D"], "2026-03-07 2026-03-09"],
    [
      "for no time",
      [`DTSTART${york}20260701T000000`, `DTEND${york}20260701T000000`],
      "2026-07-01 2026-07-02",
    ],
    ["without an end", [`DTSTART${york}20260701T000000`], "2026-07-01 2026-07-02"],
    [
      "over a change of the clocks",
      [`DTSTART${york}20260308T000000`, `DTEND${york}20260309T000000`],
      "2026-03-08 2026-03-09",
    ],
    [
      "where the day begins at one",
      [
        "DTSTART;TZID=America/Sao_Paulo:20181104T000000",
        "DTEND;TZID=America/Sao_Paulo:20181105T000000",
      ],
      "2018-11-04 2018-11-05",
    ],
    [
      "at midnights in UTC",
      ["DTSTART:20260701T000000Z", "DTEND:20260702T000000Z"],
      "2026-07-01 2026-07-02",
    ],
    [
      "at the account's midnights, in UTC",
      ["DTSTART:20260630T220000Z", "DTEND:20260701T220000Z"],
      "2026-07-01 2026-07-02",
    ],
    [
      "to the start's midnight, in UTC",
      [`DTSTART${york}20260701T000000`, "DTEND:20260702T040000Z"],
      "2026-07-01 2026-07-02",
    ],
    [
      "in a Windows zone",
      [
        "DTSTART;TZID=W. Europe Standard Time:20260701T000000",
        "DTEND;TZID=W. Europe Standard Time:20260702T000000",
      ],
      "2026-07-01 2026-07-02",
    ],
  ];
  it.each(days)("covers them %s", (_what, lines, expected) => {
    for (const mark of marks) expect(shown(mark, ...lines)).toBe(expected);
  });

  it("covers them in a zone of the file's own rules", () => {
    const observance = [
      "BEGIN:STANDARD",
      "DTSTART:16010101T000000",
      "TZOFFSETFROM:-0330",
      "TZOFFSETTO:-0330",
      "END:STANDARD",
    ];
    const times = [
      "DTSTART;TZID=Customized Time Zone:20260701T000000",
      "DTEND;TZID=Customized Time Zone:20260702T000000",
    ];
    const bytes = calendar(
      ...["BEGIN:VTIMEZONE", "TZID:Customized Time Zone", ...observance, "END:VTIMEZONE"],
      ...["BEGIN:VEVENT", "UID:u1", ...times, marks[0] ?? "", "END:VEVENT"],
    );
    expect(readOne(bytes).when?.start.toString()).toBe("2026-07-01");
  });

  it.each([
    [
      [
        "X-MICROSOFT-CDO-ALLDAYEVENT:FALSE",
        `DTSTART${york}20260701T000000`,
        `DTEND${york}20260702T000000`,
      ],
    ],
    [
      [
        "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE",
        `DTSTART${york}20260701T000000`,
        `DTEND${york}20260701T120000`,
      ],
    ],
    [
      [
        "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE",
        `DTSTART${york}20260701T090000`,
        `DTEND${york}20260702T090000`,
      ],
    ],
    [
      [
        "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE",
        `DTSTART${york}20260630T180000`,
        `DTEND${york}20260701T180000`,
      ],
    ],
  ])("keeps its times with %j", (lines) => {
    expect(when(...lines)?.kind).toBe("times");
  });
});

describe("the small mistakes of other programs", () => {
  const first = "2026-07-01T10:00:00Z 2026-07-01T11:00:00Z";
  const hour = ["DTSTART:20260701T100000Z", "DTEND:20260701T110000Z"];
  it.each<[string, readonly string[], string]>([
    ["lower case", ["DTSTART:20260701t100000z", "DTEND:20260701t110000z"], first],
    [
      "a duration with an empty time",
      ["DTSTART;VALUE=DATE:20260701", "DURATION:P1DT"],
      "2026-07-01 2026-07-02",
    ],
    [
      "an empty DTEND beside DURATION",
      ["DTSTART:20260701T100000Z", "DTEND:", "DURATION:PT1H"],
      first,
    ],
    ["an exception of no series", [...hour, "EXDATE:20260801T100000Z"], first],
    ["an empty rule", [...hour, "RRULE:"], first],
    ["a rule of one", [...hour, "RRULE:FREQ=WEEKLY;COUNT=1"], first],
    [
      "a rule that ends on its first day",
      [...hour, "RRULE:FREQ=DAILY;UNTIL=20260701T230000Z"],
      first,
    ],
    ["a further date that is the start", [...hour, "RDATE:20260701T100000Z"], first],
  ])("%s is read as it is meant", (_what, lines, expected) => {
    const { when, problems } = readOne(eventFile(...lines));
    expect(problems).toEqual([]);
    const said =
      when?.kind === "times"
        ? [when.start.toInstant(), when.end?.toInstant()]
        : [when?.start, when?.end];
    expect(said.map(String).join(" ")).toBe(expected);
  });

  it.each([
    ["two occurrences", "RRULE:FREQ=WEEKLY;COUNT=2"],
    ["a rule that ends the day after", "RRULE:FREQ=DAILY;UNTIL=20260702T100000Z"],
    ["another date", "RDATE:20260701T100000Z,20260801T100000Z"],
  ])("%s repeat", (_what, line) => {
    expect(readOne(eventFile(...hour, line)).problems).toMatchObject([{ code: "recurrence" }]);
  });

  it("floating times are in the zone of X-WR-TIMEZONE, and a note says so", () => {
    const item = ["BEGIN:VEVENT", "UID:a", "DTSTART:20260701T100000", "END:VEVENT"];
    const read = readOne(calendar("X-WR-TIMEZONE:America/New_York", ...item));
    expect(String(read.when?.start)).toBe("2026-07-01T10:00:00-04:00[America/New_York]");
    expect(read.remarks).toMatchObject([{ line: 6, uid: "a", code: "floating-zone" }]);
    expect(readOne(calendar("X-WR-TIMEZONE:Mars/Base", ...item)).remarks).toEqual([]);
  });
});
