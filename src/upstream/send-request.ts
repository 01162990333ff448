import { Agent, type FormData, request as requestOf } from "undici";
import { backOff, fullJitter } from "../domain/backoff.ts";
import type { PersonId } from "../domain/ids.ts";
import { fail, ok, type Result, unreachable } from "../domain/result.ts";
import type { Failure } from "./failure.ts";
import { type Gate, type Priority, patienceMs, type Ticket, type Turn } from "./gate.ts";
import {
  type GoodBody,
  isGood,
  isUnanswered,
  judge,
  type Reply,
  type ReplyContext,
  receiveBody,
  textOf,
  type Verdict,
} from "./response.ts";

/**
 * On whose behalf and how urgently a method is called. `person`: whose key to use, when one is configured. `onUnanswered`: told
 * of each try of a write that has left and got no usable answer (none in time, a cut connection, an error of the service,
 * an unreadable body), with the time since it left: it may be carried out later, also when another try is answered.
 */
export interface Call {
  readonly priority: Priority;
  readonly person?: PersonId | null;
  readonly signal?: AbortSignal;
  readonly onUnanswered?: (waited: Temporal.Duration) => void;
}

/** What happens on the way to the service, for log and metrics. Never holds a key, a body or a query. */
export type UpstreamEvent =
  | {
      readonly kind: "answered";
      readonly request: string;
      readonly status: number;
      readonly attempt: number;
      readonly took: Temporal.Duration;
    }
  | {
      readonly kind: "broken";
      readonly request: string;
      readonly attempt: number;
      readonly took: Temporal.Duration;
      readonly message: string;
    }
  | {
      readonly kind: "retrying";
      readonly request: string;
      readonly attempt: number;
      readonly after: Temporal.Duration;
      readonly message: string;
    }
  | {
      readonly kind: "rate-limited";
      readonly request: string;
      readonly pause: Temporal.Duration;
      readonly share: number;
    }
  /** The service answers again after it had failed as a whole, or takes writes again. */
  | { readonly kind: "back" }
  /** What the next process should know of the quota could not be kept; requests go on. */
  | { readonly kind: "history-unkept"; readonly error: unknown };

/** A request that may be tried several times; `send` makes one try. */
interface Delivery extends Pick<ReplyContext, "request" | "repeatable" | "gone"> {
  readonly send: () => Promise<Reply>;
  readonly isWrite: boolean;
  readonly priority: Call["priority"];
  readonly signal: AbortSignal;
  /** Of a write; none of a request that only reads. */
  readonly onUnanswered: Call["onUnanswered"];
}

export interface DeliverDeps {
  readonly gate: Gate;
  readonly clock: () => Temporal.Instant;
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly outage: Outage;
  readonly onEvent: (event: UpstreamEvent) => void;
}

const mostTries = 4;
const mostLimits = 12;
const betweenTries = {
  first: Temporal.Duration.from({ milliseconds: 500 }),
  ceiling: Temporal.Duration.from({ seconds: 8 }),
};
const longestWaitMs = 30_000;

/** A good answer. `took`: the time of the try that got it. */
export interface Delivered extends GoodBody {
  readonly took: Temporal.Duration;
}

/**
 * Brings one request to the service: each try passes the gate; a broken or failing one is repeated up to four times in
 * all, with exponential back-off and full jitter, where that cannot do harm; a 429 waits for the gate and does not
 * count as a failure for up to two minutes.
 */
export async function deliver(
  delivery: Delivery,
  deps: DeliverDeps,
): Promise<Result<Delivered, Failure>> {
  const { request, signal, priority } = delivery;
  const begunMs = deps.monotonic();
  let rank: Ticket["rank"] = "first";
  let attempt = 0;
  let failures = 0;
  let limits = 0;
  let lost = false;

  for (;;) {
    attempt += 1;
    const current: Current = { attempt, lost, deps };
    const turn: Turn<Tried> = await deps.gate.run({ priority, rank, signal }, () =>
      tryOnce(delivery, current),
    );
    if (turn.kind === "aborted") return fail({ kind: "aborted", request });
    if (turn.kind === "paused") {
      return fail({ kind: "rate-limited", retryAfter: turn.rest, request });
    }
    const { verdict, restMs, took } = turn.value;
    switch (verdict.kind) {
      case "good": {
        const { kind: _, ...body } = verdict;
        return ok({ ...body, took });
      }
      case "ended":
        return fail(verdict.failure);
      case "limited": {
        limits += 1;
        const waitedMs = deps.monotonic() - begunMs;
        if (limits >= mostLimits || waitedMs + restMs > patienceMs) {
          return fail({ kind: "rate-limited", retryAfter: milliseconds(restMs), request });
        }
        rank = "limited";
        break;
      }
      case "retry": {
        failures += 1;
        lost ||= verdict.lost;
        const waitMs = waitBefore(failures, { verdict, random: deps.random });
        if (failures >= mostTries || waitMs > longestWaitMs) {
          return fail(unavailable(request, verdict));
        }
        const after = milliseconds(waitMs);
        deps.onEvent({ kind: "retrying", request, attempt, after, message: verdict.message });
        if (!(await slept(waitMs, signal))) return fail({ kind: "aborted", request });
        rank = "retry";
        break;
      }
      default:
        return unreachable(verdict);
    }
  }
}

interface Current {
  readonly attempt: number;
  readonly lost: boolean;
  readonly deps: DeliverDeps;
}

interface Tried {
  readonly verdict: Verdict;
  /** How long the gate rests after a 429; 0 else. */
  readonly restMs: number;
  readonly took: Temporal.Duration;
}

async function tryOnce(delivery: Delivery, { attempt, lost, deps }: Current): Promise<Tried> {
  const { request } = delivery;
  const startMs = deps.monotonic();
  const reply = await delivery.send();
  const took = milliseconds(deps.monotonic() - startMs);
  if (reply.kind === "answer") {
    deps.onEvent({ kind: "answered", request, status: reply.status, attempt, took });
  } else {
    const message = reply.kind === "broken" ? reply.message : "given up";
    deps.onEvent({ kind: "broken", request, attempt, took, message });
  }

  if (isUnanswered(reply)) delivery.onUnanswered?.(took);
  const verdict = judge(reply, { ...delivery, lost, now: deps.clock() });
  if (reply.kind !== "aborted") {
    const { isWrite } = delivery;
    deps.outage.note({ request, isWrite, isFailing: isFailing(reply) });
  }
  if (verdict.kind !== "limited") return { verdict, restMs: 0, took };
  const { restMs, share } = deps.gate.rest(verdict.retryAfterMs);
  deps.onEvent({ kind: "rate-limited", request, pause: milliseconds(restMs), share });
  return { verdict, restMs, took };
}

/** Whether the reply is no word of the service about the request. */
const isFailing = (reply: Reply): boolean =>
  reply.kind !== "answer" || reply.status >= 500 || reply.status === 429 || reply.status === 408;

function waitBefore(
  failures: number,
  {
    verdict,
    random,
  }: { readonly verdict: { readonly retryAfterMs: number | null }; readonly random: () => number },
): number {
  const pause = backOff(failures, { ...betweenTries, jitter: fullJitter(random()) });
  return Math.max(pause.total("milliseconds"), verdict.retryAfterMs ?? 0);
}

function unavailable(
  request: string,
  verdict: Extract<Verdict, { readonly kind: "retry" }>,
): Failure {
  const { status, message, retryAfterMs } = verdict;
  const retryAfter = retryAfterMs === null ? null : milliseconds(retryAfterMs);
  return { kind: "unavailable", status, message, request, retryAfter };
}

/** Whether the time went by; false when the signal ended it. */
function slept(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", wake);
      resolve(true);
    }, ms);
    signal.addEventListener("abort", wake, { once: true });
  });
}

const milliseconds = (ms: number): Temporal.Duration =>
  Temporal.Duration.from({ milliseconds: Math.ceil(ms) });

/** One HTTP request as it goes out; `body` is the text, or a form that is sent as multipart/form-data. */
export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
  readonly signal: AbortSignal | null;
  /** Whether the body of a good answer is wanted as it comes. */
  readonly isUnread?: boolean;
}

/** Sends requests over kept connections. Redirects are not followed; every end is a `Reply`, nothing is thrown. */
export class Transport {
  readonly #timeoutMs: number;
  readonly #kept: Agent;
  /** A POST must not be lost on a kept connection that the service is just closing: it gets one of its own. */
  readonly #single: Agent;

  constructor({ timeout, connections }: { timeout: Temporal.Duration; connections: number }) {
    this.#timeoutMs = timeout.total("milliseconds");
    const connect = { timeout: Math.min(this.#timeoutMs, 10_000) };
    const common = { connect, connections, headersTimeout: 0, bodyTimeout: 0 };
    this.#kept = new Agent(common);
    this.#single = new Agent({ ...common, pipelining: 0 });
  }

  /** One exchange; the time-out covers everything from connecting to the last octet. */
  async exchange(exchange: Exchange): Promise<Reply> {
    if (exchange.signal?.aborted) return { kind: "aborted", sent: false };
    const stop = new AbortController();
    const abort = () => stop.abort(new StoppedError("aborted"));
    exchange.signal?.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => stop.abort(new StoppedError("timeout")), this.#timeoutMs);
    try {
      return await this.#send(exchange, stop.signal);
    } catch (error) {
      return this.#replyTo(error, stop.signal);
    } finally {
      clearTimeout(timer);
      exchange.signal?.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#kept.destroy(), this.#single.destroy()]);
  }

  async #send(exchange: Exchange, signal: AbortSignal): Promise<Reply> {
    const { method, url, body } = exchange;
    const response = await requestOf(url, {
      dispatcher: method === "POST" ? this.#single : this.#kept,
      method,
      headers: { ...exchange.headers, "accept-encoding": "gzip, deflate, br" },
      body,
      signal,
    });
    const { headers, statusCode: status } = response;
    const received = await receiveBody(response.body, first(headers["content-encoding"]));
    const replyHeaders = {
      retryAfter: first(headers["retry-after"]),
      date: first(headers["date"]),
      location: first(headers["location"]),
    };
    if (received.ok && exchange.isUnread && isGood(status)) {
      const unread = received.value;
      return { kind: "answer", status, headers: replyHeaders, body: null, damage: "", unread };
    }
    const read = received.ok ? await textOf(received.value) : received;
    return read.ok
      ? { kind: "answer", status, headers: replyHeaders, body: read.value, damage: "" }
      : { kind: "answer", status, headers: replyHeaders, body: null, damage: read.failure };
  }

  #replyTo(error: unknown, signal: AbortSignal): Reply {
    const reason: unknown = signal.reason;
    if (reason instanceof StoppedError && reason.why === "aborted") {
      return { kind: "aborted", sent: true };
    }
    if (reason instanceof StoppedError) {
      const message = `no complete answer within ${this.#timeoutMs / 1000} s`;
      return { kind: "broken", sent: true, message };
    }
    return { kind: "broken", sent: !neverLeft(error), message: describe(error) };
  }
}

/** The reason that this module gives to its own abort signals. */
class StoppedError extends Error {
  override readonly name = "StoppedError";
  readonly why: "aborted" | "timeout";
  constructor(why: "aborted" | "timeout") {
    super(why);
    this.why = why;
  }
}

const unsentCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
]);

function neverLeft(error: unknown): boolean {
  const code = codeOf(error);
  if (unsentCodes.has(code) || /^ERR_TLS_|CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return true;
  return error instanceof Error && "syscall" in error && error.syscall === "connect";
}

function describe(error: unknown): string {
  const code = codeOf(error);
  const message = error instanceof Error && error.message !== "" ? error.message : "no connection";
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

const first = (header: string | readonly string[] | undefined): string | null =>
  typeof header === "string" ? header : (header?.[0] ?? null);

/** How one try of a request ended, as far as it tells about the service as a whole. */
export interface TryEnding {
  readonly request: string;
  readonly isWrite: boolean;
  /** 5xx, 429, or no answer; anything else is an answer. */
  readonly isFailing: boolean;
}

/** Failing tries in a row, of reads or of writes. */
interface Streak {
  readonly sinceMs: number;
  readonly requests: ReadonlySet<string>;
}

/** One request that fails by itself for so long, while nothing else is asked, is taken for an outage too. */
const longMs = 3000;

/**
 * Whether the service fails as a whole, and whether it is back: what waits for it need not wait until its own time has come.
 * Reads fail as a whole when different ones do with no answer in between. A service may take no writes and answer reads: of
 * writes, which are rare, one failure counts until the next one is answered.
 */
export class Outage {
  readonly #monotonic: () => number;
  readonly #onEnd: () => void;
  #reads: Streak | null = null;
  #writes: Streak | null = null;

  constructor(monotonic: () => number, onEnd: () => void) {
    this.#monotonic = monotonic;
    this.#onEnd = onEnd;
  }

  note({ request, isWrite, isFailing }: TryEnding): void {
    const streak = isWrite ? this.#writes : this.#reads;
    if (isFailing) {
      const sinceMs = streak?.sinceMs ?? this.#monotonic();
      this.#set(isWrite, { sinceMs, requests: new Set([...(streak?.requests ?? []), request]) });
      return;
    }
    const isOver = streak !== null && (isWrite || this.#isWhole(streak));
    this.#set(isWrite, null);
    if (isOver) this.#onEnd();
  }

  /** Whether reads fail as a whole, as far as the last answers tell. */
  get isOut(): boolean {
    return this.#reads !== null && this.#isWhole(this.#reads);
  }

  #isWhole({ sinceMs, requests }: Streak): boolean {
    return requests.size > 1 || this.#monotonic() - sinceMs >= longMs;
  }

  #set(isWrite: boolean, streak: Streak | null): void {
    if (isWrite) this.#writes = streak;
    else this.#reads = streak;
  }
}
