import { Worker } from "node:worker_threads";
import { ok, type Result } from "../domain/result.ts";
import {
  type Rendered,
  type RenderFailure,
  type RenderOptions,
  renderReport,
} from "./render-report.ts";

/** Renders reports beside the daemon's loop. */
export interface ReportThreads {
  /** Waits for its turn, then works in a thread of its own. Rejects when that thread breaks or `signal` aborts. */
  render(options: RenderOptions, signal: AbortSignal): Promise<Result<ThreadReport, RenderFailure>>;
}

/** A rendered report whose text has come over from another thread, as octets, so that nothing is copied. */
interface ThreadReport extends Omit<Rendered, "text"> {
  readonly body: Uint8Array;
}

/** Where reports are worked out: each in a thread, one after another, so that many at once cannot take all memory. */
export function createReportThreads(): ReportThreads {
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
  { now, ...options }: RenderOptions,
  signal: AbortSignal,
): Promise<Result<ThreadReport, RenderFailure>> {
  return new Promise((resolve, reject) => {
    const task: ThreadTask = { ...options, now: now.toString() };
    const worker = new Worker(new URL("./report-worker.ts", import.meta.url), { workerData: task });
    const stop = () => void worker.terminate();
    signal.addEventListener("abort", stop, { once: true });
    worker.once("message", resolve);
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

/** What a thread is given: an instant does not go over as it is. */
export type ThreadTask = Omit<RenderOptions, "now"> & { readonly now: string };

/** Works a task out inside the thread. `transfer` is handed over instead of being copied. */
export function answerTask({ now, ...options }: ThreadTask): {
  readonly message: Result<ThreadReport, RenderFailure>;
  readonly transfer: ArrayBuffer[];
} {
  const rendered = renderReport({ ...options, now: Temporal.Instant.from(now) });
  if (!rendered.ok) return { message: rendered, transfer: [] };
  const { text, ...rest } = rendered.value;
  const body = new TextEncoder().encode(text);
  return { message: ok({ ...rest, body }), transfer: [body.buffer] };
}
