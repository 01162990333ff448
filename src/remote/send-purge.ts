import { type RequestOptions, request as requestOf } from "node:http";
import { timeLimit } from "../runtime.ts";

/** A request to a cache, and its time limit. */
export interface PurgeRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeout: Temporal.Duration;
}

/**
 * Purges something from a cache. Null on success: any 2xx, and 404 or 410, by which caches say that they have no copy. Else a
 * sentence without the URL and the token. Redirects are not followed, as they would send the token elsewhere. Never rejects.
 */
export async function sendPurge(
  { url, method, headers, body, timeout }: PurgeRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const late = timeLimit(Math.ceil(timeout.total("milliseconds")));
  const options: RequestOptions = {
    method,
    headers: {
      ...(body !== null && { "Content-Length": String(Buffer.byteLength(body)) }),
      ...headers,
    },
    signal: AbortSignal.any([late, signal]),
  };
  try {
    const status = await statusOf(url, options, body);
    const isDone = (status >= 200 && status < 300) || status === 404 || status === 410;
    return isDone ? null : `the cache answers ${method} with ${status}`;
  } catch (error) {
    if (late.aborted) return `the cache did not respond within ${timeout.total("seconds")} s`;
    const code = error instanceof Error && "code" in error ? String(error.code) : "an error";
    return `the cache cannot be reached (${code})`;
  }
}

async function statusOf(
  url: string,
  options: RequestOptions,
  body: string | null,
): Promise<number> {
  const request = url.startsWith("https:") ? (await import("node:https")).request : requestOf;
  return new Promise((resolve, reject) => {
    request(url, options, (response) => {
      // Its content does not matter, and would keep the connection open.
      response.on("error", reject).on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    })
      .on("error", reject)
      .end(body ?? undefined);
  });
}
