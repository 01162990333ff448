import type { IncomingTime } from "./time-values.ts";

type Day = Temporal.PlainDate;

/** Start and due date of a to-do, as far as present. */
export interface TodoTimes {
  readonly start: IncomingTime | undefined;
  readonly due: IncomingTime | undefined;
}

/**
 * The days of a to-do with times of day: the dates as written, which is what its author saw; for UTC times the date in `zone`,
 * the account's. If two time zones would make it due on a day before it starts, both are days in the account's time zone.
 */
export function todoDays(
  { start, due }: TodoTimes,
  zone: string,
): { readonly start: Day | undefined; readonly due: Day | undefined } {
  const written = { start: start && writtenDay(start, zone), due: due && writtenDay(due, zone) };
  const isTurned =
    written.start && written.due && Temporal.PlainDate.compare(written.due, written.start) < 0;
  const isOrdered =
    start?.kind === "time" &&
    due?.kind === "time" &&
    Temporal.ZonedDateTime.compare(start.at, due.at) <= 0;
  if (!isTurned || !isOrdered) return written;
  const here = ({ at }: { readonly at: Temporal.ZonedDateTime }) =>
    at.withTimeZone(zone).toPlainDate();
  return { start: here(start), due: here(due) };
}

/** A time in the time zone its author saw: a UTC time in `zone`, because programs show it there. */
export const asWritten = (at: Temporal.ZonedDateTime, zone: string): Temporal.ZonedDateTime =>
  at.timeZoneId === "UTC" ? at.withTimeZone(zone) : at;

const writtenDay = (time: IncomingTime, zone: string): Day =>
  time.kind === "date" ? time.on : asWritten(time.at, zone).toPlainDate();
