import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { type AdmissionParts, admission, jsonOnly } from "./admission.ts";
import { send } from "./exchange.ts";
import {
  contentRoutes,
  directoryRoutes,
  eventRoutes,
  fileRoutes,
  labelRoutes,
} from "./routes/project-routes.ts";
import { commentRoutes, historyRoutes, subtaskRoutes, taskRoutes } from "./routes/task-routes.ts";
import { uploadRoutes } from "./routes/uploads.ts";
import type { Workspace } from "./workspace.ts";

interface AppParts extends AdmissionParts {
  readonly workspace: Workspace;
  /** The service's clock, sent with each response. */
  readonly clock: () => Temporal.Instant;
  /** True if lookups that the service's document does not show are available. */
  readonly discovery: boolean;
}

/** The Express application of the sandbox: admission, one router per resource, then 404. */
export function sandboxApp(parts: AppParts): Express {
  const { workspace } = parts;
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.use((_request, response, next) => {
    response.setHeader("Date", new Date(parts.clock().epochMilliseconds).toUTCString());
    next();
  });
  app.use(...admission(parts));
  app.use("/upload", uploadRoutes(workspace));
  app.use("/files", contentRoutes(workspace));
  app.use("/api/v3", jsonOnly);
  app.use(
    "/api/v3",
    eventRoutes(workspace),
    taskRoutes(workspace),
    subtaskRoutes(workspace),
    commentRoutes(workspace),
    historyRoutes(workspace),
    labelRoutes(workspace),
    fileRoutes(workspace),
  );
  if (parts.discovery) app.use("/api/v3", directoryRoutes(workspace));
  app.use((request, response) => {
    send(response, { status: 404, json: { message: `nothing is at ${request.path}` } });
  });
  app.use(answerError);
  return app;
}

// Express recognizes an error handler by its four parameters.
function answerError(
  error: unknown,
  _request: Request,
  response: Response,
  next: NextFunction,
): void {
  if (response.headersSent) {
    next(error);
    return;
  }
  const known = typeof error === "object" && error !== null && "status" in error;
  const status = known && typeof error.status === "number" ? error.status : 500;
  const message = error instanceof Error ? error.message : String(error);
  send(response, { status, json: { message } });
}
