/** One fragment that breaks calendar parsers; `bytes` if it is not text. */
interface Fragment {
  readonly name: string;
  readonly lines: string | Uint8Array;
}

interface Place {
  readonly name: string;
  /** What surrounds the fragment. */
  readonly around: readonly [readonly string[], readonly string[]];
}

export interface NastyFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const text = (name: string, ...lines: readonly string[]): Fragment => ({
  name,
  lines: lines.map((line) => `${line}\r\n`).join(""),
});

const raw = (name: string, lines: string | readonly number[]): Fragment => ({
  name,
  lines: typeof lines === "string" ? lines : Uint8Array.from([...lines, 13, 10]),
});

const repeated = (count: number, part: string): string => part.repeat(count);

const fragments: readonly Fragment[] = [
  text("a line without a colon", "SUMMARY"),
  text("a line without a name", ":value"),
  text("a name with a blank in it", "SUM MARY:x"),
  text("a semicolon without a parameter", "SUMMARY;:x"),
  text("a parameter without a value", "SUMMARY;LANGUAGE:x"),
  text("an open quote", 'SUMMARY;X="a:b'),
  text("separators in quotes", 'ATTENDEE;CN="Doe; J: x, y":mailto:j@example.com'),
  text("escapes of parameters", "X-P;A=^n^'^^^:v"),
  text("a small name", "summary:quiet"),
  text("two that differ", "SUMMARY:one", "SUMMARY:two"),
  text("a line separator", "SUMMARY:a\u2028b\u2029c\u0085d"),
  text("text that runs the other way", "SUMMARY:\u202eabc\u202c"),
  text("backslashes", `SUMMARY:${repeated(999, "\\")}`),
  text("a quoted text", 'SUMMARY:"quoted"'),
  text("a zero character", "SUMMARY:a\u0000b"),
  text("a vertical tab", "SUMMARY:a\u000bb"),
  raw("a CR alone", "SUMMARY:a\rDTSTART:20260701\r\n"),
  raw("a CR doubled", "SUMMARY:a\r\r\nX-A:b\r\n"),
  raw("a fold of nothing", " \r\n"),
  raw("a fold by a tab", "SUMMARY:a\r\n\tb\r\n"),
  raw("a fold within a character", [...Buffer.from("SUMMARY:x"), 0xc3, 13, 10, 32, 0xa4]),
  raw("twenty thousand folds", `SUMMARY:x${repeated(20_000, "\r\n a")}\r\n`),
  text("a long line", `SUMMARY:${repeated(300_000, "x")}`),
  text("many parameters", `SUMMARY${repeated(20_000, ";A=1")}:x`),
  text("many categories", `CATEGORIES:${repeated(50_000, "a,")}b`),
  text("an END too many", "END:VEVENT"),
  text("an END of the calendar", "END:VCALENDAR"),
  text("a BEGIN without END", "BEGIN:VALARM"),
  text("an event inside", "BEGIN:VEVENT", "UID:inner", "DTSTART:20260701T100000Z", "END:VEVENT"),
  text(
    "a deep nest",
    ...Array.from({ length: 9 }, () => "BEGIN:VALARM"),
    ...Array.from({ length: 9 }, () => "END:VALARM"),
  ),
  text("a calendar inside", "BEGIN:VCALENDAR", "VERSION:2.0", "END:VCALENDAR"),
  text("an unknown component", "BEGIN:X-ODD", "UID:odd", "END:X-ODD"),
  text("a UID once more", "UID:second"),
  text("an empty UID", "UID:"),
  text("a UID of the runtime", "UID:__proto__"),
  text("a UID in disguise", "X-uid:evil"),
  text("a rule that never ends", "RRULE:FREQ=SECONDLY"),
  text("an invalid rule", "RRULE:FREQ=NEVER;INTERVAL=0;BYMONTHDAY=99"),
  text("an override", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260701T100000Z"),
  text("more dates", "RDATE;VALUE=PERIOD:20260701T100000Z/PT1H", "EXDATE:x"),
  text("an invalid date", "DTSTART:garbage"),
  text("an invalid month", "DTSTART:20261301T256100Z"),
  text("the year zero", "DTSTART:00000101T000000Z"),
  text("the last moment", "DTSTART:99991231T235959Z", "DURATION:P999999999W"),
  text("an end before the start", "DTSTART:20260702", "DTEND:20260701"),
  text("a length backwards", "DURATION:-P1D"),
  text("an invalid trigger", "TRIGGER:junk"),
  text("an unknown zone", "DTSTART;TZID=Mars/Base:20260701T100000"),
  text("a zone of Windows", 'DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin":20260701T100000'),
  text("an invalid percentage", "PERCENT-COMPLETE:999"),
  text("an invalid number", "SEQUENCE:-99999999999999999999", "LAST-MODIFIED:yesterday"),
  text("a method for replies", "METHOD:REPLY"),
  text("an inline file", `ATTACH;ENCODING=BASE64;VALUE=BINARY:${repeated(50_000, "QUJD")}`),
  raw("a byte of Latin-1", [...Buffer.from("SUMMARY:f"), 0xfc, ...Buffer.from("r")]),
  raw("half a surrogate", [...Buffer.from("SUMMARY:"), 0xed, 0xa0, 0x80]),
  raw("UTF-16", [...Buffer.from("SUMMARY:x", "utf16le")]),
  raw("a mark of byte order", [0xef, 0xbb, 0xbf]),
  text("a web page", "<html><body>Sign in</body></html>"),
];

const before = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Tests//EN"];
const event = ["BEGIN:VEVENT", "UID:e1", "DTSTART:20260701T100000Z", "SUMMARY:One", "END:VEVENT"];
const todo = ["BEGIN:VTODO", "UID:t1", "DUE;VALUE=DATE:20260701", "SUMMARY:Two", "END:VTODO"];
const alarm = ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT5M", "END:VALARM"];
const zone = ["BEGIN:VTIMEZONE", "TZID:Own", "END:VTIMEZONE"];
const after = ["END:VCALENDAR"];

const places: readonly Place[] = [
  { name: "before the calendar", around: [[], [...before, ...event, ...todo, ...after]] },
  { name: "in the header", around: [before, [...event, ...todo, ...after]] },
  {
    name: "in an event",
    around: [
      [...before, ...event.slice(0, 2)],
      [...event.slice(2), ...todo, ...after],
    ],
  },
  {
    name: "in a to-do",
    around: [
      [...before, ...event, ...todo.slice(0, -1)],
      [...todo.slice(-1), ...after],
    ],
  },
  {
    name: "in an alarm",
    around: [
      [...before, ...event.slice(0, -1), ...alarm.slice(0, 2)],
      [...alarm.slice(2), ...event.slice(-1), ...todo, ...after],
    ],
  },
  {
    name: "in a zone",
    around: [
      [...before, ...zone.slice(0, 2)],
      [...zone.slice(2), ...event, ...todo, ...after],
    ],
  },
  {
    name: "between items",
    around: [
      [...before, ...event],
      [...todo, ...after],
    ],
  },
  { name: "after the calendar", around: [[...before, ...event, ...todo, ...after], []] },
];

const joined = (lines: readonly string[]): Uint8Array =>
  Buffer.from(lines.map((line) => `${line}\r\n`).join(""));

/** Every fragment at every position of a calendar with an event `e1` and a to-do `t1`. */
export const nastyFiles: readonly NastyFile[] = fragments.flatMap(({ name, lines }) =>
  places.map(({ name: where, around: [first, last] }) => ({
    name: `${name} ${where}`,
    bytes: Buffer.concat([
      joined(first),
      typeof lines === "string" ? Buffer.from(lines) : lines,
      joined(last),
    ]),
  })),
);
