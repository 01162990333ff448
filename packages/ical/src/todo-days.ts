import type { IncomingTime } from "./time-values.ts";

type Day = Temporal.PlainDate;

/** Start and due date of a to-do, as far as it has them. */
export interface TodoTimes {
  readonly start: IncomingTime | undefined;
  readonly due: IncomingTime | undefined;
}

/**
 * The days that a to-do with times of day means: the dates that stand in it, as its writer has seen them in a calendar; of a
 * UTC time the date in `zone`, the account's. Where two zones would have it due on a day before it starts, both are days
 * of the account's zone.
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

/** A time where its writer has read it: one in UTC in `zone`, which programs show it in. */
export const asWritten = (at: Temporal.ZonedDateTime, zone: string): Temporal.ZonedDateTime =>
  at.timeZoneId === "UTC" ? at.withTimeZone(zone) : at;

const writtenDay = (time: IncomingTime, zone: string): Day =>
  time.kind === "date" ? time.on : asWritten(time.at, zone).toPlainDate();
