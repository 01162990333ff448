import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
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
