import { type Recalled, recalledSeconds } from "@dayferry/poll-scheduler";
import { type KnownChanges, livelinessOf } from "./liveliness.ts";

/** What a source showed when it was first read; moments in seconds. */
interface Shown {
  /** When the request began. */
  readonly at: number;
  /** How many items it has, and when they were changed last, as far as that is known. */
  readonly items: number;
  readonly changes: readonly number[];
}

/**
 * Collects what each source showed at its first reading, and hands it to the scheduler after all of them were read. Only together
 * do they tell whether one source is quiet or nobody has worked at all, and which changes were made everywhere at once.
 */
export class FirstImpressions {
  readonly #shown = new Map<string, Shown>();
  /** How many sources show a change at each moment; keys are those of `actOf`. */
  readonly #acts = new Map<number, number>();
  /** Of all that is shown here; null until it is asked for. */
  #liveliness: ((from: number, to: number) => number) | null = null;

  /** `now`: when the answer was there. Later changes are the doing of a wrong clock. */
  add(key: string, { at, now, items, changes }: Shown & { readonly now: number }): void {
    // A request waits for its turn; what changed meanwhile is shown as well. How far changes lie apart tells the pace.
    const shown = changes.filter((time) => time <= now);
    const wait = Math.max(0, shown.reduce((latest, time) => Math.max(latest, time), at) - at);
    const latest = shown
      .map((time) => time - wait)
      .filter((time) => time > at - recalledSeconds)
      .toSorted((a, b) => b - a)
      .slice(0, mostChanges)
      .toReversed();
    this.#liveliness = null;
    this.#shown.set(key, { at, items, changes: latest });
    for (const act of new Set(latest.map(actOf))) {
      if (this.#acts.size >= mostActs && !this.#acts.has(act)) continue;
      this.#acts.set(act, (this.#acts.get(act) ?? 0) + 1);
    }
  }

  get size(): number {
    return this.#shown.size;
  }

  drop(key: string): void {
    this.#shown.delete(key);
  }

  /** Removes and returns up to `most` impressions; none when the scheduler has all of them. */
  take(most: number): readonly (readonly [string, Recalled])[] {
    this.#liveliness ??= livelinessOf([...this.#shown.values()].map((shown) => this.#known(shown)));
    const lively = this.#liveliness;
    const told = this.#acts.size / (this.#acts.size + actsOfIdleDays);
    const activity = (from: number, to: number) => told * lively(from, to);
    return [...this.#shown.entries().take(most)].map(([key, shown]) => {
      this.#shown.delete(key);
      const { from, times } = this.#known(shown);
      return [key, { from, times, activity }] as const;
    });
  }

  /** The changes that people made to this source alone, those made at once counted as one, and since when all are known. */
  #known({ at, items, changes }: Shown): KnownChanges {
    const own = changes.filter((time) => (this.#acts.get(actOf(time)) ?? 0) <= mostSources);
    const times = own.filter((time, nth) => time - (own[nth - 1] ?? -Infinity) >= oneAct);
    // Of each item only the last change is known: where all have one, there were others before the oldest of them.
    const isWhole = items === 0 || changes.length < Math.min(items, mostChanges);
    return { at, times, from: isWhole ? at - recalledSeconds : (changes[0] ?? at) };
  }
}

/** Changes less than this many seconds apart count as one, as when a template is copied. */
const oneAct = 2;

/** The same number for changes that were made at once. */
const actOf = (time: number): number => Math.floor(time / oneAct);

/** How many of its latest changes a source is judged by; more take longer and say the same. */
export const mostChanges = 100;

/** A change that more sources show at the same moment is an import or the work of the service, not of a person. */
const mostSources = 3;

/** With this many separate changes in that time, quiet counts for half; with many more, in full. */
const actsOfIdleDays = 10;
const mostActs = 1000;
