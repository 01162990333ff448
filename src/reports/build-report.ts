import { fail, ok, type Result } from "../domain/result.ts";
import type { Reader } from "../store/reading/reader.ts";
import type { MirrorAgeRow } from "../store/rows/report-rows.ts";
import { findReport, reports } from "./catalogue/catalogue.ts";
import type { Built, Column, Frame, Report } from "./report.ts";
import {
  type ReportRequest,
  type ReportRequestFailure,
  readReportRequest,
} from "./report-request.ts";

/** A report ready to be written in any format. */
export interface ReportDocument extends Built {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly columns: readonly Column[];
  readonly madeAt: Temporal.Instant;
  readonly asOf: Temporal.Instant | null;
  readonly zone: string;
  /** What it was narrowed by, such as `project Website`. */
  readonly filters: readonly string[];
  readonly freshness: MirrorAge;
}

/** How fresh the mirror is: ages in seconds at `madeAt`, of the sources without which calendars would not be whole. */
export interface MirrorAge {
  readonly sources: number;
  readonly neverRead: number;
  readonly failing: number;
  readonly newestSeconds: number | null;
  readonly oldestSeconds: number | null;
  readonly oldestReadAt: string | null;
}

export interface BuildOptions {
  readonly wish: ReportRequest;
  /** The account's zone. */
  readonly zone: string;
  readonly now: Temporal.Instant;
}

/**
 * Reads and works out one report. What is asked for wrongly is named with its place and the reason; so is a time of
 * which not everything is known.
 */
export function buildReport(
  reader: Reader,
  { wish, zone, now }: BuildOptions,
): Result<ReportDocument, ReportRequestFailure> {
  const report = findReport(wish.name);
  if (!report) {
    const names = reports.map(({ name }) => name).join(", ");
    return fail({
      kind: "unknown",
      message: `there is no report "${wish.name}"; there are ${names}`,
    });
  }
  const read = readReportRequest(reader, { wish, report, zone, now });
  if (!read.ok) return read;
  const frame = read.value;
  const found = reader.once(() => ({
    knownFrom: frame.asOf ? reader.knownFrom() : null,
    mirror: ageOf(reader.mirrorAge(), now),
    workOut: report.read((reading) => reader.view({ ...reading, at: frame }), frame),
  }));
  const tooEarly = earlierThanKnown(frame, { knownFrom: found.knownFrom, said: wish.asOf ?? "" });
  if (tooEarly) return fail({ kind: "usage", message: tooEarly });
  const built = found.workOut();
  return ok({
    ...documentOf(report, frame),
    ...limited(built, wish.limit),
    freshness: found.mirror,
  });
}

function documentOf(report: Report, frame: Frame) {
  const { name, title, about, columns } = report;
  return {
    name,
    title,
    about,
    columns,
    madeAt: frame.now,
    asOf: frame.asOf,
    zone: frame.zone,
    filters: filtersOf(frame),
  };
}

function limited(built: Built, limit: number | null): Built {
  if (limit === null || built.rows.length <= limit) return built;
  const note = `These are the first ${limit} of ${built.rows.length} rows.`;
  return { ...built, rows: built.rows.slice(0, limit), notes: [...(built.notes ?? []), note] };
}

function filtersOf({ project, person, label, from, to, since }: Frame): readonly string[] {
  return [
    ...(project ? [`project ${project.name}`] : []),
    ...(person ? [`person ${person.name}`] : []),
    ...(label ? [`label ${label.name}`] : []),
    ...(from ? [`from ${from.toString()}`] : []),
    ...(to ? [`to ${to.toString()}`] : []),
    ...(since
      ? [`since ${"revision" in since ? `revision ${since.revision}` : since.at.toString()}`]
      : []),
  ];
}

function earlierThanKnown(
  { asOf }: Frame,
  { knownFrom, said }: { readonly knownFrom: Temporal.Instant | null; readonly said: string },
): string | null {
  if (!asOf) return null;
  if (!knownFrom) {
    return `--as-of ${said}: the workspace has not been read as a whole yet, so no time is known completely`;
  }
  return Temporal.Instant.compare(asOf, knownFrom) < 0
    ? `--as-of ${said}: everything is known from ${knownFrom.toString()} on, and not of earlier times`
    : null;
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
