import type { LoopOptions, Wake } from "../loop.ts";
import type { SweepProgress } from "../sync/sync.ts";

/** Clocks and randomness of this process, injected by `main`. */
export interface DaemonContext {
  readonly clock: () => Temporal.Instant;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly random: () => number;
}

/** Work that a loop repeats while the daemon serves. */
export interface LoopJob extends Partial<Pick<LoopOptions, "idle" | "wake">> {
  readonly name: string;
  readonly step: LoopOptions["step"];
}

/** Options that are known only when the daemon starts to serve. */
export interface JobOptions {
  readonly signal: AbortSignal;
  /** Called with the progress of the first sync; the log has it as well. */
  readonly onProgress?: (progress: SweepProgress) => void;
  /**
   * Called when the database is found damaged, possibly more than once; without it, the daemon goes on as it does with a
   * failing disk.
   */
  readonly onDamage?: (problem: string) => void;
  /** Wakes the job that reads the secret files again. */
  readonly wakeSecrets?: Wake;
}

/**
 * What every module of the daemon has in addition to its own parts. A read-only daemon has the same modules as a serving one,
 * but does not run their jobs.
 */
export interface DaemonModule {
  readonly jobs: (options: JobOptions) => readonly LoopJob[];
}

/** A step that always finishes its work, so that its loop pauses before the next one. */
export const idleAfter =
  (work: () => void): LoopOptions["step"] =>
  () => {
    work();
    return Promise.resolve("idle");
  };
