import type { RequestHandler } from "express";
import { forbidden, sendProblem } from "./problem.ts";

/** What changes nothing. Source: RFC 9110 9.2.1. */
const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses what a page of another site has a browser send: browsers add the password that a person has once entered here by
 * themselves, also to a form of somebody else. Programs say nothing of where they come from. `publicUrl` has the host under which
 * browsers know this server, where a proxy names another one.
 * Source: Fetch Metadata 2.4 (Sec-Fetch-Site), RFC 6454 7 (Origin).
 */
export function refuseCrossSite(publicUrl: () => string): RequestHandler {
  return (request, response, next) => {
    const { method, headers } = request;
    const site = headers["sec-fetch-site"];
    const isOwn =
      site === undefined
        ? isOwnOrigin(headers.origin, [request.host, new URL(publicUrl()).host])
        : site === "same-origin" || site === "none";
    if (safe.has(method) || isOwn) next();
    else sendProblem(response, forbidden("a page of another site cannot ask for this"));
  };
}

/** A browser that says nothing of its page sends none; "null" is a page without an address. */
function isOwnOrigin(origin: string | undefined, hosts: readonly (string | undefined)[]): boolean {
  if (origin === undefined) return true;
  const host = URL.parse(origin)?.host;
  return host !== undefined && hosts.includes(host);
}
