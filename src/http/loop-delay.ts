import { createHistogram, type Histogram, performance } from "node:perf_hooks";

/**
 * For how many milliseconds the main thread was blocked, so that nothing else was answered or sent: maxima of the last minutes.
 */
export interface LoopDelay {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Number of minutes covered, including the current one. */
  readonly minutes: number;
}

/** Delays in nanoseconds since the last `reset`. */
export type DelayHistogram = Pick<Histogram, "count" | "max" | "percentile" | "reset">;

export type LoopDelayMeter = ReturnType<typeof createLoopDelayMeter>;

/** The measured event loop. */
export interface EventLoop {
  /** Milliseconds since the process started, and how many of them the loop was idle. */
  readonly moment: () => { readonly at: number; readonly idle: number };
  /** Calls back in the loop's next turn, without causing one. */
  readonly nextTurn: (callback: () => void) => void;
}

const minutesKept = 5;

/**
 * Measures every turn of the event loop until the signal aborts: the time since the previous turn, less the idle time.
 * `monitorEventLoopDelay` per iteration misses callbacks of sockets and files, where answers are made; with a timer it would
 * keep an idle daemon busy.
 */
export function measureDelays(
  signal: AbortSignal,
  { moment, nextTurn }: EventLoop = ownLoop,
): DelayHistogram {
  const histogram = createHistogram();
  let before = moment();
  function look(): void {
    const now = moment();
    const busyMs = now.at - before.at - (now.idle - before.idle);
    histogram.record(Math.max(1, Math.round(busyMs * 1e6)));
    before = now;
    lookInNextTurn();
  }
  // Called in the loop's next turn, whenever that is, without causing one.
  const lookInNextTurn = (): void => {
    if (!signal.aborted) nextTurn(look);
  };
  lookInNextTurn();
  return histogram;
}

const ownLoop: EventLoop = {
  moment: () => ({ at: performance.now(), idle: performance.nodeTiming.idleTime }),
  nextTurn: (callback) => void setImmediate(callback).unref(),
};

/** Keeps the last minutes of a histogram. */
export function createLoopDelayMeter(histogram: DelayHistogram) {
  let past: readonly Minute[] = [];
  return {
    read(): LoopDelay {
      const all = [...past, minuteOf(histogram)];
      const worst = (of: (minute: Minute) => number) => round(Math.max(...all.map(of)));
      return {
        p50Ms: worst(({ p50 }) => p50),
        p99Ms: worst(({ p99 }) => p99),
        longestMs: worst(({ longest }) => longest),
        minutes: all.length,
      };
    },
    /** Call at the end of each minute; drops the oldest minute. */
    turnOver(): void {
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
