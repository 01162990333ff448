import { backOff, fullJitter } from "../domain/backoff.ts";
import type { NoAnswer } from "../domain/edit.ts";
import type { PersonId } from "../domain/ids.ts";
import { fail, ok, type Result, unreachable } from "../domain/result.ts";
import { sleep } from "../runtime.ts";
import type { Failure } from "./failure.ts";
import { type Gate, type Priority, patienceMs, type Ticket, type Turn } from "./gate.ts";
import { afterReadMs } from "./quota.ts";
import {
  type GoodBody,
  hasFailed,
  isForeign,
  isUnanswered,
  judge,
  type RawAnswer,
  type ReplyContext,
  type Verdict,
} from "./response.ts";
import type { OnSent } from "./transport.ts";

/**
 * On whose behalf and with which priority a method is called. `person`: whose key to use, if configured. `onUnanswered`: called
 * for each try of a write that was sent and got no usable answer (timeout, cut connection, an error of the service, an
 * unreadable body). It may be carried out later, even if another try is answered.
 */
export interface Call {
  readonly priority: Priority;
  readonly person?: PersonId | null;
  readonly signal?: AbortSignal;
  readonly onUnanswered?: (how: NoAnswer) => void;
  /** Called while a file is sent. */
  readonly onSent?: OnSent;
}

/** Events of requests, for log and metrics. Never with a key, a body or a query. */
export type UpstreamEvent =
  | TryEvent<"answered", { status: number; took: Temporal.Duration }>
  | TryEvent<"broken", { message: string; took: Temporal.Duration }>
  | TryEvent<"retrying", { message: string; after: Temporal.Duration }>
  | {
      readonly kind: "rate-limited";
      readonly request: string;
      readonly pause: Temporal.Duration;
      readonly share: number;
    }
  /** The service answers again after being down, or accepts writes again. */
  | { readonly kind: "back" }
  /** The quota's history could not be stored; requests continue. */
  | { readonly kind: "history-unkept"; readonly error: unknown };

/** An event of one try of a request. */
type TryEvent<Kind extends string, Facts> = {
  readonly kind: Kind;
  readonly request: string;
  readonly attempt: number;
} & Readonly<Facts>;

/** A request that may be tried several times; `send` makes one try. */
interface Delivery extends Pick<ReplyContext, "request" | "repeatable" | "gone"> {
  readonly send: () => Promise<RawAnswer>;
  readonly isWrite: boolean;
  /** Whose key is used; null = the account's. */
  readonly holder: PersonId | null;
  readonly priority: Call["priority"];
  readonly signal: AbortSignal;
  /** Set for writes only. */
  readonly onUnanswered: Call["onUnanswered"];
}

export interface SendDeps {
  readonly gate: Gate;
  readonly clock: () => Temporal.Instant;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Measures how long an answer takes, in milliseconds. */
  readonly stopwatch: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly outage: Outage;
  readonly keys: KeyWatch;
  readonly onEvent: (event: UpstreamEvent) => void;
}

const mostTries = 4;
const mostLimits = 12;
const betweenTries = {
  first: Temporal.Duration.from({ milliseconds: 500 }),
  ceiling: Temporal.Duration.from({ seconds: 8 }),
};
const longestWaitMs = 30_000;

/** A good answer. `took`: duration of the successful try. */
export interface Delivered extends GoodBody {
  readonly took: Temporal.Duration;
}

/**
 * Sends one request. Each try passes the rate limiter. A broken or failing try is repeated up to four times in all, with
 * exponential back-off and full jitter, if that cannot do harm. A 429 waits for the rate limiter and does not count as a
 * failure for up to two minutes. An edit's write that may have been carried out, or would wait for long, is not repeated here:
 * the caller reads the item again first, as somebody may have changed it. An edit's read with a slow answer is repeated once.
 */
export async function sendWithRetries(
  delivery: Delivery,
  deps: SendDeps,
): Promise<Result<Delivered, Failure>> {
  const { request, signal, priority } = delivery;
  const isReadFirst = delivery.onUnanswered !== undefined;
  const begunMs = deps.monotonic();
  const isEditsRead = priority === "edit" && !delivery.isWrite;
  let rank: Ticket["rank"] = isEditsRead ? "read" : "first";
  let isSlow = false;
  let attempt = 0;
  let failures = 0;
  let limits = 0;
  let lost = false;

  for (;;) {
    attempt += 1;
    const current: Current = { attempt, lost, deps };
    const isLate = () => isReadFirst && deps.monotonic() - begunMs > afterReadMs;
    const turn: Turn<Tried | null> = await deps.gate.run({ priority, rank, signal }, async () =>
      isLate() ? null : tryOnce(delivery, current),
    );
    if (turn.kind === "aborted") return fail({ kind: "aborted", request });
    if (turn.kind === "paused") {
      return fail({ kind: "rate-limited", retryAfter: turn.rest, request });
    }
    if (!turn.value) return fail({ kind: "rate-limited", retryAfter: milliseconds(1000), request });
    const { verdict, restMs, took } = turn.value;
    switch (verdict.kind) {
      case "good": {
        const { kind: _, ...body } = verdict;
        const isOld = took.total("milliseconds") > afterReadMs;
        if (!isEditsRead || !isOld || isSlow) return ok({ ...body, took });
        // Somebody may have changed the item during a slow answer. A service that is always slow is asked just once more.
        isSlow = true;
        break;
      }
      case "ended":
        return fail(verdict.failure);
      case "limited": {
        limits += 1;
        const waitedMs = deps.monotonic() - begunMs;
        const longestMs = isReadFirst ? afterReadMs : patienceMs;
        if (limits >= mostLimits || waitedMs + restMs > longestMs) {
          return fail({ kind: "rate-limited", retryAfter: milliseconds(restMs), request });
        }
        rank = "limited";
        break;
      }
      case "retry": {
        failures += 1;
        lost ||= verdict.lost;
        const waitMs = waitBefore(failures, verdict, deps.random);
        const mayBeDone = isReadFirst && lost;
        if (mayBeDone || failures >= mostTries || waitMs > longestWaitMs) {
          return fail(unavailable(request, verdict));
        }
        const after = milliseconds(waitMs);
        deps.onEvent({ kind: "retrying", request, attempt, after, message: verdict.message });
        if (!(await sleep(waitMs, signal))) return fail({ kind: "aborted", request });
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
  readonly deps: SendDeps;
}

interface Tried {
  readonly verdict: Verdict;
  /** Pause of the rate limiter after a 429; else 0. */
  readonly restMs: number;
  readonly took: Temporal.Duration;
}

async function tryOnce(delivery: Delivery, { attempt, lost, deps }: Current): Promise<Tried> {
  const { request } = delivery;
  const startMs = deps.stopwatch();
  const reply = await delivery.send();
  const took = milliseconds(deps.stopwatch() - startMs);
  if (reply.kind === "answer") {
    deps.keys.note(delivery.holder, { request, status: reply.status });
    deps.onEvent({ kind: "answered", request, status: reply.status, attempt, took });
  } else {
    const message = reply.kind === "broken" ? reply.message : "given up";
    deps.onEvent({ kind: "broken", request, attempt, took, message });
  }

  if (isUnanswered(reply)) delivery.onUnanswered?.({ waited: took, hasFailed: hasFailed(reply) });
  const verdict = judge(reply, { ...delivery, lost, now: deps.clock() });
  if (reply.kind !== "aborted") {
    const { isWrite } = delivery;
    const problem = reply.kind === "answer" ? `it answers ${reply.status}` : reply.message;
    deps.outage.note({ request, isWrite, isFailing: isFailing(reply), problem });
  }
  if (verdict.kind !== "limited") return { verdict, restMs: 0, took };
  const { restMs, share } = deps.gate.rest(verdict.retryAfterMs);
  deps.onEvent({ kind: "rate-limited", request, pause: milliseconds(restMs), share });
  return { verdict, restMs, took };
}

/** True if the reply is not the service's answer to the request. */
const isFailing = (reply: RawAnswer): boolean =>
  reply.kind !== "answer" ||
  reply.status >= 500 ||
  reply.status === 429 ||
  reply.status === 408 ||
  isForeign(reply);

function waitBefore(
  failures: number,
  verdict: { readonly retryAfterMs: number | null },
  random: () => number,
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

const milliseconds = (ms: number): Temporal.Duration =>
  Temporal.Duration.from({ milliseconds: Math.ceil(ms) });

/** How one try ended, as far as it says something about the service as a whole. */
export interface TryEnding {
  readonly request: string;
  readonly isWrite: boolean;
  /** 5xx, 429, no answer, or an answer from something in between. */
  readonly isFailing: boolean;
  /** The failure in words. */
  readonly problem: string;
}

/** Consecutive failing tries of reads or of writes. */
interface Streak {
  readonly sinceMs: number;
  readonly requests: ReadonlySet<string>;
}

/** One failing request for this long, with nothing else requested, counts as an outage too. */
const longMs = 3000;

/**
 * Detects that the service is down, and that it is back, so that waiting work continues at once. Reads count as down if
 * different ones fail without a success in between. A service may answer reads and reject writes. Writes are rare, so one
 * failure counts until the next success.
 */
export class Outage {
  readonly #stopwatch: () => number;
  readonly #onEnd: () => void;
  #reads: Streak | null = null;
  #writes: Streak | null = null;
  #problem = "";

  constructor(stopwatch: () => number, onEnd: () => void) {
    this.#stopwatch = stopwatch;
    this.#onEnd = onEnd;
  }

  note({ request, isWrite, isFailing, problem }: TryEnding): void {
    const streak = isWrite ? this.#writes : this.#reads;
    if (isFailing) {
      this.#problem = problem;
      const sinceMs = streak?.sinceMs ?? this.#stopwatch();
      this.#set(isWrite, { sinceMs, requests: new Set([...(streak?.requests ?? []), request]) });
      return;
    }
    const isOver = streak !== null && (isWrite || this.#isWhole(streak));
    this.#set(isWrite, null);
    if (isOver) this.#onEnd();
  }

  /** True if reads are down, judging by the last answers. */
  get isOut(): boolean {
    return this.#reads !== null && this.#isWhole(this.#reads);
  }

  /** The last failed try in words. */
  get problem(): string {
    return this.#problem;
  }

  /** True if writes of different things fail without a success in between, whatever happens to reads. */
  get takesNoWrites(): boolean {
    return this.#writes !== null && this.#writes.requests.size > 1;
  }

  #isWhole({ sinceMs, requests }: Streak): boolean {
    return requests.size > 1 || this.#stopwatch() - sinceMs >= longMs;
  }

  #set(isWrite: boolean, streak: Streak | null): void {
    if (isWrite) this.#writes = streak;
    else this.#reads = streak;
  }
}

/** Owner of a key: a person, or null for the account. */
type Holder = PersonId | null;

/** This many different forbidden requests mean that the key itself is refused. */
const mostForbidden = 5;

/**
 * Watches the service's answers to each key. A 401 concerns the key. A 403 may concern one resource, so several in a row are
 * needed. An answer that no key would change (404, 5xx) proves nothing.
 */
export class KeyWatch {
  readonly #refused = new Map<Holder, boolean>();
  readonly #forbidden = new Map<Holder, Set<string>>();

  note(holder: Holder, answer: { readonly request: string; readonly status: number }): void {
    const { request, status } = answer;
    if (status === 401) this.#refused.set(holder, true);
    if (status >= 200 && status < 300) {
      this.#refused.set(holder, false);
      this.#forbidden.delete(holder);
    }
    if (status !== 403) return;
    const forbidden = this.#forbidden.get(holder) ?? new Set();
    this.#forbidden.set(holder, forbidden.add(request));
    if (forbidden.size >= mostForbidden) this.#refused.set(holder, true);
  }

  /** True if the service refuses the key, judging by this process's answers; null without an answer yet. */
  isRefused(holder: Holder): boolean | null {
    return this.#refused.get(holder) ?? null;
  }
}
