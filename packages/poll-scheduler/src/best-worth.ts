import { DueHeap } from "./due-heap.ts";
import { type Expectation, earliestReach, pollIndex } from "./poll-index.ts";

/** A source that may be chosen; times in seconds. */
export interface Candidate {
  expected: Expectation;
  /** The last poll; null before the first, and then it is not in here. */
  polledAt: number | null;
  /** True while it cannot be chosen. */
  isAway: boolean;
  /** When it may reach the threshold, while it is below. */
  due: number | null;
}

/**
 * Finds the source that is worth the most to poll without looking at all of them. A heap contains for each source the earliest
 * time it can reach a threshold, a fraction of the current worth of polls. All that may be above it are compared, so the choice
 * is exact, except for some seconds after the threshold was lowered with too many sources to place in one call.
 */
export class BestWorth<Source extends Candidate> {
  readonly #below = new DueHeap<Source>();
  readonly #above = new Set<Source>();
  /** Sources that need a place; those polled longest ago are last. */
  #unplaced: Source[] = [];
  #threshold = 0;
  #raisedAt = Number.NEGATIVE_INFINITY;
  #going = 0;

  /** Current worth of polls. */
  get going(): number {
    return this.#going;
  }

  /** When a source may next reach the threshold. */
  get earliest(): number {
    return this.#below.earliest;
  }

  /** Adds a source, or updates its expectation. */
  put(source: Source, now: number): void {
    this.delete(source);
    const index = worthOf(source, now);
    if (index >= this.#threshold) this.#above.add(source);
    else this.#wait(source, { now, index });
  }

  /** Adds a source that gets its place with the next choice. */
  add(source: Source): void {
    this.#below.delete(source);
    this.#above.add(source);
  }

  delete(source: Source): void {
    this.#above.delete(source);
    this.#below.delete(source);
  }

  /** The source that is worth the most; `all` yields every source in the order of last polls. */
  best(now: number, all: () => Iterable<Source>): Source | null {
    const isCrowded = this.#threshold === 0 && this.#above.size > slice;
    if (now >= this.#raisedAt + raiseSeconds || isCrowded) {
      this.#threshold = Math.max(this.#threshold, nearPart * this.#going);
      this.#raisedAt = now;
    }
    for (let source = this.#below.take(now); source; source = this.#below.take(now)) {
      this.#above.add(source);
    }
    let best = this.#bestPlaced(now);
    if (!best && this.#threshold > 0) {
      this.#lower(now, all());
      best = this.#bestPlaced(now);
    }
    if (best) {
      this.#going += (this.#going === 0 ? 1 : goingStep) * (worthOf(best, now) - this.#going);
    }
    return best;
  }

  /** The best one above the threshold, placing some more sources first; all of them if there is none. */
  #bestPlaced(now: number): Source | null {
    let best: Source | null = null;
    do {
      const first = Math.max(0, this.#unplaced.length - slice);
      for (const source of this.#unplaced.splice(first)) {
        if (!source.isAway) this.put(source, now);
      }
      best = this.#bestAbove(now);
    } while (!best && this.#unplaced.length > 0);
    return best;
  }

  /** The best of those above the threshold; those that turn out to be below go back to the heap, a limited number at a time. */
  #bestAbove(now: number): Source | null {
    let best: Source | null = null;
    let most = Number.NEGATIVE_INFINITY;
    let below = 0;
    for (const source of this.#above) {
      const index = worthOf(source, now);
      if (index < this.#threshold) {
        below += 1;
        if (below > slice) continue;
        this.#above.delete(source);
        this.#wait(source, { now, index });
      } else if (index > most) {
        most = index;
        best = source;
      }
    }
    return best;
  }

  /**
   * Lowers the threshold to a fraction of the highest index, after which every source needs a new place. With many sources,
   * only those polled longest ago are evaluated for that, and the others are placed later.
   */
  #lower(now: number, all: Iterable<Source>): void {
    const idle = [...all]
      .filter(({ isAway, polledAt }) => !isAway && polledAt !== null)
      .toReversed();
    const most = idle
      .slice(-slice)
      .reduce((highest, source) => Math.max(highest, worthOf(source, now)), 0);
    this.#threshold = Math.min(this.#threshold, most) * nearPart;
    this.#below.clear();
    this.#above.clear();
    this.#unplaced = idle;
  }

  #wait(source: Source, { now, index }: { readonly now: number; readonly index: number }): void {
    const polledAt = source.polledAt ?? now;
    const target = this.#threshold;
    const reach = earliestReach(source.expected, { seconds: now - polledAt, index, target });
    // No source is polled before the next slot, and an inexact bound must not be "now" for ever.
    const soonest = now + source.expected.slot / 2;
    this.#below.put(source, Math.max(polledAt + reach, soonest));
  }
}

const worthOf = ({ expected, polledAt }: Candidate, now: number): number =>
  pollIndex(expected, now - (polledAt ?? now));

/** Sources within this fraction of the current worth are evaluated each time; limits how often it is raised. */
const nearPart = 0.92;
const raiseSeconds = 40;

/** Limit of placements per call, about a millisecond. */
const slice = 2000;

/** How fast the current worth adapts. */
const goingStep = 0.03;
