import { type Request, type Response, Router } from "express";
import { type Coding, codingFor } from "../domain/accept-encoding.ts";
import { httpDate, readHttpDate } from "../domain/http-date.ts";
import { FeedUnreadError } from "../feeds/live-feed.ts";
import type { OpenFeed, PublishedFeeds } from "../feeds/published-feeds.ts";
import type { Log } from "../log.ts";
import { notFound, sendProblem } from "./problem-json.ts";

export interface FeedRoutesDeps {
  readonly feeds: PublishedFeeds;
  readonly clock: () => Temporal.Instant;
  readonly log: Log;
}

/** How often a fetch by the same program is noted. */
const noteEvery = Temporal.Duration.from({ minutes: 1 });

/** `/feeds/<secret>/<slug>.ics`: 304 before anything is rendered, compressed only when asked, 503 rather than emptiness. */
export function feedRoutes({ feeds, clock, log }: FeedRoutesDeps): Router {
  const router = Router();
  const noted = new Map<number, { readonly agent: string; readonly at: Temporal.Instant }>();

  function note(feed: OpenFeed, agent: string): void {
    const last = noted.get(feed.id);
    const now = clock();
    if (last?.agent === agent && Temporal.Instant.compare(now, last.at.add(noteEvery)) < 0) return;
    noted.set(feed.id, { agent, at: now });
    feed.fetched(agent);
  }

  router.get("/feeds/:secret/:file", async (request, response) => {
    const { secret, file } = request.params;
    const feed = file.endsWith(".ics") ? feeds.open(secret) : null;
    if (!feed) {
      sendProblem(response, notFound("there is no such feed, or its address was revoked"));
      return;
    }
    try {
      note(feed, request.get("user-agent") ?? "unknown");
      await answer(feed, request, response);
    } catch (error) {
      if (error instanceof FeedUnreadError) {
        sendUnread(response);
        return;
      }
      log.error("feed cannot be built", { feed: feed.id, error });
      response.setHeader("Retry-After", "60");
      sendProblem(response, {
        status: 503,
        title: "Feed unavailable",
        detail: "the calendar cannot be built just now; the next fetch will try again",
      });
    }
  });
  router.all("/feeds/:secret/:file", (request, response) => {
    response.setHeader("Allow", "GET, HEAD");
    sendProblem(response, {
      status: 405,
      title: "Method not allowed",
      detail: `a feed cannot be changed by ${request.method}: send the calendar to /api/edits instead`,
    });
  });
  return router;
}

function sendUnread(response: Response): void {
  response.setHeader("Retry-After", "30");
  sendProblem(response, {
    status: 503,
    title: "Feed not ready",
    detail:
      "the project is still being read for the first time; a part of it would look like the whole",
  });
}

async function answer(feed: OpenFeed, request: Request, response: Response): Promise<void> {
  const { etag, modifiedAt } = feed.current() ?? (await readyHead(feed));
  const coding = codingFor(request.get("accept-encoding"));
  const under = (suffix: Coding) => `${etag.slice(0, -1)}-${suffix}"`;
  const headers = {
    ETag: coding ? under(coding) : etag,
    "Last-Modified": httpDate(modifiedAt),
    "Cache-Control": "private, no-cache",
    Vary: "Accept-Encoding",
  };
  if (isUnchanged(request, { etags: [etag, under("gzip"), under("br")], modifiedAt })) {
    response.writeHead(304, headers).end();
    return;
  }
  const waiting = feed.isAtHand() ? null : feed.prepare();
  if (waiting) {
    await waiting;
    // Something may have changed meanwhile.
    return answer(feed, request, response);
  }
  const body = coding ? await feed.compressed(coding) : feed.body();
  response.writeHead(200, {
    ...headers,
    "Content-Type": "text/calendar; charset=utf-8",
    "Content-Length": body.byteLength,
    "X-Content-Type-Options": "nosniff",
    ...(coding && { "Content-Encoding": coding }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function readyHead(feed: OpenFeed): Promise<ReturnType<OpenFeed["head"]>> {
  await feed.prepare();
  return feed.head();
}

/**
 * Whether the client's copy is current. If-None-Match wins over If-Modified-Since, whose date is really compared.
 * Source: RFC 9110 13.2.2.
 */
function isUnchanged(
  request: Request,
  current: { readonly etags: readonly string[]; readonly modifiedAt: Temporal.Instant },
): boolean {
  const noneMatch = request.get("if-none-match");
  if (noneMatch !== undefined) {
    const named = noneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return named.includes("*") || current.etags.some((etag) => named.includes(etag));
  }
  const since = readHttpDate(request.get("if-modified-since"));
  return since !== null && current.modifiedAt.epochMilliseconds < since.epochMilliseconds + 1000;
}
