import type { IcsProblem, ValueFault } from "../ics-problem.ts";
import { quotedValue } from "../ics-problem.ts";
import type { ContentLine } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import { firstLine, wordOf } from "../lines/tokens.ts";
import { sentence } from "../sentences.ts";
import {
  type IncomingTime,
  readClock,
  readDuration,
  readTime,
  settleClock,
  timeAfter,
  wholeDaysOf,
  type ZoneOf,
} from "../time-values.ts";
import type { When } from "../when.ts";

/** Context shared by all items of a file. */
export interface FileContext {
  readonly zoneOf: ZoneOf;
}

/** One item while it is parsed. */
export interface ItemReading extends FileContext {
  readonly component: Component;
  readonly uid: string;
  /** Grows during parsing. */
  readonly problems: IcsProblem[];
}

/** Start and end of an item, as far as the file has them. */
export interface ReadSpan {
  readonly start: IncomingTime | undefined;
  /** DTEND of an event, DUE of a to-do, or the start plus DURATION; exclusive for dates of an event. */
  readonly end: IncomingTime | undefined;
}

/**
 * Parses DTSTART with DTEND, DUE or DURATION. Days of a duration are nominal: they keep the local time across a clock change.
 * Source: RFC 5545 3.8.2, 3.3.6, 3.6.1 (dtend or duration, of the type of dtstart).
 */
export function readSpan(reading: ItemReading): ReadSpan {
  const start = timeOf(reading, "DTSTART");
  const end = readEnd(reading, start);
  if (!start || !end) return wholeDays(reading, { start, end });
  const isTodo = reading.component.name === "VTODO";
  if (isTodo && !isDaysBefore(end, start)) return { start, end };
  const settled = isTodo ? null : settleEnd(reading, { start, end });
  if (settled) return wholeDays(reading, { start, end: settled });
  const line = endLine(reading) ?? firstLine(reading.component, "DTSTART");
  const about = { name: line?.name ?? "", value: quotedValue(line?.value ?? "") };
  const message = sentence("ical.endBeforeStart", about);
  complain(reading, { line: line?.line ?? 0, code: "end-before-start", message });
  return { start, end: undefined };
}

/** Start and end of an event; undefined without DTSTART. An event with a date and no end, or an equal one, lasts one day. */
export function whenOf({ start, end }: ReadSpan): When | undefined {
  if (!start) return undefined;
  if (start.kind === "date") {
    const last = end?.kind === "date" && !end.on.equals(start.on) ? end.on : null;
    return { kind: "dates", start: start.on, end: last ?? start.on.add({ days: 1 }) };
  }
  const ends = end?.kind === "time" ? end.at : null;
  const lasts = ends !== null && ends.epochMilliseconds !== start.at.epochMilliseconds;
  return { kind: "times", start: start.at, end: lasts ? ends : null };
}

function endLine(reading: ItemReading): ContentLine | undefined {
  const name = reading.component.name === "VTODO" ? "DUE" : "DTEND";
  return firstLine(reading.component, name) ?? firstLine(reading.component, "DURATION");
}

function readEnd(reading: ItemReading, start: IncomingTime | undefined): IncomingTime | undefined {
  const line = endLine(reading);
  if (!line) return undefined;
  const duration = firstLine(reading.component, "DURATION");
  if (duration && duration !== line) {
    const message = sentence("ical.endTwice", { name: line.name });
    return complain(reading, { line: duration.line, code: "end-twice", message });
  }
  const hasStart = firstLine(reading.component, "DTSTART") !== undefined;
  if (!hasStart && line.name !== "DUE") {
    const message = sentence("ical.needsStart", { name: line.name });
    return complain(reading, { line: line.line, code: "end-without-start", message });
  }
  return line === duration ? addDuration(reading, { line, start }) : endTime(reading, start);
}

function endTime(reading: ItemReading, start: IncomingTime | undefined): IncomingTime | undefined {
  const line = endLine(reading);
  const end = line && timeOf(reading, line.name);
  if (!line || !end || !start || reading.component.name === "VTODO") return end;
  if (end.kind === start.kind) {
    const from = firstLine(reading.component, "DTSTART");
    if (end.kind === "date" || !floatsAlone(from, line)) return end;
    const message = sentence("ical.oneZone", { name: line.name });
    return complain(reading, { line: line.line, code: "date-kind", message });
  }
  const id = start.kind === "date" ? "ical.dateAndTime" : "ical.timeAndDate";
  const message = sentence(id, { name: line.name });
  return complain(reading, { line: line.line, code: "date-kind", message });
}

/** Source: RFC 5545 3.8.2.2, 3.8.2.3 (an end has a zone, or is UTC, when its start has one or is). */
function floatsAlone(start: ContentLine | undefined, end: ContentLine): boolean {
  return start !== undefined && isFloating(start) !== isFloating(end);
}

const isFloating = (line: ContentLine): boolean =>
  !line.params.has("TZID") && !line.value.trimEnd().endsWith("Z");

function addDuration(
  reading: ItemReading,
  at: { readonly line: ContentLine; readonly start: IncomingTime | undefined },
): IncomingTime | undefined {
  const { line, start } = at;
  const length = readDuration(line.value);
  if (!length || length.sign < 0) {
    const message = sentence("ical.badDuration", { value: quotedValue(line.value) });
    return complain(reading, { line: line.line, code: "bad-duration", message });
  }
  if (start?.kind !== "date") return start && timeAfterStart(reading, start, length);
  const days = wholeDaysOf(length);
  if (!days) {
    const message = sentence("ical.durationDays", { value: quotedValue(line.value) });
    return complain(reading, { line: line.line, code: "bad-duration", message });
  }
  return { kind: "date", on: start.on.add(days) };
}

function timeAfterStart(
  { component, zoneOf }: ItemReading,
  start: IncomingTime & { readonly kind: "time" },
  length: Temporal.Duration,
): IncomingTime {
  const line = firstLine(component, "DTSTART");
  return { kind: "time", at: line ? timeAfter(start.at, length, { line, zoneOf }) : start.at };
}

/**
 * Adjusts the end at clock changes: one in the repeated hour is its second pass if the first is too early, and one after a
 * start in the missing hour keeps its local distance. null if the end is before the start.
 */
function settleEnd(
  { component, zoneOf }: ItemReading,
  { start, end }: { readonly start: IncomingTime; readonly end: IncomingTime },
): IncomingTime | null {
  if (start.kind === "date" || end.kind === "date") return isBefore(end, start) ? null : end;
  const late = end.at.epochMilliseconds - start.at.epochMilliseconds;
  if (late > 0) return end;
  const [from, to] = ["DTSTART", "DTEND"].map((name) => {
    const line = firstLine(component, name);
    return line ? readClock(line, zoneOf) : null;
  });
  const unmoved = late === 0 ? end : null;
  if (!from || !to) return unmoved;
  const second = settleClock(to, "second");
  if (late < 0 && second && second.epochMilliseconds >= start.at.epochMilliseconds) {
    return { kind: "time", at: second };
  }
  const isInGap = !start.at.toPlainDateTime().equals(from.clock);
  const zone = start.at.timeZoneId;
  const clock = to.zone === from.zone ? to.clock : end.at.withTimeZone(zone).toPlainDateTime();
  const length = from.clock.until(clock, { largestUnit: "hours" });
  return isInGap && length.sign > 0 ? { kind: "time", at: start.at.add(length) } : unmoved;
}

/**
 * True if a to-do is due on a day before it starts, in every time zone. The service stores only days, so times, or a time
 * beside a date, are fine.
 */
function isDaysBefore(due: IncomingTime, start: IncomingTime): boolean {
  if (due.kind === "time" && start.kind === "time") {
    return Temporal.ZonedDateTime.compare(due.at.add({ days: 1 }), start.at) <= 0;
  }
  return Temporal.PlainDate.compare(dayOf(due), dayOf(start)) < 0;
}

const dayOf = (time: IncomingTime): Temporal.PlainDate =>
  time.kind === "date" ? time.on : time.at.toPlainDate();

/** Properties of Outlook and similar programs that mark an event with times as all-day. */
const wholeDayMarks = ["X-MICROSOFT-CDO-ALLDAYEVENT", "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT"];

/**
 * The days of an event that is marked as all-day and lasts from midnight to midnight, each in its own time zone, both in that
 * of the start, or, if the start is in UTC, in the account's. Otherwise times stay times.
 */
function wholeDays(reading: ItemReading, span: ReadSpan): ReadSpan {
  const { component, zoneOf } = reading;
  const { start, end } = span;
  if (start?.kind !== "time" || component.name !== "VEVENT") return span;
  if (!wholeDayMarks.some((mark) => wordOf(component, mark) === "TRUE")) return span;
  const own = start.at.timeZoneId;
  const floating = zoneOf(null);
  for (const zone of [null, own, own === "UTC" && typeof floating === "string" ? floating : own]) {
    const first = midnightOf(start.at, zone);
    const last = end?.kind === "time" ? midnightOf(end.at, zone) : first;
    if (first && last) {
      const next = first.add({ days: 1 });
      const until = Temporal.PlainDate.compare(last, next) < 0 ? next : last;
      return { start: { kind: "date", on: first }, end: { kind: "date", on: until } };
    }
  }
  return span;
}

/** The day that begins at this time, in a time zone or its own; null if none does. Some days begin at one o'clock. */
function midnightOf(at: Temporal.ZonedDateTime, zone: string | null): Temporal.PlainDate | null {
  const local = zone === null ? at : at.withTimeZone(zone);
  return local.equals(local.startOfDay()) ? local.toPlainDate() : null;
}

function isBefore(end: IncomingTime, start: IncomingTime): boolean {
  if (end.kind === "date" && start.kind === "date") {
    return Temporal.PlainDate.compare(end.on, start.on) < 0;
  }
  // Files have whole seconds, and comparing numbers is many times faster.
  return end.kind === "time" && start.kind === "time"
    ? end.at.epochMilliseconds < start.at.epochMilliseconds
    : false;
}

/** The DATE or DATE-TIME of a property; undefined if not sent or, with a reported problem, invalid. */
export function timeOf(reading: ItemReading, name: string): IncomingTime | undefined {
  const line = firstLine(reading.component, name);
  if (!line) return undefined;
  const read = readTime(line, reading.zoneOf);
  return read.ok ? read.value : complain(reading, { line: line.line, ...read.failure });
}

/** Records why the item cannot be accepted. */
export function complain(
  reading: ItemReading,
  at: ValueFault & { readonly line: number },
): undefined {
  const { line, code, message } = at;
  reading.problems.push({ line, uid: reading.uid || null, code, message });
}
