import { type BackOff, backOff, equalJitter } from "./domain/backoff.ts";
import { nextTurn, startTimer } from "./runtime.ts";

/** A latch between one sleeper and those who have work for it: a notification before the wait is not lost. */
export interface Wake {
  notify(): void;
  /** Ends after `ms` milliseconds, on a notification, or when the signal aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export interface LoopOptions {
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
  /** How long to rest after a step that found nothing to do; a function is asked each time. */
  readonly idle: Temporal.Duration | (() => Temporal.Duration);
  readonly signal: AbortSignal;
  /** Told of each fault with the count of faults in a row, from 1. */
  readonly onFault: (error: unknown, consecutive: number) => void;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly wake?: Wake;
  /** Ends the rest after faults, when their cause is over. */
  readonly recovered?: Wake;
  /** Rests after faults in a row; from a second up to five minutes unless given. */
  readonly afterFaults?: Omit<BackOff, "jitter">;
}

const usualRests = {
  first: Temporal.Duration.from({ seconds: 1 }),
  ceiling: Temporal.Duration.from({ minutes: 5 }),
};

/**
 * Runs `step` until the signal aborts: at once again after "worked", after a rest when "idle". A fault is told and
 * followed by a longer and longer rest, half of it random so that several loops do not strike together; a notification
 * by `wake` does not shorten that rest. Resolves once the running step has ended; never rejects.
 */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { step, idle, signal, wake = createWake(), afterFaults = usualRests } = options;
  const recovered = options.recovered ?? createWake();
  let faults = 0;
  while (!signal.aborted) {
    try {
      const outcome = await step(signal);
      faults = 0;
      if (outcome === "idle") await wake.wait(restOf(idle).total("milliseconds"), signal);
      else await nextTurn();
    } catch (error) {
      // A step that was interrupted on purpose ends in an error as well.
      if (signal.aborted) return;
      faults += 1;
      report(options, { error, faults });
      const rest = backOff(faults, { ...afterFaults, jitter: equalJitter(options.random()) });
      await recovered.wait(rest.total("milliseconds"), signal);
    }
  }
}

export function createWake(): Wake {
  let notified = false;
  const sleepers = new Set<() => void>();
  return {
    notify() {
      if (sleepers.size === 0) notified = true;
      for (const rouse of [...sleepers]) rouse();
    },
    wait(ms, signal) {
      return new Promise((resolve) => {
        if (notified || signal.aborted) {
          notified = false;
          return resolve();
        }
        const timer = startTimer(ms, end);
        signal.addEventListener("abort", end, { once: true });
        sleepers.add(end);
        function end(): void {
          timer.cancel();
          signal.removeEventListener("abort", end);
          sleepers.delete(end);
          resolve();
        }
      });
    },
  };
}

const restOf = (idle: LoopOptions["idle"]): Temporal.Duration =>
  typeof idle === "function" ? idle() : idle;

function report(
  { onFault }: LoopOptions,
  fault: { readonly error: unknown; readonly faults: number },
): void {
  try {
    onFault(fault.error, fault.faults);
  } catch {
    // Whoever listens may fail too (a full disk under the log); the loop has to outlive that.
  }
}
