import { type IRouter, Router } from "express";
import { type Reply, replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";

/** Calendar events and milestones. Source: service-api.md, Calendar events and milestones. */
export function eventRoutes({ events }: Workspace): IRouter {
  const router = Router();
  const inProject = (call: Call) => ({ by: call.by, project: call.id("project") });
  const one = (call: Call) => ({ ...inProject(call), event: call.id("event") });
  route(router, {
    path: "/projects/:project/events",
    get: (call) =>
      replyWith(
        200,
        events.list(inProject(call), {
          view: call.query("view"),
          startDate: call.query("startDate"),
          endDate: call.query("endDate"),
        }),
      ),
    post: (call) => replyWith(201, events.create(inProject(call), call.body)),
  });
  route(router, {
    path: "/projects/:project/events/:event",
    get: (call) => replyWith(200, events.get(one(call))),
    put: (call) => replyWith(200, events.update(one(call), call.body)),
    delete: (call) => replyWith(204, events.remove(one(call))),
  });
  return router;
}

const base = "/projects/:project/folders/:folder/files";

/** Files of folders. Source: service-api.md, Files. */
export function fileRoutes({ files }: Workspace): IRouter {
  const router = Router();
  const inFolder = (call: Call) => ({
    by: call.by,
    project: call.id("project"),
    folder: call.id("folder"),
  });
  route(router, {
    path: base,
    get: (call) => replyWith(200, files.list(inFolder(call))),
    post: (call) => replyWith(201, files.create(inFolder(call), call.body)),
  });
  route(router, {
    path: `${base}/:file`,
    delete: (call) => replyWith(204, files.remove({ ...inFolder(call), file: call.id("file") })),
  });
  return router;
}

/** The bytes behind a file's `url`; the name that ends the address is for people only. */
export function contentRoutes({ files }: Workspace): IRouter {
  const router = Router();
  route(router, {
    path: "/:file{/*name}",
    get: (call): Reply => {
      const found = files.content({ by: call.by, file: call.id("file") });
      if (found.kind === "refused") return replyWith(200, found);
      return { status: 200, bytes: found.value.bytes, type: found.value.type };
    },
  });
  return router;
}

/** Labels of the account. Source: service-api.md, Labels. */
export function labelRoutes({ labels }: Workspace): IRouter {
  const router = Router();
  const one = (call: Call) => ({ by: call.by, label: call.id("label") });
  route(router, {
    path: "/labels",
    get: (call) => replyWith(200, labels.list({ by: call.by })),
    post: (call) => replyWith(200, labels.create({ by: call.by }, call.body)),
  });
  route(router, {
    path: "/labels/:label",
    get: (call) => replyWith(200, labels.get(one(call))),
    put: (call) => replyWith(200, labels.update(one(call), call.body)),
    delete: (call) => replyWith(204, labels.remove(one(call))),
  });
  return router;
}

/** The look-ups that the document does not show. Source: beyond-the-document.md, Look-ups. */
export function directoryRoutes({ directory }: Workspace): IRouter {
  const router = Router();
  const inProject = (call: Call) => ({ by: call.by, project: call.id("project") });
  route(router, { path: "/projects", get: (call) => replyWith(200, directory.projects(call)) });
  route(router, {
    path: "/projects/:project",
    get: (call) => replyWith(200, directory.project(inProject(call))),
  });
  route(router, { path: "/people", get: (call) => replyWith(200, directory.people(call)) });
  route(router, {
    path: "/people/:person",
    get: (call) => replyWith(200, directory.person({ by: call.by, person: call.id("person") })),
  });
  route(router, {
    path: "/projects/:project/todolists",
    get: (call) => replyWith(200, directory.todolists(inProject(call))),
  });
  route(router, {
    path: "/projects/:project/todolists/:list",
    get: (call) =>
      replyWith(200, directory.todolist({ ...inProject(call), list: call.id("list") })),
  });
  route(router, {
    path: "/projects/:project/folders",
    get: (call) => replyWith(200, directory.folders(inProject(call))),
  });
  route(router, {
    path: "/alltodo",
    get: (call) =>
      replyWith(
        200,
        directory.allTodo(call, {
          start: call.query("start"),
          limit: call.query("limit"),
          projects: call.query("projects"),
          include_subtasks: call.query("include_subtasks"),
          completed: call.query("completed"),
        }),
      ),
  });
  return router;
}
