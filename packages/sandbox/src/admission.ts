import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import type { Access } from "./access-checks.ts";
import {
  admitted,
  beginExchange,
  type Exchange,
  exchangeOf,
  type Intermediary,
  type Reply,
  send,
} from "./exchange.ts";
import type { Fault, Faults } from "./faults.ts";
import type { Limiter } from "./limiter.ts";
import type { RequestLog } from "./request-log.ts";
import type { StartTimer } from "./runtime.ts";

export interface AdmissionParts {
  readonly access: Access;
  readonly limiter: Limiter;
  readonly log: RequestLog;
  readonly faults: Faults;
  readonly monotonic: () => number;
  readonly latencyMs: number;
  readonly startTimer: StartTimer;
  readonly onHang: () => void;
  readonly intermediary: Intermediary | null;
}

/**
 * What every request passes before its route: the log, User-Agent (400), quota (429), pending faults, the key (403). A missing
 * or unknown key is a permission error like any other, hence 403. Source: service-api.md, Authentication, Errors, Limits.
 */
export function admission(parts: AdmissionParts): readonly RequestHandler[] {
  return [
    (request, response, next) => {
      beginExchange(response, newExchange(request, parts));
      next();
    },
    express.raw({ type: () => true, limit: "64mb" }),
    (request, response, next) => {
      const exchange = exchangeOf(response);
      const bytes: unknown = request.body;
      if (Buffer.isBuffer(bytes)) exchange.bytes = bytes;
      exchange.entry.body = exchange.bytes.toString("utf8");
      const refusal = verdict({ request, exchange, parts });
      const carryOut = () => {
        parts.intermediary?.arriving(admitted(exchange));
        next();
      };
      if (refusal !== null) send(response, refusal);
      else if (exchange.fault?.kind === "late")
        carryOutLate({ response, parts, fault: exchange.fault }, carryOut);
      else carryOut();
    },
  ];
}

/** POST and PUT of the API must declare JSON (415) and be JSON (400). */
export function jsonOnly(request: Request, response: Response, next: NextFunction): void {
  const refusal = readJson(request, response);
  if (refusal === null) next();
  else send(response, refusal);
}

interface Arrival {
  readonly request: Request;
  readonly exchange: Exchange;
  readonly parts: AdmissionParts;
}

function newExchange(request: Request, parts: AdmissionParts): Exchange {
  const url = request.originalUrl;
  const mark = url.indexOf("?");
  const entry = parts.log.arrived({
    at: parts.monotonic(),
    method: request.method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? "" : url.slice(mark + 1),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
  });
  return {
    entry,
    bytes: Buffer.alloc(0),
    latencyMs: parts.latencyMs,
    startTimer: parts.startTimer,
    onHang: parts.onHang,
    intermediary: parts.intermediary,
    fault: undefined,
    by: 0,
    body: undefined,
  };
}

function readJson(request: Request, response: Response): Reply | null {
  if (request.method !== "POST" && request.method !== "PUT") return null;
  const type = request.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type))
    return replyError(415, "Content-Type must be application/json");
  const exchange = exchangeOf(response);
  try {
    const body: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(exchange.bytes),
    );
    exchange.body = exchange.intermediary?.rewriting?.(body) ?? body;
    return null;
  } catch {
    return replyError(400, "the body is not JSON");
  }
}

// null accepts the request; the order is the service's: User-Agent, quota, key.
function verdict({ request, exchange, parts }: Arrival): Reply | null {
  if (!request.get("user-agent")) return replyError(400, "the User-Agent header is missing");
  const address = request.socket.remoteAddress ?? "";
  const wait = parts.limiter.refusalSeconds(address, exchange.entry.at);
  if (wait !== null)
    return {
      ...replyError(429, `rate limit exceeded, retry after ${wait} s`),
      headers: { "retry-after": String(wait) },
    };

  exchange.fault = parts.faults.take(exchange.entry);
  const early = exchange.fault === undefined ? null : replyBefore(exchange.fault);
  if (early !== null) return early;

  const person = parts.access.byKey(request.get("x-api-key") ?? "");
  if (person === undefined) return replyError(403, "the X-API-KEY header is missing or unknown");
  exchange.by = person.id;
  exchange.entry.personId = person.id;
  return null;
}

function replyError(status: number, message: string): Reply {
  return { status, json: { message } };
}

/** Responds as the fault demands, and carries the request out later; that response is discarded. */
function carryOutLate(
  {
    response,
    parts,
    fault,
  }: {
    readonly response: Response;
    readonly parts: AdmissionParts;
    readonly fault: Extract<Fault, { readonly kind: "late" }>;
  },
  carryOut: () => void,
): void {
  const { answer = "hang", ms } = fault;
  parts.faults.delay(carryOut, ms);
  if (answer === "drop") response.req.socket.destroy();
  else if (answer === "hang") parts.onHang();
  else response.status(answer).json({ message: "try again later" });
}

// null for the faults that apply after the effect.
function replyBefore(fault: Fault): Reply | null {
  switch (fault.kind) {
    case "status":
      return statusReply(fault);
    case "html":
      return {
        status: 200,
        bytes: Buffer.from("<!doctype html><title>Welcome</title><p>Please accept the terms.</p>"),
        type: "text/html; charset=utf-8",
      };
    case "drop-before":
    case "hang-before":
      return { status: 500 };
    case "drop-after":
    case "hang-after":
    case "cut":
    case "replace":
    case "transform":
    case "delay":
    case "late":
      return null;
  }
}

function statusReply(fault: Extract<Fault, { readonly kind: "status" }>): Reply {
  const headers = fault.headers ?? {};
  if (fault.body === undefined) return { status: fault.status, headers };
  if (typeof fault.body === "string")
    return {
      status: fault.status,
      headers,
      bytes: Buffer.from(fault.body),
      type: fault.headers?.["content-type"] ?? "text/plain; charset=utf-8",
    };
  return { status: fault.status, headers, json: fault.body };
}
