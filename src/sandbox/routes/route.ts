import type { IRouter, Request, Response } from "express";
import { exchangeOf, type Reply, send } from "../exchange.ts";

/** One request as a route sees it. */
export interface Call {
  /** The person whose key the request carries. */
  readonly by: number;
  readonly body: unknown;
  readonly bytes: Buffer;
  readonly request: Request;
  /** An id of the path by its placeholder's name. */
  readonly id: (name: string) => number;
  /** A query parameter, the first of its name; null when absent. */
  readonly query: (name: string) => string | null;
}

type Handler = (call: Call) => Reply | Promise<Reply>;

/** A path and the methods it answers; HEAD follows GET, any other is 405. */
export interface Route extends Methods {
  readonly path: string;
}

interface Methods {
  readonly get?: Handler;
  readonly post?: Handler;
  readonly put?: Handler;
  readonly delete?: Handler;
}

/** Adds one path to a router; a path id that is no whole number is 404. */
export function route(router: IRouter, { path, ...methods }: Route): void {
  router.all(path, async (request: Request, response: Response) => {
    send(response, await replyTo({ request, response, methods }));
  });
}

interface Visit {
  readonly request: Request;
  readonly response: Response;
  readonly methods: Methods;
}

async function replyTo({ request, response, methods }: Visit): Promise<Reply> {
  const handler = handlerFor(request.method, methods);
  if (handler === undefined) return notAllowed(methods);
  const bad = Object.entries(request.params).find(([, it]) => !isIdOrRest(it));
  if (bad !== undefined)
    return { status: 404, json: { message: `${bad[0]} ${String(bad[1])} does not exist` } };
  const { by, body, bytes } = exchangeOf(response);
  const search = new URL(request.originalUrl, "http://localhost").searchParams;
  return handler({
    by,
    body,
    bytes,
    request,
    id: (name) => Number(request.params[name]),
    query: (name) => search.get(name),
  });
}

// A wildcard's parameter is an array and names nothing that could be looked up.
function isIdOrRest(parameter: string | readonly string[] | undefined): boolean {
  return typeof parameter !== "string" || /^\d{1,15}$/.test(parameter);
}

function handlerFor(method: string, methods: Methods): Handler | undefined {
  switch (method) {
    case "GET":
    case "HEAD":
      return methods.get;
    case "POST":
      return methods.post;
    case "PUT":
      return methods.put;
    case "DELETE":
      return methods.delete;
    default:
      return undefined;
  }
}

function notAllowed(methods: Methods): Reply {
  const allow = Object.keys(methods).map((it) => it.toUpperCase());
  return {
    status: 405,
    json: { message: `only ${allow.join(", ")} here` },
    headers: { allow: allow.join(", ") },
  };
}
