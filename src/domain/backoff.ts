/** Delays between retries. */
export interface BackOff {
  /** Delay after the first failure. It doubles with each further failure. */
  readonly first: Temporal.Duration;
  /** Longest delay, before jitter. */
  readonly ceiling: Temporal.Duration;
  /** Random factor from one of the functions below; 1 by default. */
  readonly jitter?: number;
}

/**
 * Delay after `failures` failures in a row (from 1), in whole milliseconds: exponential back-off with a ceiling, and
 * jitter so that clients that failed together do not retry together. Never zero, so that no loop spins. A day counts as
 * 24 hours.
 */
export function backOff(
  failures: number,
  { first, ceiling, jitter = 1 }: BackOff,
): Temporal.Duration {
  const doubled = first.total("milliseconds") * 2 ** (failures - 1);
  const full = Math.min(doubled, ceiling.total("milliseconds"));
  return Temporal.Duration.from({ milliseconds: Math.max(1, Math.round(full * jitter)) });
}

/** Between nothing and the whole delay. `random`: 0 inclusive to 1 exclusive. */
export const fullJitter = (random: number): number => random;

/** Between half of the delay and the whole delay. */
export const equalJitter = (random: number): number => 0.5 + random / 2;

/** Between the whole delay and 10 % more. */
export const slightJitter = (random: number): number => 1 + random / 10;

/** Adds a length that may contain days, which `Instant.add` refuses. */
export const later = (moment: Temporal.Instant, length: Temporal.Duration): Temporal.Instant =>
  moment.add({ milliseconds: Math.round(length.total("milliseconds")) });

/** The earlier of two moments; null means never. */
export function earlier(a: Temporal.Instant | null, b: Temporal.Instant | null) {
  if (!a || !b) return a ?? b;
  return Temporal.Instant.compare(b, a) < 0 ? b : a;
}

/**
 * True if the stored end of a wait is further away than the wait's `length`. Then the clock was set back, and the wait
 * counts as over.
 */
export function isAhead(
  at: Temporal.Instant,
  { length, now }: { readonly length: Temporal.Duration; readonly now: Temporal.Instant },
): boolean {
  return Temporal.Instant.compare(at, later(now, length)) > 0;
}

/**
 * True if `at` is less than `length` ago. A moment in the future counts as long ago, as the clock was set back since.
 */
export function isRecent(
  at: Temporal.Instant,
  { length, now }: { readonly length: Temporal.Duration; readonly now: Temporal.Instant },
): boolean {
  const isPast = Temporal.Instant.compare(at, now) <= 0;
  return isPast && Temporal.Instant.compare(later(at, length), now) > 0;
}
