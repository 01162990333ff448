import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, collectionRoutes, route } from "./route.ts";

const tasksPath = "/projects/:project/todolists/:list/tasks";
const taskPath = `${tasksPath}/:task`;

const inList = (call: Call) => ({
  by: call.by,
  project: call.id("project"),
  list: call.id("list"),
});

const inTask = (call: Call) => ({ ...inList(call), task: call.id("task") });

/** Tasks, their copies and moves. Source: service-api.md, Tasks. */
export function taskRoutes({ tasks }: Workspace): IRouter {
  const router = Router();
  collectionRoutes(router, {
    path: tasksPath,
    member: "task",
    created: 200,
    work: tasks,
    list: (place) => tasks.list(place),
    copy: (task, body) => tasks.copy(task, body),
    place: inList,
    one: inTask,
  });
  return router;
}

/** Subtasks. Source: service-api.md, Subtasks. */
export function subtaskRoutes({ subtasks }: Workspace): IRouter {
  const router = Router();
  collectionRoutes(router, {
    path: `${taskPath}/subtasks`,
    member: "subtask",
    created: 200,
    work: subtasks,
    list: (place) => subtasks.list(place),
    place: inTask,
    one: (call) => ({ ...inTask(call), subtask: call.id("subtask") }),
  });
  return router;
}

/** Task comments. Source: service-api.md, Task comments. */
export function commentRoutes({ comments }: Workspace): IRouter {
  const router = Router();
  collectionRoutes(router, {
    path: `${taskPath}/comments`,
    member: "comment",
    created: 200,
    work: comments,
    list: (place) => comments.list(place),
    place: inTask,
    one: (call) => ({ ...inTask(call), comment: call.id("comment") }),
  });
  return router;
}

/** History of tasks. Source: service-api.md, Task history. */
export function historyRoutes({ history }: Workspace): IRouter {
  const router = Router();
  route(router, {
    path: `${taskPath}/history`,
    get: (call) => replyWith(200, history.list(inTask(call))),
  });
  route(router, {
    path: `${taskPath}/history/:entry`,
    get: (call) => replyWith(200, history.get({ ...inTask(call), entry: call.id("entry") })),
  });
  return router;
}
