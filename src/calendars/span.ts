import type { Item } from "../domain/item.ts";
import { endsAt, startsAt } from "../domain/when.ts";
import type { CalendarObject } from "./calendar.ts";

/** Whole days may be meant in another zone than the account's, by programs and by their questions. */
const otherZones = Temporal.Duration.from({ hours: 26 }).total("milliseconds");

/** The coarse span of an item: outside of it no time range matches, inside it has to be looked at. */
export function spanOf(item: Item, zone: string): CalendarObject["span"] {
  if (item.kind !== "event") return daysSpan(item.startOn ?? item.dueOn, item.dueOn, zone);
  const [from, to] = [startsAt(item.when, zone), endsAt(item.when, zone)];
  const isWhole = item.when.kind === "dates" || item.milestone;
  return widened(from.epochMilliseconds, to.epochMilliseconds, isWhole);
}

function daysSpan(
  first: Temporal.PlainDate | null,
  last: Temporal.PlainDate | null,
  zone: string,
): CalendarObject["span"] {
  if (!first) return null;
  const days = [first, last ?? first];
  const from = Math.min(...days.map((day) => day.toZonedDateTime(zone).epochMilliseconds));
  const ends = days.map((day) => day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds);
  return widened(from, Math.max(...ends), true);
}

function widened(from: number, to: number, isWhole: boolean): CalendarObject["span"] {
  // Ranges that only touch an item of no length, or the due time of a to-do, match it.
  const margin = isWhole ? otherZones : 1;
  return { from: from - margin, to: to + margin };
}
