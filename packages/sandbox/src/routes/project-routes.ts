import { type IRouter, Router } from "express";
import { type Reply, replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, collectionRoutes, route } from "./route.ts";

const inProject = (call: Call) => ({ by: call.by, project: call.id("project") });

/** Calendar events and milestones. Source: service-api.md, Calendar events and milestones. */
export function eventRoutes({ events }: Workspace): IRouter {
  const router = Router();
  collectionRoutes(router, {
    path: "/projects/:project/events",
    member: "event",
    created: 201,
    work: events,
    list: (place, call) =>
      events.list(place, {
        view: call.query("view"),
        startDate: call.query("startDate"),
        endDate: call.query("endDate"),
      }),
    place: inProject,
    one: (call) => ({ ...inProject(call), event: call.id("event") }),
  });
  return router;
}

/** Files of folders. Source: service-api.md, Files. */
export function fileRoutes({ files }: Workspace): IRouter {
  const router = Router();
  const path = "/projects/:project/folders/:folder/files";
  const inFolder = (call: Call) => ({ ...inProject(call), folder: call.id("folder") });
  route(router, {
    path,
    get: (call) => replyWith(200, files.list(inFolder(call))),
    post: (call) => replyWith(201, files.create(inFolder(call), call.body)),
  });
  route(router, {
    path: `${path}/:file`,
    delete: (call) => replyWith(204, files.remove({ ...inFolder(call), file: call.id("file") })),
  });
  return router;
}

/** The bytes behind a file's `url`; the name at its end is for people only. */
export function contentRoutes({ files }: Workspace): IRouter {
  const router = Router();
  route(router, {
    path: "/:file{/*name}",
    get: (call): Reply => {
      const found = files.content({ by: call.by, file: call.id("file") });
      return { status: 200, bytes: found.bytes, type: found.type };
    },
  });
  return router;
}

/** Labels of the account. Source: service-api.md, Labels. */
export function labelRoutes({ labels }: Workspace): IRouter {
  const router = Router();
  collectionRoutes(router, {
    path: "/labels",
    member: "label",
    created: 200,
    work: labels,
    list: (caller) => labels.list(caller),
    place: ({ by }) => ({ by }),
    one: (call) => ({ by: call.by, label: call.id("label") }),
  });
  return router;
}

/** Lookups that the document does not show. Source: beyond-the-document.md, Look-ups. */
export function directoryRoutes({ directory, allTasks }: Workspace): IRouter {
  const router = Router();
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
        allTasks.page(call, {
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
