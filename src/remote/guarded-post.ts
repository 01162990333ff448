import { type IncomingMessage, request as requestOf } from "node:http";
import { timeLimit } from "../runtime.ts";
import { stored } from "../texts/stored.ts";
import {
  type AddressGuard,
  guardedLookup,
  isForbidden,
  literalAddress,
  publicOnly,
  unreachedBecause,
} from "./address-guard.ts";

/** Like a mail's: `deferred` may be accepted later, and may have arrived. `code`: the status, null without an answer. */
export type Posted =
  | { readonly kind: "sent"; readonly response: string }
  | { readonly kind: "rejected"; readonly code: number | null; readonly message: string }
  | { readonly kind: "deferred"; readonly code: number | null; readonly message: string };

export interface PostDeps {
  readonly allows: AddressGuard;
  /** For everything from the look-up to the answer. */
  readonly timeout: Temporal.Duration;
  readonly signal: AbortSignal;
}

/** A request to a server that a person has named. */
export interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Posts one message. Redirects are not followed, as message and credentials are for the given URL only. Never rejects because of
 * a network or a server. The result contains no URL, token or secret.
 */
export async function guardedPost(
  outgoing: Outgoing,
  { allows, timeout, signal }: PostDeps,
): Promise<Posted> {
  const { url } = outgoing;
  const literal = literalAddress(url);
  if (literal !== null && !allows(literal)) return refused(null, stored("problem.post.private"));
  const milliseconds = timeout.total("milliseconds");
  const late = timeLimit(milliseconds);
  try {
    const response = await post(outgoing, allows, AbortSignal.any([late, signal]));
    // The body is not used, and may be endless.
    response.destroy();
    return judge(response.statusCode ?? 0);
  } catch (error) {
    if (signal.aborted) return put(null, stored("problem.post.aborted"));
    if (late.aborted) {
      return put(null, stored("problem.post.late", { seconds: milliseconds / 1000 }));
    }
    // The same answer for all, so that people cannot probe names in the server's network.
    if (isForbidden(error) || (allows === publicOnly && isUnknownName(error))) {
      return put(null, stored("problem.post.noServer"));
    }
    return put(null, unreachedBecause(error, url.hostname));
  }
}

const refused = (code: number | null, message: string): Posted => ({
  kind: "rejected",
  code,
  message,
});
const put = (code: number | null, message: string): Posted => ({ kind: "deferred", code, message });

const isUnknownName = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  ["EAI_AGAIN", "EAI_NODATA", "ENODATA", "ENOTFOUND"].includes(String(error.code));

/** 408, 425 and 429 ask for a retry; other answers from 300 to 499 reject this message. */
function judge(status: number): Posted {
  if (status >= 200 && status < 300) return { kind: "sent", response: `answered ${status}` };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    return put(status, stored("problem.post.answered", { status }));
  }
  if (status === 401 || status === 403) {
    return refused(status, stored("problem.post.denied", { status }));
  }
  if (status === 404 || status === 410) {
    return refused(status, stored("problem.post.missing", { status }));
  }
  if (status >= 300 && status < 400) {
    return refused(status, stored("problem.post.redirects", { status }));
  }
  return refused(status, stored("problem.post.rejected", { status }));
}

/** The answer once its headers are there, on its own connection. Rejects with the network's error. */
async function post(
  { url, headers, body }: Outgoing,
  allows: AddressGuard,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? (await import("node:https")).request : requestOf;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: "POST",
      agent: false,
      lookup: guardedLookup(allows),
      signal,
      headers,
    });
    outgoing.once("response", resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
