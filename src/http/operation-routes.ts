import { json, type Request, type RequestHandler, type Response, Router, raw } from "express";
import {
  isFileAnswer,
  type Operation,
  type OperationFailure,
  type OperationModules,
} from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import { type ProgressLine, progressType } from "../operations/progress.ts";
import { refuseUnread } from "./continue.ts";
import { type Problem, sendJson, sendProblem } from "./problem-json.ts";
import { sendFile } from "./send-file.ts";
import type { Viewers } from "./viewer.ts";

/**
 * The API of every operation. Input comes from the path, the query and a JSON body; if a name occurs in several of them, the
 * path takes precedence, then the body. Answers are JSON, problems follow RFC 9457.
 */
export function operationRoutes(
  context: OperationModules & {
    readonly viewers: Pick<Viewers, "viewerOf">;
    readonly version: string;
  },
): Router {
  const router = Router();
  const offered = operations.filter((one) => one.isOffered(context));
  for (const operation of offered) {
    const answer = async (request: Request, response: Response): Promise<void> => {
      const viewer = context.viewers.viewerOf(request);
      const program = request.get("user-agent");
      const signal = operation.method === "GET" ? { signal: closing(response) } : {};
      const lines = request.get("accept") === progressType ? progressIn(response) : null;
      const onSent = lines && { onSent: (done: number, total: number) => lines({ done, total }) };
      const caller = { viewer, channel: "upload", program, ...signal, ...onSent } as const;
      const outcome = await operation.run(inputOf(request, operation), { ...context, caller });
      if (lines) {
        lines(lastLine(operation, outcome));
        return void response.end();
      }
      if (!outcome.ok) return sendProblem(response, problemOf(outcome.failure));
      const { value, status } = outcome.value;
      response.status(status);
      if (isFileAnswer(operation, value)) await sendFile(response, value);
      else if (value === null) response.end();
      else sendJson(response, bodyOf(operation, value));
    };
    const method = router[methodOf(operation)].bind(router);
    method(operation.path, ...bodyReader(operation), answer);
  }
  router.get("/api/openapi.json", async (_request, response) => {
    const { openApiOf } = await import("../operations/open-api.ts");
    const about = { version: context.version, url: context.baseUrl() };
    sendJson(response, openApiOf(offered, about));
  });
  return router;
}

const bodyOf = ({ member }: Operation, value: unknown): unknown =>
  member === null ? value : { [member]: value };

/** Writes lines of progress. */
function progressIn(response: Response): (line: ProgressLine) => void {
  response.type(progressType).set("Cache-Control", "no-store");
  return (line) => void response.write(`${JSON.stringify(line)}\n`);
}

function lastLine(
  operation: Operation,
  outcome: Awaited<ReturnType<Operation["run"]>>,
): ProgressLine {
  if (outcome.ok) {
    const { value, status } = outcome.value;
    return { status, body: value === null ? null : bodyOf(operation, value) };
  }
  const { status, title, detail, more } = problemOf(outcome.failure);
  return { status, body: { title, status, detail, ...more } };
}

/** Aborted if the client disconnects before the answer. */
function closing(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

const methodOf = ({ method }: Operation): "get" | "post" | "patch" | "delete" => {
  const name = method.toLowerCase();
  return name === "get" || name === "patch" || name === "delete" ? name : "post";
};

function bodyReader({ method, body, largest }: Operation): readonly RequestHandler[] {
  if (body?.type === "octets") {
    return [refuseUnread(largest), raw({ type: () => true, limit: largest })];
  }
  return method === "GET" || method === "DELETE" ? [] : [json({ limit: largest })];
}

function inputOf(request: Request, { body }: Operation): Readonly<Record<string, unknown>> {
  const { query, params } = request;
  const sent: unknown = request.body;
  if (body?.type === "octets") {
    const octets = sent instanceof Uint8Array ? sent : new Uint8Array();
    return { ...query, [body.member]: octets, ...params };
  }
  return { ...query, ...(body ? { [body.member]: sent } : Object(sent)), ...params };
}

const kinds: Readonly<
  Record<OperationFailure["kind"], { readonly status: number; readonly title: string }>
> = {
  invalid: { status: 400, title: "Bad request" },
  forbidden: { status: 403, title: "Forbidden" },
  missing: { status: 404, title: "Not found" },
  conflict: { status: 409, title: "Conflict" },
  "too-large": { status: 413, title: "Too large" },
  unprocessable: { status: 422, title: "Nothing could be accepted" },
  failed: { status: 502, title: "The service did not carry it out" },
  unavailable: { status: 503, title: "Not available at the moment" },
};

/** A failure as an answer of the API. */
export function problemOf({ kind, title, detail, more }: OperationFailure): Problem {
  const usual = kinds[kind];
  return {
    ...usual,
    ...(title !== undefined && { title }),
    detail,
    ...(more && { more: { ...more } }),
  };
}
