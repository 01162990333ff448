import { oneAct, type Recalled, recalledSeconds } from "./scheduler/scheduler.ts";

/** What a source showed when it was first read; moments in seconds. */
interface Shown {
  readonly at: number;
  /** How many items it has, and when they were changed last, as far as that is known. */
  readonly items: number;
  readonly changes: readonly number[];
}

/**
 * What sources showed when they were first read, until the scheduler is told of it. That waits until all were read: only together
 * they tell whether a source is quiet, or nobody has worked at all, and what was changed everywhere at once.
 */
export class FirstImpressions {
  readonly #shown = new Map<string, Shown>();
  /** Of the moments at which something was changed, as `actOf` has them: how many sources show it. */
  readonly #acts = new Map<number, number>();

  add(key: string, { at, items, changes }: Shown): void {
    const latest = changes
      .filter((time) => time > at - recalledSeconds && time <= at)
      .toSorted((a, b) => b - a)
      .slice(0, mostChanges)
      .toReversed();
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

  /** Some of what the scheduler is to be told; none when it knows all. */
  take(most: number): readonly (readonly [string, Recalled])[] {
    const some = [...this.#shown.entries().take(most)];
    const activity = this.#acts.size / (this.#acts.size + actsOfIdleDay);
    return some.map(([key, { at, items, changes }]) => {
      this.#shown.delete(key);
      const times = changes.filter((time) => (this.#acts.get(actOf(time)) ?? 0) <= mostSources);
      const isWhole = changes.length < mostChanges;
      const from = isWhole ? at - recalledSeconds : (changes[0] ?? at);
      return [key, { items, from, times, activity }] as const;
    });
  }
}

/** The same number for changes that were made at once. */
const actOf = (time: number): number => Math.floor(time / oneAct);

/** So many changes tell how busy a source was; more take longer and say the same. */
export const mostChanges = 100;

/** What changes in more sources at once was changed by no person: an import, or the service itself. */
const mostSources = 3;

/** After so many acts in a day half of what they tell is believed; after many more, all of it. */
const actsOfIdleDay = 10;
const mostActs = 1000;
