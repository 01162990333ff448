import { createHmac } from "node:crypto";
import { type IncomingMessage, request as requestOf } from "node:http";
import { networkFailure } from "../domain/network-failure.ts";
import { timeLimit } from "../runtime.ts";
import {
  type AddressGuard,
  ForbiddenAddressError,
  guardedLookup,
  literalAddress,
  publicOnly,
} from "./address-guard.ts";

/** A webhook. Everything but the format is secret. */
export interface Webhook {
  readonly url: string;
  readonly format: "json" | "ntfy";
  /** Sent as `Authorization: Bearer`; null = none. */
  readonly token: string | null;
  /** Signs each message; null = unsigned. */
  readonly secret: string | null;
}

export interface WebhookMessage {
  /** The same if the message is repeated, so that a receiver can drop the second one. */
  readonly id: string;
  readonly title: string;
  /** The message as plain text. */
  readonly text: string;
  /** As in ntfy: 1 to 5, 3 is the default. */
  readonly priority: 1 | 2 | 3 | 4 | 5;
  /** Names of emojis or words. */
  readonly tags: readonly string[];
  /** The URL opened by a click; null = none. */
  readonly click: string | null;
  /** The body, where JSON is sent. */
  readonly data: object;
}

/** Like a mail's: `deferred` may be accepted later, and may have arrived. `code`: the status, null without an answer. */
export type Posted =
  | { readonly kind: "sent"; readonly response: string }
  | { readonly kind: "rejected"; readonly code: number | null; readonly message: string }
  | { readonly kind: "deferred"; readonly code: number | null; readonly message: string };

interface WebhookSenderDeps {
  readonly allows: AddressGuard;
  /** For everything from the look-up to the answer. */
  readonly timeout: Temporal.Duration;
  readonly signal: AbortSignal;
  readonly clock: () => Temporal.Instant;
}

/**
 * Posts one message. Redirects are not followed, as message and token are for the given URL only. Never rejects because of a
 * network or a server. The result contains no URL, token or secret.
 */
export async function postMessage(
  to: { readonly webhook: Webhook; readonly message: WebhookMessage },
  { allows, timeout, signal, clock }: WebhookSenderDeps,
): Promise<Posted> {
  const url = URL.parse(to.webhook.url);
  if (!url) return refused(null, "its address cannot be read");
  const literal = literalAddress(url);
  if (literal !== null && !allows(literal)) return refused(null, forbidden);
  const milliseconds = timeout.total("milliseconds");
  const late = timeLimit(milliseconds);
  try {
    const outgoing = outgoingOf(to, { url, now: clock() });
    const response = await post(outgoing, allows, AbortSignal.any([late, signal]));
    // The body is not used, and may be endless.
    response.destroy();
    return judge(response.statusCode ?? 0);
  } catch (error) {
    if (signal.aborted) return put(null, "the request was aborted");
    if (late.aborted) return put(null, `no answer within ${milliseconds / 1000} s`);
    // The same answer for all, so that people cannot probe names in the server's network.
    if (isForbidden(error) || (allows === publicOnly && isUnknownName(error))) {
      return put(null, "no public server with this name exists");
    }
    return put(null, describe(error, url.hostname));
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

const forbidden = "its address is in a private network, which is not allowed here";

/** 408, 425 and 429 ask for a retry; other answers from 300 to 499 reject this message. */
function judge(status: number): Posted {
  if (status >= 200 && status < 300) return { kind: "sent", response: `answered ${status}` };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    return put(status, `the receiver answered ${status}`);
  }
  if (status === 401 || status === 403) {
    return refused(status, `the receiver rejects the token or the address (${status})`);
  }
  if (status === 404 || status === 410) {
    return refused(status, `the receiver has nothing at this address (${status})`);
  }
  if (status >= 300 && status < 400) {
    return refused(
      status,
      `the receiver redirects to another address (${status}), which is not followed`,
    );
  }
  return refused(status, `the receiver rejected the message (${status})`);
}

interface Outgoing {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

function outgoingOf(
  { webhook, message }: { readonly webhook: Webhook; readonly message: WebhookMessage },
  { url, now }: { readonly url: URL; readonly now: Temporal.Instant },
): Outgoing {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const login = loginOf(url, webhook.token);
  const { body, headers } = webhook.format === "ntfy" ? ntfyOf(message) : jsonOf(message);
  return {
    url: bare,
    body,
    headers: {
      ...headers,
      "content-length": `${body.byteLength}`,
      "user-agent": "Dayferry",
      ...(login !== null && { authorization: login }),
      ...signatureOf({ body, id: message.id, secret: webhook.secret, now }),
    },
  };
}

function loginOf({ username, password }: URL, token: string | null): string | null {
  if (token !== null) return `Bearer ${token}`;
  if (username === "" && password === "") return null;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

type Content = Pick<Outgoing, "headers" | "body">;

const jsonOf = ({ data }: WebhookMessage): Content => ({
  headers: { "content-type": "application/json; charset=utf-8" },
  body: Buffer.from(JSON.stringify(data)),
});

/** ntfy turns longer texts into attachments. Source: https://docs.ntfy.sh/publish/ (limitations). */
const longestText = 4000;

/** Source: https://docs.ntfy.sh/publish/ (headers; titles beyond ASCII as encoded words, RFC 2047). */
function ntfyOf({ id, title, text, priority, tags, click }: WebhookMessage): Content {
  return {
    headers: {
      "content-type": "text/plain; charset=utf-8",
      title: headerText(title),
      priority: `${priority}`,
      ...(tags.length > 0 && { tags: tags.join(",") }),
      ...(click !== null && { click: headerText(click) }),
      // A message with the same one replaces the first, if the server supports it.
      "x-sequence-id": id.replaceAll(/[^\w-]/g, "_").slice(0, 64),
    },
    body: Buffer.from(shortened(text)),
  };
}

const headerText = (text: string): string => {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\s]+/gu, " ");
  if (/^[\x20-\x7e]*$/.test(line) && !line.includes("=?")) return line;
  return `=?UTF-8?B?${Buffer.from(line).toString("base64")}?=`;
};

function shortened(text: string): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.byteLength <= longestText) return bytes.toString();
  // A truncated character is removed.
  const cut = bytes.subarray(0, longestText).toString().replace(/�+$/, "");
  return `${cut.trimEnd()} …`;
}

/** Source: https://www.standardwebhooks.com (headers `webhook-…`; secrets with `whsec_` are base64). */
function signatureOf(signed: {
  readonly body: Buffer;
  readonly id: string;
  readonly secret: string | null;
  readonly now: Temporal.Instant;
}): Readonly<Record<string, string>> {
  const { body, id, secret, now } = signed;
  const timestamp = `${Math.floor(now.epochMilliseconds / 1000)}`;
  const head = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === null) return head;
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
  return { ...head, "webhook-signature": `v1,${signature.digest("base64")}` };
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

/** Messages of network errors may contain URLs, so only host and code are given. */
function describe(error: unknown, host: string): string {
  const known = networkFailure(error, host);
  if (known) return known.problem;
  const code = error instanceof Error && "code" in error ? error.code : null;
  return `${host} cannot be reached (${typeof code === "string" ? code : "unknown error"})`;
}

function isForbidden(error: unknown): boolean {
  if (error instanceof ForbiddenAddressError) return true;
  return error instanceof Error && isForbidden(error.cause);
}
