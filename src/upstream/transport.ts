import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as requestOf,
} from "node:http";
import type { Socket } from "node:net";
import { isUnsent, networkFailure } from "../domain/network-failure.ts";
import { httpAgent, startTimer as startOwnTimer } from "../runtime.ts";
import { encodeForm, type Form } from "./multipart.ts";
import { bodyTextOf, isGood, type RawAnswer, receiveBody } from "./response.ts";

/** An outgoing HTTP request; `body` is text, or a form sent as multipart/form-data. */
export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Form | null;
  readonly signal: AbortSignal | null;
  /** Called while a form is sent, with octets. */
  readonly onSent?: OnSent | undefined;
  /** True if the body of a good answer is wanted unparsed. */
  readonly isUnread?: boolean;
}

/** Reports how much of a long body has been sent. */
export type OnSent = (done: number, total: number) => void;

/** How requests are sent: plain or over TLS, on kept connections or on their own. */
interface Door {
  readonly request: typeof requestOf;
  readonly kept: Agent;
  /** A POST gets its own connection, as it must not be lost on a kept one that the service is closing. */
  readonly single: Agent;
}

const partOctets = 65_536;

/** Sends a body part by part, each once the one before it has left. */
function sendInParts(outgoing: ClientRequest, octets: Uint8Array, onSent: OnSent): void {
  const sendFrom = (from: number): void => {
    const to = Math.min(from + partOctets, octets.length);
    const part = octets.subarray(from, to);
    const onLeft = (error?: Error | null): void => {
      if (error) return;
      onSent(to, octets.length);
      if (to < octets.length) sendFrom(to);
    };
    if (to < octets.length) outgoing.write(part, onLeft);
    else outgoing.end(part, () => onSent(to, octets.length));
  };
  sendFrom(0);
}

/** Servers close connections after five idle seconds or more, so they are dropped before. */
const restMs = 4000;

/** Calls `end` after `ms` milliseconds. Returns a function that cancels it. */
export type StartTimer = (ms: number, end: () => void) => () => void;

const startTimer: StartTimer = (ms, end) => startOwnTimer(ms, end).cancel;

/**
 * Sends requests over kept connections. Redirects are not followed. Every result is a `RawAnswer`; nothing is thrown. Uses
 * Node's own client, which is loaded for the server anyway.
 */
export class Transport {
  readonly #timeoutMs: number;
  readonly #connections: number;
  readonly #startTimer: StartTimer;
  readonly #closing = new AbortController();
  readonly #doors = new Map<string, Promise<Door>>();

  constructor(options: {
    readonly timeout: Temporal.Duration;
    readonly connections: number;
    readonly startTimer?: StartTimer | undefined;
  }) {
    this.#timeoutMs = options.timeout.total("milliseconds");
    this.#connections = options.connections;
    this.#startTimer = options.startTimer ?? startTimer;
  }

  /** One exchange. The timeout covers everything from connecting to the last octet. */
  async exchange(exchange: OutgoingRequest): Promise<RawAnswer> {
    if (exchange.signal?.aborted) return { kind: "aborted", sent: false };
    const stop = new AbortController();
    const abort = () => stop.abort(new StoppedError("aborted"));
    const signals = [exchange.signal, this.#closing.signal];
    for (const signal of signals) signal?.addEventListener("abort", abort, { once: true });
    if (this.#closing.signal.aborted) abort();
    const cancel = this.#startTimer(this.#timeoutMs, () => stop.abort(new StoppedError("timeout")));
    let isConnected = false;
    const onConnected = () => {
      isConnected = true;
    };
    try {
      return await this.#send(exchange, { signal: stop.signal, onConnected });
    } catch (error) {
      const { hostname } = exchange.url;
      return this.#replyTo(error, { signal: stop.signal, isConnected, host: hostname });
    } finally {
      cancel();
      for (const signal of signals) signal?.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const door of this.#doors.values()) {
      const { kept, single } = await door;
      kept.destroy();
      single.destroy();
    }
  }

  async #send(exchange: OutgoingRequest, way: Way): Promise<RawAnswer> {
    const response = await this.#answerTo(exchange, way);
    const { headers, statusCode: status = 0 } = response;
    const received = await receiveBody(response, headers["content-encoding"] ?? null);
    const replyHeaders = {
      retryAfter: headers["retry-after"] ?? null,
      date: headers.date ?? null,
      location: headers.location ?? null,
      type: headers["content-type"] ?? null,
    };
    if (received.ok && exchange.isUnread && isGood(status)) {
      const unread = received.value;
      return { kind: "answer", status, headers: replyHeaders, body: null, damage: "", unread };
    }
    const read = received.ok ? await bodyTextOf(received.value) : received;
    return read.ok
      ? { kind: "answer", status, headers: replyHeaders, body: read.value, damage: "" }
      : { kind: "answer", status, headers: replyHeaders, body: null, damage: read.failure };
  }

  /** The answer once its headers are there; rejects with the error of the network or of `signal`. */
  async #answerTo(
    exchange: OutgoingRequest,
    { signal, onConnected }: Way,
  ): Promise<IncomingMessage> {
    const { method, url, body } = exchange;
    const { request, kept, single } = await this.#door(url.protocol);
    const form = body === null || typeof body === "string" ? null : encodeForm(body);
    const connectMs = Math.min(this.#timeoutMs, 10_000);
    return new Promise((resolve, reject) => {
      const outgoing = request(url, {
        method,
        agent: method === "POST" ? single : kept,
        headers: {
          ...exchange.headers,
          "accept-encoding": "gzip, deflate, br",
          ...(form && { "content-type": form.type, "content-length": form.octets.length }),
        },
        signal,
      });
      outgoing.once("response", resolve);
      // Stays registered for errors after the answer, which the body reports too.
      outgoing.on("error", reject);
      outgoing.once("socket", (socket) => {
        const tooLate = (error: ConnectTimeoutError) => outgoing.destroy(error);
        const startTimer = this.#startTimer;
        awaitConnection(socket, {
          host: url.hostname,
          connectMs,
          startTimer,
          onConnected,
          tooLate,
        });
      });
      if (form && exchange.onSent) sendInParts(outgoing, form.octets, exchange.onSent);
      else outgoing.end(form?.octets ?? body ?? undefined);
    });
  }

  #door(protocol: string): Promise<Door> {
    const known = this.#doors.get(protocol) ?? openDoor(protocol, this.#connections);
    this.#doors.set(protocol, known);
    return known;
  }

  #replyTo(
    error: unknown,
    {
      signal,
      isConnected,
      host,
    }: { readonly signal: AbortSignal; readonly isConnected: boolean; readonly host: string },
  ): RawAnswer {
    const reason: unknown = signal.reason;
    if (reason instanceof StoppedError && reason.why === "aborted") {
      return { kind: "aborted", sent: isConnected };
    }
    if (reason instanceof StoppedError) {
      const message = `${host} sent no complete response within ${this.#timeoutMs / 1000} s`;
      return { kind: "broken", sent: isConnected, message };
    }
    const failure = networkFailure(error, host);
    const sent = isConnected && !(failure && isUnsent(failure)) && !neverLeft(error);
    return { kind: "broken", sent, message: failure?.problem ?? describe(error) };
  }
}

/** How a request is sent; `onConnected`: called when its first octet may be sent. */
interface Way {
  readonly signal: AbortSignal;
  readonly onConnected: () => void;
}

/** TLS is loaded at first use, as a service on the same machine needs none. */
async function openDoor(protocol: string, maxSockets: number): Promise<Door> {
  // An agent with a limit keeps its connections whatever else is set. The rate limiter bounds their number anyway.
  const lasting = { keepAlive: true, timeout: restMs, maxSockets };
  if (protocol !== "https:") {
    return { request: requestOf, kept: httpAgent(lasting), single: httpAgent({}) };
  }
  const https = await import("node:https");
  return {
    request: https.request,
    kept: new https.Agent(lasting),
    single: new https.Agent(),
  };
}

/** Closes a connection that is not established in time, including TLS. Until then nothing of the request was sent. */
function awaitConnection(
  socket: Socket,
  {
    host,
    connectMs,
    startTimer,
    onConnected,
    tooLate,
  }: {
    readonly host: string;
    readonly connectMs: number;
    readonly startTimer: StartTimer;
    readonly onConnected: () => void;
    readonly tooLate: (error: ConnectTimeoutError) => void;
  },
): void {
  const isSecure = "secureConnecting" in socket;
  if (!socket.connecting && !(isSecure && socket.secureConnecting === true)) {
    onConnected();
    return;
  }
  let step = `no connection to ${host}`;
  const cancel = startTimer(connectMs, () =>
    tooLate(new ConnectTimeoutError(`${step} within ${connectMs / 1000} s`)),
  );
  socket.once("connect", () => {
    step = `${host} does not start TLS`;
  });
  socket.once(isSecure ? "secureConnect" : "connect", () => {
    cancel();
    onConnected();
  });
  socket.once("close", cancel);
}

class ConnectTimeoutError extends Error {
  override readonly name = "ConnectTimeoutError";
}

/** The reason of this module's own abort signals. */
class StoppedError extends Error {
  override readonly name = "StoppedError";
  readonly why: "aborted" | "timeout";
  constructor(why: "aborted" | "timeout") {
    super(why);
    this.why = why;
  }
}

/** What Node refuses to send. */
const neverLeft = (error: unknown): boolean => /^ERR_INVALID_/.test(codeOf(error));

function describe(error: unknown): string {
  const code = codeOf(error);
  const message = error instanceof Error && error.message !== "" ? error.message : "no connection";
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
