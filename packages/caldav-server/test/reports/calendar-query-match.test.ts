import { readTree } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { matchesFilter } from "../../src/reports/calendar-query.ts";
import { readFilter } from "../../src/reports/filter-read.ts";
import { readXml } from "../../src/xml/read-xml.ts";

const object = (...lines: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//x//y//EN", ...lines, "END:VCALENDAR", ""].join(
    "\r\n",
  );

const meeting = object(
  "BEGIN:VEVENT",
  "UID:meeting-1",
  "DTSTAMP:20261101T000000Z",
  "DTSTART;TZID=Europe/Berlin:20261123T100000",
  "DTEND;TZID=Europe/Berlin:20261123T110000",
  "SUMMARY:Größe\\, Gewicht",
  "CATEGORIES:Red,Blue",
  "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:a@example.com",
  "ATTENDEE;PARTSTAT=ACCEPTED:mailto:b@example.com",
  "BEGIN:VALARM",
  "ACTION:DISPLAY",
  "DESCRIPTION:x",
  "TRIGGER:-PT1H",
  "END:VALARM",
  "END:VEVENT",
);
const todo = (...lines: string[]) =>
  object("BEGIN:VTODO", "UID:todo-1", "DTSTAMP:20261101T000000Z", ...lines, "END:VTODO");

function matches(octets: string, inner: string, zone = "Europe/Berlin"): boolean {
  const xml = readXml(
    Buffer.from(
      `<filter xmlns="urn:ietf:params:xml:ns:caldav"><comp-filter name="VCALENDAR">${inner}</comp-filter></filter>`,
    ),
  );
  if (!xml.ok || !xml.value) throw new Error(`no XML: ${JSON.stringify(xml)}`);
  const filter = readFilter(xml.value);
  if (!filter.ok) throw new Error(`refused: ${filter.failure.reason}`);
  return matchesFilter(filter.value, readTree(octets), zone);
}

const comp = (name: string, inner = "") => `<comp-filter name="${name}">${inner}</comp-filter>`;
const prop = (name: string, inner = "") => `<prop-filter name="${name}">${inner}</prop-filter>`;
const param = (name: string, inner = "") => `<param-filter name="${name}">${inner}</param-filter>`;
const text = (part: string, attributes = "") => `<text-match ${attributes}>${part}</text-match>`;
const range = (start: string, end: string) => `<time-range start="${start}" end="${end}"/>`;
const none = "<is-not-defined/>";

describe("matchesFilter()", () => {
  it.each([
    ["any calendar", "", true],
    ["a property of the calendar", prop("VERSION", text("2.0")), true],
    ["an event", comp("VEVENT"), true],
    ["a to-do", comp("VTODO"), false],
    ["no to-do", comp("VTODO", none), true],
    ["no event", comp("VEVENT", none), false],
    ["a journal", comp("VJOURNAL"), false],
    ["an event and no to-do", comp("VEVENT") + comp("VTODO", none), true],
    ["a day that holds it", comp("VEVENT", range("20261123T000000Z", "20261124T000000Z")), true],
    ["the hour before it", comp("VEVENT", range("20261123T080000Z", "20261123T090000Z")), false],
    ["the hour after it", comp("VEVENT", range("20261123T100000Z", "20261123T110000Z")), false],
    ["an open end", comp("VEVENT", `<time-range start="20261123T093000Z"/>`), true],
    ["an open start", comp("VEVENT", `<time-range end="20261123T090000Z"/>`), false],
    [
      "an alarm at that time",
      comp("VEVENT", comp("VALARM", range("20261123T075959Z", "20261123T080001Z"))),
      true,
    ],
    [
      "an alarm at another time",
      comp("VEVENT", comp("VALARM", range("20261123T090000Z", "20261123T100000Z"))),
      false,
    ],
    ["no alarm", comp("VEVENT", comp("VALARM", none)), false],
    ["its UID", comp("VEVENT", prop("UID", text("meeting-1", `collation="i;octet"`))), true],
    ["a part of its UID in capitals", comp("VEVENT", prop("UID", text("MEETING"))), true],
    [
      "the same byte by byte",
      comp("VEVENT", prop("UID", text("MEETING", `collation="i;octet"`))),
      false,
    ],
    [
      "a title with a comma",
      comp("VEVENT", prop("SUMMARY", text("größe, gewicht", `collation="i;unicode-casemap"`))),
      true,
    ],
    ["a title in ASCII letters only", comp("VEVENT", prop("SUMMARY", text("GRÖSSE"))), false],
    [
      "not that title",
      comp("VEVENT", prop("SUMMARY", text("Gewicht", `negate-condition="yes"`))),
      false,
    ],
    [
      "not another title",
      comp("VEVENT", prop("SUMMARY", text("Farbe", `negate-condition="yes"`))),
      true,
    ],
    ["a place", comp("VEVENT", prop("LOCATION")), false],
    [
      "a place without a part",
      comp("VEVENT", prop("LOCATION", text("x", `negate-condition="yes"`))),
      false,
    ],
    ["no place", comp("VEVENT", prop("LOCATION", none)), true],
    ["a category", comp("VEVENT", prop("CATEGORIES", text("blue"))), true],
    [
      "a person and answer of one line",
      comp(
        "VEVENT",
        prop("ATTENDEE", text("a@example.com") + param("PARTSTAT", text("NEEDS-ACTION"))),
      ),
      true,
    ],
    [
      "a person with another's answer",
      comp("VEVENT", prop("ATTENDEE", text("a@example.com") + param("PARTSTAT", text("ACCEPTED")))),
      false,
    ],
    ["a parameter", comp("VEVENT", prop("DTSTART", param("TZID"))), true],
    ["no parameter", comp("VEVENT", prop("DTSTART", param("TZID", none))), false],
    [
      "a parameter that is missing",
      comp("VEVENT", prop("DTSTART", param("VALUE", text("DATE")))),
      false,
    ],
    [
      "a property at that time",
      comp("VEVENT", prop("DTSTAMP", range("20261101T000000Z", "20261101T000001Z"))),
      true,
    ],
    [
      "a property at another time",
      comp("VEVENT", prop("DTSTAMP", range("20261102T000000Z", "20261103T000000Z"))),
      false,
    ],
  ])("understands %s", (_what, inner, expected) => {
    expect(matches(meeting, inner)).toBe(expected);
  });

  it.each([
    ["a to-do without dates", todo(), true],
    ["one that is due that day", todo("DUE;VALUE=DATE:20261123"), true],
    ["one that is due before", todo("DUE;VALUE=DATE:20261121"), false],
    [
      "one that starts before and is due after",
      todo("DTSTART;VALUE=DATE:20261101", "DUE;VALUE=DATE:20261201"),
      true,
    ],
    ["one that starts that day", todo("DTSTART;VALUE=DATE:20261123"), true],
    ["one that was completed that day", todo("COMPLETED:20261123T120000Z"), true],
    ["one that was completed before", todo("COMPLETED:20261101T120000Z"), false],
    ["one that was made before", todo("CREATED:20261101T120000Z"), true],
    ["one that was made after", todo("CREATED:20261124T120000Z"), false],
  ])("finds %s in a day as RFC 4791 9.9 says", (_what, octets, expected) => {
    const day = range("20261122T230000Z", "20261123T230000Z");
    expect(matches(octets, comp("VTODO", day))).toBe(expected);
  });

  it("reads dates in the zone of the query", () => {
    const day = object("BEGIN:VEVENT", "UID:d", "DTSTART;VALUE=DATE:20261123", "END:VEVENT");
    const evening = comp("VEVENT", range("20261123T230000Z", "20261123T233000Z"));
    expect(matches(day, evening, "Europe/Berlin")).toBe(false);
    expect(matches(day, evening, "America/New_York")).toBe(true);
  });

  it("finds open to-dos as programs request them", () => {
    const open = comp(
      "VTODO",
      prop("COMPLETED", none) + prop("STATUS", text("CANCELLED", `negate-condition="yes"`)),
    );
    expect(matches(todo("STATUS:NEEDS-ACTION"), open)).toBe(true);
    expect(matches(todo("STATUS:CANCELLED"), open)).toBe(false);
    expect(matches(todo("STATUS:COMPLETED", "COMPLETED:20261101T120000Z"), open)).toBe(false);
  });
});
