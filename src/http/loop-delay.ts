import { type Histogram, monitorEventLoopDelay } from "node:perf_hooks";

/**
 * For how long the main thread was at one thing: so long nobody else got an answer, and no request left. Milliseconds, each
 * of the worst of the last minutes.
 */
export interface LoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** How many minutes are looked back on; the last one is under way. */
  readonly minutes: number;
}

/** Delays in nanoseconds since the last `reset`. */
export type DelayHistogram = Pick<Histogram, "count" | "max" | "percentile" | "reset">;

export interface LoopDelayMeter {
  readonly read: () => LoopDelay;
  /** Belongs at the end of each minute: the oldest that is kept is forgotten. */
  readonly turnOver: () => void;
}

const minutesKept = 5;

/** Every turn of the event loop is measured, without a timer, which would not let a daemon at rest rest. */
export function measureDelays(): DelayHistogram {
  const histogram = monitorEventLoopDelay({ samplePerIteration: true });
  histogram.enable();
  // The first turn would count what was rested before it.
  setImmediate(() => histogram.reset());
  return histogram;
}

/** Keeps the last minutes of a histogram. */
export function createLoopDelayMeter(histogram: DelayHistogram): LoopDelayMeter {
  let past: readonly Minute[] = [];
  return {
    read() {
      const all = [...past, minuteOf(histogram)];
      const worst = (of: (minute: Minute) => number) => round(Math.max(...all.map(of)));
      return {
        p50Ms: worst(({ p50 }) => p50),
        p99Ms: worst(({ p99 }) => p99),
        longestMs: worst(({ longest }) => longest),
        minutes: all.length,
      };
    },
    turnOver() {
      past = [...past, minuteOf(histogram)].slice(1 - minutesKept);
      histogram.reset();
    },
  };
}

/** In nanoseconds. */
interface Minute {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

function minuteOf(histogram: DelayHistogram): Minute {
  if (histogram.count === 0) return { p50: 0, p99: 0, longest: 0 };
  return {
    p50: histogram.percentile(50),
    p99: histogram.percentile(99),
    longest: histogram.max,
  };
}

const round = (nanoseconds: number): number => Math.round(nanoseconds / 1e5) / 10;
