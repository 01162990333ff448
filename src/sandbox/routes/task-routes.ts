import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";

/** The path of one task, below which what hangs on it stands. */
const taskPath = "/projects/:project/todolists/:list/tasks/:task";

/** Who asks, and which task the path names. */
const inTask = (call: Call) => ({
  by: call.by,
  project: call.id("project"),
  list: call.id("list"),
  task: call.id("task"),
});

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

const subtaskBase = `${taskPath}/subtasks`;

/** Subtasks. Source: service-api.md, Subtasks. */
export function subtaskRoutes({ subtasks }: Workspace): IRouter {
  const router = Router();
  const one = (call: Call) => ({ ...inTask(call), subtask: call.id("subtask") });
  route(router, {
    path: subtaskBase,
    get: (call) => replyWith(200, subtasks.list(inTask(call))),
    post: (call) => replyWith(200, subtasks.create(inTask(call), call.body)),
  });
  route(router, {
    path: `${subtaskBase}/:subtask`,
    get: (call) => replyWith(200, subtasks.get(one(call))),
    put: (call) => replyWith(200, subtasks.update(one(call), call.body)),
    delete: (call) => replyWith(204, subtasks.remove(one(call))),
  });
  return router;
}

const commentBase = `${taskPath}/comments`;

/** Task comments. Source: service-api.md, Task comments. */
export function commentRoutes({ comments }: Workspace): IRouter {
  const router = Router();
  const one = (call: Call) => ({ ...inTask(call), comment: call.id("comment") });
  route(router, {
    path: commentBase,
    get: (call) => replyWith(200, comments.list(inTask(call))),
    post: (call) => replyWith(200, comments.create(inTask(call), call.body)),
  });
  route(router, {
    path: `${commentBase}/:comment`,
    get: (call) => replyWith(200, comments.get(one(call))),
    put: (call) => replyWith(200, comments.update(one(call), call.body)),
    delete: (call) => replyWith(204, comments.remove(one(call))),
  });
  return router;
}

const historyBase = `${taskPath}/history`;

/** What happened to tasks. Source: service-api.md, Task history. */
export function historyRoutes({ history }: Workspace): IRouter {
  const router = Router();
  route(router, { path: historyBase, get: (call) => replyWith(200, history.list(inTask(call))) });
  route(router, {
    path: `${historyBase}/:entry`,
    get: (call) => replyWith(200, history.get({ ...inTask(call), entry: call.id("entry") })),
  });
  return router;
}
