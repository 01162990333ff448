import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";

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
