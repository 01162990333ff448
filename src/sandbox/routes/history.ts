import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { route } from "./route.ts";
import { inTask, taskPath } from "./task-path.ts";

const base = `${taskPath}/history`;

/** What happened to tasks. Source: service-api.md, Task history. */
export function historyRoutes({ history }: Workspace): IRouter {
  const router = Router();
  route(router, { path: base, get: (call) => replyWith(200, history.list(inTask(call))) });
  route(router, {
    path: `${base}/:entry`,
    get: (call) => replyWith(200, history.get({ ...inTask(call), entry: call.id("entry") })),
  });
  return router;
}
