import { Router } from "express";
import { timeLimit } from "../runtime.ts";
import { sendJson } from "./problem-json.ts";
import type { WebContext } from "./web-context.ts";

/** Long enough for a pause requested by the service and a few attempts. */
const probePatienceMs = 170_000;

/** The check of the time zone, for the command line. */
export function apiRoutes({ probeZone }: WebContext): Router {
  const router = Router();

  if (probeZone) {
    router.post("/api/zone-probe", async (_request, response) => {
      sendJson(response, await probeZone(timeLimit(probePatienceMs)));
    });
  }
  return router;
}
