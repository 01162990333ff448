/**
 * Shares the main thread with others: a long answer asks `isOver` between its parts, and `share` lets others run.
 */
export interface EventLoopBudget {
  /** Resolves when work may continue. Never rejects. */
  share(): Promise<void>;
  /** True if the current turn of the event loop has taken long enough. */
  isOver(): boolean;
}

/** How long an answer works before others run, in milliseconds. */
const turnMs = 8;

/** A budget for one server that shares the thread with nothing else. */
export function createTurns(): EventLoopBudget {
  let startedAt = performance.now();
  return {
    isOver: () => performance.now() - startedAt >= turnMs,
    async share() {
      await new Promise<void>((resolve) => setImmediate(resolve));
      startedAt = performance.now();
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
