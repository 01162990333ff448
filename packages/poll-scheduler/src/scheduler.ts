import { Belief, type BeliefDump } from "./belief.ts";

import { BestWorth, type Candidate } from "./best-worth.ts";
import { Ceiling, ceilingOf, type Load } from "./ceiling.ts";
import { type Clock, DayShape, type DayShapeDump, newClock } from "./day-shape.ts";
import { DueHeap, type Waiting } from "./due-heap.ts";
import { type Expectation, pollIndex } from "./poll-index.ts";
import { Population, type PopulationDump, type PopulationOptions } from "./population.ts";
import { Silence, type SilenceOptions } from "./silence.ts";

/** Times and durations are in seconds, times since the epoch, because the formulas integrate over them. */
export interface SchedulerOptions extends SilenceOptions {
  /** Maximum time between polls of a source, if the pace allows it (`ceiling`). */
  readonly maxAge: number;
  readonly population?: PopulationOptions;
}

/** The limit leaves room below an hour for sources that reach it together. */
export const schedulerDefaults = {
  maxAge: 3550,
  quietAfter: 3 * 3600,
  quietSurprise: 6,
  price: 1 / 9_000,
  quietPart: 0.24,
} as const;

/** What is known of a source besides its changes. */
export interface SourceTraits {
  /** Importance of one change. */
  readonly weight: number;
  /** Requests per poll. */
  readonly cost: number;
  /** Name of a group of sources that are edited by the same people and so keep similar hours. */
  readonly group?: string | null;
}

/** What the first poll of a source revealed about the time before it. */
export interface Recalled {
  /** When its items were last changed, in order, complete since `from`; in seconds. */
  readonly times: readonly number[];
  readonly from: number;
  /** Activity of the whole workspace between two times: 1 is usual; 0 is none, so that quiet means nothing. */
  readonly activity: (from: number, to: number) => number;
}

export type NextPoll =
  | { readonly kind: "poll"; readonly key: string }
  /** Nothing is worth polling before that time, as far as is known now; infinite if there is nothing at all. */
  | { readonly kind: "wait"; readonly until: number };

/** What all sources have in common, as plain data. */
export interface CommonDump {
  readonly population: PopulationDump;
  readonly days: DayShapeDump;
  readonly changedAt: number | null;
}

/** Everything the scheduler knows, as plain data. */
export interface SchedulerDump extends CommonDump {
  readonly sources: readonly SourceDump[];
}

/** What is known of one source, as plain data; null if it was never seen to change. */
export interface SourceDump {
  readonly key: string;
  readonly polledAt: number | null;
  readonly belief: BeliefDump | null;
  readonly clock: Clock | null;
}

const nothingExpected: Expectation = {
  level: 0,
  excess: 0,
  fade: 1,
  growth: 0,
  weight: 0,
  slope: 0,
  hinted: 0,
  quietFor: 0,
  certainty: 0,
  slot: 0,
};

class Known implements Candidate {
  readonly key: string;
  traits: SourceTraits;
  readonly belief: Belief;
  readonly clock: Clock;
  polledAt: number | null;
  expected = nothingExpected;
  isAway = false;
  due: number | null = null;
  /** Changes that a hint reported during the poll in progress, which may have been too early for them. */
  owed = 0;
  /** Its position in the order of last polls while it may be polled, and in that of the ends of pauses. */
  readonly age: Place = { due: null, known: this };
  readonly rest: Place = { due: null, known: this };

  constructor({
    key,
    traits,
    belief,
    clock,
    polledAt,
  }: Pick<Known, "key" | "traits" | "belief" | "clock" | "polledAt">) {
    this.key = key;
    this.traits = traits;
    this.belief = belief;
    this.clock = clock;
    this.polledAt = polledAt;
  }
}

interface Place extends Waiting {
  readonly known: Known;
}

/**
 * Chooses the next poll: of all sources the one whose expected unseen changes have waited the most (`poll-index`). Sources that
 * were never polled and those that reach the age limit take precedence. No clock and no randomness: the same calls make the
 * same choices, and almost no call looks at every source.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #population: Population;
  readonly #days: DayShape;
  /** In the order of their last polls. */
  readonly #sources = new Map<string, Known>();
  /** Sources that may be polled: those never polled, and the others by last poll and by worth. */
  readonly #unpolled = new Set<Known>();
  readonly #ages = new DueHeap<Place>();
  readonly #worths = new BestWorth<Known>();
  /** Sources that are paused. */
  readonly #resting = new DueHeap<Place>();
  /** Restored sources that were not put yet. */
  readonly #kept: Map<string, SourceDump>;
  readonly #silence: Silence;
  /** When a source was last chosen. */
  #askedAt = Number.NEGATIVE_INFINITY;
  readonly #ceiling = new Ceiling();
  #toFold: Known[] = [];
  /** When the next pass begins; the first one not before all sources of an earlier process are back. */
  #foldAt = Number.POSITIVE_INFINITY;

  constructor(options: SchedulerOptions, kept?: SchedulerDump) {
    this.#options = options;
    this.#population = new Population(options.population, kept?.population);
    this.#days = new DayShape(kept?.days);
    this.#silence = new Silence(options, kept?.changedAt ?? null);
    this.#kept = new Map(kept?.sources.map((source) => [source.key, source]));
  }

  dump(): SchedulerDump {
    return { ...this.common(), sources: [...this.#sources.values()].map(dumpOf) };
  }

  common(): CommonDump {
    return {
      population: this.#population.dump(),
      days: this.#days.dump(),
      changedAt: this.#silence.changedAt,
    };
  }

  /** null for an unknown source. */
  dumpOf(key: string): SourceDump | null {
    const known = this.#sources.get(key);
    return known ? dumpOf(known) : (this.#kept.get(key) ?? null);
  }

  /** Restores what an earlier process knew of a source; it applies once the source is put. */
  restore(source: SourceDump): void {
    this.#kept.set(source.key, source);
  }

  /** Adds a source, or changes the traits of a known one. */
  put(key: string, traits: SourceTraits): void {
    const known = this.#sources.get(key);
    if (known) {
      known.traits = traits;
      known.expected = { ...known.expected, weight: traits.weight / traits.cost };
      if (!known.isAway && known.polledAt !== null) this.#worths.add(known);
      return;
    }
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    const belief = new Belief(this.#population, kept?.belief ?? undefined);
    const clock = kept?.clock ? { ...kept.clock } : newClock();
    const added = new Known({ key, traits, belief, clock, polledAt: kept?.polledAt ?? null });
    this.#sources.set(key, added);
    const { polledAt } = added;
    if (polledAt !== null) this.#expect(added, polledAt);
    this.#admit(added, polledAt ?? 0);
  }

  remove(key: string): void {
    this.#kept.delete(key);
    const known = this.#sources.get(key);
    if (!known) return;
    this.#sources.delete(key);
    this.#withdraw(known);
    this.#silence.expect(-known.expected.level);
    known.expected = nothingExpected;
  }

  /** Like `remove`, but keeps the belief about the source until it is put again. */
  setAside(key: string): void {
    const known = this.#sources.get(key);
    if (!known) return;
    this.remove(key);
    this.#kept.set(key, dumpOf(known));
  }

  /** The source to poll now. It cannot be chosen again until `observe` or `giveUp`. */
  next(now: number): NextPoll {
    if (!Number.isFinite(this.#foldAt)) this.#foldAt = now + passSeconds;
    for (let rested = this.#resting.take(now); rested; rested = this.#resting.take(now)) {
      this.#admit(rested.known, now);
    }
    const freeAt = this.#askedAt + this.#silence.spacing(now);
    if (now < freeAt && this.#unpolled.size === 0) return { kind: "wait", until: freeAt };
    const [unpolled] = this.#unpolled;
    const chosen =
      unpolled ?? this.#overdue(now) ?? this.#worths.best(now, () => this.#sources.values());
    if (!chosen) return { kind: "wait", until: this.#nextMoment(now) };
    this.#withdraw(chosen);
    this.#askedAt = now;
    return { kind: "poll", key: chosen.key };
  }

  /** Records that a source is being polled for another reason: it cannot be chosen until `observe` or `giveUp`. */
  begin(key: string): void {
    const known = this.#sources.get(key);
    if (known) this.#withdraw(known);
  }

  /** Processes what a poll has revealed: the times of the changes since the previous one, in order. */
  observe(
    key: string,
    { at, times }: { readonly at: number; readonly times: ArrayLike<number> },
  ): void {
    const known = this.#sources.get(key);
    if (!known) return;
    const from = known.polledAt ?? at;
    let surprise = 0;
    if (at > from) {
      const activity = this.#days.activity(known.clock, (from + at) / 2);
      const seen = known.belief.observe({ from, to: at, times, activity });
      for (const start of seen.starts) this.#days.note(known.clock, start);
      surprise = seen.surprise;
    }
    this.#silence.note({ from, at, changes: times.length, surprise });
    this.#withdraw(known);
    known.polledAt = at;
    this.#expect(known, at);
    this.#sources.delete(key);
    this.#sources.set(key, known);
    this.#admit(known, at);
    this.#learn(at);
  }

  /**
   * Learns from what the first poll of a source revealed about the three days before it. Does not teach the hours of the day:
   * the latest hours would look busiest.
   */
  recall(key: string, { from, times, activity }: Recalled): void {
    const known = this.#sources.get(key);
    if (!known || known.polledAt === null || known.belief.isOld) return;
    const at = known.polledAt;
    const since = Math.max(from, at - recalledSeconds);
    let unseen = times.filter((time) => time > since && time <= at);
    for (const [from, to] of stretches(since, at)) {
      const next = unseen.findIndex((time) => time > to);
      const seen = next < 0 ? unseen : unseen.slice(0, next);
      known.belief.observe({ from, to, times: seen, activity: activity(from, to) });
      unseen = unseen.slice(seen.length);
    }
    this.#expect(known, at);
    if (!known.isAway) this.#worths.put(known, at);
  }

  /** Ends a poll that has revealed nothing; the source is paused until `until`. */
  giveUp(key: string, { now, until }: { readonly now: number; readonly until: number }): void {
    const known = this.#sources.get(key);
    if (!known) return;
    this.#withdraw(known);
    if (until > now) this.#resting.put(known.rest, until);
    else this.#admit(known, now);
  }

  /** Reports that a source probably has this many changes that no poll has shown. */
  hint(key: string, { now, changes }: { readonly now: number; readonly changes: number }): void {
    const known = this.#sources.get(key);
    if (!known || known.polledAt === null) return;
    if (known.isAway) {
      known.owed += changes;
      return;
    }
    const { weight, level, hinted } = known.expected;
    // Without the hint they would wait as long as the source's usual polling interval.
    const usually = Math.sqrt((2 * this.#worths.going) / (weight * level));
    const waits = Math.max(now - known.polledAt, Math.min(usually, this.#options.maxAge));
    known.expected = { ...known.expected, hinted: hinted + changes * waits };
    if (changes >= likelyChange) this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#worths.put(known, now);
  }

  /** Records a report, with a reliability from 0 to 1, that a source has not changed up to a time. */
  unchanged(
    key: string,
    { at, certainty }: { readonly at: number; readonly certainty: number },
  ): void {
    const known = this.#sources.get(key);
    if (!known || known.isAway || known.polledAt === null || at <= known.polledAt) return;
    // A hinted change is still to be found.
    if (known.expected.hinted > 0) return;
    known.expected = { ...known.expected, quietFor: at - known.polledAt, certainty };
    this.#worths.put(known, at);
  }

  /** Current worth of a poll, in changes x seconds per request; null for a source that was never polled. */
  worth(key: string, now: number): number | null {
    const known = this.#sources.get(key);
    if (!known || known.polledAt === null) return null;
    return pollIndex(known.expected, now - known.polledAt);
  }

  /** Makes a source available for polling. */
  #admit(known: Known, now: number): void {
    known.isAway = false;
    const { polledAt, owed } = known;
    if (polledAt === null) {
      this.#unpolled.add(known);
      return;
    }
    this.#ages.put(known.age, polledAt);
    this.#worths.put(known, now);
    known.owed = 0;
    if (owed > 0) this.hint(known.key, { now, changes: owed });
  }

  #withdraw(known: Known): void {
    known.isAway = true;
    this.#unpolled.delete(known);
    this.#ages.delete(known.age);
    this.#resting.delete(known.rest);
    this.#worths.delete(known);
  }

  /** The oldest source, if the next poll belongs to the age limit. */
  #overdue(now: number): Known | null {
    const oldest = this.#ages.first?.known ?? null;
    if (!oldest) return null;
    const age = now - (oldest.polledAt ?? now);
    const isTaken = this.#ceiling.takes({
      now,
      load: this.#load(),
      age,
      ages: () => this.#agesAt(now),
    });
    return isTaken ? oldest : null;
  }

  /** The ages of all sources, oldest first. */
  *#agesAt(now: number): Generator<number> {
    for (const { polledAt } of this.#sources.values()) {
      if (polledAt !== null) yield now - polledAt;
    }
  }

  #load(): Load {
    const { maxAge, pace } = this.#options;
    return { maxAge, pace, sources: this.#sources.size };
  }

  #nextMoment(now: number): number {
    const ceiling = this.#ages.earliest + ceilingOf(this.#load());
    return Math.max(now, Math.min(ceiling, this.#resting.earliest, this.#worths.earliest));
  }

  #expect(known: Known, at: number): void {
    const activity = this.#days.activity(known.clock, at);
    const later = this.#days.activity(known.clock, at + hour);
    const { level, excess, fade, growth } = known.belief.forecast(activity);
    const slope = (later / activity - 1) / hour;
    const { weight, cost } = known.traits;
    const slot = Math.min(longestSlot, 1 / this.#options.pace);
    this.#silence.expect(level - known.expected.level);
    known.expected = {
      ...{ level, excess, fade, growth, slope, slot },
      weight: weight / cost,
      hinted: 0,
      quietFor: 0,
      certainty: 0,
    };
  }

  /** A pass over all sources to relearn what they have in common processes one source per poll, so that no call is slow. */
  #learn(now: number): void {
    const known = this.#toFold.pop();
    if (known) {
      known.belief.fold();
      this.#days.fold({ clock: known.clock, group: known.traits.group ?? null });
      if (this.#toFold.length > 0) return;
      this.#population.renew();
      this.#days.renew(now);
    } else if (now >= this.#foldAt) {
      this.#foldAt = now + passSeconds;
      this.#toFold = [...this.#sources.values()].filter(({ polledAt }) => polledAt !== null);
    }
  }
}

function dumpOf({ key, polledAt, belief, clock }: Known): SourceDump {
  const { starts, shifts, days } = clock;
  return {
    key,
    polledAt,
    belief: belief.dump(),
    clock: { starts: starts.slice(), shifts: shifts.slice(), days: days.slice() },
  };
}

const hour = 3600;

/** How many seconds before its first poll a source is judged by the changes of its items. */
export const recalledSeconds = 72 * hour;

/**
 * Splits the time before a first poll into parts, as if it had been polled at the end of each: a source may have changed its
 * behavior in each, and its pace is learned on the way. They get shorter towards the present, which is the most informative.
 */
function* stretches(since: number, until: number): Generator<readonly [number, number]> {
  for (let from = since; from < until; ) {
    const to = Math.min(until, from + Math.max(shortestStretch, (until - from) / 6));
    yield [from, to];
    from = to;
  }
}

const shortestStretch = hour / 2;

/** A hint of this many changes ends a quiet period. */
const likelyChange = 0.5;

/** A temporarily low pace, as after a refused request, is no reason to prefer busy sources for hours; in seconds. */
const longestSlot = 5;

/** Minimum time between passes over all sources. */
const passSeconds = 900;
