import { z } from "zod";
import { fail, ok, type Result, unreachable } from "../domain/result.ts";
import { reports } from "../reports/catalogue/catalogue.ts";
import { type Format, formats, mediaTypes } from "../reports/formats/format.ts";
import type { RenderFailure } from "../reports/render-report.ts";
import { type ReportRequest, reportRequest } from "../reports/report-request.ts";
import { english } from "../texts/english.ts";
import { defaultLanguage, say } from "../texts/say.ts";
import { reportListAnswer } from "./answers.ts";
import {
  aFile,
  aText,
  aValue,
  type Caller,
  type OperationFailure,
  type OperationModules,
  type Outcome,
  operation,
  problemIn,
  quoted,
} from "./operation.ts";

/** Ignoring an invalid filter would return everything. */
const filter = (about: string) =>
  aValue(
    about,
    z
      .string({ error: "it can be given once, with one value" })
      .min(1, "it has no value; leave it out where none is meant"),
    { type: "string" },
  ).optional();

/** What a report is narrowed by, in the order of the form. */
const narrowing = {
  project: filter("id, name, or beginning of the name of a project"),
  person: filter("id, name, or beginning of the name of a person"),
  label: filter("id, name, or beginning of the name of a label"),
  from: filter("from this day on, such as 2026-11-30"),
  to: filter("up to this day"),
  since: filter("changes after this revision or time"),
  "as-of": filter("the workspace at this time"),
  limit: aValue(
    "maximum number of rows",
    z
      .union([z.string(), z.number()])
      .refine((given) => /^[1-9]\d{0,8}$/.test(String(given)), {
        error: ({ input }) => say("reportFault.limit", { text: quoted(input) }),
      })
      .transform(Number),
    { type: "integer", minimum: 1 },
  ).optional(),
};

/** A report's filter parameters. */
export type Narrowing = keyof typeof narrowing;

/** A report's filter parameters, in the order of the form. */
export const narrowingNames = Object.keys(narrowing).filter(
  (name): name is Narrowing => name in narrowing,
);

const wish = {
  ...narrowing,
  format: aValue(
    "table, csv, json, md or html; default: json",
    z
      .enum(formats, {
        error: ({ input }) =>
          say("reportFault.format", { text: quoted(input), choices: formats.join(", ") }),
      })
      .default("json"),
    { type: "string", enum: formats },
  ),
};
const wishSchema = z.strictObject(wish);

/** A report that somebody asks for. */
interface ReportWish {
  readonly request: ReportRequest;
  readonly format: Format;
}

/** Parses the parameters of a report; fails with the error. */
export function readReportWish(
  name: string,
  given: Readonly<Record<string, unknown>>,
): Result<ReportWish, string> {
  const read = wishSchema.safeParse(given);
  return read.success
    ? ok(wishOf(name, read.data))
    : fail(problemIn(read.error, given, wishSchema));
}

function wishOf(
  name: string,
  { limit, format, ...given }: z.output<typeof wishSchema>,
): ReportWish {
  const request = reportRequest(
    name,
    (parameter) => given[parameter === "asOf" ? "as-of" : parameter],
    limit ?? null,
  );
  return { request, format };
}

export const listReports = operation({
  name: "reports list",
  answer: reportListAnswer,
  summary: "list reports with their filters",
  route: "GET /api/reports",
  access: "person",
  isOffered: ({ reports: served }) => served !== undefined,
  input: {},
  run: () =>
    ok(reports.map(({ name, takes }) => ({ name, about: english[`reportAbout.${name}`], takes }))),
});

const ofReports = {
  access: "person",
  isExact: true,
  answer: aFile(...Object.values(mediaTypes)),
  isOffered: ({ reports: served }: Pick<OperationModules, "reports">) => served !== undefined,
} as const;

export const showReport = operation({
  ...ofReports,
  name: "reports show",
  summary: "a report, by its name",
  route: "GET /api/reports/:name",
  input: { name: aText("its name"), ...wish },
  run: ({ name, ...given }, context) => render(wishOf(name, given), context),
});

export const listItems = operation({
  ...ofReports,
  name: "items list",
  summary: "the report `items`",
  route: "GET /api/items",
  input: wish,
  run: (given, context) => render(wishOf("items", given), context),
});

async function render(
  wished: ReportWish,
  { reports: served, caller }: Pick<OperationModules, "reports"> & { readonly caller: Caller },
): Promise<Outcome> {
  if (!served) return fail({ kind: "conflict", detail: say("operationFault.noReports") });
  const { viewer, signal = new AbortController().signal } = caller;
  // For the admin, times are in the account's zone, or that of the named person.
  const reader = viewer.kind === "admin" ? null : viewer;
  const rendered = await served.render(
    { ...wished, viewer: reader, language: defaultLanguage },
    signal,
  );
  if (!rendered.ok) return fail(reportFailure(rendered.failure));
  const { body, bytes, mediaType: type, fileName, freshness } = rendered.value;
  const headers = { "X-Dayferry-Mirror": freshness };
  return ok({ body, bytes, mediaType: type, fileName, headers });
}

/** A failure as the API answers it. */
export function reportFailure({ kind, message }: RenderFailure): OperationFailure {
  switch (kind) {
    case "unknown":
      return { kind: "missing", detail: message };
    case "usage":
      return { kind: "invalid", detail: message.replaceAll("--", "") };
    case "unreadable":
      return { kind: "unavailable", title: "The database cannot be read", detail: message };
    default:
      return unreachable(kind);
  }
}
