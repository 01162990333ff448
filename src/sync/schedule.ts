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

/** What takes longer to be read once is not read as a whole after each start; in seconds. */
const longSweepSeconds = 60;

/** Whether so many sources take long to be read once, at `rate` requests per second. */
export const isLongSweep = (sources: number, rate: number): boolean =>
  sources / rate > longSweepSeconds;

/** Look-ups that are asked often take no more than this part of all requests. */
const lookUpPart = 0.1;

/**
 * Rest of a look-up after it was read: a third of `maxAge`; where there are many of them longer, so that they leave the requests
 * to the lists in which changes are, up to `maxAge`. `pace`: requests per second that polls may use.
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

/** Sources that name what there is; they are few and change seldom. */
export const isLookUp = (kind: Source["kind"]): boolean =>
  kind === "projects" || kind === "people" || kind === "todolists";
