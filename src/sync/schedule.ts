import { backOff } from "../domain/backoff.ts";
import type { Source } from "../domain/source.ts";

/**
 * Rest after so many failed polls in a row: doubled by each, from a 64th of `cap` up to `cap`. It goes for refusals as well:
 * what is refused today may be there in a minute, and nothing that is shown gets older than `cap` for want of asking.
 */
export function restAfter(failures: number, cap: Temporal.Duration): Temporal.Duration {
  const microseconds = Math.round(cap.total("microseconds") / 64);
  const first = Temporal.Duration.from({ microseconds });
  return backOff(failures, { first, ceiling: cap });
}

/** A third of a length. */
export const thirdOf = (length: Temporal.Duration): Temporal.Duration =>
  Temporal.Duration.from({ milliseconds: Math.round(length.total("milliseconds") / 3) });

/** Days between two dates, whichever is first. */
export function nearness(due: Temporal.PlainDate, today: Temporal.PlainDate): number {
  return Math.abs(today.until(due).total("days"));
}

/** Sources that name what there is; they are few and change seldom. */
export const isLookUp = (kind: Source["kind"]): boolean =>
  kind === "projects" || kind === "people" || kind === "todolists";
