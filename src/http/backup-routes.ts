import { type Response, Router } from "express";
import { backUpNow, downloadBackup } from "../operations/backup-operations.ts";
import { isFileAnswer, type Operation } from "../operations/operation.ts";
import { formGuard } from "./form-guard.ts";
import { problemOf } from "./operation-routes.ts";
import { sendProblem } from "./problem-json.ts";
import { sendFile } from "./send-file.ts";
import { redirectTo } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/** Backups on the status page: makes one now, and downloads them. */
export function backupRoutes(context: WebContext): Router {
  const { viewers } = context;
  const router = Router();

  /** The operation's value; null after sending a problem. */
  async function run(
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    response: Response,
  ): Promise<unknown> {
    const caller = { viewer: viewers.viewerOf(response.req), channel: "dashboard" } as const;
    const outcome = await operation.run(input, { ...context, caller });
    if (outcome.ok) return outcome.value.value;
    sendProblem(response, problemOf(outcome.failure));
    return null;
  }

  router.get("/status/backups", (_request, response) => redirectTo(response, "status#backups"));
  router.post("/status/backups", ...formGuard(viewers), async (_request, response) => {
    if ((await run(backUpNow, {}, response)) !== null) redirectTo(response, "status#backups");
  });
  router.get("/status/backups/:name", async (request, response) => {
    const file = await run(downloadBackup, { name: request.params.name }, response);
    if (isFileAnswer(downloadBackup, file)) {
      await sendFile(response, file, { disposition: "attachment" });
    }
  });
  return router;
}
