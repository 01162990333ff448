/** The polls that an age limit requires. */
export interface Load {
  /** Number of sources, each read with one poll. */
  readonly sources: number;
  /** Polls per second. */
  readonly pace: number;
  /** Maximum age of a source in seconds. */
  readonly maxAge: number;
}

/**
 * The age, in seconds, at which a source is polled regardless of its belief: `maxAge` if a round fits well into it, otherwise
 * enough rounds to leave most polls to what has probably changed. An age limit of one round would be round robin, which takes
 * ten times as long to find a change as beliefs do, and one of two rounds uses every second poll for what hardly ever changes.
 */
export function ceilingOf(load: Load): number {
  const round = load.sources / load.pace;
  return isWithin(load) ? load.maxAge : Math.max(load.maxAge, longRounds * round);
}

/** True if every source can be polled once within `maxAge`, with some polls to spare. */
export const isWithin = (load: Load): boolean => load.sources <= mostWithin(load);

/** Maximum number of sources for that. */
export const mostWithin = ({ pace, maxAge }: Omit<Load, "sources">): number =>
  Math.floor(mostTaken * maxAge * pace);

/** Counts how many polls the age limit may use, and takes them one by one. */
export class Ceiling {
  /** Number of polls it may take. */
  #claim = 1;
  /** Share of early polls, recalculated now and then. */
  #ahead = { share: 0, until: Number.NEGATIVE_INFINITY };

  /** True if the next poll goes to the oldest source, which has this age. `ages`: of all sources, oldest first. */
  takes({
    now,
    load,
    age,
    ages,
  }: {
    readonly now: number;
    readonly load: Load;
    readonly age: number;
    readonly ages: () => Iterable<number>;
  }): boolean {
    const ceiling = ceilingOf(load);
    if (now >= this.#ahead.until) {
      this.#ahead = { share: shareAhead(load, ages()), until: now + ceiling / 100 };
    }
    const isReached = age >= ceiling;
    const { share } = this.#ahead;
    if (!isReached && share === 0) {
      this.#claim = 1;
      return false;
    }
    this.#claim += isReached ? forcedShare(load, age) : share;
    if (this.#claim < 1) return false;
    this.#claim -= 1;
    return true;
  }
}

/**
 * Share of polls for the oldest sources before they reach the limit. After a first sync, which reads everything in half of
 * that time, all of them would reach it together, and nothing else would be read for minutes, each time again. So they are read
 * early, at an even pace, if more of them are about to reach it than an even pace can serve. 0 if they are spread out. `ages`:
 * of all sources, oldest first.
 */
export function shareAhead(load: Load, ages: Iterable<number>): number {
  const ceiling = ceilingOf(load);
  let older = 0;
  let most = 0;
  for (const age of ages) {
    if (age < ceiling) most = Math.max(most, older / (ceiling - age + margin * ceiling));
    older += 1;
  }
  return most > crowded * (older / ceiling) ? Math.min(1, most / load.pace) : 0;
}

/**
 * Share of polls that sources over the limit may take if the oldest has the age `age`: all while that is barely over the limit,
 * because few reach it at a time. After an outage everything is over it; then half of the polls, or slightly more than needed
 * to stay below the limit, and the others go where changes are likely.
 */
export function forcedShare(load: Load, age: number): number {
  const ceiling = ceilingOf(load);
  if (age < lateness * ceiling && isWithin(load)) return 1;
  return Math.min(1, Math.max(0.5, (1.1 * load.sources) / (load.pace * ceiling)));
}

/** Fraction of the requested age at which sources are polled: some reach it together. */
export const maxAgePart = 11 / 12;

/** Rounds after which a source is polled in any case if `maxAge` cannot be met. */
const longRounds = 4;

/** Maximum share of all polls for the age limit. */
const mostTaken = 0.9;

/** Older than the limit by this factor is not just a coincidence of several sources. */
const lateness = 1.1;

/** Up to this multiple of the even pace, sources count as spread out. */
const crowded = 1.2;
const margin = 0.02;
