import type { IRouter, Request, Response } from "express";
import { exchangeOf, type Reply, refusalReply, replyWith, send } from "../exchange.ts";

/** One request as a route sees it. */
export interface Call {
  /** The person whose key the request has. */
  readonly by: number;
  readonly body: unknown;
  readonly bytes: Buffer;
  readonly request: Request;
  /** An id in the path, by its placeholder's name. */
  readonly id: (name: string) => number;
  /** A query parameter, the first with its name; null if missing. */
  readonly query: (name: string) => string | null;
}

type Handler = (call: Call) => Reply | Promise<Reply>;

/** A path and its methods; HEAD follows GET, any other is 405. */
export interface Route extends Methods {
  readonly path: string;
}

interface Methods {
  readonly get?: Handler;
  readonly post?: Handler;
  readonly put?: Handler;
  readonly delete?: Handler;
}

/** Adds one path to a router; a path id that is not a whole number is 404. */
export function route(router: IRouter, { path, ...methods }: Route): void {
  router.all(path, async (request: Request, response: Response) => {
    send(response, await replyTo({ request, response, methods }).catch(refusalReply));
  });
}

/** Operations on one kind of resource: `Place` is the collection's location, `One` identifies a member. */
interface Collection<Place, One> {
  get(one: One): unknown;
  create(place: Place, body: unknown): unknown;
  update(one: One, body: unknown): unknown;
  remove(one: One): null;
}

/**
 * Adds the path of a collection (GET lists, POST creates, answered by `created`) and below it that of one member (GET, PUT,
 * DELETE), whose id is the placeholder `member`. `copy`: what POST does with a member, 405 by default.
 */
export function collectionRoutes<Place, One>(
  router: IRouter,
  given: {
    readonly path: string;
    readonly member: string;
    readonly work: Collection<Place, One>;
    readonly list: (place: Place, call: Call) => unknown;
    readonly copy?: (one: One, body: unknown) => unknown;
    readonly place: (call: Call) => Place;
    readonly one: (call: Call) => One;
    readonly created: 200 | 201;
  },
): void {
  const { path, member, work, list, copy, place, one, created } = given;
  route(router, {
    path,
    get: (call) => replyWith(200, list(place(call), call)),
    post: (call) => replyWith(created, work.create(place(call), call.body)),
  });
  route(router, {
    path: `${path}/:${member}`,
    get: (call) => replyWith(200, work.get(one(call))),
    ...(copy && { post: (call) => replyWith(200, copy(one(call), call.body)) }),
    put: (call) => replyWith(200, work.update(one(call), call.body)),
    delete: (call) => replyWith(204, work.remove(one(call))),
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

// A wildcard's parameter is an array and names nothing.
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
