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
