import { Belief, type BeliefDump } from "./belief.ts";
import { type Clock, DayShape, type DayShapeDump, newClock } from "./day-shape.ts";
import { DueHeap } from "./due-heap.ts";
import { type Expectation, earliestReach, pollIndex } from "./poll-index.ts";
import { Population, type PopulationDump, type PopulationOptions } from "./population.ts";

/** Moments and lengths are seconds, moments since the epoch, as the formulas integrate over them. */
export interface SchedulerOptions {
  /** No source is left alone for longer, where the pace allows it. */
  readonly maxAge: number;
  /** Polls per second that are asked for at most. */
  readonly pace: number;
  /** What a poll must be worth at any time, in changes x seconds per request: below it nobody is asked. */
  readonly price: number;
  /** After so long without a change anywhere this part of the pace is used, evenly: the next change is not foreseen. */
  readonly quietAfter: number;
  readonly quietPart: number;
  readonly population?: PopulationOptions;
}

/** The ceiling leaves room below an hour for sources that reach it together. */
export const schedulerDefaults = {
  maxAge: 3300,
  price: 0,
  quietAfter: 3 * 3600,
  quietPart: 0.24,
} as const;

/** What is known of a source beside its changes. */
export interface SourceTraits {
  /** Importance of one change. */
  readonly weight: number;
  /** Requests that one poll takes. */
  readonly cost: number;
}

export type NextPoll =
  | { readonly kind: "poll"; readonly key: string }
  /** Nothing is worth asking for before that moment, as far as is known now; infinite when there is nothing at all. */
  | { readonly kind: "wait"; readonly until: number };

/** What all sources have in common, as plain data. */
export interface CommonDump {
  readonly population: PopulationDump;
  readonly days: DayShapeDump;
  readonly changedAt: number | null;
}

/** All that the scheduler knows, as plain data. */
export interface SchedulerDump extends CommonDump {
  readonly sources: readonly SourceDump[];
}

/** What is known of one source, as plain data; null where it was never seen to change. */
export interface SourceDump {
  readonly key: string;
  readonly polledAt: number | null;
  readonly belief: BeliefDump | null;
  readonly clock: Clock | null;
}

interface Known {
  readonly key: string;
  traits: SourceTraits;
  readonly belief: Belief;
  readonly clock: Clock;
  /** The last poll; null before the first. */
  polledAt: number | null;
  expected: Expectation;
  underWay: boolean;
  /** Changes that a hint told of during the poll under way, which may have been too early for them. */
  owed: number;
  /** Not to be asked before this moment. */
  restsUntil: number;
  /** When it may reach the threshold, while it is below. */
  due: number | null;
}

/**
 * Chooses the next poll: of all sources the one whose expected unseen changes have waited for the most (`poll-index`).
 * Ahead of that go sources that were never polled, and those that reach the ceiling of age. No clock and no chance: the
 * same calls make the same choices.
 *
 * Not everybody is looked at: a heap holds for each source the earliest moment at which it can reach `threshold`, a part
 * of what polls are worth at present. All who may be above it are compared, so that the choice is exact; but for some
 * seconds after the threshold had to fall, where sources are so many that not all find their places in one call.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #population: Population;
  readonly #days: DayShape;
  /** In the order of their last polls. */
  readonly #sources = new Map<string, Known>();
  readonly #unpolled = new Set<Known>();
  readonly #below = new DueHeap<Known>();
  readonly #above = new Set<Known>();
  /** Who has to find a place below or above the threshold; those that were left alone for longest are last. */
  #unplaced: Known[] = [];
  /** What a restart has kept of sources that nobody has named yet. */
  readonly #kept: Map<string, SourceDump>;
  #threshold = 0;
  #raisedAt = Number.NEGATIVE_INFINITY;
  /** What polls are worth at present. */
  #going = 0;
  /** When anything was last seen to change, or the first poll was. */
  #changedAt: number | null = null;
  /** When a source was last chosen. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #wasForced = false;
  #toFold: Known[] = [];
  #foldAt = Number.NEGATIVE_INFINITY;

  constructor(options: SchedulerOptions, kept?: SchedulerDump) {
    this.#options = options;
    this.#population = new Population(options.population, kept?.population);
    this.#days = new DayShape(kept?.days);
    this.#changedAt = kept?.changedAt ?? null;
    this.#kept = new Map(kept?.sources.map((source) => [source.key, source]));
  }

  dump(): SchedulerDump {
    return { ...this.common(), sources: [...this.#sources.values()].map(dumpOf) };
  }

  common(): CommonDump {
    return {
      population: this.#population.dump(),
      days: this.#days.dump(),
      changedAt: this.#changedAt,
    };
  }

  /** Null for a source that is not known. */
  dumpOf(key: string): SourceDump | null {
    const known = this.#sources.get(key);
    return known ? dumpOf(known) : (this.#kept.get(key) ?? null);
  }

  /** Says what an earlier process knew of a source; it counts from when the source is put. */
  restore(source: SourceDump): void {
    this.#kept.set(source.key, source);
  }

  /** Adds a source, or gives one that is known other traits. */
  put(key: string, traits: SourceTraits): void {
    const known = this.#sources.get(key);
    if (known) {
      known.traits = traits;
      known.expected = { ...known.expected, weight: traits.weight / traits.cost };
      // Whoever stands there is looked at, and goes to the heap from there.
      if (this.#below.delete(known)) this.#above.add(known);
      return;
    }
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    const source: Known = {
      key,
      traits,
      belief: new Belief(this.#population, kept?.belief ?? undefined),
      clock: kept?.clock ? { ...kept.clock } : newClock(),
      polledAt: kept?.polledAt ?? null,
      expected: nothingExpected,
      underWay: false,
      owed: 0,
      restsUntil: Number.NEGATIVE_INFINITY,
      due: null,
    };
    this.#sources.set(key, source);
    if (source.polledAt === null) {
      this.#unpolled.add(source);
    } else {
      source.expected = this.#expect(source, source.polledAt);
      this.#above.add(source);
    }
  }

  remove(key: string): void {
    const known = this.#sources.get(key);
    if (!known) return;
    this.#sources.delete(key);
    this.#unpolled.delete(known);
    this.#withdraw(known);
    known.expected = nothingExpected;
  }

  /** As `remove`, but what is believed of the source is kept until it is put again. */
  setAside(key: string): void {
    const known = this.#sources.get(key);
    if (!known) return;
    this.remove(key);
    this.#kept.set(key, dumpOf(known));
  }

  /** The source to ask now. It is under way, and nobody's choice, until `observe` or `giveUp`. */
  next(now: number): NextPoll {
    const freeAt = this.#askedAt + this.#spacing(now);
    if (now < freeAt && this.#unpolled.size === 0) return { kind: "wait", until: freeAt };
    const chosen = this.#firstUnpolled(now) ?? this.#overdue(now) ?? this.#mostWorth(now);
    if (!chosen) return { kind: "wait", until: this.#nextMoment(now) };
    this.#unpolled.delete(chosen);
    this.#withdraw(chosen);
    chosen.underWay = true;
    this.#askedAt = now;
    return { kind: "poll", key: chosen.key };
  }

  /** Notes that a source is being asked by another's choice: it is nobody's until `observe` or `giveUp`. */
  begin(key: string): void {
    const known = this.#sources.get(key);
    if (!known) return;
    this.#unpolled.delete(known);
    this.#withdraw(known);
    known.underWay = true;
  }

  /** Takes in what a poll has revealed: when the changes since the one before happened, in order. */
  observe(
    key: string,
    { at, times }: { readonly at: number; readonly times: ArrayLike<number> },
  ): void {
    const known = this.#sources.get(key);
    if (!known) return;
    const from = known.polledAt;
    if (from !== null && at > from) {
      const activity = this.#days.activity(known.clock, (from + at) / 2);
      const starts = known.belief.observe({ from, to: at, times, activity });
      for (const start of starts) this.#days.note(known.clock, start);
    }
    known.polledAt = at;
    known.underWay = false;
    known.restsUntil = Number.NEGATIVE_INFINITY;
    known.expected = this.#expect(known, at);
    if (times.length > 0) this.#changedAt = at;
    this.#changedAt ??= at;
    this.#sources.delete(key);
    this.#sources.set(key, known);
    this.#unpolled.delete(known);
    this.#place(known, at);
    this.#redeem(known, at);
    this.#learn(at);
  }

  /** Ends a poll that has revealed nothing; the source rests until `until`. */
  giveUp(key: string, { now, until }: { readonly now: number; readonly until: number }): void {
    const known = this.#sources.get(key);
    if (!known) return;
    known.underWay = false;
    known.restsUntil = until;
    if (known.polledAt === null) this.#unpolled.add(known);
    else this.#place(known, now);
    this.#redeem(known, now);
  }

  /** Somebody has reason to believe that a source has so many changes that no poll has shown. */
  hint(key: string, { now, changes }: { readonly now: number; readonly changes: number }): void {
    const known = this.#sources.get(key);
    if (!known || known.polledAt === null) return;
    if (known.underWay) {
      known.owed += changes;
      return;
    }
    const { weight, level, hinted } = known.expected;
    // Without the hint they would wait for as long as the source is usually left alone.
    const usually = Math.sqrt((2 * this.#going) / (weight * level));
    const waits = Math.max(now - known.polledAt, Math.min(usually, this.#options.maxAge));
    known.expected = { ...known.expected, hinted: hinted + changes * waits };
    if (changes >= likelyChange) this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#place(known, now);
  }

  /** What a poll would be worth now, in changes x seconds per request; null for a source that was never polled. */
  worth(key: string, now: number): number | null {
    const known = this.#sources.get(key);
    if (!known || known.polledAt === null) return null;
    return pollIndex(known.expected, now - known.polledAt);
  }

  #redeem(known: Known, now: number): void {
    const changes = known.owed;
    known.owed = 0;
    if (changes > 0) this.hint(known.key, { now, changes });
  }

  #firstUnpolled(now: number): Known | null {
    for (const known of this.#unpolled) if (known.restsUntil <= now) return known;
    return null;
  }

  /** Where the pace does not allow the ceiling, it takes every second poll only, and the rest goes where it is worth most. */
  #overdue(now: number): Known | null {
    const { maxAge, pace } = this.#options;
    const isWithin = this.#sources.size < 0.9 * maxAge * pace;
    const oldest = isWithin || !this.#wasForced ? this.#oldest(now) : null;
    this.#wasForced = oldest !== null && now - (oldest.polledAt ?? now) >= maxAge;
    return this.#wasForced ? oldest : null;
  }

  #oldest(now: number): Known | null {
    for (const known of this.#sources.values()) {
      if (!known.underWay && known.polledAt !== null && known.restsUntil <= now) return known;
    }
    return null;
  }

  #mostWorth(now: number): Known | null {
    const least = this.#options.price;
    // What waits below a lower threshold waits below a higher one as well.
    this.#threshold = Math.max(this.#threshold, least);
    const isCrowded = this.#threshold === 0 && this.#above.size > slice;
    if (now >= this.#raisedAt + raiseSeconds || isCrowded) {
      this.#threshold = Math.max(this.#threshold, nearPart * this.#going);
      this.#raisedAt = now;
    }
    for (let known = this.#below.take(now); known; known = this.#below.take(now)) {
      this.#above.add(known);
    }
    let best = this.#bestPlaced(now);
    if (!best && nearPart * this.#threshold > least) {
      this.#lower(now, least);
      best = this.#bestPlaced(now);
    }
    if (best) {
      const worth = pollIndex(best.expected, now - (best.polledAt ?? now));
      this.#going += (this.#going === 0 ? 1 : goingStep) * (worth - this.#going);
    }
    return best;
  }

  /** The best above the threshold, of which some more find their places first; and all, as long as there is none. */
  #bestPlaced(now: number): Known | null {
    let best: Known | null = null;
    do {
      const first = Math.max(0, this.#unplaced.length - slice);
      for (const known of this.#unplaced.splice(first)) {
        const isThere = this.#sources.get(known.key) === known;
        if (isThere && !known.underWay) this.#place(known, now);
      }
      best = this.#best(now);
    } while (!best && this.#unplaced.length > 0);
    return best;
  }

  /** The best of those above the threshold; who turns out to be below it goes back to the heap, but not all at once. */
  #best(now: number): Known | null {
    let best: Known | null = null;
    let most = Number.NEGATIVE_INFINITY;
    let below = 0;
    for (const known of this.#above) {
      const seconds = now - (known.polledAt ?? now);
      const index = pollIndex(known.expected, seconds);
      if (index < this.#threshold) {
        below += 1;
        if (below > slice) continue;
        this.#above.delete(known);
        this.#wait(known, { now, index });
      } else if (index > most) {
        most = index;
        best = known;
      }
    }
    return best;
  }

  /**
   * Draws the threshold anew, as a part of the highest index, after which everybody needs another place. Where they are
   * many, only those who were left alone for longest are looked at for that, and the others find their places later.
   */
  #lower(now: number, least: number): void {
    const idle = [...this.#sources.values()]
      .filter(({ underWay, polledAt }) => !underWay && polledAt !== null)
      .toReversed();
    const most = idle
      .slice(-slice)
      .reduce(
        (highest, { expected, polledAt, restsUntil }) =>
          restsUntil > now
            ? highest
            : Math.max(highest, pollIndex(expected, now - (polledAt ?? now))),
        0,
      );
    this.#threshold = Math.max(least, Math.min(this.#threshold, most) * nearPart);
    this.#below.clear();
    this.#above.clear();
    this.#unplaced = idle;
  }

  #place(known: Known, now: number): void {
    this.#withdraw(known);
    const index = pollIndex(known.expected, now - (known.polledAt ?? now));
    if (index >= this.#threshold && known.restsUntil <= now) this.#above.add(known);
    else this.#wait(known, { now, index });
  }

  #wait(known: Known, { now, index }: { readonly now: number; readonly index: number }): void {
    const polledAt = known.polledAt ?? now;
    const target = this.#threshold;
    const reach = earliestReach(known.expected, { seconds: now - polledAt, index, target });
    // Nobody is asked sooner than in the next slot, and a bound that is not exact must not say "now" for ever.
    const soonest = now + known.expected.slot / 2;
    this.#below.put(known, Math.max(polledAt + reach, soonest, known.restsUntil));
  }

  #withdraw(known: Known): void {
    this.#above.delete(known);
    this.#below.delete(known);
  }

  /** Seconds between two polls while nothing happens anywhere; 0 at other times, when the caller's pace is all that counts. */
  #spacing(now: number): number {
    const { pace, quietAfter, quietPart } = this.#options;
    // A timer may come a little early.
    return now - (this.#changedAt ?? now) < quietAfter ? 0 : 0.99 / (quietPart * pace);
  }

  #nextMoment(now: number): number {
    const oldest = this.#oldest(now);
    const ceiling = oldest
      ? (oldest.polledAt ?? now) + this.#options.maxAge
      : Number.POSITIVE_INFINITY;
    let rested = Number.POSITIVE_INFINITY;
    for (const { restsUntil } of this.#unpolled) rested = Math.min(rested, restsUntil);
    return Math.max(now, Math.min(ceiling, rested, this.#below.earliest));
  }

  #expect(known: Known, at: number): Expectation {
    const activity = this.#days.activity(known.clock, at);
    const later = this.#days.activity(known.clock, at + hour);
    const { level, excess, fade, growth } = known.belief.outlook(activity);
    const slope = (later / activity - 1) / hour;
    const { weight, cost } = known.traits;
    const slot = Math.min(longestSlot, 1 / this.#options.pace);
    return { level, excess, fade, growth, slope, weight: weight / cost, hinted: 0, slot };
  }

  /** A pass over all sources for what they have in common takes one source at each poll, so that none is slow. */
  #learn(now: number): void {
    const known = this.#toFold.pop();
    if (known) {
      known.belief.fold();
      this.#days.fold(known.clock);
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
  const { starts, profile } = clock;
  return {
    key,
    polledAt,
    belief: belief.dump(),
    clock: { starts: starts.slice(), profile: profile.slice() },
  };
}

const hour = 3600;

/** A hint of so many changes ends the pause in which nothing happens. */
const likelyChange = 0.5;

const nothingExpected: Expectation = {
  level: 0,
  excess: 0,
  fade: 1,
  growth: 0,
  weight: 0,
  slope: 0,
  hinted: 0,
  slot: 0,
};

/** Sources within this part of the going worth are looked at each time; it is raised at most so often. */
const nearPart = 0.92;
const raiseSeconds = 40;

/** A pace that is low for a while, as after a refusal, is no reason to prefer the busy for hours; in seconds. */
const longestSlot = 5;

/** So many find their places in one call at most, which takes about a millisecond. */
const slice = 2000;

/** How fast the going worth follows. */
const goingStep = 0.03;

/** A pass over all sources begins at most so often. */
const passSeconds = 900;
