import { Router } from "express";
import type { StorageTrouble } from "../store/storage-health.ts";

export interface HealthDeps {
  /** What the disk does not do at present; null when all is well. */
  readonly storage: () => StorageTrouble | null;
  /** Whether everything is served: all that there was had been read as a whole, now or before a restart. */
  readonly ready: () => boolean;
  /** Whether what is served has been read since the start. */
  readonly fresh: () => boolean;
}

/** Liveness, readiness, and the leave for fetchers that obey robots.txt to read feeds. */
export function healthRoutes({ ready, fresh, storage }: HealthDeps): Router {
  const router = Router();
  router.get("/healthz", (_request, response) => {
    const trouble = storage();
    response
      .set("Cache-Control", "no-store")
      .status(trouble ? 503 : 200)
      .json(trouble ? { status: "failing", problem: trouble.problem } : { status: "ok" });
  });
  router.get("/readyz", (_request, response) => {
    const isReady = ready();
    response
      .set("Cache-Control", "no-store")
      .status(isReady ? 200 : 503)
      .json({ status: isReady ? "ready" : "first sweep under way", fresh: fresh() });
  });
  router.get("/robots.txt", (_request, response) => {
    response.type("text/plain").send("User-agent: *\nAllow: /feeds/\nDisallow: /\n");
  });
  return router;
}
