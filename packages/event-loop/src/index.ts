/**
 * Shares the main thread among background work: together it blocks the event loop for a few milliseconds at most, so that
 * requests, timers and answers run in between.
 */
export interface EventLoopBudget {
  /**
   * Resolves when work may continue, in the order of calls: in the current turn if there is time left, else in a later one.
   * Never rejects.
   */
  share(): Promise<void>;
  /**
   * True if the current turn's time is used up, counted from the first call. A long step checks it between its parts, and ends
   * early.
   */
  isOver(): boolean;
}

interface EventLoopBudgetDeps {
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Calls back in this turn, after pending microtasks. */
  readonly soon: (callback: () => void) => void;
  /** Calls back in the next round of the event loop. */
  readonly later: (callback: () => void) => void;
}

/** How long work continues before others run, in milliseconds. */
const turnMs = 8;

const ownDeps: EventLoopBudgetDeps = {
  monotonic: () => performance.now(),
  // Microtasks run once there are no ticks, and ticks once there are no microtasks.
  soon: (callback) => queueMicrotask(() => process.nextTick(callback)),
  later: setImmediate,
};

/** Uses the process's event loop by default. */
export function createEventLoopBudget(deps: Partial<EventLoopBudgetDeps> = {}): EventLoopBudget {
  const { monotonic, soon, later } = { ...ownDeps, ...deps };
  /** When the current turn ends; null if nothing was done in it. */
  let endsAt: number | null = null;
  let isGranting = false;
  const waiting: (() => void)[] = [];

  function begin(): number {
    const now = monotonic();
    endsAt = now + turnMs;
    // The first callback may still belong to the turn whose answer is being processed.
    later(() => later(end));
    return endsAt;
  }

  const isOver = (): boolean => monotonic() >= (endsAt ?? begin());

  /** One at a time, as the time that each takes is only known afterwards. */
  function grant(): void {
    const first = waiting.length === 0 || isOver() ? undefined : waiting.shift();
    isGranting = first !== undefined;
    if (!first) return;
    first();
    soon(grant);
  }

  function end(): void {
    endsAt = null;
    if (!isGranting) grant();
  }

  return {
    isOver,
    share() {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      if (!isGranting) {
        isGranting = true;
        soon(grant);
      }
      return promise;
    },
  };
}

/** Runs steps one after the other, in turns; resolves with the last result. Rejects with what a step throws. */
export async function inTurns<Value>(
  steps: Iterator<unknown, Value, undefined>,
  eventLoop: EventLoopBudget,
): Promise<Value> {
  for (;;) {
    if (eventLoop.isOver()) await eventLoop.share();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs steps one after the other, at once. */
export function atOnce<Value>(steps: Iterator<unknown, Value, undefined>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
