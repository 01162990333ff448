import { json, type Request, type Response, Router } from "express";
import { type FeedId, feedId, isId } from "../domain/ids.ts";
import { directoryFor } from "../domain/sight.ts";
import {
  describeFeedProblems,
  type FeedProblem,
  readFeedChange,
  readFeedWish,
} from "../feeds/feed-request.ts";
import { asListed, type PublishedFeed, type PublishedFeeds } from "../feeds/published-feeds.ts";
import type { Store } from "../store/store.ts";
import { notFound, sendJson, sendProblem } from "./problem-json.ts";
import type { Viewers } from "./viewer.ts";

interface FeedApiDeps {
  readonly viewers: Pick<Viewers, "viewerOf">;
  readonly store: Pick<Store, "directory">;
  readonly feeds: PublishedFeeds;
  /** Address under which calendars reach this server, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** Feeds for scripts and the command line: listed, made, changed, given another address, ended. A person gets to the own ones alone. */
export function feedApiRoutes({ viewers, store, feeds, baseUrl }: FeedApiDeps): Router {
  const router = Router();
  const viewerOf = (request: Request<{ id: string }> | Request) => viewers.viewerOf(request);
  const directoryOf = (request: Request<{ id: string }> | Request) =>
    directoryFor(store.directory, viewerOf(request));
  const shownTo = (request: Request<{ id: string }> | Request) => (feed: PublishedFeed) =>
    asListed(feed, { directory: directoryOf(request), publicUrl: baseUrl() });

  router.get("/api/feeds", (request, response) => {
    sendJson(response, { feeds: feeds.list(viewerOf(request)).map(shownTo(request)) });
  });

  router.post("/api/feeds", json(), (request, response) => {
    const [viewer, directory] = [viewerOf(request), directoryOf(request)];
    const wish = readFeedWish(request.body, { directory, viewer });
    if (!wish.ok) return refuse(response, wish.failure);
    sendJson(response.status(201), shownTo(request)(feeds.create(wish.value)));
  });

  router.patch("/api/feeds/:id", json(), (request, response) => {
    const feed = openFeed(request);
    if (!feed) return missing(request, response);
    const change = readFeedChange(request.body, { feed, directory: directoryOf(request) });
    if (!change.ok) return refuse(response, change.failure);
    const changed = feeds.change(feed.id, change.value, viewerOf(request));
    if (changed) sendJson(response, shownTo(request)(changed));
    else missing(request, response);
  });

  router.post("/api/feeds/:id/rotate", (request, response) => {
    const id = idOf(request);
    const feed = id && feeds.rotate(id, viewerOf(request));
    if (feed) sendJson(response, shownTo(request)(feed));
    else missing(request, response);
  });

  router.post("/api/feeds/:id/reopen", (request, response) => {
    const id = idOf(request);
    const feed = id && feeds.reopen(id, viewerOf(request));
    if (feed) sendJson(response, shownTo(request)(feed));
    else sendProblem(response, notFound(`there is no ended feed ${request.params.id}`));
  });

  router.delete("/api/feeds/:id", (request, response) => {
    const id = idOf(request);
    if (id && feeds.revoke(id, viewerOf(request))) response.status(204).end();
    else missing(request, response);
  });

  function openFeed(request: Request<{ id: string }>): PublishedFeed | null {
    const id = idOf(request);
    const feed = id && feeds.get(id, viewerOf(request));
    return feed && feed.revokedAt === null ? feed : null;
  }
  return router;
}

const idOf = ({ params: { id } }: Request<{ id: string }>): FeedId | null =>
  isId(Number(id)) ? feedId(Number(id)) : null;

function missing({ params: { id } }: Request<{ id: string }>, response: Response): void {
  sendProblem(response, notFound(`there is no open feed ${id}`));
}

/** 404 where all that is wrong is that something is not there, else 400; every field is told. */
function refuse(response: Response, problems: readonly FeedProblem[]): void {
  const errors = problems.map(({ field, message }) => ({ field, message }));
  const isMissing = problems.every(({ isUnknown }) => isUnknown);
  const detail = describeFeedProblems(problems);
  sendProblem(response, {
    ...(isMissing ? notFound(detail) : { status: 400, title: "Bad request", detail }),
    more: { errors },
  });
}
