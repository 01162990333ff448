import { type IRouter, Router } from "express";
import { replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";

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
