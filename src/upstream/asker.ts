import { readHttpDate } from "@dayferry/http-values";
import { createHider, type Hide } from "../domain/hidden-secrets.ts";
import type { PersonId } from "../domain/ids.ts";
import type { Patch } from "../domain/patch.ts";
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
import {
  collect,
  type ListReader,
  type ReadIssues,
  type Snapshot,
  type WriteBeingAnswered,
} from "./wire.ts";

/** A request to the service: `path` is below the base URL, or null for the upload URL. */
export interface Ask {
  readonly method: OutgoingRequest["method"];
  readonly path: string | null;
  readonly query?: Readonly<Record<string, string | null>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly form?: Form;
  /** What a 404 means after a try without an answer; a plain refusal by default. */
  readonly gone?: "done" | "unknown";
  /** True if the body of a good answer is wanted unparsed. */
  readonly isUnread?: boolean;
}

export interface AskerOptions extends SendDeps {
  readonly baseUrl: string;
  readonly uploadUrl: string;
  readonly apiKey: string | (() => string);
  readonly keyOf: (person: PersonId) => string | null;
  readonly hide?: Hide;
  readonly contact: string;
  readonly transport: Transport;
  /** Awaited before a sweep's answer is parsed, and while a long list is; by default the event loop's next round. */
  readonly pause?: () => Promise<void>;
}

/** Shorter bodies are parsed at once, in about a millisecond. */
const leastInParts = 16_384;

/** The JSON of an answer, and how long the try took. */
interface JsonAnswer {
  readonly json: unknown;
  readonly took: Temporal.Duration;
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

  /** A single answer; `read` fails with a sentence. After a POST, an unreadable answer leaves the outcome unknown. */
  async one<Value>(
    { ask, read }: { readonly ask: Ask; readonly read: (raw: unknown) => Result<Value, string> },
    call: Call,
  ): Promise<Result<Value, Failure>> {
    const raw = await this.#json(ask, call);
    if (!raw.ok) return raw;
    const { json, took } = raw.value;
    const value = read(json);
    return value.ok ? value : fail(this.#misread(ask, { message: value.failure, call, took }));
  }

  /** Like `one`, parsed only if it differs from the previous answer. */
  async unread<Value>(
    { ask, read }: { readonly ask: Ask; readonly read: (raw: unknown) => Result<Value, string> },
    call: Call,
  ): Promise<Result<Unread<Value>, Failure>> {
    const delivered = await this.#deliver({ ...ask, isUnread: true }, call);
    if (!delivered.ok) return delivered;
    const { unread, damage, took } = delivered.value;
    await this.#turn(call);
    if (!unread) return fail(this.#misread(ask, { message: damage, call, took }));
    return ok({
      digest: digestOf(unread),
      read: async () => {
        const raw = this.#parsed(ask, { delivered: { ...(await bodyIn(unread)), took }, call });
        if (!raw.ok) return raw;
        const value = read(raw.value.json);
        // Using a long answer takes as long as parsing it.
        await this.#turn(call);
        return value.ok ? value : fail(this.#misread(ask, { message: value.failure, call, took }));
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
    const delivered = await this.#deliver({ ...ask, isUnread: true }, call);
    if (!delivered.ok) return delivered;
    const { unread, damage, took } = delivered.value;
    const { pause = nextTurn } = this.#options;
    await this.#turn(call);
    if (!unread) return fail(this.#misread(ask, { message: damage, call, took }));
    return ok({
      digest: digestOf(unread),
      read: async (since) => {
        const inflated = await inflate(unread);
        const parts =
          inflated.ok && inflated.value.byteLength >= leastInParts
            ? await readList(inflated.value, { list, since, pause })
            : null;
        if (parts) return ok(parts);
        const text = inflated.ok ? decode(inflated.value) : inflated;
        const [body, damage] = text.ok ? [text.value, ""] : [null, text.failure];
        const raw = this.#parsed(ask, { delivered: { body, damage, took }, call });
        if (!raw.ok) return raw;
        const snapshot = collect(raw.value.json, list);
        return snapshot.ok
          ? ok({ ...snapshot.value, same: 0, gone: null, elements: null })
          : fail(this.#misread(ask, { message: snapshot.failure, call, took }));
      },
    });
  }

  /** A request whose answer needs no body. An HTML page instead comes from something other than the service. */
  async none(ask: Ask, call: Call): Promise<Result<null, Failure>> {
    const delivered = await this.#deliver(ask, call);
    if (!delivered.ok) return delivered;
    const { took } = delivered.value;
    const body = delivered.value.body ?? "";
    const parsed = parseAnswerJson(body);
    if (!parsed.ok && body.trim() !== "") {
      return fail(this.#misread(ask, { message: parsed.failure, call, took }));
    }
    const refusal = parsed.ok ? this.#refusal(ask, { value: parsed.value, call }) : null;
    return refusal ? fail(refusal) : ok(null);
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

  async #json(ask: Ask, call: Call): Promise<Result<JsonAnswer, Failure>> {
    const delivered = await this.#deliver(ask, call);
    if (!delivered.ok) return delivered;
    await this.#turn(call);
    return this.#parsed(ask, { delivered: delivered.value, call });
  }

  /** A sweep's answers may arrive together. Edits and people do not wait behind them. */
  async #turn({ priority }: Call): Promise<void> {
    const { pause = nextTurn } = this.#options;
    if (priority === "sweep") await pause();
  }

  #parsed(
    ask: Ask,
    { delivered, call }: { readonly delivered: Delivered; readonly call: Call },
  ): Result<JsonAnswer, Failure> {
    const { body, damage, took } = delivered;
    if (body === null) return fail(this.#misread(ask, { message: damage, call, took }));
    const parsed = parseAnswerJson(body);
    if (!parsed.ok) return fail(this.#misread(ask, { message: parsed.failure, call, took }));
    const refusal = this.#refusal(ask, { value: parsed.value, call });
    return refusal ? fail(refusal) : ok({ json: parsed.value, took });
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

  #refusal(
    ask: Ask,
    { value, call }: { readonly value: unknown; readonly call: Call },
  ): Failure | null {
    const refusal = refusalIn(value);
    if (!refusal) return null;
    const message = this.#redacted(refusal.message, this.#keyFor(call).key);
    return { kind: "service-refused", code: refusal.code, message, request: labelOf(ask) };
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
    {
      message,
      call,
      took,
    }: Pick<JsonAnswer, "took"> & { readonly message: string; readonly call: Call },
  ): Failure {
    if (ask.method !== "GET") call.onUnanswered?.({ waited: took, hasFailed: false });
    const kind = ask.method === "POST" ? "unknown-outcome" : "unreadable";
    return {
      kind,
      message: this.#redacted(message, this.#keyFor(call).key),
      request: labelOf(ask),
    };
  }
}

/** One kind of element below a URL of the service: how it is named and parsed. */
interface ElementKind<Place, Value> {
  /** For problems, as "task". */
  readonly kind: string;
  readonly pathOf: (place: Place) => string;
  /** The list in words, for problems, as "project 7, list 9". */
  readonly whereOf: (place: Place) => string;
  /** `written`: the write being answered. */
  readonly read: (
    place: Place,
    written?: WriteBeingAnswered,
  ) => (raw: unknown, issues?: ReadIssues) => Result<Value, string>;
  /** Values that the list sets for all its elements. */
  readonly listed?: (place: Place) => Partial<Value>;
}

/** The requests that all kinds of elements share, at `/…` for the list and `/…/<id>` for an element. */
export function elementCalls<Place, Value extends { readonly id: number | null }>(
  asker: Asker,
  { kind, pathOf, whereOf, read, listed }: ElementKind<Place, Value>,
) {
  type Element = Place & { readonly id: number };
  type Query = NonNullable<Ask["query"]>;
  const pathTo = (place: Element) => `${pathOf(place)}/${place.id}`;
  /** An answer about another element, as from a confused cache, is invalid. */
  const readThis = (place: Element, written?: WriteBeingAnswered) => (raw: unknown) => {
    const element = read(place, written)(raw);
    if (!element.ok || element.value.id === place.id) return element;
    return fail(`it is about the ${kind} ${element.value.id}`);
  };
  const listAt = (
    place: Place,
    query: Query,
  ): { readonly ask: Ask; readonly list: ListReader<Value> } => {
    const readOne = read(place);
    return {
      ask: { method: "GET", path: pathOf(place), query },
      list: {
        where: whereOf(place),
        kind,
        read: (raw, issues) => {
          const element = readOne(raw, issues);
          return element.ok ? ok({ ...element.value, ...listed?.(place) }) : element;
        },
        keyOf: ({ id }) => id ?? 0,
      },
    };
  };
  return {
    list: (place: Place, call: Call, query: Query = {}) => asker.many(listAt(place, query), call),
    listing: (place: Place, call: Call, query: Query = {}) =>
      asker.listing(listAt(place, query), call),
    get: (place: Element, call: Call) =>
      asker.one({ ask: { method: "GET", path: pathTo(place) }, read: readThis(place) }, call),
    create: (
      write: { readonly place: Place; readonly json: unknown; readonly patch?: Patch },
      call: Call,
    ) => {
      const { place, json, patch = {} } = write;
      const ask = { method: "POST", path: pathOf(place), json } as const;
      return asker.one({ ask, read: read(place, { patch, isNew: true }) }, call);
    },
    update: (
      write: { readonly place: Element; readonly json: unknown; readonly patch?: Patch },
      call: Call,
    ) => {
      const { place, json, patch = {} } = write;
      const ask = { method: "PUT", path: pathTo(place), json } as const;
      return asker.one({ ask, read: readThis(place, { patch, isNew: false }) }, call);
    },
    delete: (place: Element, call: Call) =>
      asker.none({ method: "DELETE", path: pathTo(place), gone: "done" }, call),
  };
}

/** The text of a body; null and the reason if it cannot be read. */
async function bodyIn(unread: RawBody): Promise<Pick<Delivered, "body" | "damage">> {
  const inflated = await inflate(unread);
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
