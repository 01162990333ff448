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

/** What an edit takes: it reads its item first. */
const mostKept = 2;

/** Going evenly takes up to a window longer than going in bursts: a twentieth of a sweep of so many windows. */
const longSweep = 20;

/**
 * The rule of a pace. `share`: how many requests a window of `perMs` holds at present; `free`: how many it would take now;
 * `waiting`: reads that wait for a place, `underWay`: for an answer; `mostReads`: how many places may be of reads where edits are to find all of
 * theirs free; `placeMs`: for how long a request takes a place. `readShare`: the part of the quota that reads may have when
 * steady.
 *
 * The end of a sweep counts: a short one leaves to edits what its last window has left over, shared out over all of them, and
 * under edits it goes evenly, as then a place comes free every now and then, where a burst would leave none for nearly a
 * window.
 */
export function paceRule(
  pace: Pace,
  {
    share,
    free,
    waiting,
    underWay,
    mostReads,
    perMs,
    placeMs,
    readShare,
  }: {
    readonly share: number;
    readonly free: number;
    readonly waiting: number;
    readonly underWay: number;
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
  const peopleEdit = mostReads < share;
  if (peopleEdit) return { mostReads: share, lead: 2, spacingMs: placeMs / allButOne, kept: 1 };
  const reads = Math.max(pace.reads - underWay, waiting);
  const isLong = reads >= longSweep * share;
  if (isLong) return { mostReads: share, lead: 2, spacingMs: placeMs / share, kept: 0 };
  const kept = placesLeftOver({ share, free, reads });
  return { mostReads: share, lead: 0, spacingMs: 0, kept };
}

/** How many places of each window so many reads can do without, and still end in the same window. */
function placesLeftOver({
  share,
  free,
  reads,
}: Readonly<Record<"share" | "free" | "reads", number>>): number {
  const windows = 1 + Math.max(0, Math.ceil((reads - free) / share));
  const places = free + share * (windows - 1);
  return Math.max(0, Math.min(mostKept, Math.floor((places - reads) / windows)));
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
