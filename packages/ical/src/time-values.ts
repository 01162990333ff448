import { quotedValue, type ValueFault } from "./ics-problem.ts";
import { type ContentLine, param } from "./lines/content-line.ts";
import { fail, ok, type Result } from "./result.ts";

/** A DATE or DATE-TIME of a file; a time stands in the zone it was written in. */
export type IncomingTime =
  | { readonly kind: "date"; readonly on: Temporal.PlainDate }
  | { readonly kind: "time"; readonly at: Temporal.ZonedDateTime };

/** What makes a moment of a wall clock: an IANA zone or an offset such as "+05:30", by name, or rules of the file. */
export type FileZone = string | RuleZone;

/** A zone that only its file knows. */
export interface RuleZone {
  /**
   * A wall clock in the offset of its moment. One that comes twice is its first pass unless the second is asked for;
   * one in a gap counts from the offset before. Null where the rules leave it open.
   */
  readonly settle: (
    clock: Temporal.PlainDateTime,
    pass?: "first" | "second",
  ) => Temporal.ZonedDateTime | null;
}

/** The zone of a TZID, or of floating times for null. */
export type ZoneOf = (tzid: string | null) => FileZone | UnknownZone;

/** No zone that could be followed. */
export interface UnknownZone {
  readonly kind: "unknown";
  /** What is wrong with the definition that the file has of it; null when it has none. */
  readonly why: string | null;
}

const datePattern = /^\d{8}$/;
const timePattern = /^\d{8}T\d{6}Z?$/;
const durationPattern =
  /^([+-]?)P(?:(\d{1,6})W|(?=T?\d)(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?)$/i;

/**
 * Reads a DATE or DATE-TIME value. Eight digits are a date also without VALUE=DATE. A "Z" wins over a TZID, a TZID on
 * a date says nothing. A wall clock in a DST gap or overlap is settled as RFC 5545 3.3.5 does.
 * Fails with `bad-date` or `unknown-zone`.
 * Source: RFC 5545 3.3.4, 3.3.5.
 */
export function readTime(line: ContentLine, zoneOf: ZoneOf): Result<IncomingTime, ValueFault> {
  const value = line.value.trim().toUpperCase();
  const type = param(line, "VALUE")?.toUpperCase();
  if (type !== "DATE-TIME" && datePattern.test(value)) {
    const on = realDate(value);
    return on ? ok({ kind: "date", on }) : badDate(line, "is no day of the calendar");
  }
  if (type === "DATE" || !timePattern.test(value)) {
    return badDate(line, `is no ${type ?? "date or date with time"}`);
  }
  const zone = value.endsWith("Z") ? "UTC" : zoneOf(param(line, "TZID") ?? null);
  return typeof zone === "string" ? namedTime(line, value, zone) : ruledTime(line, value, zone);
}

/** The wall clock of a DATE-TIME as it was written, and its zone; null for a date and for what cannot be read. */
export function readClock(line: ContentLine, zoneOf: ZoneOf): WrittenClock | null {
  const value = line.value.trim().toUpperCase();
  if (!timePattern.test(value)) return null;
  const zone = value.endsWith("Z") ? "UTC" : zoneOf(param(line, "TZID") ?? null);
  const clock = realClock(value);
  return clock && !isUnknown(zone) ? { clock, zone } : null;
}

export interface WrittenClock {
  readonly clock: Temporal.PlainDateTime;
  readonly zone: FileZone;
}

/** A wall clock as a moment, in gaps and overlaps as RFC 5545 3.3.5 wants it; null where the rules leave it open. */
export function settleClock(
  { clock, zone }: WrittenClock,
  pass: "first" | "second" = "first",
): Temporal.ZonedDateTime | null {
  if (typeof zone !== "string") return zone.settle(clock, pass);
  return clock.toZonedDateTime(zone, {
    disambiguation: pass === "first" ? "compatible" : "later",
  });
}

/** What lies a length after a time that was written in `line`: days keep its wall clock. */
export function timeAfter(
  at: Temporal.ZonedDateTime,
  length: Temporal.Duration,
  written: { readonly line: ContentLine; readonly zoneOf: ZoneOf },
): Temporal.ZonedDateTime {
  const from = length.days === 0 ? null : readClock(written.line, written.zoneOf);
  if (from === null || typeof from.zone === "string") return at.add(length);
  const { days } = length;
  const day = from.zone.settle(from.clock.add({ days }));
  return day ? day.add(length.with({ days: 0 })) : at.add(length);
}

/** A UTC time in the form that RFC 5545 wants for stamps; null when it is none. */
export function readStamp(written: string): Temporal.Instant | null {
  const value = written.toUpperCase();
  try {
    return timePattern.test(value) && value.endsWith("Z") ? Temporal.Instant.from(value) : null;
  } catch {
    return null;
  }
}

/**
 * Reads a DURATION value; weeks become days, so that its length is known without a calendar. Null when it is none.
 * Source: RFC 5545 3.3.6.
 */
export function readDuration(value: string): Temporal.Duration | null {
  const match = durationPattern.exec(value.trim());
  if (!match) return null;
  const [weeks = 0, days = 0, hours, minutes, seconds] = match.slice(2).map((part) => {
    // Undefined parts are zero, and zero has no sign.
    return part ? Number(part) * (match[1] === "-" ? -1 : 1) : 0;
  });
  return new Temporal.Duration(0, 0, 0, weeks * 7 + days, hours, minutes, seconds);
}

/**
 * A DURATION value of whole seconds, days kept apart from hours. Months and years have none: a RangeError.
 * Source: RFC 5545 3.3.6.
 */
export function writeDuration(duration: Temporal.Duration): string {
  if (duration.years !== 0 || duration.months !== 0) {
    throw new RangeError(`${duration.toString()} is no length of a calendar file: it has months`);
  }
  const days = duration.weeks * 7 + duration.days;
  const clock = duration.with({ weeks: 0, days: 0 }).round({ largestUnit: "hours" });
  const rest = clock.round({ smallestUnit: "seconds", roundingMode: "trunc" });
  return Temporal.Duration.from({ days }).add(rest).blank
    ? "PT0S"
    : Temporal.Duration.from({
        days,
        hours: rest.hours,
        minutes: rest.minutes,
        seconds: rest.seconds,
      }).toString();
}

/** Whole days, also if they are given in hours or seconds, as a day has 24 hours for dates; null for other lengths. */
export function wholeDaysOf(length: Temporal.Duration): Temporal.Duration | null {
  const days = length.total("seconds") / 86_400;
  return Number.isInteger(days) ? Temporal.Duration.from({ days }) : null;
}

/** The moment of a time; of a date its midnight in `zone`. */
export function momentOf(time: IncomingTime, zone: string): Temporal.Instant {
  return (time.kind === "time" ? time.at : time.on.toZonedDateTime(zone)).toInstant();
}

const isUnknown = (zone: FileZone | UnknownZone): zone is UnknownZone =>
  typeof zone !== "string" && "kind" in zone;

function namedTime(
  line: ContentLine,
  value: string,
  zone: string,
): Result<IncomingTime, ValueFault> {
  const at = realTime(value.endsWith("Z") ? value.slice(0, -1) : value, zone);
  return at ? ok({ kind: "time", at }) : badDate(line, "is no time of the calendar");
}

function ruledTime(
  line: ContentLine,
  value: string,
  zone: RuleZone | UnknownZone,
): Result<IncomingTime, ValueFault> {
  if (isUnknown(zone)) return unknownZone(line, zone.why);
  const clock = realClock(value);
  if (!clock) return badDate(line, "is no time of the calendar");
  const at = zone.settle(clock);
  return at ? ok({ kind: "time", at }) : unknownZone(line, "its rules cannot be followed");
}

function unknownZone(line: ContentLine, why: string | null): Result<never, ValueFault> {
  const own = why === null ? "" : `, and cannot be read from its definition (${why})`;
  const message = `${line.name}: the time zone ${quotedValue(param(line, "TZID") ?? "")} is not known${own}; use an IANA name such as Europe/Berlin`;
  return fail({ code: "unknown-zone", message });
}

function realClock(value: string): Temporal.PlainDateTime | null {
  try {
    return Temporal.PlainDateTime.from(value.replace(/Z$/, ""));
  } catch {
    return null;
  }
}

function realDate(digits: string): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from(digits);
  } catch {
    return null;
  }
}

/**
 * "compatible" is the rule of RFC 5545 3.3.5 for gaps and overlaps; second 60 becomes 59, as RFC 5545 3.3.12 wants it
 * where leap seconds are not supported. One call on a string takes half the time of two on its numbers.
 */
function realTime(digits: string, zone: string): Temporal.ZonedDateTime | null {
  try {
    return Temporal.ZonedDateTime.from(`${digits}[${zone}]`, { disambiguation: "compatible" });
  } catch {
    return null;
  }
}

function badDate(line: ContentLine, why: string): Result<never, ValueFault> {
  return fail({ code: "bad-date", message: `${line.name}: ${quotedValue(line.value)} ${why}` });
}
