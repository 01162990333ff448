import { DueHeap } from "./due-heap.ts";
import { type Expectation, earliestReach, pollIndex } from "./poll-index.ts";

/** A source that may be chosen; moments in seconds. */
export interface Candidate {
  expected: Expectation;
  /** The last poll; null before the first, when it is not here. */
  polledAt: number | null;
  /** Whether it is nobody's choice at present. */
  isAway: boolean;
  /** When it may reach the threshold, while it is below. */
  due: number | null;
}

/**
 * Whoever is worth the most to ask, without a look at everybody: a heap holds for each source the earliest moment at which
 * it can reach a threshold, a part of what polls are worth at present. All who may be above it are compared, so that the
 * choice is exact; but for some seconds after the threshold had to fall, where sources are so many that not all find their
 * places in one call.
 */
export class BestWorth<Source extends Candidate> {
  readonly #below = new DueHeap<Source>();
  readonly #above = new Set<Source>();
  /** Who has to find a place; those that were left alone for longest are last. */
  #unplaced: Source[] = [];
  #threshold = 0;
  #raisedAt = Number.NEGATIVE_INFINITY;
  #going = 0;

  /** What polls are worth at present. */
  get going(): number {
    return this.#going;
  }

  /** When somebody may reach the threshold next. */
  get earliest(): number {
    return this.#below.earliest;
  }

  /** Takes in a source, or what is expected of it anew. */
  put(source: Source, now: number): void {
    this.delete(source);
    const index = worthOf(source, now);
    if (index >= this.#threshold) this.#above.add(source);
    else this.#wait(source, { now, index });
  }

  /** Takes in a source whose place is to be found when somebody is chosen. */
  add(source: Source): void {
    this.#below.delete(source);
    this.#above.add(source);
  }

  delete(source: Source): void {
    this.#above.delete(source);
    this.#below.delete(source);
  }

  /** The one that is worth the most; `all` gives everybody, in the order of their last polls. */
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

  /** The best above the threshold, of which some more find their places first; and all, as long as there is none. */
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

  /** The best of those above the threshold; who turns out to be below it goes back to the heap, but not all at once. */
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
   * Draws the threshold anew, as a part of the highest index, after which everybody needs another place. Where they are
   * many, only those who were left alone for longest are looked at for that, and the others find their places later.
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
    // Nobody is asked sooner than in the next slot, and a bound that is not exact must not say "now" for ever.
    const soonest = now + source.expected.slot / 2;
    this.#below.put(source, Math.max(polledAt + reach, soonest));
  }
}

const worthOf = ({ expected, polledAt }: Candidate, now: number): number =>
  pollIndex(expected, now - (polledAt ?? now));

/** Sources within this part of the going worth are looked at each time; it is raised at most so often. */
const nearPart = 0.92;
const raiseSeconds = 40;

/** So many find their places in one call at most, which takes about a millisecond. */
const slice = 2000;

/** How fast the going worth follows. */
const goingStep = 0.03;
