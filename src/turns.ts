import { inNextTurn, monotonic } from "./runtime.ts";
/**
 * Shares out the main thread among what can wait: all of it together holds no turn of the event loop for longer than a few
 * milliseconds, so that requests, timers and answers get theirs in between.
 */
export interface Turns {
  /**
   * Resolves when work may go on, one after the other in the order of asking: in the present turn while that has time left,
   * else in a later one. Never rejects.
   */
  share(): Promise<void>;
  /** Whether the time of the present turn is used up, which is counted from when it was first asked for: a long step asks between its parts, and ends early. */
  isOver(): boolean;
}

interface TurnsDeps {
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** Calls back in this turn, once what was begun has come to where it waits. */
  readonly soon: (callback: () => void) => void;
  /** Calls back in the next round of the event loop. */
  readonly later: (callback: () => void) => void;
}

/** For how long steps go on before others get their turn, in milliseconds. */
const turnMs = 8;

const ownDeps: TurnsDeps = {
  monotonic,
  // Microtasks run once there are no ticks, and ticks once there are no microtasks.
  soon: (callback) => queueMicrotask(() => process.nextTick(callback)),
  later: inNextTurn,
};

/** On the process's own event loop, where nothing else is given. */
export function createTurns(deps: Partial<TurnsDeps> = {}): Turns {
  const { monotonic, soon, later } = { ...ownDeps, ...deps };
  /** When the present turn ends; null while nothing has been done in it. */
  let endsAt: number | null = null;
  let isGranting = false;
  const waiting: (() => void)[] = [];

  function begin(): number {
    const now = monotonic();
    endsAt = now + turnMs;
    // What calls back first may still be of the turn in which the answer came that is worked on.
    later(() => later(end));
    return endsAt;
  }

  const isOver = (): boolean => monotonic() >= (endsAt ?? begin());

  /** One at a time: how much of the turn the first one takes is known only afterwards. */
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

/** Takes steps one after the other, in turns; resolves with what the last one returns. Rejects with what a step throws. */
export async function inTurns<Value>(
  steps: Iterator<unknown, Value, undefined>,
  turns: Turns,
): Promise<Value> {
  for (;;) {
    if (turns.isOver()) await turns.share();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Takes steps one after the other, at once. */
export function atOnce<Value>(steps: Iterator<unknown, Value, undefined>): Value {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
