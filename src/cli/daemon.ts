import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { commandAgent } from "../domain/program-name.ts";
import { type ProgressLine, progressType } from "../operations/progress.ts";
import { timeLimit } from "../runtime.ts";
import type { DaemonAddress } from "./command-host.ts";
import type { OnProgress } from "./progress-lines.ts";

/** The running daemon refused or could not be reached. */
export class DaemonError extends Error {
  override readonly name = "DaemonError";
}

interface DaemonRequest {
  readonly method: string;
  readonly path: string;
  /** Time limit; half a minute by default. */
  readonly withinMs?: number;
  /** Called with the daemon's progress. */
  readonly onSent?: OnProgress;
  readonly body?: { readonly type: string; readonly content: Uint8Array<ArrayBuffer> | string };
}

const patienceMs = 30_000;

/** Reports progress line by line, and returns the answer of the last line. */
async function lastOf(
  body: AsyncIterable<Uint8Array>,
  onSent: OnProgress,
): Promise<{ readonly status: number; readonly body: unknown }> {
  let last: ProgressLine = {};
  for await (const line of createInterface({ input: Readable.from(body) })) {
    const read: ProgressLine = JSON.parse(line);
    if (read.done !== undefined && read.total !== undefined) onSent(read.done, read.total);
    last = read;
  }
  const { status, body: answer = null } = last;
  if (status === undefined) throw new TypeError("the answer has no end");
  return { status, body: answer };
}

/**
 * One request to the running daemon's API. Returns status and JSON (null for an empty body). Throws `DaemonError` if the daemon
 * cannot be reached, refuses the token, or sends an unexpected answer.
 */
export async function askDaemon(
  { url, adminToken }: DaemonAddress,
  { method, path, body, withinMs = patienceMs, onSent }: DaemonRequest,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = {
    authorization: `Bearer ${adminToken}`,
    "user-agent": commandAgent,
    ...(body && { "content-type": body.type }),
    ...(onSent && { accept: progressType }),
  };
  const signal = timeLimit(withinMs);
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(`${url}${path}`, { method, headers, signal, body: body?.content ?? null });
    const lines = answer.headers.get("content-type")?.startsWith(progressType);
    if (lines && onSent && answer.body) return await lastOf(answer.body, onSent);
    text = await answer.text();
  } catch (error) {
    throw new DaemonError(`the daemon at ${url} does not respond`, { cause: error });
  }
  if (answer.status === 401) throw new DaemonError(`the daemon at ${url} rejects the admin token`);
  // 502: the daemon is fine, and reports an error of the service.
  if (answer.status >= 500 && answer.status !== 502)
    throw new DaemonError(`the daemon failed with status ${answer.status}: ${text.slice(0, 300)}`);
  try {
    return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
  } catch (error) {
    throw new DaemonError(`the daemon at ${url} sent a response that is not JSON`, {
      cause: error,
    });
  }
}
