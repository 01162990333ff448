import { Router } from "express";
import { timeLimit } from "../runtime.ts";
import type { Store } from "../store/store.ts";
import type { ZoneProof } from "../troubles/zone-probe.ts";
import { conflict, sendJson, sendProblem } from "./problem-json.ts";
import type { Status } from "./status.ts";

export interface ApiRoutesDeps {
  readonly store: Store;
  readonly status: () => Status;
  /** Proves the zone that is configured; absent where nothing is asked of the service. */
  readonly probeZone?: ((signal: AbortSignal) => Promise<ZoneProof>) | undefined;
}

/** A pause of the service, and a few tries. */
const probePatienceMs = 170_000;

/** Status and brakes for scripts and the command line. */
export function apiRoutes({ store, status, probeZone }: ApiRoutesDeps): Router {
  const router = Router();

  router.get("/api/status", (_request, response) => {
    sendJson(response, status());
  });

  if (probeZone) {
    router.post("/api/zone-probe", async (_request, response) => {
      sendJson(response, await probeZone(timeLimit(probePatienceMs)));
    });
  }

  router.get("/api/brakes", (_request, response) => {
    sendJson(response, { brakes: store.brakes.all() });
  });

  router.post("/api/brakes/:source/release", (request, response) => {
    const { source } = request.params;
    if (store.brakes.release(source)) response.status(204).end();
    else sendProblem(response, conflict(`nothing is held for ${source}`));
  });
  return router;
}
