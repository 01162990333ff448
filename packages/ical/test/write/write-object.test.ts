import {
  createZoneWriter,
  readCalendarObject,
  readTree,
  writeEvent,
  writeObject,
} from "@dayferry/ical";
import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { UnreadableObjectError } from "../../src/lines/tokens.ts";
import { wrapComponent } from "../../src/write/write-object.ts";
import { card, timed } from "../cards.ts";
import { octets, readOne, zone } from "../files.ts";

const events = {
  timed: writeEvent(card({})),
  dates: writeEvent(
    card({
      when: {
        kind: "dates",
        start: Temporal.PlainDate.from("2026-07-01"),
        end: Temporal.PlainDate.from("2026-07-02"),
      },
    }),
  ),
  utc: writeEvent(card({ zone: "UTC" })),
};

const count = (text: string, part: string): number => text.split(part).length - 1;

it.each(["timed", "dates", "utc"] as const)(
  "writeObject() makes an object of an event with %s",
  (kind) => {
    const text = writeObject(events[kind], createZoneWriter()(events[kind]));
    expect(text.startsWith("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:")).toBe(true);
    expect(text.endsWith("END:VEVENT\r\nEND:VCALENDAR\r\n")).toBe(true);
    expect(text).not.toContain("METHOD");
    expect(count(text, "BEGIN:VTIMEZONE")).toBe(kind === "timed" ? 1 : 0);
    expect(readCalendarObject(octets(text), { zone })).toMatchObject({
      ok: true,
      value: { component: "VEVENT", uid: "event-1@dayferry" },
    });
    const event = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent");
    expect(event?.getFirstPropertyValue("summary")).toBe("Kickoff");
  },
);

describe("createZoneWriter()", () => {
  it("writes the same text for all times of a decade", () => {
    const write = createZoneWriter();
    const of = (year: number) => write(`DTSTART;TZID=Europe/Berlin:${year}0701T100000`);
    expect(of(2020)).toBe(of(2029));
    expect(of(2020)).toContain("RRULE:FREQ=YEARLY");
    expect(of(1975)).not.toBe(of(2020));
  });

  it("covers all years and all zones of a component, under the names in use", () => {
    const text = createZoneWriter()(
      [
        "DTSTART;TZID=W. Europe Standard Time:19700701T100000",
        'DTEND;X-A=b;TZID="America/New_York":20260701T100000',
        "DUE;TZID=Nowhere/Else:20260701T100000",
        "SUMMARY:TZID=Asia/Tokyo:20260701T100000",
      ].join("\n"),
    );
    expect(count(text, "BEGIN:VTIMEZONE")).toBe(2);
    expect(text).toContain("TZID:W. Europe Standard Time\r\nX-LIC-LOCATION:Europe/Berlin\r\n");
    expect(text).toContain("TZID:America/New_York\r\n");
  });

  it("works after a client has named a thousand zones", () => {
    const write = createZoneWriter();
    const of = (at: number) => write(`DTSTART;TZID=/x${at}/Europe/Berlin:20260701T100000`);
    const first = of(0);
    for (let at = 1; at < 1000; at++) of(at);
    expect(of(0)).toBe(first);
  });
});

it("wrapComponent() keeps the lines of a component, folded", () => {
  const raw = ["BEGIN:VTODO", "UID:u1", `SUMMARY:${"ä".repeat(100)}`, "X-A;B=c:d", "END:VTODO"];
  const text = wrapComponent(raw, "");
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  expect(readOne(octets(text)).raw).toEqual(raw);
});

describe("readTree()", () => {
  it("gives the calendar with its components", () => {
    const calendar = readTree(writeObject(events.timed, createZoneWriter()(events.timed)));
    expect(calendar.name).toBe("VCALENDAR");
    expect(calendar.components.map(({ name }) => name)).toEqual(["VTIMEZONE", "VEVENT"]);
    expect(readTree(octets(writeObject(events.utc, ""))).components).toHaveLength(1);
  });

  it("throws for anything but a calendar", () => {
    expect(() => readTree("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n")).toThrow(UnreadableObjectError);
    expect(() => readTree(octets("<html>"))).toThrow(UnreadableObjectError);
  });
});

it("writeEvent() writes a time that reads back the same", () => {
  const when = timed("2026-07-01T10:00", "2026-07-01T11:00");
  const text = writeObject(writeEvent(card({ when })), "");
  expect(readOne(octets(text)).when).toEqual(when);
});
