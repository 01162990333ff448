import type { Request } from "express";

/** A query parameter; undefined if absent or repeated. */
export function queryText(request: Pick<Request, "query">, name: string): string | undefined {
  const value = request.query[name];
  return typeof value === "string" ? value : undefined;
}
