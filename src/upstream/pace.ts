/**
 * How reads are spread over the quota. `sweep`: of a sweep of all sources so many reads are still to be answered, as far as
 * is known; a short one leaves in bursts, as its end counts, a long one evenly. `steady`: evenly, within the part of the
 * quota that reads may have, as bursts would find what changes later.
 */
export type Pace = { readonly kind: "sweep"; readonly reads: number } | { readonly kind: "steady" };

/**
 * What a read has to wait for besides its place. `spacingMs`: between the starts of two reads. `lead`: for how many places
 * that reads leave to edits, the next one has to come free within the quota's mean spacing. `kept`: places that reads leave
 * in any case.
 */
export interface PaceRule {
  readonly spacingMs: number;
  readonly lead: number;
  readonly kept: number;
}

/** Going evenly takes up to a window longer than going in bursts: less than a thirtieth of a sweep of so many windows. */
const longSweep = 30;

/**
 * The rule of a pace. `share`: how many requests a window of `perMs` holds at present; `mostReads`: how many of them may be
 * reads, because of edits; `placeMs`: for how long a request takes a place. `readShare`: the part of the quota that reads
 * may have when steady. Under edits a sweep goes evenly too: then a place comes free every now and then, where bursts would
 * leave none for nearly a window.
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
  if (pace.kind === "steady") {
    const places = Math.max(1, Math.min(mostReads, share - 1));
    const spacingMs = Math.max(perMs / (share * readShare), placeMs / places);
    return { spacingMs, lead: 1, kept: 1 };
  }
  const peopleEdit = mostReads < share;
  if (peopleEdit || pace.reads >= longSweep * share) {
    return { spacingMs: placeMs / mostReads, lead: 1, kept: 0 };
  }
  return { spacingMs: 0, lead: 2, kept: 0 };
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
