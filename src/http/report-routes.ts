import { text } from "node:stream/consumers";
import { type Request, type Response, Router } from "express";
import { quote } from "../edits/intake/plan-part.ts";
import {
  type Narrowing,
  narrowingNames,
  readReportWish,
  reportFailure,
} from "../operations/report-operations.ts";
import { findReport, reports } from "../reports/catalogue/catalogue.ts";
import { byteOrderMark } from "../reports/formats/data-formats.ts";
import { reportChoices } from "../reports/report-choices.ts";
import type { PageWish, ReportPage } from "../reports/report-page.ts";
import type { ReportServer } from "../reports/report-processes.ts";
import { currentLanguage, defaultLanguage, say } from "../texts/say.ts";
import { problemOf } from "./operation-routes.ts";
import { reportListPage, reportPage } from "./pages/report-pages.ts";
import { badRequest, notFound, sendProblem } from "./problem-json.ts";
import { queryText } from "./request-query.ts";
import { sendFile } from "./send-file.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

/** Rows per page. */
const pageSize = 50;

/** Reports as pages and files. Each runs in its own process with a read-only connection. People get what they may see. */
export function reportRoutes({
  reports: served,
  viewers,
  store,
}: Pick<WebContext, "viewers" | "store"> & { readonly reports: ReportServer }): Router {
  const router = Router();

  /** Null if the client has disconnected. */
  async function render(response: Response, wish: Parameters<ReportServer["render"]>[0]) {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return served.render(wish, gone.signal).catch((error: unknown) => {
      if (gone.signal.aborted) return null;
      throw error;
    });
  }

  router.get("/reports", (request, response) => {
    sendPage(response, reportListPage(reports, rootOf(request)));
    served.prepare();
  });

  router.get("/reports/:name", async (request, response) => {
    const { name } = request.params;
    const report = findReport(name);
    if (!report)
      return sendProblem(response, notFound(say("reportFault.noReport", { name: quote(name) })));
    const viewer = viewers.viewerOf(request);
    const given = narrowedBy(request);
    const choices = reportChoices(store.directory, viewer);
    const frame = { report, root: rootOf(request), given, choices };
    const asked = readReportWish(name, Object.fromEntries(given));
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
    served.prepare();
    if (rendered.ok) {
      const shown: ReportPage = JSON.parse(await text(rendered.value.body));
      return sendPage(response, reportPage({ ...frame, shown }));
    }
    const problem = problemOf(reportFailure(rendered.failure));
    if (problem.status !== 400) return sendProblem(response, problem);
    sendPage(response.status(400), reportPage({ ...frame, problem: problem.detail }));
  });

  router.get("/reports/:name/download", async (request, response) => {
    const asked = readReportWish(request.params.name, request.query);
    if (!asked.ok) return sendProblem(response, badRequest(asked.failure));
    const viewer = viewers.viewerOf(request);
    const { format } = asked.value;
    // Other formats are for programs.
    const isForPeople = ["html", "md", "table"].includes(format);
    const language = isForPeople ? currentLanguage() : defaultLanguage;
    const rendered = await render(response, { ...asked.value, viewer, language });
    if (rendered === null) return;
    if (!rendered.ok) return sendProblem(response, problemOf(reportFailure(rendered.failure)));
    const { freshness, ...file } = rendered.value;
    // Without it, spreadsheets assume another encoding.
    const prefix = format === "csv" ? byteOrderMark : "";
    const headers = { "X-Dayferry-Mirror": freshness };
    return sendFile(response, { ...file, headers }, { disposition: "attachment", prefix });
  });
  return router;
}

function pageNumber(request: Request): number {
  const page = queryText(request, "page") ?? "";
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1;
}

/** A form's filters; empty fields are omitted. */
function narrowedBy({ query }: Pick<Request, "query">): ReadonlyMap<Narrowing, string> {
  const given = narrowingNames.flatMap((name) => {
    const value = queryText({ query }, name)?.trim() ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return new Map(given);
}
