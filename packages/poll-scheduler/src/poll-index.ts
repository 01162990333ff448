import type { RateForecast } from "./belief.ts";

/** What is expected of a source since its last poll; rates are per second. */
export interface Expectation extends Pick<RateForecast, "level" | "excess" | "fade" | "growth"> {
  /** Importance of one change, divided by the requests of one poll. */
  readonly weight: number;
  /** Relative change of the level per second due to the time of day. */
  readonly slope: number;
  /** Sum of (expected changes that a hint reported) x (seconds between the last poll and the hint). */
  readonly hinted: number;
  /** Seconds after the last poll at which another source reported, with a reliability from 0 to 1, that nothing had changed. */
  readonly quietFor: number;
  readonly certainty: number;
  /** Seconds from one poll of any source to the next: the cost of polling later. */
  readonly slot: number;
}

/**
 * Worth of a poll `seconds` after the last one, in changes x seconds per request: the integral of u x (expected rate at u),
 * times the weight. Sources with constant rates then follow the square-root rule.  Because polls happen in slots, a source that
 * is not polled now waits for a whole slot more. The index of that choice, seconds x (expected unseen changes, averaged over
 * the next slot) - (the integral of them so far), is higher by half a slot x seconds x (expected rate now): for a constant rate
 * it grows with n (n + 1) / 2 over slots instead of n^2 / 2. This matters when busy sources are polled every few slots, in
 * small workspaces. Source: Whittle, Restless bandits (1988), with unseen changes x time as the cost.
 */
export function pollIndex(expected: Expectation, seconds: number): number {
  const { weight, hinted, excess, fade, quietFor, certainty } = expected;
  const all = waitingSince(expected, excess, seconds);
  if (certainty === 0) return weight * (all + hinted);
  // As if it had been polled then, weighted by reliability.
  const left = excess * Math.exp(-fade * quietFor);
  const later = waitingSince(expected, left, seconds - quietFor);
  return weight * ((1 - certainty) * all + certainty * later + hinted);
}

/** The integral, for weight 1 and without hints; `excess` is what the state at its beginning adds to the level. */
function waitingSince(
  { level, fade, growth, slope, slot }: Expectation,
  excess: number,
  seconds: number,
): number {
  const half = (seconds * seconds) / 2;
  const trend = (2 / 3) * Math.min(seconds, longestTrend);
  const steady = level * Math.max(leastLeft, 1 + slope * trend) + growth * trend;
  const x = fade * seconds;
  const faded = Math.exp(-x);
  // The integral of u x exp(-fade u); its closed form loses precision for small x.
  const area = x < 1e-3 ? half : (1 - faded * (1 + x)) / (fade * fade);
  const next = (slot / 2) * seconds * (level + excess * faded);
  return half * steady + excess * area + next;
}

/** The earliest time, in seconds after the last poll, at which the index can reach `target`; its current value is `index`. */
export function earliestReach(
  { level, excess, growth, weight, slope, slot, quietFor, certainty }: Expectation,
  { seconds, index, target }: Readonly<Record<"seconds" | "index" | "target", number>>,
): number {
  if (index >= target) return seconds;
  const trend = level * Math.max(0, slope) + Math.max(0, growth);
  const highest = weight * (level + Math.max(0, excess) + trend * longestTrend);
  // It grows as if the last poll had been later by that.
  const before = slot / 2 - certainty * quietFor;
  const since = seconds + before;
  const squared = since * since + (2 * (target - index)) / highest;
  return Math.max(seconds, Math.sqrt(squared) - before);
}

/** How many seconds a trend is extrapolated, and the fraction of the level it always leaves. */
const longestTrend = 3600;
const leastLeft = 0.3;
