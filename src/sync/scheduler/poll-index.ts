import type { Outlook } from "./belief.ts";

/** What is expected of a source since its last poll; rates are per second. */
export interface Expectation extends Pick<Outlook, "level" | "excess" | "fade" | "growth"> {
  /** Importance of one change, over the requests of one poll. */
  readonly weight: number;
  /** By which part of itself the level changes per second with the time of the day. */
  readonly slope: number;
  /** Sum of (expected changes that a hint told of) x (seconds between the last poll and the hint). */
  readonly hinted: number;
}

/**
 * What a poll is worth `seconds` after the last one, in changes x seconds per request: the integral of u x (expected rate
 * at u), times the weight. Sources of constant rate then get the square-root rule.
 * Source: Whittle, Restless bandits (1988), with unseen changes x time as the cost.
 */
export function pollIndex(
  { level, excess, fade, growth, weight, slope, hinted }: Expectation,
  seconds: number,
): number {
  const half = (seconds * seconds) / 2;
  const trend = (2 / 3) * Math.min(seconds, longestTrend);
  const steady = level * Math.max(leastLeft, 1 + slope * trend) + growth * trend;
  return weight * (half * steady + excess * fadingArea(fade, seconds) + hinted);
}

/** The earliest moment, in seconds after the last poll, at which the index can reach `target`; now it is `index`. */
export function earliestReach(
  { level, excess, growth, weight, slope }: Expectation,
  { seconds, index, target }: Readonly<Record<"seconds" | "index" | "target", number>>,
): number {
  if (index >= target) return seconds;
  const trend = level * Math.max(0, slope) + Math.max(0, growth);
  const highest = weight * (level + Math.max(0, excess) + trend * longestTrend);
  return Math.sqrt(seconds * seconds + (2 * (target - index)) / highest);
}

/** A trend is believed for so many seconds, and never takes more of the level than leaves this part. */
const longestTrend = 3600;
const leastLeft = 0.3;

/** The integral of u x exp(-fade u) from 0 to `seconds`. */
function fadingArea(fade: number, seconds: number): number {
  const x = fade * seconds;
  // The closed form loses its digits for small x.
  if (x < 1e-3) return (seconds * seconds) / 2;
  return (1 - Math.exp(-x) * (1 + x)) / (fade * fade);
}
