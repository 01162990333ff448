import { backOff } from "../domain/backoff.ts";
import type { Source } from "../domain/source.ts";

/**
 * Rest after consecutive failed polls: doubled by each, from 1/64 of `cap` up to `cap`. Refusals too, as what is refused now
 * may exist in a minute, and nothing gets older than `cap` for lack of polling.
 */
export function restAfter(failures: number, cap: Temporal.Duration): Temporal.Duration {
  const microseconds = Math.round(cap.total("microseconds") / 64);
  const first = Temporal.Duration.from({ microseconds });
  return backOff(failures, { first, ceiling: cap });
}

/** Anything that takes longer to read is not read completely after each start; in seconds. */
const longSweepSeconds = 60;

/** True if this many sources take long to read once, at `rate` requests per second. */
export const isLongSweep = (sources: number, rate: number): boolean =>
  sources / rate > longSweepSeconds;

/** Look-ups take at most this share of all requests. */
const lookUpPart = 0.1;

/**
 * Rest of a look-up after it was read: a third of `maxAge`; longer, up to `maxAge`, if there are many, so that they leave the
 * requests to lists with changes. `pace`: requests per second for polls.
 */
export function restOfLookUp({
  maxAge,
  lookUps,
  pace,
}: {
  readonly maxAge: Temporal.Duration;
  readonly lookUps: number;
  readonly pace: number;
}): Temporal.Duration {
  const longest = maxAge.total("milliseconds");
  const affordable = (1000 * lookUps) / (lookUpPart * pace);
  const rest = Math.min(longest, Math.max(longest / 3, affordable));
  return Temporal.Duration.from({ milliseconds: Math.round(rest) });
}

/** Days between two dates, whichever is first. */
export function nearness(due: Temporal.PlainDate, today: Temporal.PlainDate): number {
  return Math.abs(today.until(due).total("days"));
}

/** Sources that list what exists; they are few and change rarely. */
export const isLookUp = (kind: Source["kind"]): boolean =>
  kind === "projects" || kind === "people" || kind === "todolists";
