import { json, type Request, type Response, Router, raw } from "express";
import {
  folderId,
  isId,
  labelId,
  listId,
  type PersonId,
  personId,
  projectId,
  serviceId,
} from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import { type Answer, describeActionFailure } from "../edits/workspace/action-failure.ts";
import type { ServiceActions } from "../edits/workspace/service-actions.ts";
import { refuseUnread } from "./continue.ts";
import {
  badRequest,
  conflict,
  notFound,
  type Problem,
  sendJson,
  sendProblem,
} from "./problem-json.ts";
import { queryText } from "./request-query.ts";

export interface WorkspaceRoutesDeps {
  readonly workspace: ServiceActions;
}

const largestFile = 100 * 1024 * 1024;

/** Files, comments, labels, copies and moves, for scripts and for commands beside the daemon. */
export function workspaceRoutes({ workspace }: WorkspaceRoutesDeps): Router {
  const { files, comments, labels, tasks } = workspace;
  const router = Router();
  const body = json({ limit: "1mb" });
  router.get("/api/files", (request, response) =>
    reply(response, async () => ({
      files: await done(files.list(placeOf(request), onBehalf(request))),
    })),
  );
  const file = [refuseUnread(largestFile), raw({ type: () => true, limit: largestFile })];
  router.post("/api/files", file, (request: Request, response: Response) =>
    reply(response, async () => {
      const bytes: unknown = request.body;
      const file = {
        ...placeOf(request),
        name: needed(request, "name"),
        type: queryText(request, "type") ?? "application/octet-stream",
        content: bytes instanceof Uint8Array ? bytes : new Uint8Array(),
      };
      return { files: await done(files.upload(file, onBehalf(request))) };
    }),
  );
  router.delete("/api/files/:id", (request, response) =>
    reply(response, () => {
      const id = serviceId(idOf(request.params.id, "id"));
      return done(files.delete({ ...placeOf(request), id }, onBehalf(request)));
    }),
  );

  router.get("/api/tasks/:task/comments", (request, response) =>
    reply(response, async () => ({
      comments: await done(comments.list(request.params.task, onBehalf(request))),
    })),
  );
  router.post("/api/tasks/:task/comments", body, (request, response) =>
    reply(response, () => {
      const comment = { task: request.params.task, text: field(request, "text") };
      return done(comments.add(comment, onBehalf(request)));
    }),
  );
  for (const act of ["copy", "move"] as const) {
    router.post(`/api/tasks/:task/${act}`, (request, response) =>
      reply(response, () => {
        const project = queryText(request, "project");
        const relocation = {
          task: request.params.task,
          listId: listId(idOf(needed(request, "list"), "list")),
          projectId: project === undefined ? null : projectId(idOf(project, "project")),
          title: queryText(request, "title") ?? null,
        };
        return done(tasks[act](relocation, onBehalf(request)));
      }),
    );
  }

  router.get("/api/labels", (request, response) =>
    reply(response, async () => ({ labels: await done(labels.list(onBehalf(request))) })),
  );
  router.post("/api/labels", body, (request, response) =>
    reply(response, () => done(labels.create(field(request, "name"), onBehalf(request)))),
  );
  router.post("/api/labels/:id", body, (request, response) =>
    reply(response, () => {
      const id = labelId(idOf(request.params.id, "id"));
      return done(labels.rename({ id, name: field(request, "name") }, onBehalf(request)));
    }),
  );
  router.delete("/api/labels/:id", (request, response) =>
    reply(response, () => {
      const id = labelId(idOf(request.params.id, "id"));
      return done(labels.delete(id, onBehalf(request)));
    }),
  );
  return router;
}

/** Ends a request with a problem. */
class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

async function reply(response: Response, work: () => Promise<unknown>): Promise<void> {
  try {
    const value = await work();
    if (value === null) response.status(204).end();
    else sendJson(response, value);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    sendProblem(response, error.problem);
  }
}

/** The value, or 404, 409, or 502 for what the service did not do. */
async function done<Value>(answer: Answer<Value>): Promise<Value> {
  const result = await answer;
  if (result.ok) return result.value;
  const detail = describeActionFailure(result.failure);
  switch (result.failure.kind) {
    case "unknown":
      throw new ProblemError(notFound(detail));
    case "unfit":
      throw new ProblemError(conflict(detail));
    case "failed":
      throw new ProblemError({ status: 502, title: "The service did not do it", detail });
    default:
      return unreachable(result.failure);
  }
}

function placeOf(request: Request) {
  const folder = queryText(request, "folder");
  return {
    projectId: projectId(idOf(needed(request, "project"), "project")),
    folderId: folder === undefined ? null : folderId(idOf(folder, "folder")),
  };
}

function onBehalf(request: Request): { readonly person: PersonId | null } {
  const person = queryText(request, "person");
  return { person: person === undefined ? null : personId(idOf(person, "person")) };
}

function idOf(value: string, name: string): number {
  const id = Number(value);
  if (!isId(id)) throw new ProblemError(badRequest(`${name}: "${value}" is no id`));
  return id;
}

function needed(request: Request, name: string): string {
  const value = queryText(request, name);
  if (value === undefined || value === "") throw new ProblemError(badRequest(`${name} is needed`));
  return value;
}

/** A text of the JSON body. */
function field(request: Request, name: string): string {
  const body: unknown = request.body;
  const value = typeof body === "object" && body ? new Map(Object.entries(body)).get(name) : null;
  if (typeof value === "string") return value;
  throw new ProblemError(badRequest(`${name}: a text is needed`));
}
