import { createZoneWriter, type ObjectFault, readCalendarObject } from "@dayferry/ical";
import { describe, expect, it, vi } from "vitest";
import { loadNodeIcal } from "../../src/late-packages.ts";
import type { ObjectPrecondition } from "../../src/read/calendar-object.ts";
import { inEnglish } from "../../src/sentences.ts";
import { calendar, eventFile, file, octets, todoFile, zone } from "../files.ts";

const read = (bytes: Uint8Array) => readCalendarObject(bytes, { zone });
const faultOf = (bytes: Uint8Array): ObjectFault | null => {
  const object = read(bytes);
  return object.ok ? null : object.failure;
};

const event = ["BEGIN:VEVENT", "UID:u1", "DTSTART:20260701T100000Z", "END:VEVENT"];
const start = "DTSTART:20260701T100000Z";
const data = "valid-calendar-data";
const resource = "valid-calendar-object-resource";
const component = "supported-calendar-component";
const instances = "max-instances";

describe("readCalendarObject()", () => {
  it("reads an event with its zone", () => {
    const zones = createZoneWriter()("DTSTART;TZID=Europe/Berlin:20260701T100000");
    const own = ["BEGIN:VEVENT", "UID:u 1", "DTSTART;TZID=Europe/Berlin:20260701T100000"];
    const bytes = calendar(
      ...zones.trimEnd().split("\r\n"),
      ...own,
      "SUMMARY:a\\, b",
      "END:VEVENT",
    );
    const object = read(bytes);
    expect(object).toMatchObject({
      ok: true,
      value: {
        component: "VEVENT",
        uid: "u 1",
        raw: [...own, "SUMMARY:a\\, b", "END:VEVENT"],
        summary: "a, b",
        problems: [],
      },
    });
  });

  it.each<[string, Uint8Array]>([
    ["a to-do without dates", todoFile("SUMMARY:x")],
    ["an event of no length", eventFile(start, "DTEND:20260701T100000Z")],
    ["no VERSION", file("BEGIN:VCALENDAR", ...event, "END:VCALENDAR")],
    ["LF line ends", octets(["BEGIN:VCALENDAR", ...event, "END:VCALENDAR", ""].join("\n"))],
    ["a known zone without its VTIMEZONE", eventFile("DTSTART;TZID=Europe/Paris:20260701T100000")],
    [
      "a zone that is no longer used",
      calendar("BEGIN:VTIMEZONE", "TZID:x", "END:VTIMEZONE", ...event),
    ],
    ["a property that stands twice alike", eventFile(start, start)],
    ["parts that are unknown", eventFile(start, "BEGIN:X-PART", "X-A:b", "END:X-PART")],
  ])("accepts %s", (_what, bytes) => {
    expect(faultOf(bytes)).toBeNull();
  });

  it.each<[string, Uint8Array, ObjectPrecondition, number | null]>([
    ["an empty body", octets(""), data, null],
    ["a web page", octets("<html></html>"), data, 1],
    ["text that is not UTF-8", new Uint8Array([...file(...event), 0xff]), data, null],
    ["something else", octets("hello"), data, 1],
    ["a cut object", file("BEGIN:VCALENDAR", ...event), data, 1],
    ["an invalid line", eventFile(start, "no property"), data, 6],
    ["an event without DTSTART", eventFile("SUMMARY:x"), data, 3],
    ["a date and a time", eventFile(start, "DTEND;VALUE=DATE:20260702"), data, 6],
    ["an end before the start", eventFile(start, "DTEND:20260701T090000Z"), data, 6],
    ["a due date before the start", todoFile(start, "DUE:20260630T090000Z"), data, 6],
    ["DTEND and DURATION", eventFile(start, "DTEND:20260701T110000Z", "DURATION:PT1H"), data, 7],
    ["an unreadable date", eventFile("DTSTART:20261301T000000Z"), data, 5],
    ["an unknown zone", eventFile("DTSTART;TZID=Nowhere:20260701T100000"), data, 5],
    ["two titles", eventFile(start, "SUMMARY:a", "SUMMARY:b"), data, 7],
    ["an impossible percentage", todoFile("PERCENT-COMPLETE:101"), data, 5],

    ["METHOD", calendar("METHOD:PUBLISH", ...event), resource, 3],
    ["an unknown METHOD", calendar("METHOD:REPLY", ...event), resource, 3],
    ["no component", calendar(), resource, 1],
    ["a zone alone", calendar("BEGIN:VTIMEZONE", "TZID:x", "END:VTIMEZONE"), resource, 1],
    ["no UID", calendar("BEGIN:VEVENT", start, "END:VEVENT"), resource, 3],
    [
      "a UID of a line break",
      calendar("BEGIN:VEVENT", "UID:a\\nb", start, "END:VEVENT"),
      resource,
      4,
    ],
    [
      "several UIDs",
      calendar(...event, "BEGIN:VEVENT", "UID:u2", start, "END:VEVENT"),
      resource,
      7,
    ],
    ["one UID twice", calendar(...event, ...event), resource, 7],
    ["an event and a to-do", calendar(...event, "BEGIN:VTODO", "UID:u1", "END:VTODO"), resource, 7],
    ["an event and a journal", calendar(...event, "BEGIN:VJOURNAL", "END:VJOURNAL"), resource, 7],
    [
      "a second calendar",
      file("BEGIN:VCALENDAR", ...event, "END:VCALENDAR", "BEGIN:VCALENDAR", "END:VCALENDAR"),
      resource,
      7,
    ],

    ["a journal", calendar("BEGIN:VJOURNAL", "UID:u1", "END:VJOURNAL"), component, 3],
    ["free and busy times", calendar("BEGIN:VFREEBUSY", "UID:u1", "END:VFREEBUSY"), component, 3],
    [
      "an availability",
      calendar("BEGIN:VAVAILABILITY", "UID:u", "END:VAVAILABILITY"),
      component,
      3,
    ],

    ["a rule", eventFile(start, "RRULE:FREQ=DAILY"), instances, 6],
    ["a rule of a to-do", todoFile("DUE:20260701T100000Z", "RRULE:FREQ=DAILY"), instances, 6],
    ["a rule behind other faults", eventFile("DTSTART:x", "RRULE:FREQ=DAILY"), instances, 6],
    ["further dates", eventFile(start, "RDATE:20260702T100000Z"), instances, 6],
    ["further dates", eventFile(start, "RDATE:20260702T100000Z"), instances, 6],
    ["one of many", eventFile(start, "RECURRENCE-ID:20260702T100000Z"), instances, 6],
    [
      "one with a changed occurrence",
      calendar(...event, "BEGIN:VEVENT", "UID:u1", start, `RECURRENCE-ID:x`, "END:VEVENT"),
      instances,
      7,
    ],

    [
      "another version",
      file("BEGIN:VCALENDAR", "VERSION:1.0", ...event, "END:VCALENDAR"),
      "supported-calendar-data",
      2,
    ],
    ["another calendar scale", calendar("CALSCALE:JULIAN", ...event), "supported-calendar-data", 3],
    ["more than 5 MB", eventFile(`SUMMARY:${"x".repeat(5_000_000)}`), "max-resource-size", null],
  ])("refuses %s", (_what, bytes, precondition, line) => {
    expect(faultOf(bytes)).toMatchObject({ precondition, line });
  });

  it("gives the reason in words for people", () => {
    const said = (bytes: Uint8Array) => {
      const fault = faultOf(bytes);
      return fault && inEnglish(fault.message);
    };
    expect(said(eventFile(start, "RRULE:FREQ=WEEKLY"))).toBe(
      "RRULE: the service has no repeating items",
    );
    expect(said(calendar("METHOD:REQUEST", ...event))).toContain('METHOD "REQUEST"');
  });
});

describe("readCalendarObject() of excessive objects", () => {
  const many = (count: number, ...lines: readonly string[]) =>
    Array.from({ length: count }, () => lines).flat();

  it("accepts a thousand attendees", () => {
    const attendees = many(1000, "ATTENDEE:mailto:a@example.com");
    expect(faultOf(eventFile(start, ...attendees))).toBeNull();
  });

  it.each<[string, Uint8Array, string]>([
    ["lines", eventFile(start, ...many(5000, "X-A:b")), "more than 5000 lines"],
    [
      "parts",
      eventFile(start, ...many(1000, "BEGIN:VALARM", "END:VALARM")),
      "more than 1000 components",
    ],
  ])("refuses one of very many %s", (_what, bytes, reason) => {
    const fault = faultOf(bytes);
    expect(fault?.precondition).toBe(resource);
    expect(fault && inEnglish(fault.message)).toContain(reason);
  });
});

it("readCalendarObject() of usual objects asks node-ical once per object, and about none of its zones", async () => {
  const spy = vi.spyOn(loadNodeIcal().sync, "parseICS");
  const zones = createZoneWriter()("DTSTART;TZID=Europe/Berlin:20260701T100000");
  for (const tzid of [
    "Europe/Berlin",
    "W. Europe Standard Time",
    "/x.org/20070129_1/Europe/Berlin",
  ]) {
    const lines = [`DTSTART;TZID=${tzid}:20260701T100000`, "SUMMARY:x"];
    const bytes = calendar(
      ...zones.trimEnd().split("\r\n"),
      ...["BEGIN:VEVENT", "UID:u1", ...lines, "END:VEVENT"],
    );
    expect(read(bytes).ok).toBe(true);
  }
  expect(spy).toHaveBeenCalledTimes(3);
  spy.mockRestore();
});
