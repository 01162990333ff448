import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type Response, Router } from "express";
import type { KeptBackup } from "../backups/snapshots.ts";
import { formGuard } from "./form-guard.ts";
import { notFound, sendJson, sendProblem } from "./problem-json.ts";
import { redirectTo } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/**
 * `/api/backups`, and the same from the status page: lists backups, makes one now, and downloads them. Admin only, as backups
 * contain everything that anyone ever wrote.
 */
export function backupRoutes({
  viewers,
  backups,
}: Required<Pick<WebContext, "viewers" | "backups">>): Router {
  const router = Router();

  /** Null if it failed, after sending the answer. Continues even if the client disconnects. */
  async function made(response: Response): Promise<KeptBackup | null> {
    const done = await backups.make(new AbortController().signal);
    const snapshot = done.ok
      ? backups.list().find(({ file }) => file === done.value.file)
      : undefined;
    if (snapshot) return snapshot;
    const detail = done.ok ? "the backup is gone already" : done.failure.problem;
    sendProblem(response, { status: 503, title: "No backup was made", detail });
    return null;
  }

  async function send(response: Response, name: string): Promise<void> {
    const found = backups.list().find((one) => one.name === name);
    if (!found) return sendProblem(response, notFound(`there is no backup ${name}`));
    response
      .set("Content-Type", "application/gzip")
      .set("Content-Length", String(found.octets))
      .set("Content-Disposition", `attachment; filename="${found.name}"`)
      .set("Cache-Control", "no-store");
    // A client that disconnects has what it has received so far.
    await pipeline(createReadStream(found.file), response).catch(() => undefined);
  }

  router.get("/api/backups", (_request, response) => {
    sendJson(response, { backups: backups.list().map(describe) });
  });
  router.post("/api/backups", async (_request, response) => {
    const snapshot = await made(response);
    if (snapshot) sendJson(response.status(201), describe(snapshot));
  });
  router.get("/api/backups/:name", (request, response) => send(response, request.params.name));

  router.get("/status/backups", (_request, response) => redirectTo(response, "status#backups"));
  router.post("/status/backups", ...formGuard(viewers), async (_request, response) => {
    if (await made(response)) redirectTo(response, "status#backups");
  });
  router.get("/status/backups/:name", (request, response) => send(response, request.params.name));
  return router;
}

const describe = ({ name, reason, madeAt, octets }: KeptBackup) => ({
  name,
  reason,
  madeAt: madeAt.toString(),
  bytes: octets,
});
