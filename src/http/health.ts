import { Router } from "express";

export interface HealthDeps {
  /** Whether the first full sweep is done. */
  readonly ready: () => boolean;
}

/** Liveness, readiness, and the leave for fetchers that obey robots.txt to read feeds. */
export function healthRoutes({ ready }: HealthDeps): Router {
  const router = Router();
  router.get("/healthz", (_request, response) => {
    response.set("Cache-Control", "no-store").json({ status: "ok" });
  });
  router.get("/readyz", (_request, response) => {
    const isReady = ready();
    response
      .set("Cache-Control", "no-store")
      .status(isReady ? 200 : 503)
      .json({ status: isReady ? "ready" : "first sweep under way" });
  });
  router.get("/robots.txt", (_request, response) => {
    response.type("text/plain").send("User-agent: *\nAllow: /feeds/\nDisallow: /\n");
  });
  return router;
}
