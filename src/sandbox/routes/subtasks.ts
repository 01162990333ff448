import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";
import { inTask, taskPath } from "./task-path.ts";

const base = `${taskPath}/subtasks`;

/** Subtasks. Source: service-api.md, Subtasks. */
export function subtaskRoutes({ subtasks }: Workspace): IRouter {
  const router = Router();
  const one = (call: Call) => ({ ...inTask(call), subtask: call.id("subtask") });
  route(router, {
    path: base,
    get: (call) => replyWith(200, subtasks.list(inTask(call))),
    post: (call) => replyWith(200, subtasks.create(inTask(call), call.body)),
  });
  route(router, {
    path: `${base}/:subtask`,
    get: (call) => replyWith(200, subtasks.get(one(call))),
    put: (call) => replyWith(200, subtasks.update(one(call), call.body)),
    delete: (call) => replyWith(204, subtasks.remove(one(call))),
  });
  return router;
}
