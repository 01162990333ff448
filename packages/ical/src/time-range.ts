import { type ContentLine, param } from "./lines/content-line.ts";
import type { Component } from "./lines/tokens.ts";
import { firstLine } from "./lines/tokens.ts";
import {
  type IncomingTime,
  momentOf,
  readDuration,
  readTime,
  timeAfter,
  wholeDaysOf,
  type ZoneOf,
} from "./time-values.ts";

/** A time range of a filter, end exclusive; null for an open end. */
export interface TimeRange {
  readonly start: Temporal.Instant | null;
  readonly end: Temporal.Instant | null;
}

/** Context for the times of a component. */
export interface TimeRangeContext {
  /** IANA time zone for dates: the query's, or else the account's. */
  readonly zone: string;
  /** The time zones of the object, with `zone` for floating times: `zonesOfFile(calendar, zone)`. */
  readonly zoneOf: ZoneOf;
  /** The event or to-do of an alarm; null for other components. */
  readonly parent: Component | null;
}

/**
 * True if a component overlaps a range. To-dos without dates always do; an invalid time counts as missing. A due or start date
 * lasts the whole day: a to-do due today belongs to today, though midnight would not. Components other than events, to-dos and
 * alarms never match. Source: RFC 4791 9.9.
 */
export function matchesTimeRange(
  component: Component,
  range: TimeRange,
  context: TimeRangeContext,
): boolean {
  const bounds = boundsOf(range);
  switch (component.name) {
    case "VEVENT":
      return matchesEvent(timesOf(component, context), bounds);
    case "VTODO":
      return matchesTodo(timesOf(component, context), bounds);
    case "VALARM":
      return matchesAlarm(component, bounds, context);
    default:
      return false;
  }
}

/** True if the DATE or DATE-TIME of a property is within a range; a date counts as the whole day. Source: RFC 4791 9.9. */
export function matchesPropertyRange(
  line: ContentLine,
  range: TimeRange,
  context: Pick<TimeRangeContext, "zone" | "zoneOf">,
): boolean {
  const moment = momentIn(line, context);
  return moment !== undefined && startsWithin(moment, boundsOf(range));
}

/** In milliseconds since 1970; infinite for open ends. */
interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** An instant, or a day that ends at `past`. In milliseconds since 1970. */
interface Moment {
  readonly at: number;
  readonly past: number;
  readonly time: IncomingTime;
}

interface Times {
  readonly start: Moment | undefined;
  /** DTEND of an event, DUE of a to-do. */
  readonly end: Moment | undefined;
  /** End by DURATION, in milliseconds since 1970. */
  readonly durationEnd: number | undefined;
  readonly completed: Moment | undefined;
  readonly created: Moment | undefined;
}

function boundsOf({ start, end }: TimeRange): Bounds {
  return {
    start: start?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    end: end?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
  };
}

function timesOf(component: Component, context: TimeRangeContext): Times {
  const read = (name: string) => momentIn(firstLine(component, name), context);
  const start = read("DTSTART");
  return {
    start,
    end: read(component.name === "VTODO" ? "DUE" : "DTEND"),
    durationEnd: durationEnd(component, start, context),
    completed: read("COMPLETED"),
    created: read("CREATED"),
  };
}

function momentIn(
  line: ContentLine | undefined,
  { zone, zoneOf }: Pick<TimeRangeContext, "zone" | "zoneOf">,
): Moment | undefined {
  const read = line && readTime(line, zoneOf);
  if (!read?.ok) return undefined;
  const time = read.value;
  const at = momentOf(time, zone).epochMilliseconds;
  if (time.kind === "time") return { at, past: at, time };
  const next = { kind: "date", on: time.on.add({ days: 1 }) } as const;
  return { at, past: momentOf(next, zone).epochMilliseconds, time };
}

function durationEnd(
  component: Component,
  start: Moment | undefined,
  { zone, zoneOf }: TimeRangeContext,
): number | undefined {
  const length = readDuration(firstLine(component, "DURATION")?.value ?? "");
  const line = firstLine(component, "DTSTART");
  if (!length || !start || !line) return undefined;
  const { time } = start;
  if (time.kind === "time") return timeAfter(time.at, length, { line, zoneOf }).epochMilliseconds;
  const days = wholeDaysOf(length) ?? length;
  return time.on.toZonedDateTime(zone).add(days).epochMilliseconds;
}

/** True if the range contains the instant or part of the day. */
const startsWithin = (moment: Moment, range: Bounds): boolean =>
  startsAfter(moment, range) && range.end > moment.at;

/** True if the instant, or part of the day, is not before the range. */
const startsAfter = ({ at, past }: Moment, { start }: Bounds): boolean =>
  at === past ? start <= at : start < past;

function matchesEvent({ start, end, durationEnd }: Times, bounds: Bounds): boolean {
  if (!start) return false;
  const until = end?.at ?? durationEnd;
  // An end before the start is invalid, and an equal one has no length.
  if (until === undefined || until <= start.at) return startsWithin(start, bounds);
  return bounds.start < until && bounds.end > start.at;
}

function matchesTodo({ start, end: due, durationEnd, ...stamps }: Times, range: Bounds): boolean {
  if (start && due) {
    const isAhead = range.start < due.past || startsAfter(start, range);
    return isAhead && (range.end > start.at || range.end >= due.at);
  }
  if (start && durationEnd !== undefined) {
    return range.start <= durationEnd && (range.end > start.at || range.end >= durationEnd);
  }
  if (start) return startsWithin(start, range);
  if (due) return range.start < due.past && range.end >= due.at;
  const { completed, created } = stamps;
  if (completed && created) {
    const isAhead = range.start <= created.at || range.start <= completed.at;
    return isAhead && (range.end >= created.at || range.end >= completed.at);
  }
  if (completed) return range.start <= completed.at && range.end >= completed.at;
  return !created || range.end > created.at;
}

/** An alarm occurs at its trigger and at each repetition. */
function matchesAlarm(alarm: Component, range: Bounds, context: TimeRangeContext): boolean {
  const first = triggerAt(alarm, context);
  if (first === undefined) return false;
  const gap = readDuration(firstLine(alarm, "DURATION")?.value ?? "")?.total("milliseconds") ?? 0;
  const repeat = Number(/^\d{1,9}$/.exec(firstLine(alarm, "REPEAT")?.value.trim() ?? "")?.[0] ?? 0);
  if (gap <= 0 || first >= range.start) return range.start <= first && range.end > first;
  const turn = Math.ceil((range.start - first) / gap);
  return turn <= repeat && range.end > first + turn * gap;
}

function triggerAt(alarm: Component, context: TimeRangeContext): number | undefined {
  const line = firstLine(alarm, "TRIGGER");
  const offset = line && readDuration(line.value);
  if (!line || !offset) return momentIn(line, context)?.at;
  if (!context.parent) return undefined;
  const { start, end, durationEnd } = timesOf(context.parent, context);
  const isFromEnd = param(line, "RELATED")?.toUpperCase() === "END";
  // A to-do may have only a due date.
  const base = isFromEnd ? (end?.at ?? durationEnd ?? start?.past) : (start?.at ?? end?.at);
  return base === undefined ? undefined : base + offset.total("milliseconds");
}
