import { fail, ok, type Result } from "../domain/result.ts";
import type { Viewer } from "../domain/visibility.ts";
import type { ReportDatabase } from "../store/reading/reader.ts";
import type { MirrorAgeRow } from "../store/rows/report-rows.ts";
import { say } from "../texts/say.ts";
import { findReport, reports } from "./catalogue/catalogue.ts";
import {
  type Column,
  type DeclaredColumn,
  type MirrorAge,
  type Report,
  type ReportContent,
  type ReportDocument,
  type ReportScope,
  wordsFor,
} from "./report.ts";
import {
  type ReportRequest,
  type ReportRequestFailure,
  readReportRequest,
} from "./report-request.ts";

export interface BuildOptions {
  readonly request: ReportRequest;
  /** Time zone of the account. */
  readonly zone: string;
  readonly now: Temporal.Instant;
  /**
   * The report shows only what the viewer may see, with times in the viewer's time zone. Null shows everything, for a person
   * who can read the database file anyway.
   */
  readonly viewer: Viewer | null;
}

/**
 * Reads and builds one report. Invalid parameters, and a period without complete records, are errors that name the parameter
 * and the reason.
 */
export function buildReport(
  reader: ReportDatabase,
  { request, zone, now, viewer }: BuildOptions,
): Result<ReportDocument, ReportRequestFailure> {
  const report = findReport(request.name);
  if (!report) {
    const names = reports.map(({ name }) => name).join(", ");
    return fail({
      kind: "unknown",
      message: `there is no report "${request.name}"; there are ${names}`,
    });
  }
  const read = readReportRequest(reader, { request, report, zone, now, viewer });
  if (!read.ok) return read;
  const scope = read.value;
  const found = reader.once(() => ({
    knownFrom: scope.asOf ? reader.knownFrom() : null,
    mirror: ageOf(reader.mirrorAge(), now),
    workOut: report.read((reading) => reader.view({ ...reading, at: scope }), scope),
  }));
  const tooEarly = earlierThanKnown(scope, found.knownFrom, request.asOf ?? "");
  if (tooEarly) return fail({ kind: "usage", message: tooEarly });
  const built = found.workOut();
  return ok({
    ...documentOf(report, scope),
    ...limited(built, request.limit),
    freshness: found.mirror,
  });
}

function documentOf(report: Report, scope: ReportScope) {
  const { name, columns } = report;
  return {
    name,
    title: say(`report.${name}`),
    about: say(`reportAbout.${name}`),
    columns: columns.map(columnOf),
    madeAt: scope.now,
    asOf: scope.asOf,
    zone: scope.zone,
    filters: filtersOf(scope),
  };
}

const columnOf = ({ title, words, ...column }: DeclaredColumn): Column => ({
  ...column,
  title: say(title),
  ...(words && { words: wordsFor(words) }),
});

function limited(built: ReportContent, limit: number | null): ReportContent {
  if (limit === null || built.rows.length <= limit) return built;
  const note = say("reports.firstRows", { limit, count: built.rows.length });
  const { rows, items } = built;
  const first = { rows: rows.slice(0, limit), ...(items && { items: items.slice(0, limit) }) };
  return { ...built, ...first, notes: [...(built.notes ?? []), note] };
}

function filtersOf({
  project,
  person,
  label,
  from,
  to,
  since,
  zone,
}: ReportScope): readonly string[] {
  return [
    ...(project ? [say("reports.filterProject", { name: project.name })] : []),
    ...(person ? [say("reports.filterPerson", { name: person.name })] : []),
    ...(label ? [say("reports.filterLabel", { name: label.name })] : []),
    ...(from ? [say("reports.filterFrom", { day: from.toString() })] : []),
    ...(to ? [say("reports.filterTo", { day: to.toString() })] : []),
    ...(since
      ? [
          "revision" in since
            ? say("reports.filterRevision", { revision: String(since.revision) })
            : say("reports.filterSince", { at: localText(since.at, zone) }),
        ]
      : []),
  ];
}

function earlierThanKnown(
  { asOf, zone }: ReportScope,
  knownFrom: Temporal.Instant | null,
  said: string,
): string | null {
  if (!asOf) return null;
  if (!knownFrom) {
    return `--as-of ${said}: the workspace has not been read as a whole yet, so no time is known completely`;
  }
  if (Temporal.Instant.compare(asOf, knownFrom) >= 0) return null;
  const from = `${localText(knownFrom, zone)} (${zone})`;
  return `--as-of ${said}: everything is known from ${from} on, and not of earlier times`;
}

/** Rounds fractions of a second up, so that the printed value can be used as a parameter. */
function localText(instant: Temporal.Instant, zone: string): string {
  const local = instant.toZonedDateTimeISO(zone).toPlainDateTime();
  return local.toString({ smallestUnit: "second", roundingMode: "ceil" }).replace("T", " ");
}

function ageOf(row: MirrorAgeRow, now: Temporal.Instant): MirrorAge {
  const seconds = (at: string | null) =>
    at === null
      ? null
      : Math.max(0, Math.round(now.since(Temporal.Instant.from(at)).total("seconds")));
  return {
    sources: row.sources,
    neverRead: row.never ?? 0,
    failing: row.failing,
    newestSeconds: seconds(row.newest),
    oldestSeconds: seconds(row.oldest),
    oldestReadAt: row.oldest,
  };
}
