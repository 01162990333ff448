import type { Request, Response } from "express";

/** What went wrong with a request, in the form of RFC 9457; for ICS with one entry per refusal. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Further members, such as `errors`. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Answers with `application/problem+json`. Source: RFC 9457. */
export function sendProblem(response: Response, { status, title, detail, more }: Problem): void {
  const body = { type: "about:blank", title, status, detail, ...more };
  response
    .status(status)
    .set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" })
    .type("application/problem+json")
    .send(jsonText(response.req, body));
}

/** Answers with JSON as `jsonText` writes it. */
export function sendJson(response: Response, value: unknown): void {
  response.type("application/json").send(jsonText(response.req, value));
}

/** JSON, set out over lines for who asks by hand, with a program of the command line. */
function jsonText(request: Pick<Request, "get">, value: unknown): string {
  const isByHand = /^(?:curl|wget|httpie)\//i.test(request.get("user-agent") ?? "");
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
