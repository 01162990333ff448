import { expandSeries, readCalendar } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { inEnglish } from "../../src/sentences.ts";

const zone = "Europe/Berlin";
const most = 50;

function series(lines: readonly string[], more: readonly string[] = [], name = "VEVENT") {
  const text = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `BEGIN:${name}`,
    "UID:standup",
    "DTSTAMP:20270101T000000Z",
    "SUMMARY:Stand-up",
    ...lines,
    `END:${name}`,
    ...more,
    "END:VCALENDAR",
    "",
  ].join("\r\n");
  const read = readCalendar(Buffer.from(text), { zone });
  if (!read.ok) throw new Error(JSON.stringify(read.failure));
  return expandSeries(read.value, { zone, most }).items;
}

const begins = (items: ReturnType<typeof series>) =>
  items.map(({ start, due }) => {
    const time = start ?? due;
    return time?.kind === "time" ? time.at.toString() : time?.on.toString();
  });
const reasons = (items: ReturnType<typeof series>) =>
  items.flatMap(({ problems }) =>
    problems.map(({ code, message }) => `${code}: ${inEnglish(message)}`),
  );

const berlin = (local: string, offset: string) => `${local}:00${offset}[Europe/Berlin]`;
const at = "DTSTART;TZID=Europe/Berlin:20270322T090000";

describe("expandSeries()", () => {
  it.each([
    {
      name: "a weekly event keeps its time of day over a clock change",
      lines: [at, "DTEND;TZID=Europe/Berlin:20270322T091500", "RRULE:FREQ=WEEKLY;COUNT=3"],
      times: [
        berlin("2027-03-22T09:00", "+01:00"),
        berlin("2027-03-29T09:00", "+02:00"),
        berlin("2027-04-05T09:00", "+02:00"),
      ],
    },
    {
      name: "UNTIL includes its moment, in UTC",
      lines: [at, "RRULE:FREQ=DAILY;UNTIL=20270324T080000Z"],
      times: ["22", "23", "24"].map((day) => berlin(`2027-03-${day}T09:00`, "+01:00")),
    },
    {
      name: "UNTIL as a day includes that day",
      lines: ["DTSTART;VALUE=DATE:20270322", "RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20270326"],
      times: ["2027-03-22", "2027-03-24", "2027-03-26"],
    },
    {
      name: "excluded and added days",
      lines: [
        "DTSTART;VALUE=DATE:20270301",
        "RRULE:FREQ=MONTHLY;COUNT=3",
        "EXDATE;VALUE=DATE:20270401",
        "RDATE;VALUE=DATE:20270415,20270515",
      ],
      times: ["2027-03-01", "2027-04-15", "2027-05-01", "2027-05-15"],
    },
    {
      name: "an excluded time in another zone",
      lines: [at, "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20270323T080000Z"],
      times: ["22", "24"].map((day) => berlin(`2027-03-${day}T09:00`, "+01:00")),
    },
    {
      name: "the last weekday of a month",
      lines: [
        "DTSTART;VALUE=DATE:20270331",
        "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3",
      ],
      times: ["2027-03-31", "2027-04-30", "2027-05-31"],
    },
    {
      name: "only added dates",
      lines: ["DTSTART;VALUE=DATE:20270301", "RDATE;VALUE=DATE:20270305"],
      times: ["2027-03-01", "2027-03-05"],
    },
  ])("$name", ({ lines, times }) => {
    const items = series(lines);
    expect(reasons(items)).toEqual([]);
    expect(begins(items)).toEqual(times);
    expect(items.every((item) => item.series === "standup")).toBe(true);
  });

  it("gives the first occurrence the UID and the others their date, and removes the rule", () => {
    const items = series([at, "SEQUENCE:4", "RRULE:FREQ=DAILY;COUNT=2"]);
    expect(items.map(({ uid, sequence }) => [uid, sequence])).toEqual([
      ["standup", 4],
      ["standup-20270323T090000", null],
    ]);
    expect(items[1]?.raw).toEqual([
      "BEGIN:VEVENT",
      "UID:standup-20270323T090000",
      "DTSTAMP:20270101T000000Z",
      "SUMMARY:Stand-up",
      "DTSTART;TZID=Europe/Berlin:20270323T090000",
      "SEQUENCE:4",
      "END:VEVENT",
    ]);
  });

  it("gives each occurrence the exact length, and a to-do its due date", () => {
    const night = series([
      "DTSTART;TZID=Europe/Berlin:20270326T220000",
      "DTEND;TZID=Europe/Berlin:20270327T060000",
      "RRULE:FREQ=DAILY;COUNT=2",
    ]);
    expect(night.map(({ when }) => when?.kind === "times" && when.end?.toString())).toEqual([
      berlin("2027-03-27T06:00", "+01:00"),
      berlin("2027-03-28T07:00", "+02:00"),
    ]);
    const todo = series(
      ["DTSTART;VALUE=DATE:20270301", "DUE;VALUE=DATE:20270303", "RRULE:FREQ=WEEKLY;COUNT=2"],
      [],
      "VTODO",
    );
    expect(todo.map(({ due }) => due?.kind === "date" && due.on.toString())).toEqual([
      "2027-03-03",
      "2027-03-10",
    ]);
    const due = series(["DUE;VALUE=DATE:20270303", "RRULE:FREQ=WEEKLY;COUNT=2"], [], "VTODO");
    expect(begins(due)).toEqual(["2027-03-03", "2027-03-10"]);
  });

  it("uses a changed occurrence in place of its own", () => {
    const changed = [
      "BEGIN:VEVENT",
      "UID:standup",
      "RECURRENCE-ID;TZID=Europe/Berlin:20270323T090000",
      "DTSTART;TZID=Europe/Berlin:20270323T140000",
      "SUMMARY:Later",
      "END:VEVENT",
    ];
    const items = series([at, "RRULE:FREQ=DAILY;COUNT=3"], changed);
    expect(items.map(({ uid, summary }) => [uid, summary])).toEqual([
      ["standup", "Stand-up"],
      ["standup-20270323T090000", "Later"],
      ["standup-20270324T090000", "Stand-up"],
    ]);
    expect(begins(items)[1]).toBe(berlin("2027-03-23T14:00", "+01:00"));
  });

  it("resolves a zone defined only in the file", () => {
    const zones = [
      "BEGIN:VTIMEZONE",
      "TZID:Ours",
      "BEGIN:STANDARD",
      "DTSTART:19701025T030000",
      "TZOFFSETFROM:+0200",
      "TZOFFSETTO:+0100",
      "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
      "END:STANDARD",
      "BEGIN:DAYLIGHT",
      "DTSTART:19700329T020000",
      "TZOFFSETFROM:+0100",
      "TZOFFSETTO:+0200",
      "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
      "END:DAYLIGHT",
      "END:VTIMEZONE",
    ];
    const items = series(["DTSTART;TZID=Ours:20270322T090000", "RRULE:FREQ=WEEKLY;COUNT=2"], zones);
    const instants = items.map(
      ({ start }) => start?.kind === "time" && start.at.toInstant().toString(),
    );
    expect(instants).toEqual(["2027-03-22T08:00:00Z", "2027-03-29T07:00:00Z"]);
  });

  it.each([
    ["RRULE:FREQ=DAILY", "RRULE has no end; give it a COUNT or an UNTIL"],
    ["RRULE:FREQ=DAILY;COUNT=51", "the series has more than 50 occurrences"],
    ["RRULE:FREQ=SECONDLY;UNTIL=20370101T000000Z", "the series has more than 50 occurrences"],
    ["RRULE:FREQ=NEVER;COUNT=2", 'RRULE "FREQ=NEVER;COUNT=2" cannot be read'],
    ["RRULE:FREQ=DAILY;UNTIL=soon", 'RRULE "FREQ=DAILY;UNTIL=soon" cannot be read'],
    ["RRULE:FREQ=DAILY;COUNT=1\r\nEXDATE;TZID=Europe/Berlin:20270322T090000", "no occurrence"],
    ["RRULE:FREQ=DAILY;COUNT=2\r\nRRULE:FREQ=WEEKLY;COUNT=2", "several RRULE"],
    ["RRULE:FREQ=DAILY;COUNT=2\r\nEXRULE:FREQ=WEEKLY;COUNT=2", "EXRULE is not read"],
    ["RRULE:FREQ=DAILY;COUNT=2\r\nRDATE;VALUE=DATE:20270401", "RDATE"],
  ])("refuses %s with the reason", (rule, reason) => {
    const [item, ...others] = series([at, rule]);
    expect(others).toEqual([]);
    expect(reasons(item ? [item] : [])).toEqual([expect.stringContaining(reason)]);
    expect(item?.problems[0]?.code).toBe("recurrence");
  });

  it("refuses a change of an occurrence that does not exist", () => {
    const stray = [
      "BEGIN:VEVENT",
      "UID:standup",
      "RECURRENCE-ID;TZID=Europe/Berlin:20280323T090000",
      "DTSTART;TZID=Europe/Berlin:20280323T140000",
      "END:VEVENT",
    ];
    const items = series([at, "RRULE:FREQ=DAILY;COUNT=3"], stray);
    expect(reasons(items)[0]).toContain('RECURRENCE-ID "20280323T090000" is no occurrence');
    expect(items.every(({ problems }) => problems.length > 0)).toBe(true);
  });
});
