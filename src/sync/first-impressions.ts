import { type Recalled, recalledSeconds } from "@dayferry/poll-scheduler";

/** What a source showed at its first reading; moments in seconds. */
interface Shown {
  /** When the request was sent. */
  readonly at: number;
  /** Number of items, and their last change times as far as known. */
  readonly items: number;
  readonly changes: readonly number[];
}

/**
 * Collects each source's first reading, and passes them to the scheduler after all were read. Only together do they show
 * whether one source is quiet or nobody has worked at all, and which changes were made everywhere at once.
 */
export class FirstImpressions {
  readonly #shown = new Map<string, Shown>();
  /** How many sources show a change at each moment; keys are those of `actOf`. */
  readonly #acts = new Map<number, number>();
  /** Activity over time of all sources; null until it is requested. */
  #liveliness: ((from: number, to: number) => number) | null = null;

  /** `now`: when the answer arrived. Later changes come from a wrong clock. */
  add(key: string, { at, now, items, changes }: Shown & { readonly now: number }): void {
    // A request may have waited, so that the answer has later changes too. Only the intervals between changes count.
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

  /** Removes and returns up to `most` impressions; none once the scheduler has all of them. */
  take(most: number): readonly (readonly [string, Recalled])[] {
    this.#liveliness ??= livelinessOf([...this.#shown.values()].map((shown) => this.#known(shown)));
    const lively = this.#liveliness;
    const evidence = this.#acts.size / (this.#acts.size + actsOfIdleDays);
    const activity = (from: number, to: number) => evidence * lively(from, to);
    return [...this.#shown.entries().take(most)].map(([key, shown]) => {
      this.#shown.delete(key);
      const { from, times } = this.#known(shown);
      return [key, { from, times, activity }] as const;
    });
  }

  /** Changes that people made to this source alone, simultaneous ones counted as one, and since when all are known. */
  #known({ at, items, changes }: Shown): KnownChanges {
    const own = changes.filter((time) => (this.#acts.get(actOf(time)) ?? 0) <= mostSources);
    const times = own.filter((time, nth) => time - (own[nth - 1] ?? -Infinity) >= oneAct);
    // Only the last change of each item is known: if all items have one, there were others before the oldest of them.
    const isWhole = items === 0 || changes.length < Math.min(items, mostChanges);
    return { at, times, from: isWhole ? at - recalledSeconds : (changes[0] ?? at) };
  }
}

/** Changes less than this many seconds apart count as one, as when a template is copied. */
const oneAct = 2;

/** The same number for simultaneous changes. */
const actOf = (time: number): number => Math.floor(time / oneAct);

/** Number of latest changes by which a source is judged; more take longer and add nothing. */
export const mostChanges = 100;

/** A change in more sources at the same moment is an import or done by the service, not by a person. */
const mostSources = 3;

/** With this many separate changes, a quiet period has half its weight as evidence; with many more, full weight. */
const actsOfIdleDays = 10;
const mostActs = 1000;

/** Changes of one source in a period in which all of them are known; moments in seconds, in order. */
export interface KnownChanges {
  readonly from: number;
  readonly at: number;
  readonly times: readonly number[];
}

/**
 * How active a workspace was between two moments: 1 = as usual, less at night. Time is divided into two-hour bins. A bin's
 * activity is its number of changes, divided by the number expected if every source changed at a constant rate.
 */
export function livelinessOf(
  sources: Iterable<KnownChanges>,
): (from: number, to: number) => number {
  const seen = new Map<number, number>();
  const usual = new Map<number, number>();
  const add = (to: Map<number, number>, bin: number, more: number) =>
    to.set(bin, (to.get(bin) ?? 0) + more);
  for (const { from, at, times } of sources) {
    const known = times.filter((time) => time > from);
    if (known.length === 0) continue;
    for (const time of known) add(seen, binOf(time), 1);
    for (const [bin, seconds] of binsIn(from, at)) {
      add(usual, bin, (known.length * seconds) / (at - from));
    }
  }
  const inBin = (bin: number) =>
    ((seen.get(bin) ?? 0) + fewChanges) / ((usual.get(bin) ?? 0) + fewChanges);
  return (from, to) => {
    let sum = 0;
    for (const [bin, seconds] of binsIn(from, to)) sum += seconds * inBin(bin);
    return sum / (to - from);
  };
}

const binSeconds = 7200;
const binOf = (at: number): number => Math.floor(at / binSeconds);

/** The parts of a period in each bin, in seconds. */
function* binsIn(from: number, to: number): Generator<readonly [number, number]> {
  for (let at = from; at < to; ) {
    const bin = binOf(at);
    const end = Math.min(to, (bin + 1) * binSeconds);
    yield [bin, end - at];
    at = end;
  }
}

/** Two hours with fewer changes prove little. */
const fewChanges = 3;
