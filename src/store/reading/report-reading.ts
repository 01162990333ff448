import type { Database } from "better-sqlite3";
import type { PersonId } from "../../domain/ids.ts";
import { instantText, textColumn } from "../rows/item-rows.ts";
import type { ReportRows, ReportView } from "../rows/report-rows.ts";
import { currentVisibleTables, isSeenVersion, visibleTables } from "./report-visibility.ts";

/** A condition on a column; `holds`: the column is a JSON array with the value. */
export interface Condition<Column extends string = string> {
  readonly column: Column;
  readonly is: "=" | "<" | "<=" | ">" | ">=" | "holds";
  readonly value: string | number;
}

/** Conditions by view. Those of an inner view apply before the outer one counts. */
export type Conditions = {
  readonly [Name in ReportView]?: readonly Condition<Extract<keyof ReportRows[Name], string>>[];
};

/** Which columns of a view to read, and which time and knowledge to assume. */
export interface ReportQuery<Name extends ReportView, List extends string> {
  readonly view: Name;
  /** As in SQL: `item, title`. Expensive columns, such as names, are computed only if listed. */
  readonly columns: List;
  readonly at: Standpoint;
  readonly where: Conditions;
}

export interface Standpoint {
  readonly now: Temporal.Instant;
  readonly today: Temporal.PlainDate;
  /** IANA zone for the days of instants. */
  readonly zone: string;
  /** Null = now. */
  readonly asOf: Temporal.Instant | null;
  /** Whose permissions apply; null = everything is visible. */
  readonly viewerId: PersonId | null;
}

/**
 * Builds the query of a report view for another time and with conditions: the views' own text, with the clock, the tables of
 * the past and the conditions substituted for the names it reads. So each report has one definition for all times.
 */
export function readingOf(
  db: Database,
  { view, columns, at, where }: ReportQuery<ReportView, string>,
): { readonly sql: string; readonly params: Readonly<Record<string, string | number>> } {
  const bodies = bodiesOf(db, view);
  const params: Record<string, string | number> = {
    now: instantText(at.now),
    today: at.today.toString(),
  };
  const parts = ["report_clock AS (SELECT @now AS now, @today AS today)"];
  if (at.viewerId !== null) {
    params["viewerId"] = at.viewerId;
    parts.push(...visibleTables);
  }
  if (at.asOf) {
    params["asOf"] = instantText(at.asOf);
    parts.push(...(at.viewerId === null ? pastTables(everything) : pastTables(ofPerson)));
    if (at.viewerId !== null)
      parts.push(...currentVisibleTables.filter((table) => table.startsWith("sources ")));
  } else if (at.viewerId !== null) parts.push(...currentVisibleTables);
  const conditions: ReadonlyMap<string, readonly Condition[]> = new Map(Object.entries(where));
  for (const [name, body] of bodies) {
    const tests = (conditions.get(name) ?? []).map(({ column, is, value }) => {
      const param = `p${Object.keys(params).length}`;
      params[param] = value;
      return is === "holds"
        ? `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = @${param})`
        : `${column} ${is} @${param}`;
    });
    const passing = tests.length > 0 ? ` WHERE ${tests.join(" AND ")}` : "";
    parts.push(`${name} AS (SELECT * FROM (${localDays(body)})${passing})`);
  }
  db.function(localDay, { deterministic: true }, dayIn(at.zone));
  return { sql: `WITH ${parts.join(",\n")}\nSELECT ${columns} FROM ${view}`, params };
}

const localDay = "local_day";

/** Where a view gives the UTC day of an instant, a report gives the day in the reader's zone. */
const localDays = (body: string): string =>
  body.replace(
    /\bdate\(([^(),]+)(, '-1 second')?\)/g,
    (_, instant: string, before?: string) =>
      `iif(${instant} IS NULL, NULL, ${localDay}(${instant}, ${before === undefined ? 0 : 1}))`,
  );

/** The day of an instant, or of the second before it. Cached, as meetings share their times. */
function dayIn(zone: string): (instant: unknown, before: unknown) => string {
  const known = new Map<string, string>();
  return (instant, before) => {
    const key = `${String(instant)} ${String(before)}`;
    const said = known.get(key) ?? dayOf(String(instant), { zone, seconds: Number(before) });
    known.set(key, said);
    return said;
  };
}

const dayOf = (
  instant: string,
  { zone, seconds }: { readonly zone: string; readonly seconds: number },
): string =>
  Temporal.Instant.from(instant)
    .subtract({ seconds })
    .toZonedDateTimeISO(zone)
    .toPlainDate()
    .toString();

/** The view's text, preceded by those of the views that it reads. */
function bodiesOf(db: Database, view: string): ReadonlyMap<string, string> {
  const definition = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?");
  const bodies = new Map<string, string>();
  const visit = (name: string): void => {
    const text = textColumn(definition.get(name), "sql");
    if (text === null) throw new MissingViewError(name);
    const body = text.replace(/^CREATE VIEW \w+ AS\s+/, "");
    for (const [inner] of body.matchAll(/\breport_\w+/g)) {
      if (inner !== "report_clock" && inner !== name && !bodies.has(inner)) visit(inner);
    }
    bodies.set(name, body);
  };
  visit(view);
  return bodies;
}

/** Thrown if the database lacks a view that its migrations create. */
class MissingViewError extends Error {
  override readonly name = "MissingViewError";
  constructor(view: string) {
    super(`the database has no view ${view}`);
  }
}

/** Conditions on rows of the past. */
interface PastFilters {
  /** For the versions `v`. */
  readonly versions: string;
  /** For data of a task. */
  readonly ofTask: string;
  /** For data in a project. */
  readonly ofProject: string;
}

const everything: PastFilters = { versions: "TRUE", ofTask: "TRUE", ofProject: "TRUE" };
const ofPerson: PastFilters = {
  versions: isSeenVersion("v"),
  ofTask: "task_id IN (SELECT id FROM seen_tasks)",
  ofProject: "project_id IN (SELECT id FROM seen_projects)",
};

/** The tables as they were: the workspace from the version history, the rest from its own times. */
const pastTables = ({ versions, ofTask, ofProject }: PastFilters): readonly string[] => [
  `versions AS (SELECT v.* FROM main.versions v WHERE v.at <= @asOf AND ${versions})`,
  `view_items AS NOT MATERIALIZED (
     SELECT item, collection, content, content ->> 'kind' AS kind, content ->> 'projectId' AS project_id,
       content ->> 'listId' AS list_id, content ->> 'parentId' AS parent_id, content ->> 'title' AS title,
       content ->> 'completed' AS completed, content ->> '$.when.startAt' AS starts_at,
       content ->> '$.when.endAt' AS ends_at,
       coalesce(content ->> '$.when.startOn', content ->> 'startOn') AS starts_on,
       content ->> '$.when.endOn' AS ends_on, content ->> 'dueOn' AS due_on,
       content ->> 'reminderMinutes' AS reminder_minutes
     FROM (SELECT v.item, v.collection, v.workspace AS content
       FROM (SELECT item, max(revision) AS revision FROM main.versions WHERE at <= @asOf GROUP BY item) shown
       JOIN main.versions v ON v.item = shown.item AND v.revision = shown.revision
       WHERE v.workspace IS NOT NULL AND ${versions}))`,
  "edits AS (SELECT * FROM main.edits WHERE created_at <= @asOf)",
  `comments AS (
     SELECT id, project_id, list_id, task_id, description, creator_id, by_me, created_at, NULL AS gone_at
     FROM main.comments WHERE created_at <= @asOf AND (gone_at IS NULL OR gone_at > @asOf) AND ${ofTask})`,
  `history_entries AS (
     SELECT * FROM main.history_entries WHERE coalesce(activity_at, activity_on) <= @asOf AND ${ofTask})`,
  `files AS (
     SELECT id, project_id, folder_id, name, byte_size, file_type, url, creator_id, by_me, created_at, updated_at,
       NULL AS gone_at
     FROM main.files WHERE created_at <= @asOf AND (gone_at IS NULL OR gone_at > @asOf) AND ${ofProject})`,
];
