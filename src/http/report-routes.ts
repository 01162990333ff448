import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { type Request, type Response, Router } from "express";
import { unreachable } from "../domain/result.ts";
import type { Viewer } from "../domain/visibility.ts";
import { findReport, reports } from "../reports/catalogue/catalogue.ts";
import { byteOrderMark } from "../reports/formats/data-formats.ts";
import type { Format } from "../reports/formats/format.ts";
import type { RenderFailure, RenderOptions } from "../reports/render-report.ts";
import { reportChoices } from "../reports/report-choices.ts";
import type { PageWish, ReportPage } from "../reports/report-page.ts";
import type { ReportRequest } from "../reports/report-request.ts";
import { english } from "../texts/english.ts";
import { currentLanguage, defaultLanguage, type Language } from "../texts/say.ts";
import type { HttpDeps } from "./http-deps.ts";
import { reportListPage, reportPage } from "./pages/report-pages.ts";
import { badRequest, notFound, type Problem, sendJson, sendProblem } from "./problem-json.ts";
import { narrowedBy, readReportQuery } from "./report-query.ts";
import { queryText } from "./request-query.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/** Rows per page. */
const pageSize = 50;

/**
 * Reports and items as pages, files and JSON. Each runs in its own process with a read-only connection. People get what they
 * may see.
 */
export function reportRoutes({
  reports: processes,
  viewers,
  store,
  file,
  zone,
  clock,
}: Omit<WebContext, "reports"> & NonNullable<HttpDeps["reports"]>): Router {
  const router = Router();

  /** Null if the client has disconnected. */
  async function render(
    response: Response,
    wish: Pick<RenderOptions, "request" | "format" | "viewer" | "language">,
  ) {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return processes
      .render({ file, zone, now: clock(), ...wish }, gone.signal)
      .catch((error: unknown) => {
        if (gone.signal.aborted) return null;
        throw error;
      });
  }

  async function send(
    response: Response,
    wish: {
      readonly request: ReportRequest;
      readonly format: Format;
      readonly viewer: Viewer | null;
      readonly disposition: "inline" | "attachment";
      readonly language: Language;
    },
  ): Promise<void> {
    const { disposition, ...asked } = wish;
    const rendered = await render(response, asked);
    if (rendered === null) return;
    if (!rendered.ok) return sendProblem(response, problemOf(rendered.failure));
    const { body, bytes, mediaType, fileName, freshness } = rendered.value;
    // Without it, spreadsheets assume another encoding.
    const mark = disposition === "attachment" && wish.format === "csv" ? byteOrderMark : "";
    response
      .set("Content-Length", String(bytes + Buffer.byteLength(mark)))
      .set("Content-Type", mediaType)
      .set("Content-Disposition", `${disposition}; filename="${fileName}"`)
      .set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      .set("X-Content-Type-Options", "nosniff")
      .set("Cache-Control", "no-store")
      .set("X-Dayferry-Mirror", freshness);
    if (mark !== "") response.write(mark);
    // A client that disconnects has what it has received so far.
    await pipeline(body, response).catch(() => undefined);
  }

  const answer = async (request: Request, response: Response, name: string) => {
    const asked = readReportQuery(request, name);
    if (!asked.ok) return sendProblem(response, badRequest(asked.failure));
    const viewer = viewers.viewerOf(request);
    // With the admin token, times are in the account's zone, or that of the named person.
    const own = viewer.kind === "admin" ? null : viewer;
    return send(response, {
      ...asked.value,
      viewer: own,
      disposition: "inline",
      language: defaultLanguage,
    });
  };
  router.get("/api/reports/:name", (request, response) =>
    answer(request, response, request.params.name),
  );
  router.get("/api/reports", (_request, response) => {
    sendJson(
      response,
      reports.map(({ name, takes }) => ({ name, about: english[`reportAbout.${name}`], takes })),
    );
  });
  router.get("/api/items", (request, response) => answer(request, response, "items"));

  router.get("/reports", (request, response) => {
    sendPage(response, reportListPage(reports, rootOf(request)));
    processes.prepare();
  });

  router.get("/reports/:name", async (request, response) => {
    const { name } = request.params;
    const report = findReport(name);
    if (!report) return sendProblem(response, notFound(`there is no report "${name}"`));
    const viewer = viewers.viewerOf(request);
    const given = narrowedBy(request);
    const choices = reportChoices(store.directory, viewer);
    const frame = { report, root: rootOf(request), given, choices };
    const asked = readReportQuery({ query: Object.fromEntries(given) }, name);
    if (!asked.ok) {
      return sendPage(response.status(400), reportPage({ ...frame, problem: asked.failure }));
    }
    const format: PageWish = { page: pageNumber(request), size: pageSize };
    const rendered = await render(response, {
      request: asked.value.request,
      format,
      viewer,
      language: currentLanguage(),
    });
    if (rendered === null) return;
    // Viewers usually open another report, or add a filter.
    processes.prepare();
    if (rendered.ok) {
      const shown: ReportPage = JSON.parse(await text(rendered.value.body));
      return sendPage(response, reportPage({ ...frame, shown }));
    }
    const problem = problemOf(rendered.failure);
    if (problem.status !== 400) return sendProblem(response, problem);
    sendPage(response.status(400), reportPage({ ...frame, problem: problem.detail }));
  });

  router.get("/reports/:name/download", (request, response) => {
    const asked = readReportQuery(request, request.params.name);
    if (!asked.ok) return sendProblem(response, badRequest(asked.failure));
    const viewer = viewers.viewerOf(request);
    // Programs read the others.
    const isForPeople = ["html", "md", "table"].includes(asked.value.format);
    const language = isForPeople ? currentLanguage() : defaultLanguage;
    return send(response, { ...asked.value, viewer, disposition: "attachment", language });
  });
  return router;
}

function pageNumber(request: Request): number {
  const page = queryText(request, "page") ?? "";
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1;
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
