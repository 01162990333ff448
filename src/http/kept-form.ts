import type { Request } from "express";
import { createAccess } from "./access.ts";

/*
 * What somebody has entered and sent after the log-in had ended: nothing of it is done, and nothing of it is lost. It goes through
 * the log-in in the page itself, and is sent again only when the person agrees. It is kept only where the browser says that the
 * form is of this server: another site must not be able to put words into somebody's mouth.
 */

/** A form of which nothing was done. */
export interface KeptForm {
  /** Its address, from the start page on. */
  readonly to: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** The field of the log-in in which it goes along. */
export const keptField = "kept";

/** Octets of a body of which something is kept: a log-in is for strangers, whose bodies are not to be long. */
export const longestKept = 100_000;

/** What a request that no log-in lets in has brought; null where there is nothing to keep. Its body has been read. */
export function keptForm(request: Request): KeptForm | null {
  const fields = Object.entries({ ...Object(request.body) }).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (typeof each === "string" ? [[name, each] as const] : [])),
  );
  const own = fields.filter(([name]) => name !== "form");
  const to = request.path.replace(/^\/+/, "");
  return own.length > 0 && isForm(to) ? { to, fields: own } : null;
}

/** What a log-in brings along in its field, which anybody can have written; null for anything else. */
export function readKept(text: string): KeptForm | null {
  const { to, fields } = parsed(text);
  if (typeof to !== "string" || !isForm(to) || !Array.isArray(fields)) return null;
  const known = fields.flatMap((field: unknown) => (isField(field) ? [field] : []));
  return known.length > 0 && known.length === fields.length ? { to, fields: known } : null;
}

export const keptText = (kept: KeptForm): string => JSON.stringify(kept);

/**
 * Whether a request is a form that a browser has sent from a page of this server. Where it is from another site it has been
 * refused already (`access-guard`); here the browser has to have said where it is from.
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

/** Whether an address from the start page on is that of a form for who has logged in. */
function isForm(to: string): boolean {
  if (!/^[\w-]+(?:\/[\w.:@~-]+)*$/.test(to) || to === "logout") return false;
  const admission = find("POST", `/${to}`);
  return (
    admission.kind === "rule" && admission.rule.door === "page" && admission.rule.who !== "anyone"
  );
}

const find = createAccess();
