import { createZoneWriter, writeEvent } from "@dayferry/ical";
import ICAL from "ical.js";
import { describe, expect, it } from "vitest";
import { card } from "../../../packages/ical/test/cards.ts";
import { canonicalText, overlayOctets } from "../../../src/ics/overlay/overlay.ts";
import { times } from "../../support/items.ts";
import { joined, stamp } from "./overlays.ts";

const zone = "America/Vancouver";

/** As programs with older zone data define it: permanent summer time. */
const outdated = [
  "BEGIN:VTIMEZONE",
  `TZID:${zone}`,
  "BEGIN:DAYLIGHT",
  "DTSTART:20070311T020000",
  "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU",
  "TZOFFSETFROM:-0800",
  "TZOFFSETTO:-0700",
  "END:DAYLIGHT",
  "BEGIN:STANDARD",
  "DTSTART:20071104T020000",
  "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
  "TZOFFSETFROM:-0700",
  "TZOFFSETTO:-0800",
  "END:STANDARD",
  "END:VTIMEZONE",
];
const event = [
  "BEGIN:VEVENT",
  "UID:event-1@dayferry",
  "SUMMARY:Call",
  `DTSTART;TZID=${zone}:20260701T100000`,
  `DTEND;TZID=${zone}:20260701T110000`,
  "X-OWN:stays",
  "END:VEVENT",
];
const object = (...lines: readonly string[]) => [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  ...lines,
  "END:VCALENDAR",
];

const at = (start: string, end: string) =>
  writeEvent(card({ summary: "Call", when: times(start, end, zone), zone }));
const summer = canonicalText(at("2026-07-01T10:00", "2026-07-01T11:00"));

/** The octets after the event was moved, or renamed, at the service. */
function laidOn(octets: readonly string[], now: string, end = "\r\n"): string {
  return overlayOctets({
    octets: joined(octets, end),
    component: "VEVENT",
    said: summer,
    now: canonicalText(now),
    stamp,
    zones: createZoneWriter()(now),
    zone,
  });
}

/** The event's start by the definition beside it. */
function startOf(text: string): string {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const definition = calendar.getFirstSubcomponent("vtimezone");
  const start = calendar.getFirstSubcomponent("vevent")?.getFirstPropertyValue("dtstart");
  if (!definition || !(start instanceof ICAL.Time)) throw new Error(`not whole:\n${text}`);
  const offset = new ICAL.Timezone(definition).utcOffset(start);
  const wall = Temporal.PlainDateTime.from(start.toString()).toZonedDateTime("UTC");
  return wall.subtract({ seconds: offset }).toInstant().toString();
}

describe("an overlay of octets that define their time zone", () => {
  const winter = at("2026-12-01T10:00", "2026-12-01T11:00");

  it.each([
    ["before the event", object(...outdated, ...event)],
    ["after it", object(...event, ...outdated)],
  ])("replaces a definition %s by one that is right for new times", (_where, octets) => {
    const text = laidOn(octets, winter);
    expect(startOf(text)).toBe("2026-12-01T17:00:00Z");
    expect(text.match(/^BEGIN:VTIMEZONE/gm)).toHaveLength(1);
    expect(text).toContain("X-OWN:stays\r\n");
  });

  it("uses the line ends of the octets", () => {
    const text = laidOn(object(...outdated, ...event), winter, "\n");
    expect(text).not.toContain("\r");
    expect(startOf(text.replaceAll("\n", "\r\n"))).toBe("2026-12-01T17:00:00Z");
  });

  it("keeps a definition that no new line needs", () => {
    const renamed = writeEvent(
      card({ summary: "Talk", when: times("2026-07-01T10:00", "2026-07-01T11:00", zone), zone }),
    );
    expect(laidOn(object(...outdated, ...event), renamed)).toContain(joined(outdated));
  });
});
