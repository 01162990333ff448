/** A strict `YYYY-MM-DD`; null for anything else, including days that do not exist. */
export function readDate(text: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  try {
    return Temporal.PlainDate.from(text).toString();
  } catch {
    return null;
  }
}

/**
 * An ISO 8601 date-time with offset as local time of the time zone, `YYYY-MM-DD HH:MM`; drops seconds and the offset. null
 * without offset and for anything else. Source: service-api.md, Calendar events; beyond-the-document.md, Times.
 */
export function readMoment(text: string, timeZone: string): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/.test(text)) return null;
  try {
    return wallText(Temporal.Instant.from(text).toZonedDateTimeISO(timeZone).toPlainDateTime());
  } catch {
    return null;
  }
}

/** Local time as `YYYY-MM-DD HH:MM`. */
export function wallText(at: Temporal.PlainDateTime): string {
  return at.toString({ smallestUnit: "minute", roundingMode: "floor" }).replace("T", " ");
}

/** A timestamp of the service: ISO 8601 with numeric offset and seconds. */
export function stampText(at: Temporal.Instant): string {
  return at.toString({ smallestUnit: "second", roundingMode: "floor" }).replace("Z", "+00:00");
}
