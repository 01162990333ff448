import { readTree, zonesOfFile } from "@dayferry/ical";
import { zone } from "./files.ts";

/** A range by hours of 1 July 2026 in UTC, or by full times; null for open ends. */
export const range = (start: number | string | null, end: number | string | null) => ({
  start: momentOf(start),
  end: momentOf(end),
});

function momentOf(time: number | string | null): Temporal.Instant | null {
  if (time === null) return null;
  if (typeof time === "string") return Temporal.Instant.from(time);
  return Temporal.Instant.from("2026-07-01T00:00:00Z").add({ minutes: Math.round(time * 60) });
}

export function read(name: string, lines: readonly string[]) {
  const frame = ["BEGIN:VCALENDAR", `BEGIN:${name}`, ...lines, `END:${name}`, "END:VCALENDAR", ""];
  const calendar = readTree(frame.join("\r\n"));
  const [component] = calendar.components;
  if (!component) throw new Error("no component was read");
  const context = { zone, zoneOf: zonesOfFile(calendar, zone), parent: null };
  return { component, context };
}

/** A time on that day, by its hour in UTC. */
export const at = (hour: number): string => `20260701T${String(hour).padStart(2, "0")}0000Z`;
