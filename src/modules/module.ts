import type { LoopOptions, Wake } from "../loop.ts";
import type { SweepProgress } from "../sync/sync.ts";

/** Clocks and randomness of this process, injected by `main`. */
export interface DaemonContext {
  readonly clock: () => Temporal.Instant;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly random: () => number;
}

/** A loop that runs while the daemon serves. */
export interface LoopJob extends Partial<Pick<LoopOptions, "idle" | "wake">> {
  readonly name: string;
  readonly step: LoopOptions["step"];
}

/** What jobs learn only when the daemon starts to serve. */
export interface JobOptions {
  readonly signal: AbortSignal;
  /** Called with the progress of the first sync; the log has it as well. */
  readonly onProgress?: (progress: SweepProgress) => void;
  /** Called when the database is found damaged, possibly more than once; without it the daemon goes on as on a failing disk. */
  readonly onDamage?: (problem: string) => void;
  /** Notified when somebody asks for the secret files to be read again. */
  readonly wakeSecrets?: Wake;
}

/**
 * What every module of the daemon has beside its own parts. A mode is a list of modules: a read-only daemon has those of a
 * serving one without their jobs.
 */
export interface DaemonModule {
  readonly jobs: (options: JobOptions) => readonly LoopJob[];
}

/** A step that only does something, and is repeated when its loop has rested. */
export const idleAfter =
  (work: () => void): LoopOptions["step"] =>
  () => {
    work();
    return Promise.resolve("idle");
  };
