import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";

const base = "/projects/:project/todolists/:list/tasks";

/** Tasks, their copies and moves. Source: service-api.md, Tasks. */
export function taskRoutes({ tasks }: Workspace): IRouter {
  const router = Router();
  const inList = (call: Call) => ({
    by: call.by,
    project: call.id("project"),
    list: call.id("list"),
  });
  const one = (call: Call) => ({ ...inList(call), task: call.id("task") });
  route(router, {
    path: base,
    get: (call) => replyWith(200, tasks.list(inList(call))),
    post: (call) => replyWith(200, tasks.create(inList(call), call.body)),
  });
  route(router, {
    path: `${base}/:task`,
    get: (call) => replyWith(200, tasks.get(one(call))),
    post: (call) => replyWith(200, tasks.copy(one(call), call.body)),
    put: (call) => replyWith(200, tasks.update(one(call), call.body)),
    delete: (call) => replyWith(204, tasks.remove(one(call))),
  });
  return router;
}
