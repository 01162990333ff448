import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";

const base = "/projects/:project/todolists/:list/tasks/:task/history";

/** What happened to tasks. Source: service-api.md, Task history. */
export function historyRoutes({ history }: Workspace): IRouter {
  const router = Router();
  const inTask = (call: Call) => ({
    by: call.by,
    project: call.id("project"),
    list: call.id("list"),
    task: call.id("task"),
  });
  route(router, { path: base, get: (call) => replyWith(200, history.list(inTask(call))) });
  route(router, {
    path: `${base}/:entry`,
    get: (call) => replyWith(200, history.get({ ...inTask(call), entry: call.id("entry") })),
  });
  return router;
}
