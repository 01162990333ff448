import { readTree } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { readCalendarData } from "../../src/reports/calendar-data.ts";
import { rootOf } from "../multistatus.ts";

const lines = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//x//y//EN",
  "BEGIN:VTIMEZONE",
  "TZID:Europe/Berlin",
  "BEGIN:STANDARD",
  "DTSTART:19701025T030000",
  "TZOFFSETFROM:+0200",
  "TZOFFSETTO:+0100",
  "END:STANDARD",
  "END:VTIMEZONE",
  "BEGIN:VEVENT",
  "UID:1",
  "DTSTAMP:20261101T000000Z",
  "DTSTART;TZID=Europe/Berlin:20261123T100000",
  "DTEND:20261123T110000",
  `SUMMARY:${"A long title ".repeat(10)}`,
  "BEGIN:VALARM",
  "ACTION:DISPLAY",
  "DESCRIPTION:x",
  "TRIGGER:-PT1H",
  "END:VALARM",
  "END:VEVENT",
  "END:VCALENDAR",
];
const octets = Buffer.from(`${lines.join("\n")}\n`);

const read = (inner: string, attributes = "") =>
  readCalendarData(
    rootOf(
      `<calendar-data xmlns="urn:ietf:params:xml:ns:caldav" ${attributes}>${inner}</calendar-data>`,
    ),
    { zone: "Europe/Berlin" },
  );

/** The remaining object, unfolded. */
function shaped(inner: string): readonly string[] {
  const result = read(inner);
  if (!result.ok || !result.value) throw new Error("nothing was asked for");
  const text = result.value(octets);
  expect(readTree(text).name).toBe("VCALENDAR");
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  return text.replace(/\r\n /g, "").trimEnd().split("\r\n");
}

const calendar = (inner: string) => `<comp name="VCALENDAR">${inner}</comp>`;
const from = (...parts: (string | [number, number])[]) =>
  parts.flatMap((part) => (typeof part === "string" ? part : lines.slice(part[0], part[1])));

describe("readCalendarData()", () => {
  it.each([
    ["nothing", "", ""],
    ["a type and version", "", `content-type="text/calendar" version="2.0"`],
    [
      "limits for repetitions",
      `<limit-recurrence-set start="20261101T000000Z" end="20261201T000000Z"/><limit-freebusy-set start="20261101T000000Z" end="20261201T000000Z"/>`,
      "",
    ],
    ["the whole calendar", calendar(""), ""],
    ["all of everything", calendar("<allprop/><allcomp/>"), ""],
  ])("requests the octets unchanged when it names %s", (_what, inner, attributes) => {
    const result = read(inner, attributes);
    expect(result.ok).toBe(true);
    if (result.ok && result.value) {
      expect(result.value(octets).replace(/\r\n /g, "").trimEnd().split("\r\n")).toEqual(lines);
    }
  });

  it.each([
    [
      "properties of the calendar and the event, and a whole time zone",
      calendar(
        `<prop name="VERSION"/><comp name="vevent"><prop name="uid"/><prop name="DTSTART"/></comp><comp name="VTIMEZONE"/>`,
      ),
      from([0, 2], [3, 12], "UID:1", [14, 15], [22, 24]),
    ],
    [
      "an event without its alarms",
      calendar(`<comp name="VEVENT"><allprop/></comp>`),
      from([0, 3], [11, 17], [22, 24]),
    ],
    [
      "an event with all of its alarms, of itself the UID",
      calendar(`<prop name="PRODID"/><comp name="VEVENT"><prop name="UID"/><allcomp/></comp>`),
      from("BEGIN:VCALENDAR", [2, 3], "BEGIN:VEVENT", "UID:1", [17, 24]),
    ],
    [
      "names without values",
      calendar(
        `<comp name="VEVENT"><prop name="UID"/><prop name="DTSTART" novalue="yes"/><prop name="SUMMARY" novalue="no"/></comp>`,
      ),
      from([0, 3], "BEGIN:VEVENT", "UID:1", "DTSTART:", [16, 17], [22, 24]),
    ],
    ["a component that is not there", calendar(`<comp name="VTODO"/>`), from([0, 3], [23, 24])],
  ])("writes %s", (_what, inner, expected) => {
    expect(shaped(inner)).toEqual(expected);
  });

  it("writes times in UTC without time zones when they are expanded", () => {
    const expand = `<expand start="20261101T000000Z" end="20261201T000000Z"/>`;
    expect(shaped(expand)).toEqual(
      from([0, 3], [11, 14], "DTSTART:20261123T090000Z", "DTEND:20261123T100000Z", [16, 24]),
    );
    expect(
      shaped(`${calendar(`<comp name="VEVENT"><prop name="DTSTART"/></comp>`)}${expand}`),
    ).toEqual(from([0, 3], "BEGIN:VEVENT", "DTSTART:20261123T090000Z", [22, 24]));
  });

  it.each([
    ["another type", "", `content-type="application/calendar+xml"`, "supported-calendar-data", 403],
    ["another version", "", `version="1.0"`, "supported-calendar-data", 403],
    ["a part of no calendar", `<comp name="VEVENT"/>`, "", undefined, 400],
    ["a part without a name", calendar("<comp/>"), "", undefined, 400],
    [
      "a property without a name",
      calendar(`<comp name="VEVENT"><prop/></comp>`),
      "",
      undefined,
      400,
    ],
    ["an expansion without an end", `<expand start="20261101T000000Z"/>`, "", undefined, 400],
    [
      "an expansion backwards",
      `<expand start="20261201T000000Z" end="20261101T000000Z"/>`,
      "",
      undefined,
      400,
    ],
  ])("fails for %s", (_what, inner, attributes, name, status) => {
    const result = read(inner, attributes);
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.failure.status).toBe(status);
    expect(result.failure.precondition?.name).toBe(name);
  });
});
