import type { RequestHandler } from "express";
import { type Door, statusClass, type Tallies } from "../domain/tallies.ts";

/** Methods that calendar programs use. Others must not become label values. */
const calendarMethods: ReadonlySet<string> = new Set([
  "COPY",
  "DELETE",
  "GET",
  "HEAD",
  "MKCALENDAR",
  "MKCOL",
  "MOVE",
  "OPTIONS",
  "POST",
  "PROPFIND",
  "PROPPATCH",
  "PUT",
  "REPORT",
]);

/** Methods that calendar programs try at `/` before they know where calendars are. */
const probes: ReadonlySet<string> = new Set(["OPTIONS", "PROPFIND", "REPORT"]);

const ways: readonly (readonly [pattern: RegExp, door: Door])[] = [
  [/^\/feeds\/[^/]+\/[^/]+$/, "feed"],
  [/^\/(?:dav(?:\/|$)|\.well-known\/caldav)/, "caldav"],
  [/^\/api\//, "api"],
  [/^\/(?:act|unsubscribe)\/|^\/login\/./, "link"],
  [/^\/(?:healthz|readyz|metrics|robots\.txt)\/?$/, "health"],
];

/** Counts each answer by kind of request, without anything written by strangers. Must follow the removal of path prefixes. */
export function tallyRequests(
  tallies: Tallies,
  { monotonic }: { readonly monotonic: () => number },
): RequestHandler {
  return ({ method, url }, response, next) => {
    const path = pathOf(url);
    const door = doorOf(method, path);
    // The event stream of an open page has no meaningful duration.
    const lasts = path === "/live";
    const begunMs = monotonic();
    response.once("close", () => {
      // A client that disconnected early got no answer.
      if (!response.headersSent) return;
      const { statusCode } = response;
      const status = statusClass(statusCode);
      tallies.http.add({ door, status });
      if (door === "feed") tallies.feedFetches.add({ status: String(statusCode) });
      if (door === "caldav") {
        tallies.caldav.add({ method: calendarMethods.has(method) ? method : "other", status });
      }
      if (!lasts) tallies.httpLengths.add((monotonic() - begunMs) / 1000, { door });
    });
    next();
  };
}

function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function doorOf(method: string, path: string): Door {
  if (probes.has(method) && (path === "/" || path === "*")) return "caldav";
  return ways.find(([pattern]) => pattern.test(path))?.[1] ?? "page";
}
