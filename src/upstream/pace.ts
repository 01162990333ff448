/**
 * How reads are spread over the quota. `sweep`: `reads` are still to be answered, as far as known. A short sweep goes in
 * bursts, as its end counts; a long one evenly. `steady`: evenly, within the share for reads, as bursts would find changes
 * later.
 */
export type Pace = { readonly kind: "sweep"; readonly reads: number } | { readonly kind: "steady" };

/**
 * What a read waits for. `spacingMs`: between the starts of two reads. `mostReads`: places of a window that reads may take.
 * `kept`: places always left free; `lead`: places left free unless they come free again within the quota's mean spacing.
 */
export interface PaceRule {
  readonly spacingMs: number;
  readonly mostReads: number;
  readonly kept: number;
  readonly lead: number;
}

/** An edit needs two: it reads its item first. */
const mostKept = 2;

/** An even pace takes up to a window longer than bursts: 5 % of a sweep of this many windows. */
const longSweep = 20;

/**
 * The rule of a pace. `share`: requests per window of `perMs`; `free`: how many would start now; `waiting`: reads waiting for a
 * place, `underWay`: for an answer; `mostReads`: places for reads such that edits find theirs free; `placeMs`: how long a
 * request takes a place; `readShare`: share of the quota for steady reads. A short sweep leaves edits what its last window has
 * left over, spread over all windows. With edits it goes evenly, so that a place comes free regularly; a burst would leave none
 * for nearly a window.
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

/** How many places per window these reads can do without and still end in the same window. */
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
 * When the next read is due: a spacing after the previous one was due, so that late timers do not lower the rate. A longer
 * delay is made up for by a quarter of a spacing only, to avoid a burst.
 */
export class ReadClock {
  /** When the last read was due. */
  #dueMs = Number.NEGATIVE_INFINITY;

  /** When the next read may start. */
  nextMs(spacingMs: number): number {
    return this.#dueMs + spacingMs;
  }

  /** Records the start of a read. */
  note(nowMs: number, spacingMs: number): void {
    this.#dueMs = Math.max(this.nextMs(spacingMs), nowMs - spacingMs / 4);
  }
}
