import { readHttpDate } from "@dayferry/http-values";
import { createHider, type Hide } from "../domain/hidden-secrets.ts";
import type { PersonId } from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { nextTurn, startTimer } from "../runtime.ts";
import type { Failure } from "./failure.ts";
import type { Form } from "./multipart.ts";
import { type RawList, readList } from "./read-list.ts";
import {
  decode,
  digestOf,
  inflate,
  isGood,
  parseAnswerJson,
  type RawAnswer,
  type RawBody,
  refusalIn,
} from "./response.ts";
import { type Call, type Delivered, type SendDeps, sendWithRetries } from "./send-request.ts";
import type { OutgoingRequest, Transport } from "./transport.ts";
import { collect, type ListReader, type Snapshot } from "./wire.ts";

/** A request to the service: `path` is below the base URL, or null for the upload URL. */
export interface Ask {
  readonly method: OutgoingRequest["method"];
  readonly path: string | null;
  readonly query?: Readonly<Record<string, string | null>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly form?: Form;
  /** Meaning of a 404 after a try without an answer; a refusal by default. */
  readonly gone?: "done" | "unknown";
  /** True if the body of a good answer is wanted unparsed. */
  readonly isUnread?: boolean;
}

/** How the service is reached, and with which keys. */
export interface AccountAccess {
  readonly baseUrl: string;
  readonly uploadUrl: string;
  /** The account's key; a function if it may change. */
  readonly apiKey: string | (() => string);
  /** A person's own key; null if there is none. */
  readonly keyOf: (person: PersonId) => string | null;
  /** Hides all keys in messages; the account's key only by default. */
  readonly hide?: Hide;
  /** Goes into the User-Agent. */
  readonly contact: string;
  /** Lets other work run before and while a sweep's answer is parsed; by default the event loop's next round. */
  readonly pause?: () => Promise<void>;
}

export interface AskerOptions extends AccountAccess, SendDeps {
  readonly transport: Transport;
}

/** Shorter bodies are parsed at once, in about a millisecond. */
const leastInParts = 16_384;

/** A request, and how its answer is read: `read` fails with a sentence. */
interface Question<Value> {
  readonly ask: Ask;
  readonly read: (raw: unknown) => Result<Value, string>;
}

/** An answer as received and not yet parsed. Equal `digest`s mean equal octets. Parsing fails for an invalid body. */
export interface Unread<Value> {
  readonly digest: string;
  readonly read: () => Promise<Result<Value, Failure>>;
}

/** Sends requests to the service and parses the answers. An invalid answer never becomes a value. */
export class Asker {
  readonly #options: AskerOptions;
  /** Aborts waiting requests and reads. */
  readonly #stopping = new AbortController();
  /** Also aborts writes in progress. */
  readonly #stopped = new AbortController();
  #clockLead: Temporal.Duration | null = null;

  readonly #hideKeys: Hide;

  constructor(options: AskerOptions) {
    this.#options = options;
    const { apiKey, hide } = options;
    this.#hideKeys = hide ?? createHider(typeof apiKey === "string" ? [apiKey] : []);
  }

  /** A single answer. After a POST, an unreadable answer leaves the outcome unknown. */
  async one<Value>(question: Question<Value>, call: Call): Promise<Result<Value, Failure>> {
    const delivered = await this.#deliver(question.ask, call);
    if (!delivered.ok) return delivered;
    await this.#turn(call);
    return this.#parsed(question, call, delivered.value);
  }

  /** Like `one`, parsed only if it differs from the previous answer. */
  async unread<Value>(
    question: Question<Value>,
    call: Call,
  ): Promise<Result<Unread<Value>, Failure>> {
    const received = await this.#receive(question.ask, call);
    if (!received.ok) return received;
    const { unread, took } = received.value;
    return ok({
      digest: digestOf(unread),
      read: async () => {
        const value = this.#parsed(question, call, { ...bodyIn(await inflate(unread)), took });
        // Using a long answer takes as long as parsing it.
        await this.#turn(call);
        return value;
      },
    });
  }

  /** A list. An invalid element becomes a problem of the snapshot. */
  many<Value>(
    { ask, list }: { readonly ask: Ask; readonly list: ListReader<Value> },
    call: Call,
  ): Promise<Result<Snapshot<Value>, Failure>> {
    return this.one({ ask, read: (raw) => collect(raw, list) }, call);
  }

  /** An unparsed list. An invalid body fails when it is parsed. */
  async listing<Value>(
    { ask, list }: { readonly ask: Ask; readonly list: ListReader<Value> },
    call: Call,
  ): Promise<Result<RawList<Value>, Failure>> {
    const received = await this.#receive(ask, call);
    if (!received.ok) return received;
    const { unread, took } = received.value;
    const { pause = nextTurn } = this.#options;
    const read = (raw: unknown) => collect(raw, list);
    return ok({
      digest: digestOf(unread),
      read: async (since) => {
        const inflated = await inflate(unread);
        const parts =
          inflated.ok && inflated.value.byteLength >= leastInParts
            ? await readList(inflated.value, { list, since, pause })
            : null;
        if (parts) return ok(parts);
        const whole = this.#parsed({ ask, read }, call, { ...bodyIn(inflated), took });
        return whole.ok ? ok({ ...whole.value, same: 0, gone: null, elements: null }) : whole;
      },
    });
  }

  /** A request whose answer needs no body. An HTML page instead comes from something other than the service. */
  async none(ask: Ask, call: Call): Promise<Result<null, Failure>> {
    const delivered = await this.#deliver(ask, call);
    if (!delivered.ok) return delivered;
    const { took } = delivered.value;
    const body = delivered.value.body ?? "";
    if (body.trim() === "") return ok(null);
    return this.#parsed({ ask, read: () => ok(null) }, call, { body, damage: "", took });
  }

  /** How far this machine's clock was ahead of the service's at its last answer; null before the first `Date` header. */
  clockLead(): Temporal.Duration | null {
    return this.#clockLead;
  }

  /** Aborts waiting requests and reads at once. Writes in progress may finish within `grace`. */
  async close(grace: Temporal.Duration): Promise<void> {
    const { gate, transport } = this.#options;
    gate.close();
    this.#stopping.abort();
    const timer = startTimer(grace.total("milliseconds"), () => this.#stopped.abort());
    await gate.idle();
    timer.cancel();
    this.#stopped.abort();
    await transport.close();
  }

  /** An answer that is to be parsed later. */
  async #receive(
    ask: Ask,
    call: Call,
  ): Promise<Result<{ readonly unread: RawBody } & Pick<Delivered, "took">, Failure>> {
    const delivered = await this.#deliver({ ...ask, isUnread: true }, call);
    if (!delivered.ok) return delivered;
    const { unread, damage, took } = delivered.value;
    await this.#turn(call);
    return unread ? ok({ unread, took }) : this.#misread(ask, call, { message: damage, took });
  }

  /** A sweep's answers may arrive together. Edits and people do not wait behind them. */
  async #turn({ priority }: Call): Promise<void> {
    const { pause = nextTurn } = this.#options;
    if (priority === "sweep") await pause();
  }

  #parsed<Value>(
    { ask, read }: Question<Value>,
    call: Call,
    { body, damage, took }: Delivered,
  ): Result<Value, Failure> {
    const misread = (message: string) => this.#misread(ask, call, { message, took });
    if (body === null) return misread(damage);
    const json = parseAnswerJson(body);
    if (!json.ok) return misread(json.failure);
    const refusal = refusalIn(json.value);
    if (refusal) {
      const message = this.#redacted(refusal.message, this.#keyFor(call).key);
      return fail({ kind: "service-refused", code: refusal.code, message, request: labelOf(ask) });
    }
    const value = read(json.value);
    return value.ok ? value : misread(value.failure);
  }

  async #deliver(ask: Ask, call: Call): Promise<Result<Delivered, Failure>> {
    const { transport } = this.#options;
    const { key, holder } = this.#keyFor(call);
    const reads = ask.method === "GET";
    const under = joined([call.signal, reads ? this.#stopping.signal : this.#stopped.signal]);
    const waiting = joined([call.signal, this.#stopping.signal]);
    try {
      const exchange: OutgoingRequest = {
        method: ask.method,
        url: this.#urlOf(ask),
        headers: this.#headersOf(ask, key),
        body: ask.form ?? (ask.json === undefined ? null : JSON.stringify(ask.json)),
        signal: under.signal,
        onSent: call.onSent,
        isUnread: ask.isUnread ?? false,
      };
      return await sendWithRetries(
        {
          request: labelOf(ask),
          repeatable: ask.method !== "POST",
          isWrite: !reads,
          holder,
          gone: ask.gone ?? "refused",
          priority: call.priority,
          signal: waiting.signal,
          onUnanswered: reads ? undefined : call.onUnanswered,
          send: async () => this.#withoutKeys(this.#timed(await transport.exchange(exchange)), key),
        },
        this.#options,
      );
    } finally {
      under.release();
      waiting.release();
    }
  }

  #timed(reply: RawAnswer): RawAnswer {
    const theirs = reply.kind === "answer" ? readHttpDate(reply.headers.date ?? "") : null;
    if (theirs) this.#clockLead = theirs.until(this.#options.clock());
    return reply;
  }

  #urlOf(ask: Ask): URL {
    if (ask.path === null) return new URL(this.#options.uploadUrl);
    const url = new URL(`${this.#options.baseUrl.replace(/\/+$/, "")}${ask.path}`);
    for (const [name, value] of Object.entries(ask.query ?? {})) {
      if (value !== null) url.searchParams.set(name, value);
    }
    return url;
  }

  #headersOf(ask: Ask, key: string): Record<string, string> {
    return {
      accept: "application/json",
      "user-agent": `Dayferry (${this.#options.contact})`,
      "x-api-key": key,
      ...(ask.json === undefined ? {} : { "content-type": "application/json" }),
    };
  }

  #keyFor({ person = null }: Call): { readonly key: string; readonly holder: PersonId | null } {
    const { apiKey, keyOf } = this.#options;
    const account = typeof apiKey === "string" ? apiKey : apiKey();
    const own = person === null ? null : keyOf(person);
    return own === null ? { key: account, holder: null } : { key: own, holder: person };
  }

  /** An error that echoes a key must not leak it into logs and pages. Data stays unchanged. */
  #withoutKeys(reply: RawAnswer, key: string): RawAnswer {
    if (reply.kind === "broken") return { ...reply, message: this.#redacted(reply.message, key) };
    if (reply.kind === "aborted" || reply.body === null) return reply;
    return isGood(reply.status) ? reply : { ...reply, body: this.#redacted(reply.body, key) };
  }

  #redacted(text: string, key: string): string {
    return this.#hideKeys(text.replaceAll(key, "[key]"));
  }

  #misread(
    ask: Ask,
    call: Call,
    { message, took }: Pick<Delivered, "took"> & { readonly message: string },
  ): Result<never, Failure> {
    if (ask.method !== "GET") call.onUnanswered?.({ waited: took, hasFailed: false });
    return fail({
      kind: ask.method === "POST" ? "unknown-outcome" : "unreadable",
      message: this.#redacted(message, this.#keyFor(call).key),
      request: labelOf(ask),
    });
  }
}

/** The text of a decompressed body; null and the reason if it cannot be read. */
function bodyIn(inflated: Result<Uint8Array, string>): Pick<Delivered, "body" | "damage"> {
  const text = inflated.ok ? decode(inflated.value) : inflated;
  return text.ok ? { body: text.value, damage: "" } : { body: null, damage: text.failure };
}

const labelOf = (ask: Ask): string => `${ask.method} ${ask.path ?? "(upload address)"}`;

/** Combines several signals into one; `release` removes its listeners, as the signals may live as long as the process. */
function joined(signals: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const present = signals.filter((signal) => signal !== undefined);
  if (present.some((signal) => signal.aborted)) abort();
  for (const signal of present) signal.addEventListener("abort", abort, { once: true });
  const release = () => {
    for (const signal of present) signal.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, release };
}
