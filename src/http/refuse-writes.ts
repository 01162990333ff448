import type { Request, RequestHandler, Response } from "express";
import { say } from "../texts/say.ts";
import { sendProblem } from "./problem-json.ts";

/** Methods without side effects, including those of CalDAV. Source: RFC 9110 9.2.1, RFC 4918 9.1, RFC 3253 3.6. */
const reading: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT"]);

/** Lists requested live from the service. */
const asksService = /^\/api\/(?:files|labels|tasks\/[^/]+\/comments)\/?$/;

/** Nobody knows when writing is possible again; programs simply retry. */
const retryAfterSeconds = 60;

/**
 * While a copy of the database is served, refuses everything that would be stored or sent. The answer is 503 and names the URL
 * of the writing daemon, where it is possible. Signing in is refused too, because only the writing daemon could store the
 * session. A dry run of edits (`dryRun=true`) changes nothing. Source: RFC 9110 15.6.4; RFC 5023 11.1 (edit).
 */
export function refuseWrites(primary: string | null): RequestHandler {
  return (request, response, next) => {
    if (!isWrite(request)) return next();
    // A client that waits for 100 Continue sends no body; bodies of other clients are not read.
    response.set({
      Connection: "close",
      "Retry-After": String(retryAfterSeconds),
      "Cache-Control": "no-store",
      ...(primary !== null && { Link: `<${primary}${linkable(request.url)}>; rel="edit"` }),
    });
    const detail =
      primary === null
        ? say("requestFault.readOnly")
        : say("requestFault.readOnlyAt", { address: primary });
    if (/^\/(?:dav|\.well-known)(?:\/|$)/.test(request.path))
      sendDavError(response, detail, primary);
    else sendProblem(response, { status: 503, title: "Read only", detail, more: { primary } });
  };
}

function isWrite({ method, path, query }: Request): boolean {
  if (method === "POST" && path === "/api/edits" && query["dryRun"] === "true") return false;
  if (!reading.has(method)) return true;
  // The admin token in the URL would start a session.
  return asksService.test(path) || (path === "/" && query["token"] !== undefined);
}

/** Without secrets in the query. */
const linkable = (url: string): string => encodeURI(decodeSafely(url.split("?")[0] ?? ""));

function decodeSafely(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return "/";
  }
}

/** A WebDAV error with our own element. Source: RFC 4918 14.5, 16. */
function sendDavError(response: Response, detail: string, primary: string | null): void {
  const at = primary === null ? "" : `<d:href>${escaped(primary)}</d:href>`;
  response
    .status(503)
    .type("application/xml; charset=utf-8")
    .send(
      `<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="DAV:" xmlns:df="urn:dayferry"><df:read-only>${at}</df:read-only><df:reason>${escaped(detail)}</df:reason></d:error>`,
    );
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
