import type { Request, Response } from "express";
import { errorPage } from "./pages/error-page.ts";
import { rootOf, sendPage } from "./send-page.ts";

/** An error in the form of RFC 9457. For refused calendar data, it lists each refusal. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Seconds until a retry may help, for temporary errors; a minute by default. */
  readonly retryAfter?: number;
  /** Further members, such as `errors`. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/**
 * Sends an error: as a page to a browser, otherwise as `application/problem+json`. Source: RFC 9457, RFC 9110 12.5.1 (Accept).
 */
export function sendProblem(response: Response, problem: Problem): void {
  const { status, title, detail, retryAfter = usualRetry, more } = problem;
  response.vary("Accept");
  if (forNow.has(status) && !response.hasHeader("Retry-After")) {
    response.set("Retry-After", String(retryAfter));
  }
  if (asksForPage(response.req)) {
    sendPage(response.status(status), errorPage(problem, rootOf(response.req)));
    return;
  }
  const body = { type: "about:blank", title, status, detail, ...more };
  response
    .status(status)
    .set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" })
    .type("application/problem+json")
    .send(jsonText(response.req, body));
}

/** Errors after which a client may retry: temporary ones, and a full disk. Source: RFC 9110 15.6.4, RFC 4918 11.5. */
const forNow: ReadonlySet<number> = new Set([503, 507]);
const usualRetry = 60;

/** Clients that accept anything, as programs do, get no page. */
const asksForPage = (request: Request): boolean =>
  request.accepts(["application/json", "text/html"]) === "text/html";

/** Sends JSON as written by `jsonText`. */
export function sendJson(response: Response, value: unknown): void {
  response.type("application/json").send(jsonText(response.req, value));
}

/** JSON, indented for people: command-line clients, or `?pretty`; not with `?pretty=false`. */
function jsonText(request: Pick<Request, "get" | "query">, value: unknown): string {
  const { pretty } = request.query;
  const isByHand =
    pretty === undefined
      ? /^(?:curl|wget|httpie)\//i.test(request.get("user-agent") ?? "")
      : pretty !== "false";
  return isByHand ? `${JSON.stringify(value, null, 2)}\n` : JSON.stringify(value);
}

export const notFound = (detail: string): Problem => ({ status: 404, title: "Not found", detail });

export const badRequest = (detail: string): Problem => ({
  status: 400,
  title: "Bad request",
  detail,
});

export const conflict = (detail: string): Problem => ({ status: 409, title: "Conflict", detail });

export const forbidden = (detail: string): Problem => ({ status: 403, title: "Forbidden", detail });
