import type { Request } from "express";
import { fail, ok, type Result } from "../domain/result.ts";
import { type Format, formats, isFormat } from "../reports/formats/format.ts";
import { type ReportRequest, reportRequest } from "../reports/report-request.ts";
import { queryText } from "./request-query.ts";

/** A report's filter parameters, in the order of the form. */
export const narrowing = [
  "project",
  "person",
  "label",
  "from",
  "to",
  "since",
  "as-of",
  "limit",
] as const;
export type Narrowing = (typeof narrowing)[number];

/** Parses a report request; fails with the error. */
export function readReportQuery(
  { query }: Pick<Request, "query">,
  name: string,
): Result<{ readonly request: ReportRequest; readonly format: Format }, string> {
  const known = [...narrowing, "format"];
  for (const [key, value] of Object.entries(query)) {
    if (!known.includes(key)) {
      return fail(`"${key}" is no parameter; there are ${known.join(", ")}`);
    }
    // Ignoring an invalid filter would return everything.
    if (typeof value !== "string") return fail(`${key}: it can be given once, with one value`);
    if (value === "") return fail(`${key}: it has no value; leave it out where none is meant`);
  }
  const given = (key: string) => queryText({ query }, key);
  const format = given("format") ?? "json";
  if (!isFormat(format)) {
    return fail(`format: "${format}" is none; there are ${formats.join(", ")}`);
  }
  const limit = given("limit");
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) {
    return fail(`limit: "${limit}" is no positive whole number`);
  }
  const request = reportRequest(name, {
    given: (parameter) => given(parameter === "asOf" ? "as-of" : parameter),
    limit: limit === undefined ? null : Number(limit),
  });
  return ok({ format, request });
}

/** A form's filters; empty fields are omitted. */
export function narrowedBy({ query }: Pick<Request, "query">): ReadonlyMap<Narrowing, string> {
  const given = narrowing.flatMap((name) => {
    const value = queryText({ query }, name)?.trim() ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return new Map(given);
}
