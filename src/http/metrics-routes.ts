import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Router } from "express";
import type { Log } from "../log.ts";
import type { MetricSources } from "./metric-figures.ts";
import type { TextMetric } from "./metric-text.ts";

/** The answer to a scraper. */
interface Scrape {
  readonly contentType: string;
  readonly text: string;
}

/** Answers a scraper's `Accept` header with the present metrics. */
export type Scraper = (accept: string | undefined) => Promise<Scrape>;

/** Loaded on first use. Concurrent requests share one reading. */
export function createScraper(sources: MetricSources): Scraper {
  let loading: ReturnType<typeof load> | null = null;
  let underWay: Promise<readonly TextMetric[]> | null = null;
  return async (accept) => {
    loading ??= load(sources);
    const { read, formFor, metricText, metricsOf, contentTypes } = await loading;
    underWay ??= read()
      .then(metricsOf)
      .finally(() => {
        underWay = null;
      });
    const form = formFor(accept);
    return { contentType: contentTypes[form], text: metricText(await underWay, form) };
  };
}

async function load(sources: MetricSources) {
  const [{ createFigures }, { metricsOf }, { contentTypes, formFor, metricText }] =
    await Promise.all([
      import("./metric-figures.ts"),
      import("./metric-list.ts"),
      import("./metric-text.ts"),
    ]);
  return { read: createFigures(sources), metricsOf, contentTypes, formFor, metricText };
}

/** `/metrics`, open to everyone who can reach the port. */
export function metricsRoutes(scrape: Scraper): Router {
  const router = Router();
  router.get("/metrics", async (request, response) => {
    const { contentType, text } = await scrape(request.headers.accept);
    response.set({ "Content-Type": contentType, Vary: "Accept" }).send(text);
  });
  return router;
}

/** A server with only `/metrics`, for a separate port. */
export function metricsServer(scrape: Scraper, log: Log): Server {
  return createServer((request, response) => {
    answer(request, response, scrape).catch((error: unknown) => {
      log.error("metrics cannot be read", { error });
      if (response.headersSent) response.destroy();
      else end(response, { status: 500, text: "the metrics cannot be read; the log says why\n" });
    });
  });
}

async function answer(
  { url = "", method = "", headers }: IncomingMessage,
  response: ServerResponse,
  scrape: Scraper,
): Promise<void> {
  if (!/^\/metrics\/?(?:\?|$)/.test(url)) {
    end(response, { status: 404, text: "there is nothing here but /metrics\n" });
    return;
  }
  if (method !== "GET" && method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    end(response, { status: 405, text: "metrics are only read\n" });
    return;
  }
  const { contentType, text } = await scrape(headers.accept);
  response.setHeader("Vary", "Accept");
  end(response, { status: 200, text, contentType });
}

function end(
  response: ServerResponse,
  {
    status,
    text,
    contentType = "text/plain; charset=utf-8",
  }: { readonly status: number; readonly text: string; readonly contentType?: string },
): void {
  response
    .writeHead(status, {
      "Content-Type": contentType,
      "Content-Length": Buffer.byteLength(text),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    })
    .end(response.req.method === "HEAD" ? undefined : text);
}
