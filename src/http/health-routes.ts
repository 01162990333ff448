import { Router } from "express";
import { retryAfterOf } from "../store/storage-health.ts";
import type { WebContext } from "./web-context.ts";

/** Seconds after which to retry during a first sync. */
const sweepSeconds = "10";

/** Liveness, readiness, and robots.txt, which allows fetching feeds. */
export function healthRoutes({ ready, fresh, store, copy }: WebContext): Router {
  const router = Router();
  router.get("/healthz", (_request, response) => {
    const trouble = store.health.trouble();
    if (trouble) response.set("Retry-After", String(retryAfterOf(trouble)));
    response
      .set("Cache-Control", "no-store")
      .status(trouble ? 503 : 200)
      .json(trouble ? { status: "failing", problem: trouble.problem } : { status: "ok" });
  });
  router.get("/readyz", (_request, response) => {
    const isReady = ready();
    if (!isReady) response.set("Retry-After", sweepSeconds);
    response
      .set("Cache-Control", "no-store")
      .status(isReady ? 200 : 503)
      .json({
        status: isReady ? "ready" : "first sync in progress",
        fresh: fresh(),
        ...(copy && { copy: copy() }),
      });
  });
  router.get("/robots.txt", (_request, response) => {
    response.type("text/plain").send("User-agent: *\nAllow: /feeds/\nDisallow: /\n");
  });
  return router;
}
