import { Worker } from "node:worker_threads";
import type { Result } from "../domain/result.ts";
import type { RenderFailure, RenderOptions } from "./render-report.ts";
import { type AsideAnswer, readAnswer, writeTask } from "./report-task.ts";

/** Renders reports beside the daemon's loop. */
export interface ReportCrew {
  /** Waits for its turn, then works in a thread of its own. Rejects when that thread breaks or `signal` aborts. */
  render(options: RenderOptions, signal: AbortSignal): Promise<Result<AsideAnswer, RenderFailure>>;
}

/** Where reports are worked out: each in a thread, one after another, so that many at once cannot take all memory. */
export function createReportCrew(): ReportCrew {
  let last: Promise<unknown> = Promise.resolve();
  return {
    render(options, signal) {
      const turn = last.then(() => {
        signal.throwIfAborted();
        return inThread(options, signal);
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

function inThread(
  options: RenderOptions,
  signal: AbortSignal,
): Promise<Result<AsideAnswer, RenderFailure>> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./report-worker.ts", import.meta.url), {
      workerData: writeTask(options),
    });
    const stop = () => void worker.terminate();
    signal.addEventListener("abort", stop, { once: true });
    worker.once("message", (message: unknown) => resolve(readAnswer(message)));
    worker.once("error", reject);
    worker.once("exit", (code) => {
      signal.removeEventListener("abort", stop);
      reject(new ReportThreadError(code));
    });
  });
}

/** Thrown when the thread of a report ends without an answer. */
class ReportThreadError extends Error {
  override readonly name = "ReportThreadError";
  constructor(code: number) {
    super(`the thread of the report ended with ${code} and without an answer`);
  }
}
