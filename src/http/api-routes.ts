import { json, Router } from "express";
import { feedId, isId, projectId } from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import {
  creationOf,
  type PublishedFeed,
  type PublishedFeeds,
  readFeedName,
  withUrl,
} from "../feeds/published-feeds.ts";

import type { Store } from "../store/store.ts";
import type { AdminAuth } from "./admin-auth.ts";
import { badRequest, conflict, notFound, sendProblem } from "./problem-json.ts";
import type { Status } from "./status.ts";

export interface ApiRoutesDeps {
  readonly auth: AdminAuth;
  readonly store: Store;
  readonly feeds: PublishedFeeds;
  readonly status: () => Status;
  /** Address under which calendars reach this server, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** Status, feeds and brakes for scripts and the command line. */
export function apiRoutes({ auth, store, feeds, status, baseUrl }: ApiRoutesDeps): Router {
  const router = Router();
  router.use("/api", auth.requireToken);
  const shown = (feed: PublishedFeed) => withUrl(feed, baseUrl());
  const feedOf = (text: string) => (isId(Number(text)) ? feedId(Number(text)) : null);

  router.get("/api/status", (_request, response) => {
    response.json(status());
  });

  router.get("/api/feeds", (_request, response) => {
    response.json({ feeds: feeds.list().map(shown) });
  });

  router.post("/api/feeds", json(), (request, response) => {
    const body: unknown = request.body;
    const wanted = typeof body === "object" && body && "projectId" in body ? body.projectId : null;
    if (!isId(wanted)) {
      sendProblem(response, badRequest("projectId: the id of a project is needed"));
      return;
    }
    const name = nameIn(body);
    if (!name.ok) {
      sendProblem(response, badRequest(name.failure));
      return;
    }
    const before = feeds.list();
    const feed = feeds.create(projectId(wanted), name.value);
    if (feed) {
      const creation = creationOf(feed, before);
      const status = creation.outcome === "made" ? 201 : 200;
      response.status(status).json({ ...shown(feed), ...creation });
    } else sendProblem(response, notFound(`project ${wanted} is not known`));
  });

  router.post("/api/feeds/:id/rotate", (request, response) => {
    const id = feedOf(request.params.id);
    const feed = id && feeds.rotate(id);
    if (feed) response.json(shown(feed));
    else sendProblem(response, notFound(`there is no open feed ${request.params.id}`));
  });

  router.delete("/api/feeds/:id", (request, response) => {
    const id = feedOf(request.params.id);
    if (id && feeds.revoke(id)) response.status(204).end();
    else sendProblem(response, notFound(`there is no open feed ${request.params.id}`));
  });

  router.get("/api/brakes", (_request, response) => {
    response.json({ brakes: store.brakes.all() });
  });

  router.post("/api/brakes/:source/release", (request, response) => {
    const { source } = request.params;
    if (store.brakes.release(source)) response.status(204).end();
    else sendProblem(response, conflict(`nothing is held for ${source}`));
  });
  return router;
}

/** The name that the body gives a feed; null takes one back. Fails with a sentence. */
function nameIn(body: unknown): Result<string | null | undefined, string> {
  const named = typeof body === "object" && body && "name" in body ? body.name : undefined;
  if (named === undefined || named === null) return ok(named);
  const name = readFeedName(named);
  return name.ok ? name : fail(`name: ${name.failure}, or null to be called as the project`);
}
