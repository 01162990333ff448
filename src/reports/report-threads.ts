import { Worker } from "node:worker_threads";
import { fail, ok, type Result } from "../domain/result.ts";
import { isFormat } from "./formats/format.ts";
import type { Rendered, RenderFailure, RenderOptions } from "./render-report.ts";

/** Renders reports beside the daemon's loop. */
export interface ReportThreads {
  /** Waits for its turn, then works in a thread of its own. Rejects when that thread breaks or `signal` aborts. */
  render(options: RenderOptions, signal: AbortSignal): Promise<Result<AsideAnswer, RenderFailure>>;
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

/** A rendered report whose text has come over from another thread, as octets, so that nothing is copied. */
interface AsideAnswer extends Omit<Rendered, "text" | "notes"> {
  readonly body: Uint8Array;
}

/** A task as threads hand it over: plain values only. */
const writeTask = ({ now, ...rest }: RenderOptions): unknown => ({
  ...rest,
  now: now.toString(),
});

export function readTask(data: unknown): RenderOptions {
  const member = membersOf(data);
  const wish = membersOf(member("wish"));
  const said = (name: string) => {
    const value = wish(name);
    return typeof value === "string" ? value : null;
  };
  const format = String(member("format"));
  if (!isFormat(format)) throw new Error(`"${format}" is no format`);
  const limit = wish("limit");
  return {
    file: String(member("file")),
    zone: String(member("zone")),
    now: Temporal.Instant.from(String(member("now"))),
    format,
    wish: {
      name: String(wish("name")),
      project: said("project"),
      person: said("person"),
      label: said("label"),
      from: said("from"),
      to: said("to"),
      since: said("since"),
      asOf: said("asOf"),
      limit: typeof limit === "number" ? limit : null,
    },
  };
}

export function writeAnswer(answer: Result<Rendered, RenderFailure>): {
  readonly message: unknown;
  readonly transfer: ArrayBuffer[];
} {
  if (!answer.ok) return { message: answer.failure, transfer: [] };
  const { text, ...rest } = answer.value;
  const body = new TextEncoder().encode(text);
  return { message: { ...rest, body }, transfer: [body.buffer] };
}

function readAnswer(message: unknown): Result<AsideAnswer, RenderFailure> {
  const member = membersOf(message);
  const [kind, body] = [member("kind"), member("body")];
  if (kind === "unknown" || kind === "usage" || kind === "unreadable") {
    return fail({ kind, message: String(member("message")) });
  }
  return ok({
    body: body instanceof Uint8Array ? body : new Uint8Array(),
    mediaType: String(member("mediaType")),
    fileName: String(member("fileName")),
    freshness: String(member("freshness")),
  });
}

function membersOf(value: unknown): (name: string) => unknown {
  const members = new Map<string, unknown>(Object.entries(Object(value)));
  return (name) => members.get(name);
}
