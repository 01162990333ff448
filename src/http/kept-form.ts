import type { Request } from "express";
import { createAccess } from "./access.ts";

/**
 * A form that was submitted after the session had ended. It is not processed, but passed through the sign-in page, and
 * submitted again only with the person's consent. It is kept only if the browser says that it comes from this server, because
 * another site must not be able to fill it in.
 */

/** A form that was not processed. */
export interface KeptForm {
  /** Its URL, relative to the start page. */
  readonly to: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** The field of the sign-in form that carries it. */
export const keptField = "kept";

/** Size limit, because anyone can send sign-in requests. */
export const longestKept = 100_000;

/** The form of an unauthenticated request; null if there is none to keep. Its body has been read. */
export function keptForm(request: Request): KeptForm | null {
  const fields = Object.entries({ ...Object(request.body) }).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (typeof each === "string" ? [[name, each] as const] : [])),
  );
  const own = fields.filter(([name]) => name !== "form");
  const to = request.path.replace(/^\/+/, "");
  return own.length > 0 && isForm(to) ? { to, fields: own } : null;
}

/** The form in a sign-in's field, which anyone may have written; null if invalid. */
export function readKept(text: string): KeptForm | null {
  const { to, fields } = parsed(text);
  if (typeof to !== "string" || !isForm(to) || !Array.isArray(fields)) return null;
  const known = fields.flatMap((field: unknown) => (isField(field) ? [field] : []));
  return known.length > 0 && known.length === fields.length ? { to, fields: known } : null;
}

export const keptText = (kept: KeptForm): string => JSON.stringify(kept);

/**
 * True if a browser has sent the form from a page of this server. `access-guard` refuses other sites; here the browser must
 * also have named its origin.
 */
export function isOwnForm(request: Request): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  return (
    request.method === "POST" &&
    Boolean(request.is("application/x-www-form-urlencoded")) &&
    (origin !== undefined || site === "same-origin") &&
    request.accepts(["application/json", "text/html"]) === "text/html"
  );
}

function parsed(text: string): { readonly to?: unknown; readonly fields?: unknown } {
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    return {};
  }
}

const isField = (field: unknown): field is readonly [string, string] =>
  Array.isArray(field) && field.length === 2 && field.every((each) => typeof each === "string");

/** True if a URL relative to the start page is that of a form for signed-in users. */
function isForm(to: string): boolean {
  if (!/^[\w-]+(?:\/[\w.:@~-]+)*$/.test(to) || to === "logout") return false;
  const admission = find("POST", `/${to}`);
  return (
    admission.kind === "rule" && admission.rule.door === "page" && admission.rule.who !== "anyone"
  );
}

const find = createAccess();
