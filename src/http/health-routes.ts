import { Router } from "express";
import { retryAfterOf, type StorageTrouble } from "../store/storage-health.ts";

export interface HealthDeps {
  /** What the disk does not do at present; null when all is well. */
  readonly storage: () => StorageTrouble | null;
  /** Whether everything is served: all that there was had been read as a whole, now or before a restart. */
  readonly ready: () => boolean;
  /** Whether what is served has been read since the start. */
  readonly fresh: () => boolean;
  /** How old the copy is that is served; absent where the database is our own. */
  readonly copy?: (() => CopyState) | undefined;
}

/** What is known of a served copy of somebody else's database. */
export interface CopyState {
  /** How long ago the newest of it was read from the service; null where nothing was. */
  readonly ageSeconds: number | null;
  readonly readAt: Temporal.Instant | null;
  /** When its file was written. */
  readonly fileAt: Temporal.Instant;
  /** Since when this state is served. */
  readonly takenAt: Temporal.Instant;
  readonly revision: number;
  /** Why what lies there now is not served; null while it is. */
  readonly problem: string | null;
  /** Who takes edits. */
  readonly primary: string | null;
}

/** A first sweep is looked at again so soon. */
const sweepSeconds = "10";

/** Liveness, readiness, and the leave for fetchers that obey robots.txt to read feeds. */
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
        status: isReady ? "ready" : "first sweep under way",
        fresh: fresh(),
        ...(copy && { copy: copy() }),
      });
  });
  router.get("/robots.txt", (_request, response) => {
    response.type("text/plain").send("User-agent: *\nAllow: /feeds/\nDisallow: /\n");
  });
  return router;
}
