import type { Request } from "express";

/** A text of the query; undefined where it is not given, or given more than once. */
export function queryText(request: Pick<Request, "query">, name: string): string | undefined {
  const value = request.query[name];
  return typeof value === "string" ? value : undefined;
}
