import type { ProjectId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { Source } from "../domain/source.ts";

const hour = 3600;
const day = 24 * hour;
const week = 7 * day;

/** How many of a source's next dates are stored. */
const mostDates = 32;

/** Readings within a minute count as one. */
const readingRest = 60;

/**
 * The weight of a source's changes, from 0.5 to 4; 1 if nothing is known. It is higher if dates are near, if somebody recently
 * requested the feed or opened the calendar, and if edits come from here. It has few steps, so that it changes rarely.
 */
export class Importance {
  /** When a project's calendars were last requested, and a source last edited from here. */
  readonly #readings = new Map<ProjectId, number>();
  readonly #edits = new Map<string, number>();
  /** The next open dates in each source, in order; as text, which compares fast. */
  readonly #ahead = new Map<string, readonly string[]>();

  /** Somebody has read a project; moments are seconds, here and below. Returns whether its importance has risen. */
  noteReading(project: ProjectId, now: number): boolean {
    const last = this.#readings.get(project);
    if (last !== undefined && now - last < readingRest) return false;
    this.#readings.set(project, now);
    return last === undefined || readFactor(now - last) < readFactor(0);
  }

  noteEdit(source: string, now: number): void {
    this.#edits.set(source, now);
  }

  /** True if the dates in a source are known, so that only changes are needed. */
  knowsDates(source: string): boolean {
    return this.#ahead.has(source);
  }

  /** Items of a source: all of them at first, then new or changed ones. */
  noteDates(
    source: string,
    { items, now }: { readonly items: readonly Item[]; readonly now: number },
  ): void {
    const first = dayAt(now - day);
    const dates = items.flatMap((item) => dateOf(item)?.toString() ?? []);
    const all = new Set([...(this.#ahead.get(source) ?? []), ...dates]);
    const ahead = [...all].filter((date) => date >= first).toSorted();
    this.#ahead.set(source, ahead.slice(0, mostDates));
  }

  forget(source: string): void {
    this.#edits.delete(source);
    this.#ahead.delete(source);
  }

  /** `days`: days until the parent's date, for subtasks. */
  weightOf(
    {
      name,
      source,
      days,
    }: { readonly name: string; readonly source: Source; readonly days: number | null },
    now: number,
  ): number {
    if (!("projectId" in source)) return leastWeight;
    const near = Math.min(this.#daysAhead(name, now), days ?? far);
    const since = (at = Number.NEGATIVE_INFINITY) => now - at;
    const weight =
      nearFactor(near) *
      readFactor(since(this.#readings.get(source.projectId))) *
      (since(this.#edits.get(name)) < hour ? 1.3 : 1);
    return Math.min(mostWeight, Math.max(leastWeight, weight));
  }

  #daysAhead(source: string, now: number): number {
    const yesterday = dayAt(now - day);
    const next = this.#ahead.get(source)?.find((date) => date >= yesterday);
    if (next === undefined || next > dayAt(now + week)) return far;
    return next > dayAt(now + day) ? week / day : soon;
  }
}

/** The date of a moment in seconds, as ISO text. The zone does not matter here. */
const dayAt = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(Math.round(seconds * 1000))
    .toString()
    .slice(0, 10);

function dateOf(item: Item): Temporal.PlainDate | null {
  if (item.kind !== "event") return item.completedAt ? null : (item.dueOn ?? item.startOn);
  return item.when.kind === "dates" ? item.when.start : item.when.start.toPlainDate();
}

const leastWeight = 0.5;
const mostWeight = 4;
const far = Number.POSITIVE_INFINITY;
const soon = 1;

function nearFactor(days: number): number {
  if (days <= soon) return 1.5;
  return days <= week / day ? 1.2 : 1;
}

function readFactor(seconds: number): number {
  if (seconds < hour) return 1.6;
  return seconds < day ? 1.2 : 1;
}
