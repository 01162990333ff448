import { type RequestHandler, urlencoded } from "express";
import { type AdminAuth, sameSecret } from "./admin-auth.ts";
import { sendProblem } from "./problem-json.ts";

/** A field of a form's body; "" where it was not sent. */
export function formField(body: unknown, name: string): string {
  const fields: Readonly<Record<string, unknown>> = { ...Object(body) };
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Reads the body of a form. */
export const readForm = (): RequestHandler => urlencoded({ extended: false, limit: 10_000 });

/** Lets a form pass that this server has given to this browser's session; answers 403 otherwise. */
export function formGuard(auth: AdminAuth): readonly RequestHandler[] {
  return [
    readForm(),
    (request, response, next) => {
      const given = formField(request.body, "form");
      if (auth.hasSession(request) && sameSecret(given, auth.formToken(request))) return next();
      sendProblem(response, {
        status: 403,
        title: "Forbidden",
        detail: "this form belongs to no session of yours: reload the page",
      });
    },
  ];
}
