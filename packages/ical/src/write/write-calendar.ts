import type { Colour } from "../colour.ts";
import { encodeUrl, escapeText, foldLines } from "../lines/content-line.ts";
import { oneLine } from "../text.ts";
import { writeDuration } from "../time-values.ts";

/**
 * Everything before the first component of a published calendar, folded, with CRLF. Programs ignore calendar properties after a
 * component. `refresh` is the polling interval for subscribers. No METHOD: a fetched calendar is not a message, and PUBLISH
 * would require an ORGANIZER for every event. Source: RFC 5545 3.4, 3.7; RFC 5546 3.2.1; RFC 7986 5.1, 5.7, 5.9; MS-OXCICAL
 * 2.1.3.1.1.15 (X-PUBLISHED-TTL).
 */
export function writeHeader(options: {
  readonly name: string;
  /** "" for none. */
  readonly description: string;
  /** The account's IANA time zone. */
  readonly zone: string;
  readonly refresh: Temporal.Duration;
  /** Apple's programs read the exact color, others its nearest name; null for none. */
  readonly colour?: Colour | null;
}): string {
  const name = escapeText(oneLine(options.name));
  const refresh = writeDuration(options.refresh);
  const { colour } = options;
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    productId,
    "CALSCALE:GREGORIAN",
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    ...(options.description === "" ? [] : [`X-WR-CALDESC:${escapeText(options.description)}`]),
    ...(colour ? [`COLOR:${colour.name}`, `X-APPLE-CALENDAR-COLOR:${colour.hex}`] : []),
    `X-WR-TIMEZONE:${encodeUrl(options.zone)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${refresh}`,
    `X-PUBLISHED-TTL:${refresh}`,
  ];
  return foldLines(lines);
}

/** The line that identifies the program. */
export const productId = "PRODID:-//Dayferry//Dayferry//EN";

/** The end of a published calendar. */
export const calendarEnd = "END:VCALENDAR\r\n";
