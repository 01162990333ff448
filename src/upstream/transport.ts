import { Agent, type FormData, request } from "undici";
import { readBody } from "./response.ts";

/** One HTTP request as it goes out; `body` is the text, or a form that is sent as multipart/form-data. */
export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
  readonly signal: AbortSignal | null;
}

/**
 * What came of it. `answer`: status and headers arrived; `body` is null with the reason in `damage` where it could not
 * be read. `broken`: no complete answer; `sent` is false only when certainly nothing reached the service.
 */
export type Reply =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: ReplyHeaders;
      readonly body: string | null;
      readonly damage: string;
    }
  | { readonly kind: "broken"; readonly sent: boolean; readonly message: string }
  | { readonly kind: "aborted"; readonly sent: boolean };

interface ReplyHeaders {
  readonly retryAfter: string | null;
  readonly date: string | null;
  readonly location: string | null;
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
    const response = await request(url, {
      dispatcher: method === "POST" ? this.#single : this.#kept,
      method,
      headers: { ...exchange.headers, "accept-encoding": "gzip, deflate, br" },
      body,
      signal,
    });
    const { headers, statusCode: status } = response;
    const read = await readBody(response.body, first(headers["content-encoding"]));
    const replyHeaders = {
      retryAfter: first(headers["retry-after"]),
      date: first(headers["date"]),
      location: first(headers["location"]),
    };
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
