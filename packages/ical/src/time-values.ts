import { quotedValue, type ValueFault } from "./ics-problem.ts";
import { type ContentLine, param } from "./lines/content-line.ts";
import { fail, ok, type Result } from "./result.ts";
import { type Sentence, sentence } from "./sentences.ts";

/** A DATE or DATE-TIME of a file; a time is in the time zone it was written in. */
export type IncomingTime =
  | { readonly kind: "date"; readonly on: Temporal.PlainDate }
  | { readonly kind: "time"; readonly at: Temporal.ZonedDateTime };

/** What resolves a local time: an IANA zone or an offset such as "+05:30", by name, or rules of the file. */
export type FileZone = string | RuleZone;

/** A time zone that is defined only in its file. */
export interface RuleZone {
  /**
   * Resolves a local time to its offset. A repeated one is its first pass unless the second is requested; one in a gap counts
   * from the offset before. null if the rules are ambiguous.
   */
  readonly settle: (
    clock: Temporal.PlainDateTime,
    pass?: "first" | "second",
  ) => Temporal.ZonedDateTime | null;
}

/** The time zone of a TZID, or of floating times for null. */
export type ZoneOf = (tzid: string | null) => FileZone | UnknownZone;

/** A time zone that cannot be resolved. */
export interface UnknownZone {
  readonly kind: "unknown";
  /** What is wrong with its definition in the file; null if there is none. */
  readonly why: Sentence | null;
}

const datePattern = /^\d{8}$/;
const timePattern = /^\d{8}T\d{6}Z?$/;
const durationPattern =
  /^([+-]?)P(?:(\d{1,6})W|(?=T?\d)(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?)$/i;

/**
 * Parses a DATE or DATE-TIME value. Eight digits are a date also without VALUE=DATE. "Z" takes precedence over a TZID; a TZID
 * on a date is ignored. A local time in a DST gap or overlap is resolved per RFC 5545 3.3.5. Fails with `bad-date` or
 * `unknown-zone`. Source: RFC 5545 3.3.4, 3.3.5.
 */
export function readTime(line: ContentLine, zoneOf: ZoneOf): Result<IncomingTime, ValueFault> {
  const value = line.value.trim().toUpperCase();
  const type = param(line, "VALUE")?.toUpperCase();
  if (type !== "DATE-TIME" && datePattern.test(value)) {
    const on = realDate(value);
    return on ? ok({ kind: "date", on }) : badDate(line, "ical.noSuchDay");
  }
  if (type === "DATE" || !timePattern.test(value)) {
    return type === undefined ? badDate(line, "ical.notDate") : notOfType(line, type);
  }
  const zone = value.endsWith("Z") ? "UTC" : zoneOf(param(line, "TZID") ?? null);
  return typeof zone === "string" ? namedTime(line, value, zone) : ruledTime(line, value, zone);
}

/** The local time of a DATE-TIME as written, and its time zone; null for a date and for invalid values. */
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

/** Resolves a local time to an instant, in gaps and overlaps per RFC 5545 3.3.5; null if the rules are ambiguous. */
export function settleClock(
  { clock, zone }: WrittenClock,
  pass: "first" | "second" = "first",
): Temporal.ZonedDateTime | null {
  if (typeof zone !== "string") return zone.settle(clock, pass);
  return clock.toZonedDateTime(zone, {
    disambiguation: pass === "first" ? "compatible" : "later",
  });
}

/** Adds a duration to a time written in `line`: days keep its local time. */
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

/** A UTC time in the form RFC 5545 requires for timestamps; null for others. */
export function readStamp(written: string): Temporal.Instant | null {
  const value = written.toUpperCase();
  try {
    return timePattern.test(value) && value.endsWith("Z") ? Temporal.Instant.from(value) : null;
  } catch {
    return null;
  }
}

/**
 * Parses a DURATION; weeks become days, so that its length is known without a calendar. null if invalid. Source: RFC 5545
 * 3.3.6.
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
 * Formats a DURATION of whole seconds, with days apart from hours. Throws a RangeError for months and years. Source: RFC 5545
 * 3.3.6.
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

/** Whole days, also if given in hours or seconds, because for dates a day has 24 hours; null for other lengths. */
export function wholeDaysOf(length: Temporal.Duration): Temporal.Duration | null {
  const days = length.total("seconds") / 86_400;
  return Number.isInteger(days) ? Temporal.Duration.from({ days }) : null;
}

/** The instant of a time; for a date its midnight in `zone`. */
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
  return at ? ok({ kind: "time", at }) : badDate(line, "ical.noSuchTime");
}

function ruledTime(
  line: ContentLine,
  value: string,
  zone: RuleZone | UnknownZone,
): Result<IncomingTime, ValueFault> {
  if (isUnknown(zone)) return unknownZone(line, zone.why);
  const clock = realClock(value);
  if (!clock) return badDate(line, "ical.noSuchTime");
  const at = zone.settle(clock);
  return at ? ok({ kind: "time", at }) : unknownZone(line, sentence("ical.zoneRules"));
}

function unknownZone(line: ContentLine, why: Sentence | null): Result<never, ValueFault> {
  const about = { name: line.name, zone: quotedValue(param(line, "TZID") ?? "") };
  const message =
    why === null
      ? sentence("ical.unknownZone", about)
      : sentence("ical.unreadableZone", { ...about, why });
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
 * "compatible" is the rule of RFC 5545 3.3.5 for gaps and overlaps; second 60 becomes 59, as RFC 5545 3.3.12 requires without
 * leap seconds. One call with a string takes half the time of two with numbers.
 */
function realTime(digits: string, zone: string): Temporal.ZonedDateTime | null {
  try {
    return Temporal.ZonedDateTime.from(`${digits}[${zone}]`, { disambiguation: "compatible" });
  } catch {
    return null;
  }
}

function badDate(
  { name, value }: ContentLine,
  why: "ical.noSuchDay" | "ical.noSuchTime" | "ical.notDate",
): Result<never, ValueFault> {
  return fail({ code: "bad-date", message: sentence(why, { name, value: quotedValue(value) }) });
}

function notOfType({ name, value }: ContentLine, type: string): Result<never, ValueFault> {
  const message = sentence("ical.notOfType", { name, value: quotedValue(value), type });
  return fail({ code: "bad-date", message });
}
