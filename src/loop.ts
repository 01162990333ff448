import { type BackOff, backOff, equalJitter } from "./domain/backoff.ts";
import { nextTurn, startTimer } from "./runtime.ts";
import { defaultLanguage, inLanguage } from "./texts/say.ts";

/** A latch for one sleeper: a notification before the wait is not lost. */
export type Wake = ReturnType<typeof createWake>;

export interface LoopOptions {
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
  /** How long to sleep after a step without work; a function is called each time. */
  readonly idle: Temporal.Duration | (() => Temporal.Duration);
  readonly signal: AbortSignal;
  /** Called with each error and the number of consecutive ones, from 1. */
  readonly onFault: (error: unknown, consecutive: number) => void;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly wake?: Wake;
  /** Ends the pause after errors, once their cause is over. */
  readonly recovered?: Wake;
  /** Pauses after consecutive errors; from a second up to five minutes by default. */
  readonly afterFaults?: Omit<BackOff, "jitter">;
}

/** A loop is nobody's request, even if it was started or is awaited during one. */
const noReader = () => defaultLanguage;

const usualRests = {
  first: Temporal.Duration.from({ seconds: 1 }),
  ceiling: Temporal.Duration.from({ minutes: 5 }),
};

/**
 * Runs `step` until the signal aborts: again at once after "worked", after a sleep when "idle". An error is reported and
 * followed by a growing pause, half of it random so that several loops do not retry together. A notification by `wake` does not
 * shorten it. Resolves after the running step; never rejects.
 */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { step, idle, signal, wake = createWake(), afterFaults = usualRests } = options;
  const recovered = options.recovered ?? createWake();
  let faults = 0;
  while (!signal.aborted) {
    try {
      const outcome = await inLanguage(noReader, () => step(signal));
      faults = 0;
      if (outcome === "idle") await wake.wait(restOf(idle).total("milliseconds"), signal);
      else await nextTurn();
    } catch (error) {
      // A step that was aborted on purpose ends with an error too.
      if (signal.aborted) return;
      faults += 1;
      report(options, { error, faults });
      const rest = backOff(faults, { ...afterFaults, jitter: equalJitter(options.random()) });
      await recovered.wait(rest.total("milliseconds"), signal);
    }
  }
}

export function createWake() {
  let notified = false;
  const sleepers = new Set<() => void>();
  return {
    notify(): void {
      if (sleepers.size === 0) notified = true;
      for (const rouse of [...sleepers]) rouse();
    },
    /** Ends after `ms` milliseconds, on a notification, or when the signal aborts; never rejects. */
    wait(ms: number, signal: AbortSignal): Promise<void> {
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
    // The listener may fail too, as with a full disk under the log. The loop must survive that.
  }
}
