import { type RequestHandler, urlencoded } from "express";
import { say } from "../texts/say.ts";
import { sameSecret } from "./admin-auth.ts";
import { isOwnForm, keptForm } from "./kept-form.ts";
import { keptFormPage } from "./pages/kept-form-page.ts";
import { sendProblem } from "./problem-json.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

/** A field of a form's body; "" if absent. */
export function formField(body: unknown, name: string): string {
  const fields: Readonly<Record<string, unknown>> = { ...Object(body) };
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

const usualLength = 10_000;

/** The values of a field that may occur several times, as checkboxes do. */
export function formFields(body: unknown, name: string): readonly string[] {
  const fields: Readonly<Record<string, unknown>> = { ...Object(body) };
  return [fields[name] ?? []].flat().filter((value) => typeof value === "string");
}

/** Reads the body of a form up to a size limit. */
export const readForm = (longest = usualLength): RequestHandler =>
  urlencoded({ extended: false, limit: longest });

/**
 * Accepts forms that this server gave to this viewer, by their token; scripts may send it in the header X-Form-Token. Answers
 * 403 otherwise. That answer lets a person submit a form from an earlier session again.
 */
export function formGuard(
  viewers: Pick<Viewers, "find" | "formToken">,
  longest?: number,
): readonly RequestHandler[] {
  return [
    readForm(longest),
    (request, response, next) => {
      const given = request.get("x-form-token") ?? formField(request.body, "form");
      const isOwn = viewers.find(request) !== null && sameSecret(given, viewers.formToken(request));
      if (isOwn && given !== "") return next();
      const kept = viewers.find(request) && isOwnForm(request) ? keptForm(request) : null;
      if (kept) {
        const formToken = viewers.formToken(request);
        sendPage(response.status(403), keptFormPage({ kept, formToken, root: rootOf(request) }));
        return;
      }
      sendProblem(response, {
        status: 403,
        title: "Forbidden",
        detail: say("accessFault.form"),
      });
    },
  ];
}
