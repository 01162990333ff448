/**
 * How reads are spread over the quota. `sweep`: of a sweep of all sources so many reads are still to be answered, as far as
 * is known; a short one leaves in bursts, as its end counts, a long one evenly. `steady`: evenly, within the part of the
 * quota that reads may have, as bursts would find what changes later.
 */
export type Pace = { readonly kind: "sweep"; readonly reads: number } | { readonly kind: "steady" };

/**
 * What a read has to wait for. `spacingMs`: between the starts of two reads. `mostReads`: how many places of a window reads
 * may hold. `kept`: places that are left free in any case; `lead`: how many are left free unless they come free again
 * within the quota's mean spacing, one after the other.
 */
export interface PaceRule {
  readonly spacingMs: number;
  readonly mostReads: number;
  readonly kept: number;
  readonly lead: number;
}

/** Going evenly takes up to a window longer than going in bursts: less than a thirtieth of a sweep of so many windows. */
const longSweep = 30;

/**
 * The rule of a pace. `share`: how many requests a window of `perMs` holds at present; `mostReads`: how many of them may be
 * reads where edits are to find all their places free; `placeMs`: for how long a request takes a place. `readShare`: the
 * part of the quota that reads may have when steady.
 *
 * A sweep leaves no more than one place to edits, as its end counts. Under edits it goes evenly: then a place comes free
 * every now and then, where a burst would leave none for nearly a window.
 */
export function paceRule(
  pace: Pace,
  {
    share,
    mostReads,
    perMs,
    placeMs,
    readShare,
  }: {
    readonly share: number;
    readonly mostReads: number;
    readonly perMs: number;
    readonly placeMs: number;
    readonly readShare: number;
  },
): PaceRule {
  const allButOne = Math.max(1, share - 1);
  if (pace.kind === "steady") {
    const places = Math.max(1, Math.min(mostReads, allButOne));
    const spacingMs = Math.max(perMs / (share * readShare), placeMs / places);
    return { spacingMs, mostReads, kept: 1, lead: 1 };
  }
  const whole = { mostReads: share, lead: 2 };
  const peopleEdit = mostReads < share;
  if (peopleEdit) return { ...whole, spacingMs: placeMs / allButOne, kept: 1 };
  const isLong = pace.reads >= longSweep * share;
  return { ...whole, spacingMs: isLong ? placeMs / share : 0, kept: 0 };
}

/**
 * When the next read is due: a spacing after the one before was, not after it started, so that late timers do not lower the
 * rate. Of a longer delay a quarter of a spacing is made up for, so that it leaves no burst behind.
 */
export class ReadClock {
  /** When the last read was due. */
  #dueMs = Number.NEGATIVE_INFINITY;

  /** The moment from which the next read may start. */
  nextMs(spacingMs: number): number {
    return this.#dueMs + spacingMs;
  }

  /** Notes that a read starts. */
  note(nowMs: number, spacingMs: number): void {
    this.#dueMs = Math.max(this.nextMs(spacingMs), nowMs - spacingMs / 4);
  }
}
