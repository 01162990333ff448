import { describe, expect, it } from "vitest";
import {
  calendar,
  eventFile,
  octets,
  problemsOf,
  readFine,
  readOne,
  refusalOf,
  zone,
} from "../files.ts";

// Files that well-known calendar parsers misread, partly lose, or crash on.

const start = (bytes: Uint8Array): string => String(readOne(bytes).when?.start);
const codesOf = (bytes: Uint8Array): readonly string[] => refusalOf(bytes).map(({ code }) => code);
const ownZone = (name: string, ...lines: readonly string[]): Uint8Array =>
  calendar(
    ...["BEGIN:VTIMEZONE", `TZID:${name}`, "BEGIN:STANDARD", "DTSTART:19700101T000000"],
    ...["TZOFFSETFROM:+0300", "TZOFFSETTO:+0300", "END:STANDARD", "END:VTIMEZONE"],
    ...["BEGIN:VEVENT", "UID:u1", ...lines, "END:VEVENT"],
  );

describe("readCalendar() reads correctly what others misread", () => {
  it.each<[string, Uint8Array, string]>([
    [
      "the first pass of a repeated hour",
      eventFile("DTSTART;TZID=Europe/Berlin:20261025T023000"),
      "2026-10-25T02:30:00+02:00[Europe/Berlin]",
    ],
    [
      "a floating time beside a zone",
      ownZone("Asia/Tokyo", "DTSTART:20260701T100000"),
      `2026-07-01T10:00:00+02:00[${zone}]`,
    ],
    [
      "a zone that only the file knows",
      ownZone("Custom Zone", "DTSTART;TZID=Custom Zone:20260701T100000"),
      "2026-07-01T10:00:00+03:00[+03:00]",
    ],
    [
      "a customized zone",
      ownZone("Customized Time Zone", "DTSTART;TZID=Customized Time Zone:20260701T100000"),
      "2026-07-01T10:00:00+03:00[+03:00]",
    ],
    [
      "a zone behind a path",
      eventFile("DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20260701T100000"),
      "2026-07-01T10:00:00+02:00[Europe/Berlin]",
    ],
    [
      "a zone of Windows",
      eventFile("DTSTART;TZID=W. Europe Standard Time:20260701T100000"),
      "2026-07-01T10:00:00+02:00[Europe/Berlin]",
    ],
    [
      "names in small letters",
      octets(
        "begin:vcalendar\r\nbegin:vevent\r\nuid:u1\r\ndtstart:20260701T100000Z\r\nend:vevent\r\nend:vcalendar\r\n",
      ),
      "2026-07-01T10:00:00+00:00[UTC]",
    ],
    ["a date without VALUE", eventFile("DTSTART:20260701"), "2026-07-01"],
  ])("%s", (_name, bytes, expected) => {
    expect(problemsOf(bytes)).toEqual([]);
    expect(start(bytes)).toBe(expected);
  });

  it("a length of days over a clock change", () => {
    const { when } = readOne(
      eventFile("DTSTART;TZID=Europe/Berlin:20260328T120000", "DURATION:P1D"),
    );
    expect(when?.end?.toString()).toBe("2026-03-29T12:00:00+02:00[Europe/Berlin]");
  });

  it.each<[string, string, string]>([
    ["an escaped backslash before n", "SUMMARY:C:\\\\new", "C:\\new"],
    ["quotation marks", 'SUMMARY:"quoted"', '"quoted"'],
    ["a line separator", "SUMMARY:a\u2028b", "a\u2028b"],
    ["a parameter with all separators", 'SUMMARY;X-P="a;b:c,d":x', "x"],
  ])("%s", (_name, line, expected) => {
    expect(readOne(eventFile(line)).summary).toBe(expected);
  });

  it("a person's name with separators", () => {
    const line = 'ATTENDEE;CN="Doe; J: x":mailto:j@example.com';
    expect(readOne(eventFile(line)).attendees).toEqual(["j@example.com"]);
  });

  it.each(["type", "params", "vcalendar", "method", "u1,evil", "__proto__", "toString"])(
    "the UID %s",
    (uid) => {
      const other = ["BEGIN:VEVENT", "UID:other", "END:VEVENT"];
      const bytes = calendar("BEGIN:VEVENT", `UID:${uid}`, "X-UID:evil", "END:VEVENT", ...other);
      expect(readFine(bytes).items.map((item) => item.uid)).toEqual([uid, "other"]);
    },
  );
});

it.each<[string, readonly string[], string]>([
  ["an unknown zone", ["DTSTART;TZID=Mars/Base:20260701T100000"], "unknown-zone"],
  ["a moment that does not exist", ["DTSTART:20261301T256100Z"], "bad-date"],
  ["an end that is no time", ["DTSTART:20260701T100000Z", "DTEND:garbage"], "bad-date"],
  ["a time without seconds", ["DTSTART:20260701T1000Z"], "bad-date"],
  ["two starts", ["DTSTART:20260701", "DTSTART:20260702"], "twice"],
  ["an invalid rule", ["DTSTART:20260701", "RRULE:FREQ=NEVER"], "recurrence"],
  ["a rule without steps", ["DTSTART:20260701", "RRULE:FREQ=DAILY;INTERVAL=0"], "recurrence"],
  ["a rule for each second", ["DTSTART:20260701", "RRULE:FREQ=SECONDLY"], "recurrence"],
  ["further dates", ["DTSTART:20260701", "RDATE:20260801"], "recurrence"],
  [
    "this and all future ones",
    ["DTSTART:20260701", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260701"],
    "recurrence",
  ],
])("readCalendar() refuses only the item with %s", (_name, lines, code) => {
  const other = ["BEGIN:VEVENT", "UID:other", "DTSTART:20260701", "END:VEVENT"];
  const read = readFine(calendar("BEGIN:VEVENT", "UID:u1", ...lines, "END:VEVENT", ...other));
  const [item, neighbour] = read.items;
  expect(item?.problems).toMatchObject([{ uid: "u1", code }]);
  expect(item?.problems[0]?.line).toBeGreaterThanOrEqual(5);
  expect(neighbour).toMatchObject({ uid: "other", problems: [] });
});

describe("readCalendar() refuses a file for", () => {
  const event = ["BEGIN:VEVENT", "UID:u1", "DTSTART:20260701", "END:VEVENT"];
  const whole = calendar(...event);
  it.each<[string, Uint8Array, readonly string[]]>([
    ["a missing end", whole.slice(0, -15), ["truncated"]],
    ["an end in the middle of a line", whole.slice(0, -18), ["truncated"]],
    ["a page instead of a calendar", octets("<html>404</html>"), ["html"]],
    ["nothing at all", octets(""), ["empty"]],
    ["blank lines alone", octets("\r\n \r\n"), ["empty"]],
    [
      "bytes that are no UTF-8",
      Uint8Array.from([...whole.slice(0, 17), 0xff, 13, 10]),
      ["not-utf-8"],
    ],
  ])("%s", (_name, bytes, codes) => {
    expect(codesOf(bytes).slice(0, codes.length)).toEqual(codes);
  });
});
