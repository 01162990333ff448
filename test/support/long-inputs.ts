import { eventLines, joined } from "../ics/overlay/overlays.ts";

/*
 * Inputs that are long where somebody could make them long: what reads them must come to its end (the tests beside each
 * reader), and in a time that grows as they do (`bench/long-input.ts`).
 */

/** An input of any size; `most` is the size used by tests. */
export interface LongInput {
  readonly name: string;
  readonly most: number;
  readonly make: (size: number) => string;
}

const input = (name: string, most: number, make: LongInput["make"]): LongInput => ({
  name,
  most,
  make,
});

const each = (count: number, make: (at: number) => string): string =>
  Array.from({ length: Math.round(count) }, (_, at) => make(at)).join("");
const inside = (text: string) => `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${text}END:VCALENDAR\r\n`;
const event = (text: string) => inside(`BEGIN:VEVENT\r\nUID:u1\r\n${text}\r\nEND:VEVENT\r\n`);
const events = (count: number, lines: (at: number) => string): string =>
  each(count, (at) => `BEGIN:VEVENT\r\nUID:${at}\r\n${lines(at)}\r\nEND:VEVENT\r\n`);

/** Calendar files, which readers may refuse. */
export const longFiles: readonly LongInput[] = [
  input("a line of many folds", 1_000_000, (size) => event(`SUMMARY:x${"\n a".repeat(size)}`)),
  input("no calendar at all", 50_000_000, (size) => "x".repeat(size)),
  input("nested components", 200_000, (size) => inside("BEGIN:VEVENT\r\n".repeat(size))),
  input("zones", 2000, (size) =>
    inside("BEGIN:VTIMEZONE\r\nTZID:x\r\nEND:VTIMEZONE\r\n".repeat(size)),
  ),
  input("parameters", 1_000_000, (size) => event(`SUMMARY${";a=1".repeat(size)}:x`)),
  input("values of a parameter", 1_000_000, (size) => event(`SUMMARY;a=1${",1".repeat(size)}:x`)),
  input("parameters of odd names", 300_000, (size) =>
    event(`SUMMARY${each(size, (at) => `;a${at}=1`)}:x`),
  ),
  input("bare names of zones", 300_000, (size) =>
    event(`DTSTART${";TZID=a,b".repeat(size)}:20260701T100000`),
  ),
  input("backslashes", 4_900_000, (size) => event(`CATEGORIES:${"\\".repeat(size)}`)),
  input("commas", 4_900_000, (size) => event(`CATEGORIES:${",".repeat(size)}`)),
  input("escaped commas", 2_000_000, (size) => event(`CATEGORIES:${"\\,".repeat(size)}`)),
  input("equal properties", 390_000, (size) => event("SUMMARY:x\n".repeat(size).trimEnd())),
  input("odd properties", 390_000, (size) => event(each(size, (at) => `X-${at}:\n`).trimEnd())),
  input("events in unknown zones", 19_900, (size) =>
    inside(
      each(60, (at) => `BEGIN:VTIMEZONE\r\nTZID:Z${at}\r\nEND:VTIMEZONE\r\n`) +
        events(size, (at) => `DTSTART;TZID="(UTC+01:00) Z${at}":20260701T100000`),
    ),
  ),
  input("events that repeat", 19_900, (size) =>
    inside(events(size, (at) => `RRULE:FREQ=SECONDLY;COUNT=${at}`)),
  ),
  input("plain events", 19_900, (size) =>
    inside(events(size, () => "DTSTART:20260701T100000Z\r\nSUMMARY:a\\, b")),
  ),
  input("events of one UID", 19_900, (size) =>
    inside("BEGIN:VEVENT\r\nUID:u\r\nDTSTART:20260701T100000Z\r\nEND:VEVENT\r\n".repeat(size)),
  ),
  input("events that override one", 19_900, (size) =>
    inside(
      "BEGIN:VEVENT\r\nUID:u\r\nRECURRENCE-ID:20260701T100000Z\r\nEND:VEVENT\r\n".repeat(size),
    ),
  ),
  input("alarms", 19_900, (size) =>
    event("BEGIN:VALARM\r\nTRIGGER:-PT1M\r\nEND:VALARM\r\n".repeat(size).trimEnd()),
  ),
  input("Base64", 3_000_000, (size) =>
    event(`ATTACH;ENCODING=BASE64;VALUE=BINARY:${"QUFB".repeat(size / 4)}`),
  ),
  input("bad lines", 390_000, (size) => inside("no colon\r\n".repeat(size))),
];

const zone = (...parts: readonly string[]): string =>
  `BEGIN:VTIMEZONE\r\nTZID:Own\r\n${parts.join("")}END:VTIMEZONE\r\n`;
const part = (kind: string, ...lines: readonly string[]): string =>
  `BEGIN:${kind}\r\n${lines.join("\r\n")}\r\nEND:${kind}\r\n`;
const rules = (rule: string): string =>
  part("STANDARD", "DTSTART:00010101T000000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0000", rule) +
  part("DAYLIGHT", "DTSTART:00010301T000000", "TZOFFSETFROM:+0000", "TZOFFSETTO:+0100", rule);
const digits = (at: number, count: number): string => String(at).padStart(count, "0");
const everyYear = (size: number): string =>
  events(size, (at) => `DTSTART;TZID=Own:${digits((at * 2) % 10_000, 4)}0701T100000`);
const hundredDates = (at: number): string =>
  `RDATE:${Array.from({ length: 100 }, (_, day) => `2${digits(at % 1000, 3)}0101T${digits(day, 6)}`).join(",")}`;

/** Files of events in a zone of their own, which are read completely. */
export const longZones: readonly LongInput[] = [
  ...[
    ["rules that never come true", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"],
    ["rules of all days", "RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU"],
    ["rules of many years", "RRULE:FREQ=YEARLY;INTERVAL=97"],
    ["rules that end late", "RRULE:FREQ=YEARLY;COUNT=999"],
  ].map(([name = "", rule = ""]) =>
    input(`a zone with ${name}`, 5000, (size) => inside(zone(rules(rule)) + everyYear(size))),
  ),
  input("a zone with many rules", 5000, (size) =>
    inside(zone(rules("RRULE:FREQ=YEARLY").repeat(size / 17)) + everyYear(size)),
  ),
  input("a zone with many dates", 5000, (size) =>
    inside(
      zone(
        part(
          "STANDARD",
          "DTSTART:00010101T000000",
          "TZOFFSETFROM:+0100",
          "TZOFFSETTO:+0000",
          ...Array.from({ length: Math.round(size / 12.5) }, (_, at) => hundredDates(at)),
        ),
      ) + everyYear(size),
    ),
  ),
];

const fixed = zone(
  part("STANDARD", "DTSTART:16010101T000000", "TZOFFSETFROM:+0330", "TZOFFSETTO:+0330"),
);

/** Files of which the second reader reads much; it agrees with the first. */
export const longTimes: readonly LongInput[] = (
  [
    ["floating times", () => "DTSTART:20260701T100000"],
    ["times of every year", (at) => `DTSTART;TZID=Europe/Berlin:${1000 + (at % 8000)}0701T100000`],
    ["lengths of all kinds", (at) => `DTSTART:20260701T100000Z\r\nDURATION:PT${at}S`],
    ["own rules", (at) => `DTSTART;TZID=Own:2026070${1 + (at % 9)}T100000`],
  ] satisfies readonly (readonly [string, (at: number) => string])[]
).map(([name, line]) => input(name, 9000, (size) => inside(fixed + events(size, line))));

/** Octets of an event of the largest permitted size, to which changes are applied. */
export const longOctets: readonly LongInput[] = [
  input("equal properties and alarms", 200_000, (size) => {
    const alarms = "BEGIN:VALARM\r\nTRIGGER:-PT1M\r\nEND:VALARM\r\n".repeat(size / 20);
    const own = ["DTSTART:20260701T080000Z", "DTEND:20260701T090000Z"];
    return joined(eventLines(...own)).replace(
      "END:VEVENT",
      () => `${"SUMMARY:x\r\n".repeat(size)}${alarms}END:VEVENT`,
    );
  }),
];

/** Descriptions as the service may have them. */
export const longHtml: readonly LongInput[] = [
  ...(
    [
      ["<", 500_000],
      ["<a ", 300_000],
      ['<a x="', 200_000],
      ["<!--", 300_000],
      ["<script>", 200_000],
      ["<script></script", 100_000],
      ["<ul><li>", 100_000],
      ["<b>x</b> ", 100_000],
      ["<a href=x>", 100_000],
      ["<pre>", 100_000],
      ["&", 500_000],
      ["&nbsp;", 300_000],
      ["<br>", 300_000],
      ["\n", 500_000],
      ["\u00a0\n", 300_000],
    ] satisfies readonly (readonly [string, number])[]
  ).map(([text, most]) => input(JSON.stringify(text), most, (size) => text.repeat(size))),
  input("blanks", 1_000_000, (size) => `<p>${" ".repeat(size)}x</p>`),
  input("no-break spaces", 1_000_000, (size) => `<p>${"\u00a0".repeat(size)}x</p>`),
];
