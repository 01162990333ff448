import { type Attack, send, sendAll, type Target } from "./target.ts";

const allowed = [0, 200, 201, 202, 204, 400, 403, 409, 413, 422];

/** Files of iCalendar that are small to send and costly to understand; each by upload and by CalDAV. */
export const calendarAttacks: readonly Attack[] = [
  file("a rule without an end, by the second", () => event("RRULE:FREQ=SECONDLY")),
  file("a rule that is never met", () =>
    event("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYDAY=MO"),
  ),
  file("a rule by the second that is never met", () =>
    event("RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=3;BYMINUTE=61"),
  ),
  file("a rule of every part there is", () => {
    const numbers = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, nth) => from + nth).join(",");
    return event(
      `RRULE:FREQ=YEARLY;BYMONTH=${numbers(1, 12)};BYYEARDAY=${numbers(1, 366)};BYHOUR=${numbers(0, 23)};BYMINUTE=${numbers(0, 59)};BYSECOND=${numbers(0, 59)};BYSETPOS=${numbers(-366, -1)}`,
    );
  }),
  file("a rule that ends in the year 9999", () =>
    event("RRULE:FREQ=MINUTELY;UNTIL=99991231T235959Z"),
  ),
  file("a rule of 99,999,999,999 times", () =>
    event("RRULE:FREQ=DAILY;INTERVAL=1;COUNT=99999999999"),
  ),
  file("a rule at intervals of 2^53", () =>
    event("RRULE:FREQ=DAILY;INTERVAL=9007199254740993;COUNT=1000000"),
  ),
  file("1,000 rules in one event", () =>
    event(many(1000, () => "RRULE:FREQ=HOURLY;BYDAY=MO,TU;BYSETPOS=-1")),
  ),
  file("100,000 dates beside the rule", () => {
    const dates = Array.from({ length: 100_000 }, (_, nth) => dateOf(nth));
    return event(`RDATE;VALUE=DATE:${dates.join(",")}`);
  }),
  file("100,000 dates left out, one a line", () =>
    event(
      "RRULE:FREQ=DAILY",
      many(100_000, (nth) => `EXDATE;VALUE=DATE:${dateOf(nth)}`),
    ),
  ),
  file("900,000 lines", () => event(many(900_000, () => "X:1"))),
  file("a line folded 500,000 times", () => event(`DESCRIPTION:a${"\r\n b".repeat(500_000)}`)),
  file("a line of 4 MB", () => event(`DESCRIPTION:${"a".repeat(4_000_000)}`)),
  file("parameters without an end", () => event(`SUMMARY${";X=1".repeat(500_000)}:a`)),
  file("quotes that do not close", () => event(`SUMMARY;X="${'a"'.repeat(500_000)}`)),
  file("escapes alone", () => event(`DESCRIPTION:${"\\n".repeat(1_000_000)}`)),
  file("10,000 alarms", () =>
    event(
      many(
        10_000,
        () => "BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT5M\r\nDESCRIPTION:a\r\nEND:VALARM",
      ),
    ),
  ),
  file("components 100,000 deep", () => event("BEGIN:X-A\r\n".repeat(100_000))),
  file("20,000 events of one UID", () =>
    calendar(
      many(
        20_000,
        (nth) =>
          `BEGIN:VEVENT\r\nUID:attack@example.com\r\nDTSTAMP:20260101T000000Z\r\nRECURRENCE-ID;VALUE=DATE:${dateOf(nth)}\r\nDTSTART;VALUE=DATE:${dateOf(nth)}\r\nSUMMARY:a\r\nEND:VEVENT`,
      ),
    ),
  ),
  file("20,000 time zones", () =>
    calendar(
      many(20_000, (nth) => zone(`Z${nth}`, "RRULE:FREQ=YEARLY")),
      inZone("Z1"),
    ),
  ),
  file("a time zone of 50,000 changes", () =>
    calendar(
      zone(
        "Z",
        many(50_000, (nth) => `RDATE:${dateOf(nth)}T000000`),
      ),
      inZone("Z"),
    ),
  ),
  file("a time zone that changes by the second", () =>
    calendar(zone("Z", "RRULE:FREQ=SECONDLY"), inZone("Z")),
  ),
  file("an attachment of 3 MB inside", () =>
    event(`ATTACH;ENCODING=BASE64;VALUE=BINARY:${"QUFB".repeat(750_000)}`),
  ),
  file("50,000 attendees", () =>
    event(many(50_000, (nth) => `ATTENDEE:mailto:a${nth}@example.com`)),
  ),
  file("an event that lasts 9,000 years", () =>
    calendar(
      "BEGIN:VEVENT\r\nUID:attack@example.com\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:09000101T000000Z\r\nDTEND:99991231T000000Z\r\nRRULE:FREQ=DAILY\r\nSUMMARY:a\r\nEND:VEVENT",
    ),
  ),
  file("HTML of 300,000 elements in each other", () =>
    event(`X-ALT-DESC;FMTTYPE=text/html:${"<b>".repeat(300_000)}`),
  ),
];

function file(name: string, write: () => string): Attack {
  return {
    name: `ICS: ${name}`,
    allowed,
    prepare: (target) => {
      const body = write();
      const type = { "content-type": "text/calendar" };
      const upload = () =>
        send(target, `POST /api/edits?project=${target.project}&dryRun=true`, {
          headers: { ...type, authorization: target.bearer },
          body,
        });
      const put = () =>
        send(target, `PUT ${target.calendar}attack.ics`, {
          headers: { ...type, authorization: target.login },
          body,
        });
      return () => sendAll(times(target), (nth) => (nth % 2 === 0 ? upload() : put()));
    },
  };
}

/** By each way at least once. */
const times = ({ scale }: Target): number => Math.max(2, Math.ceil(6 * scale));

const calendar = (...parts: readonly string[]): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Attacks//EN\r\n${parts.join("\r\n")}\r\nEND:VCALENDAR\r\n`;

const event = (...lines: readonly string[]): string =>
  calendar(
    "BEGIN:VEVENT",
    "UID:attack@example.com",
    "DTSTAMP:20260101T000000Z",
    "DTSTART:20260101T100000Z",
    "DTEND:20260101T110000Z",
    "SUMMARY:Attack",
    ...lines,
    "END:VEVENT",
  );

const zone = (name: string, ...lines: readonly string[]): string =>
  [
    "BEGIN:VTIMEZONE",
    `TZID:${name}`,
    "BEGIN:STANDARD",
    "DTSTART:16010101T000000",
    "TZOFFSETFROM:+0100",
    "TZOFFSETTO:+0200",
    ...lines,
    "END:STANDARD",
    "END:VTIMEZONE",
  ].join("\r\n");

const inZone = (name: string): string =>
  [
    "BEGIN:VEVENT",
    "UID:attack@example.com",
    "DTSTAMP:20260101T000000Z",
    `DTSTART;TZID=${name}:20260101T100000`,
    `DTEND;TZID=${name}:20260101T110000`,
    "SUMMARY:Attack",
    "END:VEVENT",
  ].join("\r\n");

const many = (count: number, line: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => line(nth)).join("\r\n");

const dateOf = (nth: number): string =>
  Temporal.PlainDate.from("1970-01-01")
    .add({ days: nth % 30_000 })
    .toString()
    .replaceAll("-", "");
