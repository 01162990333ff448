import { createHash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { readHttpDate } from "@dayferry/http-values";
import { fail, ok, type Result, unreachable } from "../domain/result.ts";
import type { Failure } from "./failure.ts";

/**
 * The result of one HTTP request. `answer`: status and headers arrived; `body` is null with the reason in `damage` if it could
 * not be read. `broken`: no complete answer; `sent` is false only if certainly nothing reached the service.
 */
export type RawAnswer =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: ReplyHeaders;
      readonly body: string | null;
      readonly damage: string;
      /** The unparsed body of a good answer, if requested; `body` is null then. */
      readonly unread?: RawBody;
    }
  | { readonly kind: "broken"; readonly sent: boolean; readonly message: string }
  | { readonly kind: "aborted"; readonly sent: boolean };

interface ReplyHeaders {
  readonly retryAfter: string | null;
  readonly date: string | null;
  readonly location: string | null;
  /** Its Content-Type. */
  readonly type: string | null;
}

/**
 * The JSON value of a body, whatever its Content-Type says. Fails with a sentence that distinguishes an HTML page, an empty
 * body, and truncated or invalid JSON.
 */
export function parseAnswerJson(body: string): Result<unknown, string> {
  const text = body.trim();
  if (text === "") return fail("the body is empty");
  if (text.startsWith("<")) return fail(`received an HTML page instead of JSON: ${plain(text)}`);
  try {
    return ok(JSON.parse(text));
  } catch {
    return fail(`no complete JSON in ${text.length} characters: ${plain(text.slice(0, 200))}`);
  }
}

/** The `{code, message}` that the service may send with status 200; null for an ordinary value. */
export function refusalIn(
  value: unknown,
): { readonly code: number; readonly message: string } | null {
  if (typeof value !== "object" || value === null || "id" in value) return null;
  if (!("code" in value) || !("message" in value)) return null;
  const { code, message } = value;
  const number = typeof code === "string" && /^\d{1,9}$/.test(code) ? Number(code) : code;
  if (typeof number !== "number") return null;
  return { code: number, message: typeof message === "string" ? plain(message) : "no message" };
}

/** The message of an error body, for people: its JSON message, else its text without markup, else the status in words. */
function messageOf(status: number, body: string | null): string {
  const said = body === null ? "" : (jsonMessage(body) ?? plain(body));
  return said === "" ? (STATUS_CODES[status] ?? `status ${status}`) : said;
}

function jsonMessage(body: string): string | null {
  const parsed = parseAnswerJson(body);
  return parsed.ok ? messageIn(parsed.value, 3) : null;
}

function messageIn(value: unknown, depth: number): string | null {
  if (typeof value === "string") return plain(value);
  if (typeof value !== "object" || value === null || depth === 0) return null;
  const parts: readonly unknown[] = Array.isArray(value)
    ? value
    : ["message", "error", "errors", "detail", "title"].map((name) =>
        new Map<string, unknown>(Object.entries(value)).get(name),
      );
  const texts = parts.map((part) => messageIn(part, depth - 1)).filter((text) => text);
  if (texts.length === 0) return null;
  return Array.isArray(value) ? plain(texts.join("; ")) : (texts[0] ?? null);
}

/** Text without markup and control characters, on one line, at most 300 characters. */
function plain(text: string): string {
  const bare = text
    .slice(0, 20_000)
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return bare.length > 300 ? `${bare.slice(0, 299)}…` : bare;
}

/** A body as received: neither decompressed nor decoded. `encoding` is its Content-Encoding. */
export interface RawBody {
  /** Its octets, in the received pieces. */
  readonly pieces: readonly Uint8Array[];
  readonly encoding: string | null;
}

/** Equal digests mean equal octets. */
export function digestOf({ pieces, encoding }: RawBody): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return `${encoding ?? ""} ${hash.digest("base64")}`;
}

/** The largest answer in octets, before and after decompression. */
const mostOctets = 50_000_000;

const inflaters: Readonly<Record<string, (octets: Uint8Array) => Promise<Uint8Array>>> = {
  gzip: (octets) => promisify(zlib.gunzip)(octets, { maxOutputLength: mostOctets }),
  "x-gzip": (octets) => promisify(zlib.gunzip)(octets, { maxOutputLength: mostOctets }),
  deflate: inflateEither,
  br: (octets) => promisify(zlib.brotliDecompress)(octets, { maxOutputLength: mostOctets }),
};

/** The whole body of an answer. Fails with a sentence if it is too long; throws errors of the stream (reset, abort). */
export async function receiveBody(
  stream: AsyncIterable<Uint8Array>,
  encoding: string | null,
): Promise<Result<RawBody, string>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.byteLength;
    if (size > mostOctets) return fail(`the response is longer than ${mostOctets} octets`);
    pieces.push(piece);
  }
  return ok({ pieces, encoding });
}

/**
 * The text of a body, decompressed. Fails with a sentence if it is damaged, has an unknown encoding, is too long once
 * decompressed, or is not UTF-8.
 */
export async function bodyTextOf(body: RawBody): Promise<Result<string, string>> {
  const inflated = await inflate(body);
  return inflated.ok ? decode(inflated.value) : inflated;
}

/** The decompressed octets of a body; fails like `bodyTextOf`. */
export async function inflate({ pieces, encoding }: RawBody): Promise<Result<Uint8Array, string>> {
  const octets = Buffer.concat(pieces);
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity" || octets.byteLength === 0) return ok(octets);
  const inflater = inflaters[name];
  if (!inflater) return fail(`the content encoding "${name}" was not asked for`);
  try {
    return ok(await inflater(octets));
  } catch (error) {
    if (error instanceof RangeError)
      return fail(`the decompressed response is longer than ${mostOctets} octets`);
    return fail(`the ${name} body is damaged`);
  }
}

// Servers send "deflate" both with the zlib wrapper of RFC 9110 8.4.1.2 and without it.
async function inflateEither(octets: Uint8Array): Promise<Uint8Array> {
  const wrapped = ((octets[0] ?? 0) & 0x0f) === 8;
  const inflater = wrapped ? promisify(zlib.inflate) : promisify(zlib.inflateRaw);
  return inflater(octets, { maxOutputLength: mostOctets });
}

/** Octets as text; fails if they are not UTF-8. */
export function decode(octets: Uint8Array): Result<string, string> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true }).decode(octets));
  } catch {
    return fail("the response is not UTF-8");
  }
}

/**
 * What is known about the request of a reply. `repeatable`: repeating it does no harm. `lost`: an earlier try may have been
 * carried out without a good answer. `gone`: what a 404 means then: `done` for a deletion, `unknown` for a move, whose old path
 * answers 404 once it has worked.
 */
export interface ReplyContext {
  readonly request: string;
  readonly repeatable: boolean;
  readonly lost: boolean;
  readonly gone: "refused" | "done" | "unknown";
  readonly now: Temporal.Instant;
}

/** The body of a good answer: its text, why there is none, or the unparsed body if requested. */
export type GoodBody = Pick<
  Extract<RawAnswer, { readonly kind: "answer" }>,
  "body" | "damage" | "unread"
>;

/** `retry`: another try may help; `lost` says whether this one may have been carried out. */
export type Verdict =
  | ({ readonly kind: "good" } & GoodBody)
  | { readonly kind: "ended"; readonly failure: Failure }
  | { readonly kind: "limited"; readonly retryAfterMs: number | null }
  | {
      readonly kind: "retry";
      readonly status: number | null;
      readonly message: string;
      readonly retryAfterMs: number | null;
      readonly lost: boolean;
    };

/** True if a reply leaves open whether the request was or will be carried out. */
export function isUnanswered(reply: RawAnswer): boolean {
  if (reply.kind !== "answer") return reply.sent;
  return isFault(reply.status);
}

/**
 * True if the service itself reports a failure. A gateway (502, 504) or a timeout (408) only says that nothing was received.
 */
export const hasFailed = (reply: RawAnswer): boolean =>
  reply.kind === "answer" && isFault(reply.status) && ![408, 502, 504].includes(reply.status);

export const isGood = (status: number): boolean => status >= 200 && status < 300;

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/**
 * True if the answer comes from something in between, such as a hotel's login page: the service never redirects, and answers in
 * JSON. It says nothing about the request.
 */
export const isForeign = ({ status, headers }: Extract<RawAnswer, { kind: "answer" }>): boolean =>
  isRedirect(status) || (isGood(status) && /^\s*text\/html\b/i.test(headers.type ?? ""));

const isFault = (status: number): boolean => status >= 500 || status === 408;

/** Interprets one reply to its request. */
export function judge(reply: RawAnswer, context: ReplyContext): Verdict {
  const { request, repeatable } = context;
  switch (reply.kind) {
    case "aborted":
      return reply.sent && !repeatable
        ? unknown(context, "canceled while the request was in progress")
        : ended({ kind: "aborted", request });
    case "broken": {
      const { message, sent } = reply;
      if (sent && !repeatable) return unknown(context, message);
      return { kind: "retry", status: null, message, retryAfterMs: null, lost: sent };
    }
    case "answer":
      return judgeAnswer(reply, context);
    default:
      return unreachable(reply);
  }
}

function judgeAnswer(
  reply: Extract<RawAnswer, { kind: "answer" }>,
  context: ReplyContext,
): Verdict {
  const { status, body, damage, unread } = reply;
  const { request } = context;
  if (isGood(status)) return { kind: "good", body, damage, ...(unread && { unread }) };

  const retryAfterMs = readRetryAfter(reply.headers, context.now);
  if (status === 429) return { kind: "limited", retryAfterMs };

  const message = messageOf(status, body);
  if (isFault(status)) {
    if (!context.repeatable) return unknown(context, `${message} (${status})`);
    return { kind: "retry", status, message, retryAfterMs, lost: true };
  }
  if ((status === 404 || status === 410) && context.lost) {
    if (context.gone === "done") return { kind: "good", body: null, damage: "" };
    if (context.gone === "unknown") return unknown(context, `${message} (${status})`);
  }
  if (isRedirect(status)) {
    const message = redirectMessage(reply.headers);
    if (!context.repeatable) return unknown(context, message);
    return ended({ kind: "unavailable", status, request, message, retryAfter: null });
  }
  return ended({ kind: "refused", status, message, request });
}

const ended = (failure: Failure): Verdict => ({ kind: "ended", failure });

const unknown = ({ request }: ReplyContext, message: string): Verdict =>
  ended({ kind: "unknown-outcome", message, request });

// Gives only host and path of the target, as its query may hold a one-time secret.
function redirectMessage({ location }: { readonly location: string | null }): string {
  const target = location === null ? null : URL.parse(location, "https://same-host.invalid");
  if (!target) return "the address redirects without a target; check service.baseUrl";
  const host = target.hostname === "same-host.invalid" ? "" : target.origin;
  return `the address redirects to ${host}${target.pathname}, which is not followed: check service.baseUrl, or whether the network needs a login first`;
}

const longestMs = 3_600_000;

/**
 * The wait in a `Retry-After` header, in milliseconds: whole or decimal seconds, or an HTTP date, relative to the answer's own
 * `Date` if given. At most one hour, so that an absurd value cannot stop the daemon. Null if absent or unreadable. Source: RFC
 * 9110, 10.2.3.
 */
export function readRetryAfter(
  headers: { readonly retryAfter: string | null; readonly date: string | null },
  now: Temporal.Instant,
): number | null {
  const text = headers.retryAfter?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, longestMs);
  const until = readHttpDate(text);
  if (!until) return null;
  const from = readHttpDate(headers.date ?? "") ?? now;
  return Math.min(Math.max(until.epochMilliseconds - from.epochMilliseconds, 0), longestMs);
}
