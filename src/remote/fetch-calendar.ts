import { type IncomingMessage, request as requestOf } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { fail, ok, type Result } from "../domain/result.ts";
import { httpAgent, startTimer, timeLimit } from "../runtime.ts";
import { stored } from "../texts/stored.ts";
import {
  type AddressGuard,
  guardedLookup,
  isForbidden,
  literalAddress,
  unreachedBecause,
} from "./address-guard.ts";

/** Validators of an earlier answer, for a conditional request. */
interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface RemoteRequest {
  /** Secret: neither results nor errors contain more of it than its host. */
  readonly url: string;
  /** Null = fetch the whole calendar. */
  readonly known: Validators | null;
  readonly signal: AbortSignal;
}

/** `unchanged`: still as `known`. `failed`: nothing is known about the calendar. */
export type FetchedCalendar =
  | { readonly kind: "calendar"; readonly body: Uint8Array; readonly validators: Validators }
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "failed";
      readonly problem: string;
      /** The requested wait; null if none. */
      readonly retryAfter: Temporal.Duration | null;
    };

export interface FetchLimits {
  readonly allows: AddressGuard;
  /** For everything from the look-up to the last octet, including redirects. */
  readonly timeout: Temporal.Duration;
  /** Size limit in bytes, compressed and decompressed. */
  readonly most: number;
}

const mostRedirects = 3;
/** Outlook's server only answers browsers. */
const userAgent = "Mozilla/5.0 (compatible; Dayferry)";

/**
 * Fetches a remote calendar over http(s). Follows at most three redirects, each checked like the first URL, and never from
 * https to http. Never throws; truncated, too large or too slow answers have failed.
 */
export async function fetchCalendar(
  wanted: RemoteRequest,
  { allows, timeout, most }: FetchLimits,
): Promise<FetchedCalendar> {
  const milliseconds = timeout.total("milliseconds");
  const late = timeLimit(milliseconds);
  const done = new AbortController();
  const signal = AbortSignal.any([late, wanted.signal, done.signal]);
  const connectMs = Math.min(10_000, milliseconds);
  let host = "the server";
  const onHop = (url: URL) => {
    host = url.hostname;
  };
  try {
    return await follow(wanted, { allows, most, connectMs, signal, onHop });
  } catch (error) {
    if (late.aborted) {
      return failed(stored("problem.fetch.late", { host, seconds: milliseconds / 1000 }));
    }
    return failed(
      isForbidden(error) ? stored("problem.fetch.private") : unreachedBecause(error, host),
    );
  } finally {
    // The unread rest of a redirect, or of a calendar that is too large.
    done.abort();
  }
}

interface FetchContext {
  readonly allows: AddressGuard;
  readonly most: number;
  readonly connectMs: number;
  readonly signal: AbortSignal;
  /** Called with each URL before it is requested. */
  readonly onHop: (url: URL) => void;
}

async function follow(wanted: RemoteRequest, context: FetchContext): Promise<FetchedCalendar> {
  const start = URL.parse(wanted.url);
  if (!start) return failed(stored("problem.fetch.address"));
  let url = start;
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const literal = literalAddress(url);
    context.onHop(url);
    if (literal !== null && !context.allows(literal))
      return failed(stored("problem.fetch.private"));
    const response = await ask(url, { wanted, context, login: loginFor(start, url) });
    if (!redirects.has(response.statusCode ?? 0)) return read(response, context);
    response.destroy();
    const next = nextAddress(url, response.headers.location ?? null);
    if (!next.ok) return failed(next.failure);
    url = next.value;
  }
  return failed(stored("problem.fetch.manyRedirects", { most: mostRedirects }));
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The answer once its headers are there, on its own connection. Rejects with the network's error. */
async function ask(
  url: URL,
  about: {
    readonly wanted: RemoteRequest;
    readonly context: FetchContext;
    readonly login: string | null;
  },
): Promise<IncomingMessage> {
  const { wanted, context, login } = about;
  const { etag = null, lastModified = null } = wanted.known ?? {};
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  const request = bare.protocol === "https:" ? (await import("node:https")).request : requestOf;
  return new Promise((resolve, reject) => {
    const outgoing = request(bare, {
      agent: bare.protocol === "https:" ? false : httpAgent({}),
      lookup: guardedLookup(context.allows),
      signal: context.signal,
      headers: {
        accept: "text/calendar, */*;q=0.5",
        "accept-encoding": "gzip, deflate, br",
        "user-agent": userAgent,
        ...(etag !== null && { "if-none-match": etag }),
        ...(lastModified !== null && { "if-modified-since": lastModified }),
        ...(login !== null && { authorization: login }),
      },
    });
    const timer = startTimer(context.connectMs, () => outgoing.destroy(new SlowConnectionError()));
    outgoing.once("socket", (socket) => {
      const event = bare.protocol === "https:" ? "secureConnect" : "connect";
      socket.once(event, () => timer.cancel());
    });
    outgoing.once("close", () => timer.cancel());
    outgoing.once("response", resolve);
    // Stays registered for errors after the answer, which the body reports too.
    outgoing.on("error", reject);
    outgoing.end();
  });
}

class SlowConnectionError extends Error {
  override readonly name = "SlowConnectionError";
  readonly code = "ETIMEDOUT";
}

/** A login in the URL is only for its own server. */
function loginFor(start: URL, { origin }: URL): string | null {
  if (origin !== start.origin || (start.username === "" && start.password === "")) return null;
  const login = `${decodeURIComponent(start.username)}:${decodeURIComponent(start.password)}`;
  return `Basic ${Buffer.from(login).toString("base64")}`;
}

function nextAddress(from: URL, location: string | null): Result<URL, string> {
  const next = location === null ? null : URL.parse(location, from);
  if (!next) return fail(stored("problem.fetch.noTarget"));
  if (next.protocol !== "https:" && next.protocol !== "http:") {
    return fail(stored("problem.fetch.scheme", { scheme: JSON.stringify(next.protocol) }));
  }
  if (from.protocol === "https:" && next.protocol === "http:") {
    return fail(stored("problem.fetch.downgrade"));
  }
  return ok(next);
}

async function read(response: IncomingMessage, { most }: FetchContext): Promise<FetchedCalendar> {
  const { statusCode: status = 0, headers } = response;
  if (status !== 200) {
    response.destroy();
    if (status === 304) return { kind: "unchanged" };
    return failed(refusal(status), readSeconds(headers["retry-after"] ?? null));
  }
  const packed = await collect(response, most);
  const encoding = headers["content-encoding"] ?? "";
  const body = packed.ok ? await inflateBody(packed.value, { encoding, most }) : packed;
  if (!body.ok) return failed(body.failure);
  const validators = {
    etag: headers.etag ?? null,
    lastModified: headers["last-modified"] ?? null,
  };
  return { kind: "calendar", body: body.value, validators };
}

async function collect(
  body: AsyncIterable<Uint8Array>,
  most: number,
): Promise<Result<Uint8Array, string>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > most) return fail(stored("problem.fetch.tooLarge", { most }));
    chunks.push(chunk);
  }
  return ok(Buffer.concat(chunks));
}

function refusal(status: number): string {
  if (status === 401 || status === 403) {
    return stored("problem.fetch.denied", { status });
  }
  if (status === 404 || status === 410) {
    return stored("problem.fetch.missing", { status });
  }
  if (status === 429) return stored("problem.fetch.limited");
  return stored("problem.fetch.answered", { status });
}

function readSeconds(text: string | null): Temporal.Duration | null {
  const seconds = /^\s*(\d{1,6})\s*$/.exec(text ?? "")?.[1];
  return seconds === undefined ? null : Temporal.Duration.from({ seconds: Number(seconds) });
}

const failed = (problem: string, retryAfter: Temporal.Duration | null = null): FetchedCalendar => ({
  kind: "failed",
  problem,
  retryAfter,
});

/**
 * The decompressed content, at most `most` bytes, which stops a decompression bomb. Fails with a sentence. Source: RFC 9110
 * 8.4.1.
 */
async function inflateBody(
  body: Uint8Array,
  how: { readonly encoding: string; readonly most: number },
): Promise<Result<Uint8Array, string>> {
  const encoding = how.encoding.trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return ok(body);
  const unpack = decoders.get(encoding);
  if (!unpack)
    return fail(stored("problem.fetch.encoding", { encoding: JSON.stringify(encoding) }));
  try {
    return ok(await unpack(body, { maxOutputLength: how.most }));
  } catch (error) {
    const tooLarge =
      error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    if (tooLarge) return fail(stored("problem.fetch.tooLarge", { most: how.most }));
    return fail(stored("problem.fetch.damaged"));
  }
}

const unzip = promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(gunzip);
const decoders = new Map([
  ["gzip", unzip],
  ["x-gzip", unzip],
  ["deflate", promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(inflate)],
  ["br", promisify<Uint8Array, { readonly maxOutputLength: number }, Uint8Array>(brotliDecompress)],
]);
