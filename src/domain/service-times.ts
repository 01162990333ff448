import { type When, wallClock } from "@dayferry/ical";
import { say } from "../texts/say.ts";
import { fail, ok, type Result } from "./result.ts";

/** The service's format: `YYYY-MM-DD HH:MM` in the account's zone, last day inclusive. */
export interface ServiceTimes {
  readonly start: string;
  readonly end: string | null;
  readonly allDay: boolean;
}

/** Why the service cannot store an event's times: it would return others. */
export interface HoldFault {
  readonly kind: "repeated-hour" | "years";
  readonly message: string;
}

/** Years that the service and calendars support in any zone, with the day after. */
const yearsHeld = { from: 1000, to: 9998 } as const;
/** Days beyond these are replaced by the first or the last of them. */
const reach = {
  from: new Temporal.PlainDate(1, 1, 2),
  to: new Temporal.PlainDate(9999, 12, 29),
} as const;
const lastMinute = new Temporal.PlainTime(23, 59);

const naivePattern = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?)?$/;
const instantPattern = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/;

/**
 * Reads the service's times in the account's zone. A wall clock in a DST gap or overlap is resolved as in RFC 5545
 * ("compatible"). With an offset, it is that instant. Fails with a sentence that names the value.
 */
export function readServiceTimes(times: ServiceTimes, zone: string): Result<When, string> {
  const start = parseTime(times.start, zone);
  if (!start.ok) return start;
  const endText = times.end?.trim() ?? "";
  const end = endText === "" ? null : parseTime(endText, zone);
  if (end && !end.ok) return end;

  if (times.allDay) {
    const first = start.value.clock.toPlainDate();
    const last = end ? end.value.clock.toPlainDate() : first;
    if (Temporal.PlainDate.compare(last, first) < 0) {
      return fail(`end "${endText}" is before start "${times.start}"`);
    }
    return ok({ kind: "dates", start: first, end: last.add({ days: 1 }) });
  }
  const from = start.value.time;
  if (!end) return ok({ kind: "times", start: from, end: null });
  const to = endAfter(start.value, end.value);
  if (!to) return fail(`end "${endText}" is before start "${times.start}"`);
  const empty = Temporal.ZonedDateTime.compare(from, to) === 0;
  return ok({ kind: "times", start: from, end: empty ? null : to });
}

/**
 * The service's request format: `YYYY-MM-DD` for dates (last day inclusive, no end for one day), ISO 8601 with an
 * offset for times. Seconds are dropped, as the service does. An offset with seconds, as before standard time, is
 * rounded down, so that the service gets the same minute of its own clock.
 */
export function writeServiceTimes(when: When): {
  readonly start: string;
  readonly end: string | null;
  readonly allDay: boolean;
} {
  if (when.kind === "times") {
    const end = when.end ? withOffset(when.end) : null;
    return { start: withOffset(when.start), end, allDay: false };
  }
  const last = when.end.subtract({ days: 1 });
  const oneDay = last.equals(when.start);
  return { start: when.start.toString(), end: oneDay ? null : last.toString(), allDay: true };
}

/**
 * Why the service cannot store times; null if it can. It only stores the wall clock in `zone`, the account's: of a
 * repeated hour it knows the first pass alone, except for an end that would otherwise precede its start.
 */
export function holdFault(when: When, zone: string): HoldFault | null {
  const years = yearsFault(when, zone);
  if (years || when.kind === "dates") return years;
  const [start, end] = [when.start, when.end].map((time) => time && clockIn(time, zone));
  if (!start) return null;
  if (!wallClock(start.clock, zone).equals(start.time)) return repeatedFault("start", start);
  if (!end) return null;
  const isBackwards = Temporal.PlainDateTime.compare(end.clock, start.clock) <= 0;
  const isSame = wallClock(end.clock, zone).equals(end.time);
  const isEmpty = end.time.equals(start.time);
  return isEmpty || (isSame && !isBackwards) ? null : repeatedFault("end", end);
}

/** Why the service or calendars cannot hold a day; null if they can. */
export function dayFault(day: Temporal.PlainDate): HoldFault | null {
  const { from, to } = yearsHeld;
  if (day.year >= from && day.year <= to) return null;
  const years = { day: day.toString(), from: String(from), to: String(to) };
  return { kind: "years", message: say("hold.years", years) };
}

/** The day, or the nearest one that calendars can show. */
export function withinReach(day: Temporal.PlainDate): Temporal.PlainDate {
  if (Temporal.PlainDate.compare(day, reach.from) < 0) return reach.from;
  return Temporal.PlainDate.compare(day, reach.to) > 0 ? reach.to : day;
}

interface ReadTime {
  /** As it was written. */
  readonly clock: Temporal.PlainDateTime;
  readonly time: Temporal.ZonedDateTime;
  /** True if the offset was given too, so that nothing is ambiguous. */
  readonly exact: boolean;
}

/**
 * The end for a start in nights with a clock change: an end in the repeated hour is its second pass if the first is too
 * early, and an end after a start in the missing hour keeps its distance. Null if the end precedes the start.
 */
function endAfter(start: ReadTime, end: ReadTime): Temporal.ZonedDateTime | null {
  if (Temporal.ZonedDateTime.compare(end.time, start.time) >= 0) return end.time;
  if (start.exact || end.exact) return null;
  if (Temporal.PlainDateTime.compare(end.clock, start.clock) >= 0) {
    return start.time.add(start.clock.until(end.clock, { largestUnit: "hours" }));
  }
  const second = end.clock.toZonedDateTime(end.time.timeZoneId, { disambiguation: "later" });
  return Temporal.ZonedDateTime.compare(second, start.time) >= 0 ? second : null;
}

function parseTime(text: string, zone: string): Result<ReadTime, string> {
  const trimmed = text.trim();
  try {
    if (instantPattern.test(trimmed)) {
      const read = cutSeconds(Temporal.Instant.from(trimmed).toZonedDateTimeISO(zone));
      const clock = clockWithinReach(read.toPlainDateTime());
      const time = clock.equals(read.toPlainDateTime()) ? read : wallClock(clock, zone);
      return ok({ clock, time, exact: true });
    }
    const match = naivePattern.exec(trimmed);
    if (!match) return fail(`"${text}" is not YYYY-MM-DD HH:MM`);
    const clock = clockWithinReach(
      Temporal.PlainDateTime.from(`${match[1]}T${match[2] ?? "00:00"}`),
    );
    return ok({ clock, time: wallClock(clock, zone), exact: false });
  } catch {
    return fail(`"${text}" is not a real date and time`);
  }
}

function clockWithinReach(clock: Temporal.PlainDateTime): Temporal.PlainDateTime {
  const day = clock.toPlainDate();
  const near = withinReach(day);
  if (near === day) return clock;
  return near === reach.from ? near.toPlainDateTime() : near.toPlainDateTime(lastMinute);
}

function withOffset(time: Temporal.ZonedDateTime): string {
  const clock = cutSeconds(time).toPlainDateTime().toString({ smallestUnit: "second" });
  const minutes = Math.floor(time.offsetNanoseconds / 60e9);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const digits = [hours, rest].map((part) => String(part).padStart(2, "0")).join(":");
  return `${clock}${minutes < 0 ? "-" : "+"}${digits}`;
}

/** Drops the seconds, which the service does not store. */
export function cutSeconds(time: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  return time.round({ smallestUnit: "minute", roundingMode: "floor" });
}

interface ClockTime {
  readonly clock: Temporal.PlainDateTime;
  readonly time: Temporal.ZonedDateTime;
}

function clockIn(at: Temporal.ZonedDateTime, zone: string): ClockTime {
  const time = cutSeconds(at.withTimeZone(zone));
  return { clock: time.toPlainDateTime(), time };
}

function repeatedFault(edge: "start" | "end", { clock, time }: ClockTime): HoldFault {
  const night = {
    clock: clock.toString({ smallestUnit: "minute" }).replace("T", " "),
    utc: time.toInstant().toString({ smallestUnit: "minute" }),
    zone: time.timeZoneId,
  };
  const message = say(edge === "start" ? "hold.repeatedStart" : "hold.repeatedEnd", night);
  return { kind: "repeated-hour", message };
}

/** Checks the first and the last day in the account's zone. An exclusive end is the day after. */
function yearsFault(when: When, zone: string): HoldFault | null {
  const [first, last] =
    when.kind === "dates"
      ? [when.start, when.end.subtract({ days: 1 })]
      : [when.start, when.end ?? when.start].map((time) => time.withTimeZone(zone).toPlainDate());
  return (first && dayFault(first)) ?? (last ? dayFault(last) : null);
}
