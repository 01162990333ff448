import type { Response } from "express";

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
  response
    .status(status)
    .set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" })
    .type("application/problem+json")
    .send(JSON.stringify({ type: "about:blank", title, status, detail, ...more }));
}

export const notFound = (detail: string): Problem => ({ status: 404, title: "Not found", detail });

export const badRequest = (detail: string): Problem => ({
  status: 400,
  title: "Bad request",
  detail,
});

export const conflict = (detail: string): Problem => ({ status: 409, title: "Conflict", detail });

export const forbidden = (detail: string): Problem => ({ status: 403, title: "Forbidden", detail });
