import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";
import { inTask, taskPath } from "./task-path.ts";

const base = `${taskPath}/comments`;

/** Task comments. Source: service-api.md, Task comments. */
export function commentRoutes({ comments }: Workspace): IRouter {
  const router = Router();
  const one = (call: Call) => ({ ...inTask(call), comment: call.id("comment") });
  route(router, {
    path: base,
    get: (call) => replyWith(200, comments.list(inTask(call))),
    post: (call) => replyWith(200, comments.create(inTask(call), call.body)),
  });
  route(router, {
    path: `${base}/:comment`,
    get: (call) => replyWith(200, comments.get(one(call))),
    put: (call) => replyWith(200, comments.update(one(call), call.body)),
    delete: (call) => replyWith(204, comments.remove(one(call))),
  });
  return router;
}
