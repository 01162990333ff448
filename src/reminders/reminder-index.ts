import { wholeMinutes } from "@dayferry/ical";
import type { ItemKey, Revision } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import { type Reminder, type ReminderRules, remindersOf } from "./reminder.ts";

/** A time span, both ends inclusive. */
export interface ReminderSpan {
  readonly from: Temporal.Instant;
  readonly until: Temporal.Instant;
}

/** The reminders that may be due in a span, by item, and possibly some that may not. */
export interface Reachable {
  readonly items: Iterable<readonly Reminder[]>;
  /** No other reminder may be due before this; null if none follows the span. */
  readonly nextAt: Temporal.Instant | null;
}

/** Every reminder of the view, updated from the change log instead of being read each time. */
export interface ReminderIndex {
  /** Takes in changes, some per step. Spans begin now. */
  within(span: ReminderSpan): Generator<void, Reachable>;
}

/** An item whose reminders are in memory, and when one of them may be due, in milliseconds since the epoch. */
interface Near {
  readonly reminders: readonly Reminder[];
  readonly reach: Reach;
}

interface Reach {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Above this many changes at once, reading everything costs no more than following them. */
const mostNews = 1000;
const itemsPerStep = 50;
const dayMs = 86_400_000;

/**
 * For items far in the future only a timestamp is in memory, and for past ones nothing: most tasks of a large workspace have no
 * reminder for weeks, or ever again.
 */
export function createReminderIndex(
  store: Pick<Store, "view" | "changes" | "personReminders">,
  rules: ReminderRules,
): ReminderIndex {
  const near = new Map<ItemKey, Near>();
  /** When each of the other items first has something due. */
  const far = new Map<ItemKey, number>();
  /** What may be due before this is in `near`. */
  let horizonMs = Number.NEGATIVE_INFINITY;
  /** The latest time at which something was considered past. */
  let latestMs = Number.NEGATIVE_INFINITY;
  let readUpTo: Revision | null = null;
  let times = store.personReminders.version();

  function take(key: ItemKey, reminders: readonly Reminder[]): void {
    near.delete(key);
    far.delete(key);
    const reach = reachOf(reminders, rules);
    if (!reach || reach.untilMs < latestMs) return;
    if (reach.fromMs > horizonMs) far.set(key, reach.fromMs);
    else near.set(key, { reminders, reach });
  }

  function* readAll(): Generator<void> {
    near.clear();
    far.clear();
    readUpTo = null;
    for (const part of store.view.remindable()) {
      for (const shown of part) take(shown.key, remindersOf(shown, rules));
      yield;
    }
  }

  function readAgain(key: ItemKey): void {
    const shown = store.view.get(key);
    take(key, shown ? remindersOf(shown, rules) : []);
  }

  function* follow(from: Revision | null): Generator<void> {
    const news = from === null ? null : store.changes.since(from, mostNews);
    if (!news || news.length === mostNews) return yield* readAll();
    for (const key of new Set(news.map(({ item }) => item))) {
      if (key !== null) readAgain(key);
      yield;
    }
  }

  /** Loads what comes near, one day ahead, so that this runs once a day. */
  function* reachFor(untilMs: number): Generator<void> {
    if (untilMs < horizonMs) return;
    horizonMs = untilMs + dayMs;
    const come = [...far].filter(([, fromMs]) => fromMs <= horizonMs);
    for (const [at, [key]] of come.entries()) {
      readAgain(key);
      if (at % itemsPerStep === 0) yield;
    }
  }

  /** Drops what is past; if the clock is set back later, it is found again. */
  function dropOver(): void {
    for (const [key, { reach }] of near) if (reach.untilMs < latestMs) near.delete(key);
  }

  return {
    *within({ from, until }) {
      const [fromMs, untilMs] = [from.epochMilliseconds, until.epochMilliseconds];
      if (fromMs < latestMs || times !== store.personReminders.version()) readUpTo = null;
      times = store.personReminders.version();
      if (readUpTo === null) horizonMs = untilMs + dayMs;
      latestMs = fromMs;
      const latest = store.changes.latest();
      if (latest !== readUpTo) {
        yield* follow(readUpTo);
        readUpTo = latest;
      }
      yield* reachFor(untilMs);
      dropOver();
      const within = near.values().filter(({ reach }) => reach.fromMs <= untilMs);
      return {
        items: within.map(({ reminders }) => reminders),
        nextAt: momentOf(nextMs(untilMs)),
      };
    },
  };

  function nextMs(untilMs: number): number {
    let next = far.size > 0 ? horizonMs : Number.POSITIVE_INFINITY;
    for (const { reach } of near.values()) {
      if (reach.fromMs > untilMs && reach.fromMs < next) next = reach.fromMs;
    }
    return next;
  }
}

const momentOf = (ms: number): Temporal.Instant | null =>
  Number.isFinite(ms) ? Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)) : null;

/** Time zones are at most 26 hours apart, and the day of an instant differs between them. */
const zonesMs = 50 * 3_600_000;
/** Delayed mails have some extra minutes. */
const heldBackMs = dayMs;

/** When one of an item's reminders may be due, in any time zone; null for none. */
function reachOf(
  reminders: readonly Reminder[],
  { catchUp }: Pick<ReminderRules, "catchUp">,
): Reach | null {
  if (reminders.length === 0) return null;
  const catchUpMs = Math.max(1, wholeMinutes(catchUp)) * 60_000;
  const reaches = reminders.map(({ timing }): Reach => {
    if (timing.kind === "moment") {
      const [dueMs, startMs] = [timing.dueAt.epochMilliseconds, timing.startAt.epochMilliseconds];
      return { fromMs: dueMs, untilMs: Math.max(dueMs + catchUpMs, startMs) };
    }
    const { day: of } = timing;
    const day = of.kind === "on" ? of.day : of.moment.toZonedDateTimeISO("UTC").toPlainDate();
    const midnightMs = day.toZonedDateTime("UTC").epochMilliseconds;
    if (timing.kind === "after") {
      const dueMs = midnightMs + 2 * dayMs;
      return { fromMs: midnightMs - zonesMs, untilMs: dueMs + zonesMs + catchUpMs };
    }
    // People choose their own time of day.
    const dueAt = day.toPlainDateTime().subtract(timing.lead).toZonedDateTime("UTC");
    return { fromMs: dueAt.epochMilliseconds - zonesMs, untilMs: midnightMs + dayMs + zonesMs };
  });
  return {
    fromMs: Math.min(...reaches.map(({ fromMs }) => fromMs)),
    untilMs: Math.max(...reaches.map(({ untilMs }) => untilMs)) + heldBackMs,
  };
}
