import { editDistance } from "../domain/edit-distance.ts";
import { isId } from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Viewer } from "../domain/visibility.ts";
import type { DirectoryTable, ReportDatabase } from "../store/reading/reader.ts";
import {
  type FilterName,
  filterNames,
  type KnownName,
  type Report,
  type ReportScope,
} from "./report.ts";

/** A requested report in the words of the command line or the query string; null if not given. */
export interface ReportRequest {
  readonly name: string;
  readonly project: string | null;
  readonly person: string | null;
  readonly label: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly since: string | null;
  readonly asOf: string | null;
  /** Limit of rows. */
  readonly limit: number | null;
}

/** `unknown`: there is no such report; `usage`: invalid parameters. */
export interface ReportRequestFailure {
  readonly kind: "unknown" | "usage";
  readonly message: string;
}

/** Builds a request from named parameters; one that is not given is undefined. */
export function reportRequest(
  name: string,
  given: (parameter: Parameter) => string | undefined,
  limit: number | null,
): ReportRequest {
  const read = (parameter: Parameter) => given(parameter) ?? null;
  return {
    name,
    project: read("project"),
    person: read("person"),
    label: read("label"),
    from: read("from"),
    to: read("to"),
    since: read("since"),
    asOf: read("asOf"),
    limit,
  };
}

type Parameter = Exclude<keyof ReportRequest, "name" | "limit">;

interface ReportRequestContext {
  readonly request: ReportRequest;
  readonly report: Report;
  readonly zone: string;
  readonly now: Temporal.Instant;
  readonly viewer: Viewer | null;
}

/** Resolves everything a request names. Reports all problems at once, each with what, where and why. */
export function readReportRequest(
  reader: ReportDatabase,
  { request, report, zone, now, viewer }: ReportRequestContext,
): Result<ReportScope, ReportRequestFailure> {
  const viewerId = viewer?.kind === "person" ? viewer.person : null;
  const problems: string[] = [];
  const take = <Value>(read: Result<Value, string> | null): Value | null => {
    if (read && !read.ok) problems.push(read.failure);
    return read?.ok ? read.value : null;
  };
  const said = filterNames.filter(
    (filter) => isSaid(filter, request) && !report.takes.includes(filter),
  );
  for (const filter of said) {
    problems.push(`--${optionOf(filter)}: the report ${report.name} cannot be narrowed by it`);
  }
  const named = (
    table: DirectoryTable,
    { option, text }: { option: string; text: string | null },
  ) => take(text === null ? null : findNamed(reader.named(table, viewerId), { option, text }));
  const project = named("projects", { option: "--project", text: request.project });
  const person = named("people", { option: "--person", text: request.person });
  const label = named("labels", { option: "--label", text: request.label });
  const own = viewer?.zone ?? person?.time_zone ?? zone;
  const from = take(readDate("--from", request.from));
  const to = take(readDate("--to", request.to));
  if (from && to && Temporal.PlainDate.compare(from, to) > 0) {
    problems.push(`--from ${from.toString()} is after --to ${to.toString()}`);
  }
  const asOf = take(readMoment(request.asOf, { now, zone: own }));
  if (asOf && Temporal.Instant.compare(asOf, now) > 0) {
    problems.push(`--as-of ${request.asOf}: that is in the future`);
  }
  const since = take(readSince(request.since, own));
  if (problems.length > 0) return fail({ kind: "usage", message: problems.join("\n") });
  const nameOf = (table: DirectoryTable) =>
    new Map(reader.named(table, viewerId).map(({ id, name }) => [id, name]));
  return ok({
    now,
    today: (asOf ?? now).toZonedDateTimeISO(own).toPlainDate(),
    zone: own,
    asOf,
    viewerId,
    project,
    person,
    label,
    from,
    to,
    since,
    people: nameOf("people"),
    labels: nameOf("labels"),
    projects: nameOf("projects"),
    lists: nameOf("todolists"),
  });
}

function isSaid(filter: FilterName, request: ReportRequest): boolean {
  if (filter === "dates") return request.from !== null || request.to !== null;
  return request[filter === "as-of" ? "asOf" : filter] !== null;
}

const optionOf = (filter: FilterName): string => (filter === "dates" ? "from, --to" : filter);

/**
 * Finds by id, by name, or by a prefix that is unique, or unique among those that still exist. Ignores case. Errors suggest
 * similar names.
 */
export function findNamed<Row extends KnownName>(
  rows: readonly Row[],
  { option, text }: { readonly option: string; readonly text: string },
): Result<Row, string> {
  const wanted = text.trim().toLowerCase();
  if (isId(Number(wanted))) {
    const row = rows.find(({ id }) => id === Number(wanted));
    if (row) return ok(row);
  }
  const plain = ({ name }: KnownName) => name.trim().toLowerCase();
  const exact = thereFirst(rows.filter((row) => plain(row) === wanted));
  const begun =
    wanted === "" ? [] : thereFirst(rows.filter((row) => plain(row).startsWith(wanted)));
  const found = exact.length > 0 ? exact : begun;
  const [only, another] = found;
  if (only && !another) return ok(only);
  if (another) {
    const how = exact.length > 0 ? "have that name" : "begin with that";
    const some = found.slice(0, 5).map(({ id, name }) => `${name} (${id})`);
    const more = found.length > some.length ? " and others" : "";
    return fail(
      `${option} "${text}": ${found.length} ${how}: ${some.join(", ")}${more}; use the id`,
    );
  }
  const near = nearNames(rows, wanted).map(({ id, name }) => `${name} (${id})`);
  const hint = near.length > 0 ? `. Did you mean ${near.join(", ")}?` : "";
  return fail(`${option} "${text}": nothing has that id or name${hint}`);
}

function thereFirst<Row extends KnownName>(rows: readonly Row[]): readonly Row[] {
  const there = rows.filter(({ gone }) => gone === 0);
  return there.length > 0 ? there : rows;
}

/** Names that contain the text, or a word within a letter or two of it. */
function nearNames<Row extends KnownName>(rows: readonly Row[], wanted: string): readonly Row[] {
  const near = rows.filter(({ name, gone }) => {
    const words = [name, ...name.split(/[\s,;:()/-]+/)].map((word) => word.toLowerCase());
    return (
      gone === 0 &&
      (name.toLowerCase().includes(wanted) ||
        words.some(
          (word) => editDistance(word, wanted) <= Math.min(2, Math.floor(wanted.length / 3)),
        ))
    );
  });
  return near.slice(0, 5);
}

function readDate(option: string, text: string | null): Result<Temporal.PlainDate, string> | null {
  if (text === null) return null;
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return ok(Temporal.PlainDate.from(text));
  } catch {
    // Reported below, together with other text that is not a date.
  }
  return fail(`${option} "${text}": it must be a date, such as 2026-11-30`);
}

/** An instant, or a date: the end of that day in the time zone, or now if it is not over. */
function readMoment(
  text: string | null,
  { now, zone }: Pick<ReportRequestContext, "now" | "zone">,
): Result<Temporal.Instant, string> | null {
  if (text === null) return null;
  try {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return ok(Temporal.Instant.from(text));
    const day = Temporal.PlainDate.from(text);
    if (day.equals(now.toZonedDateTimeISO(zone).toPlainDate())) return ok(now);
    const over = day.add({ days: 1 }).toZonedDateTime(zone).toInstant();
    return ok(over.subtract({ milliseconds: 1 }));
  } catch {
    return fail(
      `--as-of "${text}": it must be a date (its end is meant) or an instant, such as 2026-11-30T12:00:00Z`,
    );
  }
}

/** A revision of the change log, an instant, or a date: the beginning of that day in the time zone. */
function readSince(
  text: string | null,
  zone: string,
): Result<NonNullable<ReportScope["since"]>, string> | null {
  if (text === null) return null;
  if (/^\d{1,15}$/.test(text)) return ok({ revision: Number(text) });
  try {
    const at = /^\d{4}-\d{2}-\d{2}$/.test(text)
      ? Temporal.PlainDate.from(text).toZonedDateTime(zone).toInstant()
      : Temporal.Instant.from(text);
    return ok({ at });
  } catch {
    return fail(
      `--since "${text}": it must be a revision, a date, or an instant, such as 2026-11-30T12:00:00Z`,
    );
  }
}
