import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Request, RequestHandler } from "express";
import { say } from "../texts/say.ts";
import { sendProblem } from "./problem-json.ts";

interface DamagedDeps {
  readonly problem: string;
  /** The remedy, with the command to type. */
  readonly remedy: string;
  /** Time of the backup that is served; null if there is none. */
  readonly asOf: Temporal.Instant | null;
  /** Serves pages and reads from that backup; null until it is open. */
  readonly standIn: {
    readonly app: RequestListener;
    /** True if a secret URL opens a feed there. */
    readonly opens: (secret: string) => boolean;
  } | null;
}

/** Only the operator can end this state, so programs need not retry every minute. */
const retrySeconds = 300;

const reason = (): string => say("requestFault.damaged");

const feedAddress = /^\/feeds\/([^/?#]+)\/[^/?#]+\.ics$/;
const ofCalendars = /^\/(?:dav|\.well-known\/caldav)(?:\/|$)/;

/**
 * The HTTP server while the database is damaged. Feeds are served from the backup; a feed that is newer than the backup gets a
 * temporary error, because it still exists. Calendar programs get a temporary error too, because the backup is older than their
 * data. Pages and reads are answered from the backup, and writes are refused.
 */
export function createDamagedApp(deps: DamagedDeps): RequestListener {
  const { standIn } = deps;
  return (request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    if (path === "/healthz" || path === "/readyz") {
      sendHealth(response, path, deps);
      return;
    }
    const secret = feedAddress.exec(path)?.[1];
    const waits = secret === undefined ? path.startsWith("/feeds/") : !standIn?.opens(secret);
    if (!standIn || waits || ofCalendars.test(path)) {
      refuse(request, response, ofCalendars.test(path));
      return;
    }
    standIn.app(request, response);
  };
}

/**
 * Reports that the daemon is alive, because a restart would not help, but not ready for edits. Paths are shown to the operator
 * only.
 */
function sendHealth(response: ServerResponse, path: string, deps: DamagedDeps): void {
  const feedsAsOf = deps.asOf?.toString() ?? null;
  response.writeHead(path === "/healthz" ? 200 : 503, {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    ...(path === "/readyz" && { "Retry-After": retrySeconds }),
  });
  response.end(JSON.stringify({ status: "damaged", fresh: false, problem: reason, feedsAsOf }));
}

function refuse(request: IncomingMessage, response: ServerResponse, isDav: boolean): void {
  response.writeHead(503, {
    "Content-Type": isDav ? "application/xml; charset=utf-8" : "application/problem+json",
    "Cache-Control": "no-store",
    "Retry-After": retrySeconds,
    Connection: "close",
  });
  if (request.method === "HEAD") response.end();
  else if (isDav) {
    response.end(
      `<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="DAV:" xmlns:df="urn:dayferry"><df:damaged/><df:reason>${reason()}</df:reason></d:error>`,
    );
  } else {
    const problem = {
      type: "about:blank",
      title: "Database damaged",
      status: 503,
      detail: reason(),
    };
    response.end(JSON.stringify(problem));
  }
  request.resume();
}

const reading: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Refuses all edits, as a restore would lose them. The operator may sign in and out to see what helps. */
export const refuseWhileDamaged: RequestHandler = (request, response, next) => {
  if (reading.has(request.method) || isLogIn(request)) return next();
  response.set({ Connection: "close", "Retry-After": String(retrySeconds) });
  sendProblem(response, { status: 503, title: "Database damaged", detail: reason() });
};

const isLogIn = ({ path }: Request): boolean => path === "/login" || path === "/logout";
