import { Router } from "express";
import { retryAfterOf, type StorageTrouble } from "../store/storage-health.ts";
import type { CopyState } from "./daemon-state.ts";

export interface HealthDeps {
  /** The disk's problem; null if none. */
  readonly storage: () => StorageTrouble | null;
  /** True if everything is served: all data had been read, now or before a restart. */
  readonly ready: () => boolean;
  /** True if everything served was read since the start. */
  readonly fresh: () => boolean;
  /** Age of the served copy; absent for an own database. */
  readonly copy?: (() => CopyState) | undefined;
}

/** Retry interval during a first sync. */
const sweepSeconds = "10";

/** Liveness, readiness, and robots.txt, which allows fetching feeds. */
export function healthRoutes({ ready, fresh, storage, copy }: HealthDeps): Router {
  const router = Router();
  router.get("/healthz", (_request, response) => {
    const trouble = storage();
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
