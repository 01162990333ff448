import type { VEvent } from "node-ical";
import { loadNodeIcal } from "../late-packages.ts";

/**
 * node-ical resolves Outlook's zone names. Here it gets a component built around one checked value, never a file, because it
 * invents or loses data if a file is unusual; `second-reader` uses it for the times of a file.
 */

const displayName = /^\((?:UTC|GMT)[+-]?[\d:]*\) [^\p{Cc}"]{1,120}$/u;

/** The time zone for a name such as "(UTC+01:00) Amsterdam, Berlin, Bern"; null if unknown. */
export function zoneOfDisplayName(name: string): string | null {
  if (!displayName.test(name)) return null;
  const zone = readProbe(`DTSTART;TZID="${name}":20260105T120000`)?.start?.tz;
  return zone && zone !== name ? zone : null;
}

function readProbe(lines: string): VEvent | null {
  const frame = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:probe", lines, "END:VEVENT"];
  try {
    const read = loadNodeIcal().sync.parseICS([...frame, "END:VCALENDAR", ""].join("\r\n"))[
      "probe"
    ];
    return read?.type === "VEVENT" ? read : null;
  } catch {
    return null;
  }
}
