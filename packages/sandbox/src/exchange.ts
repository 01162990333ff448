import type { Response } from "express";
import type { Fault } from "./faults.ts";
import { RefusedError } from "./refusal.ts";
import type { OpenEntry } from "./request-log.ts";
import type { StartTimer } from "./runtime.ts";

/** A response to send: JSON, bytes of some type, or only a status. */
export interface Reply {
  readonly status: number;
  readonly json?: unknown;
  readonly bytes?: Buffer;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An admitted request. */
export interface AdmittedRequest {
  readonly method: string;
  readonly path: string;
  /** The person whose key it has. */
  readonly by: number;
  readonly bytes: Buffer;
}

/** Stands between callers and the workspace, like a cache or a replica. */
export interface Intermediary {
  /** A request that is carried out next. */
  readonly arriving: (request: AdmittedRequest) => void;
  /** Changes the JSON the service receives. Default: unchanged. */
  readonly rewriting?: (body: unknown) => unknown;
  /** The response, or another one in its place. */
  readonly answering: (request: AdmittedRequest, reply: Reply) => Reply;
}

/** What one request has collected on its way to a route. */
export interface Exchange {
  readonly entry: OpenEntry;
  readonly intermediary: Intermediary | null;
  bytes: Buffer;
  /** Delay of every response in milliseconds. */
  readonly latencyMs: number;
  readonly startTimer: StartTimer;
  /** Called when the request gets no response. */
  readonly onHang: () => void;
  fault: Fault | undefined;
  by: number;
  body: unknown;
}

/** Stores the exchange for later steps of the same request. */
export function beginExchange(response: Response, exchange: Exchange): void {
  response.locals["exchange"] = exchange;
}

/** The exchange of this request; throws before `beginExchange`. */
export function exchangeOf(response: Response): Exchange {
  const exchange: Exchange | undefined = response.locals["exchange"];
  if (exchange === undefined) throw new Error("the request has no exchange yet");
  return exchange;
}

/** The request of an admitted exchange. */
export const admitted = ({ entry, by, bytes }: Exchange): AdmittedRequest => ({
  method: entry.method,
  path: entry.path,
  by,
  bytes,
});

/** A value as a response; 204 has no body. */
export const replyWith = (status: number, value: unknown): Reply =>
  status === 204 ? { status } : { status, json: value };

/** A refusal as a response. Throws other errors again. */
export function refusalReply(error: unknown): Reply {
  if (!(error instanceof RefusedError)) throw error;
  const { status, code, message } = error;
  return { status, json: code === undefined ? { message } : { code, message } };
}

/** The response to a call on the workspace: its value with `status`, or the refusal. */
export function replyTo(status: number, call: () => unknown): Reply {
  try {
    return replyWith(status, call());
  } catch (error) {
    return refusalReply(error);
  }
}

/** Sends the response, late or damaged if a fault demands it. */
export function send(response: Response, reply: Reply): void {
  const exchange = exchangeOf(response);
  const { fault, entry, latencyMs, intermediary, startTimer } = exchange;
  const wait = latencyMs + (fault?.kind === "delay" ? fault.ms : 0);
  const passes = intermediary !== null && exchange.by > 0;
  const passed = passes ? intermediary.answering(admitted(exchange), reply) : reply;
  const sending = { response, reply: damaged(passed, fault), fault, entry };
  if (wait === 0) {
    sendNow(sending);
    return;
  }
  const timer = startTimer(wait, () => sendNow(sending));
  response.once("close", () => timer.cancel());
}

interface Sending {
  readonly response: Response;
  readonly reply: Reply;
  readonly fault: Fault | undefined;
  readonly entry: OpenEntry;
}

function sendNow({ response, reply, fault, entry }: Sending): void {
  if (fault?.kind === "late") return;
  if (fault?.kind === "hang-before" || fault?.kind === "hang-after") {
    exchangeOf(response).onHang();
    return;
  }
  if (fault?.kind === "drop-before" || fault?.kind === "drop-after") {
    response.req.socket.destroy();
    return;
  }
  entry.status = reply.status;
  response.status(reply.status);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  const bytes = reply.bytes ?? (reply.json === undefined ? null : jsonBytes(reply.json));
  if (bytes === null) {
    response.end();
    return;
  }
  response.setHeader("content-type", reply.type ?? "application/json; charset=utf-8");
  response.setHeader("content-length", bytes.length);
  if (fault?.kind !== "cut") {
    response.end(bytes);
    return;
  }
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  if (fault.plain === true) {
    response.setHeader("content-length", half.length);
    response.end(half);
    return;
  }
  response.write(half, () => response.req.socket.destroy());
}

function damaged(reply: Reply, fault: Fault | undefined): Reply {
  if (fault?.kind === "replace") return { status: 200, json: fault.body };
  if (fault?.kind === "transform" && reply.json !== undefined)
    return { ...reply, json: fault.transform(structuredClone(reply.json)) };
  return reply;
}

function jsonBytes(json: unknown): Buffer {
  return Buffer.from(JSON.stringify(json) ?? "null");
}
