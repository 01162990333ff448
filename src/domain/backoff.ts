/** A series of pauses between tries of what has failed. */
export interface BackOff {
  /** The pause after the first failure; each further failure doubles it. */
  readonly first: Temporal.Duration;
  /** No pause is longer, jitter aside. */
  readonly ceiling: Temporal.Duration;
  /** The factor that chance gives this pause, by one of the functions below; 1 unless given. */
  readonly jitter?: number;
}

/**
 * The pause after so many failures in a row (from 1), in whole milliseconds: exponential back-off with a ceiling and, where
 * several that fail together must not come back together, jitter. It is never nothing, so that no loop spins. Lengths with
 * days are taken for days of 24 hours.
 */
export function backOff(
  failures: number,
  { first, ceiling, jitter = 1 }: BackOff,
): Temporal.Duration {
  const doubled = first.total("milliseconds") * 2 ** (failures - 1);
  const full = Math.min(doubled, ceiling.total("milliseconds"));
  return Temporal.Duration.from({ milliseconds: Math.max(1, Math.round(full * jitter)) });
}

/** Anything from nothing up to the whole pause; `random` is 0 inclusive to 1 exclusive, as below. */
export const fullJitter = (random: number): number => random;

/** Half of the pause at least. */
export const equalJitter = (random: number): number => 0.5 + random / 2;

/** The whole pause at least, and up to a tenth more. */
export const slightJitter = (random: number): number => 1 + random / 10;

/** A moment that much later; instants themselves refuse lengths with days. */
export const later = (moment: Temporal.Instant, length: Temporal.Duration): Temporal.Instant =>
  moment.add({ milliseconds: Math.round(length.total("milliseconds")) });

/** The earlier of two moments, where null is never. */
export function earlier(a: Temporal.Instant | null, b: Temporal.Instant | null) {
  if (!a || !b) return a ?? b;
  return Temporal.Instant.compare(b, a) < 0 ? b : a;
}

/**
 * Whether a moment that was kept as the end of a wait lies further ahead than any such wait is long (`length`): the clock was
 * set back since, and the wait is over, as nobody knows how much of it is left.
 */
export function isAhead(
  at: Temporal.Instant,
  { length, now }: { readonly length: Temporal.Duration; readonly now: Temporal.Instant },
): boolean {
  return Temporal.Instant.compare(at, later(now, length)) > 0;
}

/**
 * Whether `at` is less than `length` ago. A moment ahead comes from a clock that was set back since: how long ago it was is
 * not known, so that it counts as long ago.
 */
export function isRecent(
  at: Temporal.Instant,
  { length, now }: { readonly length: Temporal.Duration; readonly now: Temporal.Instant },
): boolean {
  const isPast = Temporal.Instant.compare(at, now) <= 0;
  return isPast && Temporal.Instant.compare(later(at, length), now) > 0;
}
