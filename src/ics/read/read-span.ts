import type { When } from "../../domain/when.ts";
import type { ContentLine } from "../lines/content-line.ts";
import { excerpt } from "../problem.ts";
import { type IncomingTime, readDuration } from "../time-values.ts";
import { complain, firstLine, type Reading, timeOf } from "./reading.ts";

/** From when to when an item lasts, as far as its file says. */
export interface Span {
  readonly start: IncomingTime | undefined;
  /** DTEND of an event, DUE of a to-do, or the start plus DURATION; exclusive for dates of an event. */
  readonly end: IncomingTime | undefined;
}

/**
 * Reads DTSTART with DTEND, DUE or DURATION. Days of a duration are nominal: they keep the wall clock over a change of
 * the clocks.
 * Source: RFC 5545 3.8.2, 3.3.6, 3.6.1 (dtend or duration, of the type of dtstart).
 */
export function readSpan(reading: Reading): Span {
  const start = timeOf(reading, "DTSTART");
  const end = readEnd(reading, start);
  if (start && end && isBefore(end, start)) {
    const line = endLine(reading) ?? firstLine(reading.component, "DTSTART");
    const message = `${line?.name} ${excerpt(line?.value ?? "")} is before DTSTART`;
    complain(reading, { line: line?.line ?? 0, code: "end-before-start", message });
    return { start, end: undefined };
  }
  return { start, end };
}

/**
 * When an event takes place; undefined without DTSTART. An event of a date without an end, or with an equal one, lasts
 * this one day.
 */
export function whenOf({ start, end }: Span): When | undefined {
  if (!start) return undefined;
  if (start.kind === "date") {
    const last = end?.kind === "date" && !end.on.equals(start.on) ? end.on : null;
    return { kind: "dates", start: start.on, end: last ?? start.on.add({ days: 1 }) };
  }
  const ends = end?.kind === "time" ? end.at : null;
  const lasts = ends !== null && ends.epochMilliseconds !== start.at.epochMilliseconds;
  return { kind: "times", start: start.at, end: lasts ? ends : null };
}

function endLine(reading: Reading): ContentLine | undefined {
  const name = reading.component.name === "VTODO" ? "DUE" : "DTEND";
  return firstLine(reading.component, name) ?? firstLine(reading.component, "DURATION");
}

function readEnd(reading: Reading, start: IncomingTime | undefined): IncomingTime | undefined {
  const line = endLine(reading);
  if (!line) return undefined;
  const duration = firstLine(reading.component, "DURATION");
  if (duration && duration !== line) {
    const message = `${line.name} and DURATION both say when it ends; only one may`;
    return complain(reading, { line: duration.line, code: "end-twice", message });
  }
  const hasStart = firstLine(reading.component, "DTSTART") !== undefined;
  if (!hasStart && line.name !== "DUE") {
    const message = `${line.name} needs a DTSTART`;
    return complain(reading, { line: line.line, code: "end-without-start", message });
  }
  return line === duration ? addDuration(reading, { line, start }) : endTime(reading, start);
}

function endTime(reading: Reading, start: IncomingTime | undefined): IncomingTime | undefined {
  const line = endLine(reading);
  const end = line && timeOf(reading, line.name);
  if (!line || !end || !start || end.kind === start.kind) return end;
  const message = `DTSTART is a ${start.kind} and ${line.name} a ${end.kind}; both must be of one type`;
  return complain(reading, { line: line.line, code: "date-kind", message });
}

function addDuration(
  reading: Reading,
  at: { readonly line: ContentLine; readonly start: IncomingTime | undefined },
): IncomingTime | undefined {
  const { line, start } = at;
  const length = readDuration(line.value);
  if (!length || length.sign < 0) {
    const message = `DURATION ${excerpt(line.value)} is no length such as PT30M or P1D`;
    return complain(reading, { line: line.line, code: "bad-duration", message });
  }
  if (start?.kind !== "date") return start && { kind: "time", at: start.at.add(length) };
  if (length.days * 86_400 !== length.total("seconds")) {
    const message = `DURATION ${excerpt(line.value)} of a date must be whole days`;
    return complain(reading, { line: line.line, code: "bad-duration", message });
  }
  return { kind: "date", on: start.on.add({ days: length.days }) };
}

function isBefore(end: IncomingTime, start: IncomingTime): boolean {
  if (end.kind === "date" && start.kind === "date") {
    return Temporal.PlainDate.compare(end.on, start.on) < 0;
  }
  // Files have whole seconds, and a comparison of numbers is many times faster.
  return end.kind === "time" && start.kind === "time"
    ? end.at.epochMilliseconds < start.at.epochMilliseconds
    : false;
}
