import type { OutgoingHttpHeaders } from "node:http";
import { type Coding, codingFor, httpDate, readHttpDate } from "@dayferry/http-values";
import { type Request, type RequestHandler, type Response, Router } from "express";
import type { FeedFault } from "../domain/feed-filter.ts";
import { FeedUnreadError } from "../feeds/live-feed.ts";
import type { OpenFeed } from "../feeds/open-feed.ts";
import type { StorageHealth } from "../store/storage-health.ts";
import { say } from "../texts/say.ts";
import type { HttpDeps } from "./http-deps.ts";
import { notFound, type Problem, sendProblem } from "./problem-json.ts";
import type { SharedCache } from "./shared-cache.ts";

interface FeedRoutesDeps extends Pick<HttpDeps, "feeds" | "log"> {
  readonly sharedCache: SharedCache;
  /** Detects a damaged database, which a fetch may be the first to meet. */
  readonly health?: Pick<StorageHealth, "note">;
}

const feedAddress = /^\/feeds\/([^/?#]+)\/[^/?#]+\.ics(?:\?|$)/;

/**
 * Answers the most frequent requests before anything else runs: feeds that the program already has, or whose bytes are in
 * memory. Other requests go to the general route.
 */
export function feedsAtHand({
  feeds,
  sharedCache,
}: Pick<FeedRoutesDeps, "feeds" | "sharedCache">): RequestHandler {
  return async (request, response, next) => {
    const { method, url } = request;
    const secret = method === "GET" || method === "HEAD" ? feedAddress.exec(url)?.[1] : undefined;
    const feed = secret === undefined ? null : feeds.open(secret);
    const head = feed && !feed.fault() ? feed.current() : null;
    if (!feed || !head) return next();
    const version = versionFor(request, { head, kept: sharedCache.headersFor(feed, request) });
    const exchange = { request, response, version };
    const { coding } = version;
    if (isUnchanged(request, version)) sendUnchanged(feed, exchange);
    else if (!feed.isAtHand()) next();
    else
      sendBody(feed, { ...exchange, body: coding ? await feed.compressed(coding) : feed.body() });
  };
}

/**
 * `/feeds/<secret>/<slug>.ics`: answers 304 before rendering, compresses only on request, and sends 503 rather than an empty
 * calendar.
 */
export function feedRoutes({ feeds, sharedCache, log, health }: FeedRoutesDeps): Router {
  const router = Router();

  router.get("/feeds/:secret/:file", async (request, response) => {
    const { secret, file } = request.params;
    const feed = file.endsWith(".ics") ? feeds.open(secret) : null;
    if (!feed) {
      sendGone(response, notFound(say("feedGone.revoked")));
      return;
    }
    const fault = feed.fault();
    if (fault?.kind === "closed") {
      // Nobody has access any more, permanently.
      sendGone(response, { status: 410, title: "Feed closed", detail: fault.reason });
      return;
    }
    if (fault) {
      sendFault(response, fault);
      return;
    }
    try {
      await answer(feed, { request, response, sharedCache });
    } catch (error) {
      if (error instanceof FeedUnreadError) {
        sendUnread(response);
        return;
      }
      health?.note(error);
      log.error("feed cannot be built", { feed: feed.id, error });
      response.setHeader("Retry-After", "60");
      sendProblem(response, {
        status: 503,
        title: "Feed unavailable",
        detail: say("feedGone.later"),
      });
    }
  });
  router.all("/feeds/:secret/:file", (request, response) => {
    response.setHeader("Allow", "GET, HEAD");
    sendProblem(response, {
      status: 405,
      title: "Method not allowed",
      detail: say("feedGone.readOnly", { method: request.method }),
    });
  });

  function sendGone(response: Response, problem: Problem): void {
    if (!sharedCache.sendGone(response, problem)) sendProblem(response, problem);
  }
  return router;
}

/** The project may come back, so an empty calendar would be wrong. */
function sendFault(response: Response, { reason }: FeedFault): void {
  response.setHeader("Retry-After", "3600");
  const detail = say("feedGone.without", { reason });
  sendProblem(response, { status: 503, title: "Feed without contents", detail });
}

function sendUnread(response: Response): void {
  response.setHeader("Retry-After", "30");
  sendProblem(response, {
    status: 503,
    title: "Feed not ready",
    detail: say("feedGone.unread"),
  });
}

async function answer(
  feed: OpenFeed,
  asked: {
    readonly request: Request;
    readonly response: Response;
    readonly sharedCache: SharedCache;
  },
  isPrepared = false,
): Promise<void> {
  const { request, response, sharedCache } = asked;
  const head = feed.current() ?? (await readyHead(feed));
  const version = versionFor(request, { head, kept: sharedCache.headersFor(feed, request) });
  if (isUnchanged(request, version)) {
    sendUnchanged(feed, { request, response, version });
    return;
  }
  const waiting = isPrepared || feed.isAtHand() ? null : feed.prepare();
  if (waiting) {
    await waiting;
    // Something may have changed in the meantime. If the disk accepts no writes, the feed is still not prepared, and is built
    // at once.
    return answer(feed, asked, true);
  }
  const { coding } = version;
  const body = coding ? await feed.compressed(coding) : feed.body();
  sendBody(feed, { request, response, version, body });
}

/** A feed's present version in the client's encoding. */
interface Version {
  readonly coding: Coding | null;
  /** The ETags under which a client may have this version. */
  readonly etags: readonly string[];
  readonly modifiedAt: Temporal.Instant;
  readonly headers: OutgoingHttpHeaders;
}

function versionFor(
  request: Request,
  { head: { etag, modifiedAt }, kept }: { readonly head: Head; readonly kept: OutgoingHttpHeaders },
): Version {
  const coding = codingFor(request.headers["accept-encoding"]);
  const under = (suffix: Coding) => `${etag.slice(0, -1)}-${suffix}"`;
  const headers = {
    ETag: coding ? under(coding) : etag,
    "Last-Modified": httpDate(modifiedAt),
    ...kept,
    Vary: "Accept-Encoding",
  };
  return { coding, etags: [etag, under("gzip"), under("br")], modifiedAt, headers };
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly version: Version;
}

function sendUnchanged(feed: OpenFeed, { request, response, version }: Exchange): void {
  feed.fetched(agentOf(request));
  response.writeHead(304, version.headers).end();
}

function sendBody(
  feed: OpenFeed,
  { request, response, version, body }: Exchange & { readonly body: Buffer },
): void {
  feed.fetched(agentOf(request));
  response.writeHead(200, {
    ...version.headers,
    "Content-Type": "text/calendar; charset=utf-8",
    "Content-Length": body.byteLength,
    "X-Content-Type-Options": "nosniff",
    ...(version.coding && { "Content-Encoding": version.coding }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

type Head = ReturnType<OpenFeed["head"]>;

const agentOf = (request: Request): string => request.headers["user-agent"] ?? "";

async function readyHead(feed: OpenFeed): Promise<Head> {
  await feed.prepare();
  return feed.head();
}

/**
 * True if the client's copy is current. If-None-Match takes precedence over If-Modified-Since, whose date is compared by value
 * instead of as text. Source: RFC 9110 13.2.2.
 */
function isUnchanged(
  { headers }: Request,
  current: Pick<Version, "etags" | "modifiedAt">,
): boolean {
  const noneMatch = headers["if-none-match"];
  if (noneMatch !== undefined) {
    const named = noneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return named.includes("*") || current.etags.some((etag) => named.includes(etag));
  }
  const since = readHttpDate(headers["if-modified-since"]);
  return since !== null && current.modifiedAt.epochMilliseconds < since.epochMilliseconds + 1000;
}
