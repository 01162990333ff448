import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Request, RequestHandler } from "express";
import { sendProblem } from "./problem-json.ts";

interface DamagedDeps {
  readonly problem: string;
  /** What helps, with the command to be typed. */
  readonly remedy: string;
  /** When the backup was made from which is served; null where there is none. */
  readonly asOf: Temporal.Instant | null;
  /** What answers from that backup; null until it is open. */
  readonly standIn: {
    readonly app: RequestListener;
    /** Whether the secret of an address opens a feed there. */
    readonly opens: (secret: string) => boolean;
  } | null;
}

/** Somebody has to come: asking every minute brings nothing. */
const retrySeconds = 300;

const reason =
  "the database is damaged: nothing is taken in until a backup was restored, and nothing that was taken in before is touched; whoever runs this finds the command that helps in the log, by `dayferry doctor` and on the Status page";

const feedAddress = /^\/feeds\/([^/?#]+)\/[^/?#]+\.ics$/;
const ofCalendars = /^\/(?:dav|\.well-known\/caldav)(?:\/|$)/;

/**
 * The HTTP server beside a damaged database. Feeds say what they said when the backup was made; one that is newer than that waits,
 * as it is not gone. Calendar programs are asked to wait: what they would read is older than what they hold. Pages and reads go on
 * to the stand-in, which refuses what would have to be kept.
 */
export function createDamagedApp(deps: DamagedDeps): RequestListener {
  const { standIn } = deps;
  return (request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    if (path === "/healthz" || path === "/readyz") {
      sendHealth(response, { path, deps });
      return;
    }
    const secret = feedAddress.exec(path)?.[1];
    const waits = secret === undefined ? path.startsWith("/feeds/") : !standIn?.opens(secret);
    if (!standIn || waits || ofCalendars.test(path)) {
      refuse({ request, response, isDav: ofCalendars.test(path) });
      return;
    }
    standIn.app(request, response);
  };
}

/** It lives, as starting it again would mend nothing; but it is not ready for whoever brings edits. Paths are for the operator alone. */
function sendHealth(
  response: ServerResponse,
  { path, deps }: { readonly path: string; readonly deps: DamagedDeps },
): void {
  const feedsAsOf = deps.asOf?.toString() ?? null;
  response.writeHead(path === "/healthz" ? 200 : 503, {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    ...(path === "/readyz" && { "Retry-After": retrySeconds }),
  });
  response.end(JSON.stringify({ status: "damaged", fresh: false, problem: reason, feedsAsOf }));
}

function refuse({
  request,
  response,
  isDav,
}: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly isDav: boolean;
}): void {
  response.writeHead(503, {
    "Content-Type": isDav ? "application/xml; charset=utf-8" : "application/problem+json",
    "Cache-Control": "no-store",
    "Retry-After": retrySeconds,
    Connection: "close",
  });
  if (request.method === "HEAD") response.end();
  else if (isDav) {
    response.end(
      `<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="DAV:" xmlns:df="urn:dayferry"><df:damaged/><df:reason>${reason}</df:reason></d:error>`,
    );
  } else {
    const problem = { type: "about:blank", title: "Database damaged", status: 503, detail: reason };
    response.end(JSON.stringify(problem));
  }
  request.resume();
}

const reading: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses every edit, in whatever way it comes: what the stand-in would keep is gone with the restore. The operator may log in and
 * out, to see what helps.
 */
export const refuseWhileDamaged: RequestHandler = (request, response, next) => {
  if (reading.has(request.method) || isLogIn(request)) return next();
  response.set({ Connection: "close", "Retry-After": String(retrySeconds) });
  sendProblem(response, { status: 503, title: "Database damaged", detail: reason });
};

const isLogIn = ({ path }: Request): boolean => path === "/login" || path === "/logout";
