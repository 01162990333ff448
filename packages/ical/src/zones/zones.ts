import { loadWindowsZones } from "../late-packages.ts";
import { escapeText, foldLines } from "../lines/content-line.ts";
import { zoneOfDisplayName } from "../read/second-opinion.ts";
import { isZone } from "../when.ts";
import { compactTime, type Observance, observancesOf } from "./zone-rules.ts";

/**
 * One VTIMEZONE component that is valid from the start of `fromYear` to the end of `toYear`, folded, with CRLF. Its TZID is
 * `tzid`, by default exactly `zone`. Changes that follow a rule are a yearly RRULE, which Outlook requires, with UNTIL where
 * the rule ended; others are one RDATE line per onset, which every parser understands. Throws a RangeError for an unknown time
 * zone. Source: RFC 5545 3.6.5.
 */
export function writeTimeZone(options: {
  readonly zone: string;
  readonly tzid?: string;
  readonly fromYear: number;
  readonly toYear: number;
}): string {
  const lines = [
    "BEGIN:VTIMEZONE",
    `TZID:${options.tzid === undefined ? options.zone : escapeText(options.tzid)}`,
    `X-LIC-LOCATION:${options.zone}`,
    ...observancesOf(options).flatMap(observanceLines),
    "END:VTIMEZONE",
  ];
  return foldLines(lines);
}

/**
 * The IANA zone a TZID means: an IANA name in any case, such a name with a `/vendor/…/` prefix, a Windows name, or one of
 * Outlook's display names. null for others.
 */
export function resolveZone(tzid: string): string | null {
  const name = tzid.trim();
  return usualZone(name) ?? oddZone(name);
}

/** The time zone for a name that other parsers know as well. */
export const usualZone = (name: string): string | null =>
  ianaName(name) ?? prefixedName(name) ?? windowsName(name) ?? displayedName(name);

/** `tzone://Microsoft/Utc` of Exchange, an offset such as `GMT+02:00`, and a Windows name with a number added by a copy. */
function oddZone(name: string): string | null {
  const exchange = /^tzone:\/\/Microsoft\/(.+)$/i.exec(name)?.[1];
  if (exchange !== undefined) return usualZone(exchange);
  const numbered = /^(.*\D)\s+\d{1,3}$/.exec(name)?.[1];
  return offsetZone(name) ?? (numbered === undefined ? null : windowsName(numbered));
}

/** The time zone for an offset: `GMT+0200`, `UTC-5`, `+05:30`. null for other names. */
function offsetZone(name: string): string | null {
  const found = /^(?:GMT|UTC|UT)?\s*([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(name);
  if (!found) return null;
  const [, sign, hours = "", minutes = "00"] = found;
  return fixedZone((sign === "-" ? -60 : 60) * (Number(hours) * 60 + Number(minutes)));
}

/** The time zone with a constant offset in seconds; null for fractions of minutes, and for more than a day. */
export function fixedZone(seconds: number): string | null {
  const minutes = seconds / 60;
  if (!Number.isInteger(minutes) || Math.abs(minutes) >= 24 * 60) return null;
  const hours = minutes / 60;
  if (minutes === 0) return "UTC";
  if (Number.isInteger(hours) && hours >= -12 && hours <= 14)
    return `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;
  return offset(seconds).replace(/(\d{2})$/, ":$1");
}

/** True if a time zone is a name of UTC, whose times are written with "Z". */
export function isUtc(zone: string): boolean {
  const epoch = new Temporal.ZonedDateTime(0n, zone);
  return epoch.equals(epoch.withTimeZone("UTC"));
}

function ianaName(name: string): string | null {
  if (!isZone(name)) return null;
  return new Temporal.ZonedDateTime(0n, name).timeZoneId;
}

function prefixedName(name: string): string | null {
  if (!name.startsWith("/")) return null;
  const parts = name.split("/").filter((part) => part !== "");
  for (const kept of [3, 2, 1]) {
    const found = parts.length > kept ? ianaName(parts.slice(-kept).join("/")) : null;
    if (found) return found;
  }
  return ianaName(name.slice(1));
}

/**
 * Where windows-iana 5.1.0 is outdated: Kazakhstan and Chihuahua have left these time zones. Source: CLDR's windowsZones, as
 * node-ical 0.27.2 has it.
 */
const newer: ReadonlyMap<string, string> = new Map([
  ["central asia standard time", "Asia/Bishkek"],
  ["mountain standard time (mexico)", "America/Mazatlan"],
]);

function windowsName(name: string): string | null {
  const lower = name.toLowerCase();
  const moved = newer.get(lower);
  if (moved !== undefined) return moved;
  const { findIana, WINDOWS_TO_IANA_MAP } = loadWindowsZones();
  const known = WINDOWS_TO_IANA_MAP.find((entry) => entry.windowsName.toLowerCase() === lower);
  const zone = known && findIana(known.windowsName)[0];
  return zone ? ianaName(zone) : null;
}

function displayedName(name: string): string | null {
  const zone = zoneOfDisplayName(name);
  return zone === null ? null : ianaName(zone);
}

function observanceLines(observance: Observance): readonly string[] {
  const { kind, start, from, to, rule, more } = observance;
  return [
    `BEGIN:${kind}`,
    `DTSTART:${compactTime(start)}`,
    ...(rule === null ? [] : [`RRULE:${rule}`]),
    ...more.map((onset) => `RDATE:${compactTime(onset)}`),
    `TZOFFSETFROM:${offset(from)}`,
    `TZOFFSETTO:${offset(to)}`,
    `END:${kind}`,
  ];
}

function offset(seconds: number): string {
  const length = Math.abs(seconds);
  const parts = [Math.floor(length / 3600), Math.floor(length / 60) % 60, length % 60];
  const digits = parts.map((part) => String(part).padStart(2, "0"));
  return `${seconds < 0 ? "-" : "+"}${digits.slice(0, parts[2] === 0 ? 2 : 3).join("")}`;
}
