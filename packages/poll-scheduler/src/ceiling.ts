/** What a ceiling of age asks of the polls. */
export interface Load {
  /** Sources, each read with one poll. */
  readonly sources: number;
  /** Polls per second. */
  readonly pace: number;
  /** How old a source may get, in seconds. */
  readonly maxAge: number;
}

/**
 * The age, in seconds, at which a source is polled whatever is believed of it: `maxAge` where a round fits well into it; else as
 * many rounds as leave most polls to what has probably changed. A ceiling of one round would be turns, which take ten times
 * as long to find a change as beliefs do, and one of two rounds takes every second poll for what hardly ever changes.
 */
export function ceilingOf(load: Load): number {
  const round = load.sources / load.pace;
  return isWithin(load) ? load.maxAge : Math.max(load.maxAge, longRounds * round);
}

/** Whether every source can be polled once within `maxAge`, with some polls to spare. */
export const isWithin = (load: Load): boolean => load.sources <= mostWithin(load);

/** How many sources can. */
export const mostWithin = ({ pace, maxAge }: Omit<Load, "sources">): number =>
  Math.floor(mostTaken * maxAge * pace);

/** Counts how many polls belong to the ceiling, and takes them one by one. */
export class Ceiling {
  /** How many polls it may take. */
  #claim = 1;
  /** What it takes ahead of time, which is worked out anew now and then. */
  #ahead = { share: 0, until: Number.NEGATIVE_INFINITY };

  /** Whether the next poll goes to the oldest source, which has this age. `ages`: of all sources, the oldest first. */
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
 * Which part of the polls is to go to the oldest sources before these reach the ceiling. After a first sweep, which reads everything in
 * half of that time, all of them would reach it together, and nothing else would be read for minutes, each time again. So they
 * are read ahead of it, at an even pace, where more of them are about to reach it than it takes to stay below it.
 * 0 where they are spread. `ages`: of all sources, the oldest first.
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
 * Which part of the polls sources beyond the ceiling may take while the oldest of them has the age `age`: all of them as long as
 * that is hardly above the ceiling, as few reach it at a time then. After an outage everything is beyond it; then half of the
 * polls, or a little more than it takes to stay below the ceiling, and the others go where changes are likely.
 */
export function forcedShare(load: Load, age: number): number {
  const ceiling = ceilingOf(load);
  if (age < lateness * ceiling && isWithin(load)) return 1;
  return Math.min(1, Math.max(0.5, (1.1 * load.sources) / (load.pace * ceiling)));
}

/** The part of the age that was asked for at which sources are to be polled: some reach it together. */
export const maxAgePart = 11 / 12;

/** Rounds after which what cannot be polled within `maxAge` is polled in any case. */
const longRounds = 4;

/** The part of all polls that a ceiling may take at the most. */
const mostTaken = 0.9;

/** Who is older than the ceiling by this factor has not merely reached it together with others. */
const lateness = 1.1;

/** So many times the even pace is no crowd, nor are a few that are close together. */
const crowded = 1.2;
const margin = 0.02;
