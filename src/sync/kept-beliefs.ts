import {
  type Clock,
  type CommonDump,
  newClock,
  type Scheduler,
  type SourceDump,
} from "@dayferry/poll-scheduler";
import type { BeliefRow } from "../store/rows/belief-rows.ts";
import type { Store } from "../store/store.ts";

/** Layout of the stored data. Raise it when the numbers change meaning. */
const form = 1;

/** Rows written at once: a transaction of about a millisecond. */
const batch = 64;
const restSeconds = 5;
const commonRestSeconds = 600;

/**
 * Stores what the scheduler has learned for the next start. A belief describes how a source behaved until its last poll. Polls
 * without changes need not be written, as the first poll after a start covers the same time. So a source is written after a
 * change, and once when it was first read.
 */
export class KeptBeliefs {
  readonly #store: Store;
  readonly #unsaved = new Set<string>();
  #nextAt = Number.NEGATIVE_INFINITY;
  #commonAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What all sources have in common; null if nothing readable was stored. */
  common(): CommonDump | null {
    const text = this.#store.beliefs.common(form);
    return text === null ? null : readCommon(text);
  }

  /** What was stored of a source. */
  of(key: string): SourceDump | null {
    const row = this.#store.beliefs.get(key, form);
    if (!row) return null;
    const { polledAt, lastChange, changes, gaps, gapSeconds, odds, hours } = row;
    if (!odds || !hours) return { key, polledAt, belief: null, clock: null };
    return {
      key,
      polledAt,
      belief: { odds, gaps, gapSeconds, lastChange, changes },
      clock: clockIn(hours),
    };
  }

  /** Records that a source is to be written. */
  note(key: string): void {
    this.#unsaved.add(key);
  }

  /** Nothing needs to be written about a source that is no longer polled. */
  drop(key: string): void {
    this.#unsaved.delete(key);
  }

  /** Writes a part of what is new, now and then; everything if `isLast`. `now` in seconds. */
  save(
    scheduler: Scheduler,
    { now, isLast }: { readonly now: number; readonly isLast: boolean },
  ): void {
    if (this.#unsaved.size === 0 || (!isLast && now < this.#nextAt)) return;
    this.#nextAt = now + restSeconds;
    const keys = [...this.#unsaved].slice(0, isLast ? this.#unsaved.size : batch);
    const rows = keys.flatMap((key) => rowOf(scheduler.dumpOf(key)) ?? []);
    this.#store.beliefs.put(rows, form);
    for (const key of keys) this.#unsaved.delete(key);
    if (!isLast && now < this.#commonAt) return;
    this.#commonAt = now + commonRestSeconds;
    this.#store.beliefs.putCommon(textOf(scheduler.common()), form);
  }
}

/** What is known of a source, with no time after `now`. */
export function notAfter(now: number, { polledAt, belief, ...known }: SourceDump): SourceDump {
  const lastChange = belief?.lastChange ?? null;
  return {
    ...known,
    polledAt: polledAt === null ? null : Math.min(polledAt, now),
    belief: belief && { ...belief, lastChange: lastChange && Math.min(lastChange, now) },
  };
}

const hoursOfDay = 24;
const longLearned = 1000;

/** Null if there is nothing to write. */
function rowOf(dump: SourceDump | null): BeliefRow | null {
  if (!dump || dump.polledAt === null) return null;
  const { key, polledAt, belief, clock } = dump;
  const isKnown = belief !== null && clock !== null && belief.changes > 0;
  return {
    source: key,
    polledAt,
    lastChange: belief?.lastChange ?? null,
    changes: belief?.changes ?? 0,
    gaps: belief?.gaps ?? 0,
    gapSeconds: belief?.gapSeconds ?? 0,
    odds: isKnown ? belief.odds : null,
    hours: isKnown ? Float32Array.of(...clock.starts, ...clock.shifts, ...clock.days) : null,
  };
}

/** An older layout has no days, and its second part means something else. */
function clockIn(hours: Float32Array): Clock {
  const { shifts, days } = newClock();
  const isWhole = hours.length === hoursOfDay + shifts.length + days.length;
  return {
    starts: hours.slice(0, hoursOfDay),
    shifts: isWhole ? hours.slice(hoursOfDay, 2 * hoursOfDay) : shifts,
    days: isWhole ? hours.slice(2 * hoursOfDay) : days,
  };
}

/** JSON lists of numbers, from any kind of array. */
function textOf({ population, days, changedAt }: CommonDump): string {
  const numbers = Object.entries({ ...population, ...days, changedAt });
  const lists = numbers.map(([name, value]) => [name, listOf(value)] as const);
  return JSON.stringify(Object.fromEntries(lists));
}

const listOf = (value: number | ArrayLike<number> | null): readonly number[] => {
  if (value === null) return [];
  return typeof value === "number" ? [value] : Array.from(value);
};

function readCommon(text: string): CommonDump | null {
  const lists = listsIn(text);
  const list = (name: string, length?: number): readonly number[] => {
    const found = lists.get(name) ?? [];
    if (found.length === 0 || (length !== undefined && found.length !== length)) lists.clear();
    return found;
  };
  const number = (name: string): number => list(name, 1)[0] ?? 0;
  const sessionPrior = list("sessionPrior");
  const common = {
    population: {
      sessionPrior,
      singlePrior: list("singlePrior", sessionPrior.length),
      scores: list("scores"),
      sessionEnd: number("sessionEnd"),
      pace: number("pace"),
      gaps: number("gaps"),
      gapSeconds: number("gapSeconds"),
      ends: number("ends"),
      // Older ones lack it, and were learned in days.
      renewals: lists.get("renewals")?.[0] ?? longLearned,
    },
    days: {
      // Older ones have no weeks.
      weekStarts: lists.get("weekStarts") ?? [],
      weekSeconds: lists.get("weekSeconds") ?? [],
      begin: lists.get("begin")?.[0] ?? 7,
      shape: list("shape", hoursOfDay),
      shifts: list("shifts", hoursOfDay),
      passes: number("passes"),
      since: lists.get("since")?.[0] ?? null,
      lead: number("lead"),
      trust: number("trust"),
    },
    changedAt: lists.get("changedAt")?.[0] ?? null,
  };
  // If a part is missing, `list` has removed all parts.
  return lists.size > 0 ? common : null;
}

/** Lists of finite numbers by name; none if the text is not JSON. */
function listsIn(text: string): Map<string, readonly number[]> {
  const lists = new Map<string, readonly number[]>();
  try {
    const raw: unknown = JSON.parse(text);
    for (const [name, value] of Object.entries(raw ?? {})) {
      if (!Array.isArray(value)) continue;
      const numbers = value.filter((one): one is number => Number.isFinite(one));
      if (numbers.length === value.length) lists.set(name, numbers);
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return lists;
}
