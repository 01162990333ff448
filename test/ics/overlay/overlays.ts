import {
  createZoneWriter,
  type EventCard,
  type TodoCard,
  writeEvent,
  writeTodo,
} from "@dayferry/ical";
import { card } from "../../../packages/ical/test/cards.ts";
import { day, instant, todo } from "../../../packages/ical/test/todos.ts";
import { canonicalText, overlayOctets } from "../../../src/ics/overlay/overlay.ts";
import { zone } from "../../support/items.ts";

export const stamp = { sequence: 4, modifiedAt: instant("2026-06-03T10:00:00Z") };
export const event = (fields: Partial<EventCard>) => canonicalText(writeEvent(card(fields)));
export const task = (fields: Partial<TodoCard>) => canonicalText(writeTodo(todo(fields)));
export const dates = (start: string, end: string) =>
  ({ kind: "dates", start: day(start), end: day(end) }) as const;

/** A client's event with the given own lines; times as in `card({})`. */
export const eventLines = (...own: readonly string[]) => [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//Client//EN",
  "BEGIN:VEVENT",
  "UID:event-1@dayferry",
  ...own,
  "END:VEVENT",
  "END:VCALENDAR",
];
export const todoLines = (...own: readonly string[]) => [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "BEGIN:VTODO",
  "UID:task-1@dayferry",
  ...own,
  "END:VTODO",
  "END:VCALENDAR",
];
export const joined = (lines: readonly string[], end = "\r\n") =>
  lines.map((line) => line + end).join("");

export interface Turn {
  readonly octets: readonly string[];
  readonly said: string | null;
  readonly now: string;
  readonly component?: "VEVENT" | "VTODO";
}

/** The lines of the overlay, without those of the version. */
export function laid({ octets, said, now, component = "VEVENT" }: Turn): readonly string[] {
  const zones = createZoneWriter()(now);
  const text = overlayOctets({ octets: joined(octets), component, said, now, stamp, zones, zone });
  return text
    .replaceAll("\r\n ", "")
    .split("\r\n")
    .filter((line) => !/^(?:DTSTAMP|LAST-MODIFIED|SEQUENCE|X-DAYFERRY-BASE|)(?::|$)/.test(line));
}

export const times = ["DTSTART:20260701T080000Z", "DTEND:20260701T090000Z"];
