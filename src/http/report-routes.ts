import { type Request, type Response, Router } from "express";
import { unreachable } from "../domain/result.ts";
import { reports } from "../reports/catalogue/catalogue.ts";
import { type Format, formats, isFormat } from "../reports/formats/format.ts";
import type { RenderFailure } from "../reports/render-report.ts";
import { type ReportRequest, reportRequest } from "../reports/report-request.ts";
import type { ReportThreads } from "../reports/report-threads.ts";
import type { AdminAuth } from "./admin-auth.ts";
import { badRequest, notFound, type Problem, sendProblem } from "./problem-json.ts";
import { queryText } from "./request-query.ts";

export interface ReportRoutesDeps {
  readonly auth: AdminAuth;
  readonly reports: ReportThreads;
  /** Path of the database. */
  readonly file: string;
  /** The account's zone. */
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
}

/** Reports and items for scripts: worked out in a thread of their own, from a connection that only reads. */
export function reportRoutes({
  auth,
  reports: threads,
  file,
  zone,
  clock,
}: ReportRoutesDeps): Router {
  const router = Router();
  router.use(["/api/reports", "/api/items"], auth.requireToken);
  const answer = async (request: Request, response: Response, name: string) => {
    const asked = readQuery(request, name);
    if ("status" in asked) return sendProblem(response, asked);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const options = { file, zone, now: clock(), format: asked.format, request: asked.request };
    const rendered = await threads.render(options, gone.signal).catch((error: unknown) => {
      // Nobody waits for the answer any more.
      if (gone.signal.aborted) return null;
      throw error;
    });
    if (rendered === null) return;
    if (!rendered.ok) return sendProblem(response, problemOf(rendered.failure));
    const { body, mediaType, fileName, freshness } = rendered.value;
    response
      .set("Content-Type", mediaType)
      .set("Content-Disposition", `inline; filename="${fileName}"`)
      .set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .set("X-Content-Type-Options", "nosniff")
      .set("Cache-Control", "no-store")
      .set("X-Dayferry-Mirror", freshness)
      .send(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  };
  router.get("/api/reports/:name", (request, response) =>
    answer(request, response, request.params.name),
  );
  router.get("/api/reports", (_request, response) => {
    response.json(reports.map(({ name, about, takes }) => ({ name, about, takes })));
  });
  router.get("/api/items", (request, response) => answer(request, response, "items"));
  return router;
}

const known = ["project", "person", "label", "from", "to", "since", "as-of", "limit", "format"];

function readQuery(
  request: Request,
  name: string,
): { readonly request: ReportRequest; readonly format: Format } | Problem {
  for (const [key, value] of Object.entries(request.query)) {
    if (!known.includes(key)) {
      return badRequest(`"${key}" is no parameter; there are ${known.join(", ")}`);
    }
    // Passed over, a filter that cannot be understood would be answered with everything.
    if (typeof value !== "string")
      return badRequest(`${key}: it can be given once, with one value`);
    if (value === "")
      return badRequest(`${key}: it has no value; leave it out where none is meant`);
  }
  const format = queryText(request, "format") ?? "json";
  if (!isFormat(format)) {
    return badRequest(`format: "${format}" is none; there are ${formats.join(", ")}`);
  }
  const limit = queryText(request, "limit");
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) {
    return badRequest(`limit: "${limit}" is no positive whole number`);
  }
  return {
    format,
    request: reportRequest(name, {
      given: (parameter) => queryText(request, parameter === "asOf" ? "as-of" : parameter),
      limit: limit === undefined ? null : Number(limit),
    }),
  };
}

function problemOf({ kind, message }: RenderFailure): Problem {
  switch (kind) {
    case "unknown":
      return notFound(message);
    case "usage":
      return badRequest(message.replaceAll("--", ""));
    case "unreadable":
      return { status: 503, title: "The database cannot be read", detail: message };
    default:
      return unreachable(kind);
  }
}
