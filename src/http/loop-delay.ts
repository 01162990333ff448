import { createHistogram, type Histogram, performance } from "node:perf_hooks";

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

/** The event loop that is measured. */
export interface EventLoop {
  /** Milliseconds since the process began, and how many of them the loop spent waiting. */
  readonly moment: () => { readonly at: number; readonly idle: number };
  /** Calls back in the next turn, without causing one. */
  readonly nextTurn: (callback: () => void) => void;
}

const minutesKept = 5;

/**
 * Measures every turn of the event loop until the signal aborts: what passed since the turn before, without the time in which the
 * loop had nothing to do. `monitorEventLoopDelay` per iteration leaves out the callbacks of sockets and files, in which answers are
 * worked on, and by a timer it would not let a daemon at rest rest.
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
  // It is called back in the next turn whenever that is, and brings none about itself.
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
