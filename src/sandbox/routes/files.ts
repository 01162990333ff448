import { type IRouter, Router } from "express";
import { type Reply, replyWith } from "../exchange.ts";
import type { Workspace } from "../workspace.ts";
import { type Call, route } from "./route.ts";

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
