import { endsAt, type When } from "@dayferry/ical";
import type { FeedsConfig } from "../config/config.ts";
import type { EventItem, TaskItem } from "../domain/item.ts";
import type { ViewItem } from "../store/view/view.ts";

/** What feeds show, unless one feed overrides it. */
export interface FeedOptions extends Omit<FeedsConfig, "actionLinks"> {
  /** The account's IANA zone, for days and times. */
  readonly zone: string;
  /** URL template of an item with {project}, {kind} and {id}; null for no links. */
  readonly webUrl: string | null;
  /** False for a feed without alarms. */
  readonly reminders?: boolean;
}

/**
 * The days that decide whether a feed shows an item, counted from 1970-01-01: as dates, those of 10,000 items take three
 * megabytes and 20 ms to compare.
 */
export interface Days {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  /** Day of completion; null while it is open. */
  readonly doneOn: number | null;
}

/** The days of an item, and the years in which they begin and end. */
export interface DaySpanWithYears {
  readonly days: Days;
  readonly years: { readonly from: number; readonly to: number };
}

/**
 * Where a feed shows an item: events at their time, milestones as whole days, tasks as whole days by `options.tasks`. Null
 * without a date, or if not wanted.
 */
export function feedPlaceOf(item: ViewItem["item"], options: FeedOptions): When | null {
  return item.kind === "event" ? placeOfEvent(item, options) : placeOfTask(item, options);
}

/** The days of an item at `place`, in the account's zone. */
export function feedSpanOf(view: ViewItem, place: When, zone: string): DaySpanWithYears {
  const { first, last } = covered(place, zone);
  const doneOn = doneDate(view, last, zone);
  return {
    days: {
      first: dayOf(first),
      last: dayOf(last),
      doneOn: doneOn === null ? null : dayOf(doneOn),
    },
    years: { from: first.year, to: last.year },
  };
}

function doneDate(
  { item, modifiedAt }: ViewItem,
  last: Temporal.PlainDate,
  zone: string,
): Temporal.PlainDate | null {
  if (!item.completed) return null;
  if (item.kind === "event") return item.milestone ? last : null;
  // A pending completion has no time yet; the time of the published change is used.
  return (item.completedAt ?? modifiedAt).toZonedDateTimeISO(zone).toPlainDate();
}

const firstDay = Temporal.PlainDate.from("1970-01-01");
const dayOf = (date: Temporal.PlainDate): number => firstDay.until(date).days;

/** True if days overlap the window around `today`, whose first and last day are included. */
export function inWindow(
  { first, last, doneOn }: Days,
  { earliest, latest, doneSince }: FeedWindow,
): boolean {
  return last >= earliest && first <= latest && (doneOn === null || doneOn >= doneSince);
}

/** The days that a feed shows, all inclusive, counted like those of items. */
export interface FeedWindow {
  readonly earliest: number;
  readonly latest: number;
  /** Items completed before this day are no longer shown. */
  readonly doneSince: number;
}

export function windowAround(today: Temporal.PlainDate, options: FeedOptions): FeedWindow {
  return {
    earliest: dayOf(today.subtract(options.past)),
    latest: dayOf(today.add(options.future)),
    doneSince: dayOf(today.subtract(options.completed)),
  };
}

function placeOfEvent({ when, milestone }: EventItem, { zone }: FeedOptions): When {
  if (when.kind === "dates" || !milestone) return when;
  const { first, last } = covered(when, zone);
  return { kind: "dates", start: first, end: last.add({ days: 1 }) };
}

function placeOfTask({ startOn, dueOn }: TaskItem, { tasks }: FeedOptions): When | null {
  const last = dueOn ?? startOn;
  if (tasks === "none" || !last) return null;
  const spans = tasks === "span" && startOn && isBefore(startOn, last);
  return { kind: "dates", start: spans ? startOn : last, end: last.add({ days: 1 }) };
}

function covered(
  when: When,
  zone: string,
): { readonly first: Temporal.PlainDate; readonly last: Temporal.PlainDate } {
  if (when.kind === "dates") {
    return { first: when.start, last: later(when.start, when.end.subtract({ days: 1 })) };
  }
  const first = when.start.withTimeZone(zone).toPlainDate();
  // An end at midnight belongs to the day before it.
  const end = endsAt(when, zone).subtract({ nanoseconds: 1 });
  return { first, last: later(first, end.toZonedDateTimeISO(zone).toPlainDate()) };
}

const isBefore = (a: Temporal.PlainDate, b: Temporal.PlainDate): boolean =>
  Temporal.PlainDate.compare(a, b) < 0;

const later = (a: Temporal.PlainDate, b: Temporal.PlainDate): Temporal.PlainDate =>
  isBefore(a, b) ? b : a;

/** The present day in a zone, computed once a day, as it is needed at every request. */
export function createCalendarDay(
  zone: string,
  clock: () => Temporal.Instant,
): () => Temporal.PlainDate {
  let day: Temporal.PlainDate | null = null;
  let startsAt = Number.POSITIVE_INFINITY;
  let endsAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    const { epochMilliseconds } = now;
    if (day && epochMilliseconds >= startsAt && epochMilliseconds < endsAt) return day;
    day = now.toZonedDateTimeISO(zone).toPlainDate();
    startsAt = day.toZonedDateTime(zone).epochMilliseconds;
    endsAt = day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds;
    return day;
  };
}
