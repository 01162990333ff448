import { Router } from "express";
import { timeLimit } from "../runtime.ts";
import type { ZoneProof } from "../troubles/zone-probe.ts";
import { sendJson } from "./problem-json.ts";
import type { Status } from "./status.ts";

export interface ApiRoutesDeps {
  readonly status: () => Status;
  /** Checks the configured zone; absent if nothing is sent to the service. */
  readonly probeZone?: ((signal: AbortSignal) => Promise<ZoneProof>) | undefined;
}

/** A pause of the service, and a few tries. */
const probePatienceMs = 170_000;

/** Status for scripts and the command line. */
export function apiRoutes({ status, probeZone }: ApiRoutesDeps): Router {
  const router = Router();

  router.get("/api/status", (_request, response) => {
    sendJson(response, status());
  });

  if (probeZone) {
    router.post("/api/zone-probe", async (_request, response) => {
      sendJson(response, await probeZone(timeLimit(probePatienceMs)));
    });
  }
  return router;
}
