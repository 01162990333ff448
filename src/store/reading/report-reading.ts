import type { Database } from "better-sqlite3";
import type { PersonId } from "../../domain/ids.ts";
import { instantText, textColumn } from "../rows/item-rows.ts";
import type { ReportRows, ReportView } from "../rows/report-rows.ts";
import { isSeenVersion, sightOfPresent, sightTables } from "./report-sight.ts";

/** A row passes when its column compares so; `holds`: the column is a JSON array that has the value. */
export interface Condition<Column extends string = string> {
  readonly column: Column;
  readonly is: "=" | "<" | "<=" | ">" | ">=" | "holds";
  readonly value: string | number;
}

/** Conditions by the view whose rows they are for; those of an inner view are met before the outer one counts. */
export type Conditions = {
  readonly [Name in ReportView]?: readonly Condition<Extract<keyof ReportRows[Name], string>>[];
};

/** Which columns of a view are read, and what is taken for now and for known. */
export interface ReportQuery<Name extends ReportView, Column extends keyof ReportRows[Name]> {
  readonly view: Name;
  /** Costly ones, such as names by ids, are worked out only where they are named. */
  readonly columns: readonly Column[];
  readonly at: Standpoint;
  readonly where: Conditions;
}

export interface Standpoint {
  readonly now: Temporal.Instant;
  readonly today: Temporal.PlainDate;
  /** IANA zone in which the days of instants are said. */
  readonly zone: string;
  /** Null = the present. */
  readonly asOf: Temporal.Instant | null;
  /** Whose eyes it is for; null = whoever may see everything. */
  readonly sight: PersonId | null;
}

/**
 * The query for a report view at another time and under conditions: the views' own text, with the clock, the tables of
 * the past and the conditions laid over the names that it reads. So each report has one definition for all times.
 */
export function readingOf(
  db: Database,
  {
    view,
    columns,
    at,
    where,
  }: Omit<ReportQuery<ReportView, never>, "columns"> & { readonly columns: readonly string[] },
): { readonly sql: string; readonly params: Readonly<Record<string, string | number>> } {
  const bodies = bodiesOf(db, view);
  const params: Record<string, string | number> = {
    now: instantText(at.now),
    today: at.today.toString(),
  };
  const parts = ["report_clock AS (SELECT @now AS now, @today AS today)"];
  if (at.sight !== null) {
    params["sight"] = at.sight;
    parts.push(...sightTables);
  }
  if (at.asOf) {
    params["asOf"] = instantText(at.asOf);
    parts.push(...(at.sight === null ? pastTables(everything) : pastTables(ofPerson)));
    if (at.sight !== null)
      parts.push(...sightOfPresent.filter((table) => table.startsWith("sources ")));
  } else if (at.sight !== null) parts.push(...sightOfPresent);
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
  return { sql: `WITH ${parts.join(",\n")}\nSELECT ${columns.join(", ")} FROM ${view}`, params };
}

const localDay = "local_day";

/** Where a view says the UTC day of an instant, a report says the day in the reader's zone. */
const localDays = (body: string): string =>
  body.replace(
    /\bdate\(([^(),]+)(, '-1 second')?\)/g,
    (_, instant: string, before?: string) =>
      `iif(${instant} IS NULL, NULL, ${localDay}(${instant}, ${before === undefined ? 0 : 1}))`,
  );

/** The day of an instant, or of the second before it; each is worked out once, as meetings share their times. */
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

/** The view's text and before it those of the views that it reads. */
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

/** Thrown when the database lacks a view that its migrations make. */
class MissingViewError extends Error {
  override readonly name = "MissingViewError";
  constructor(view: string) {
    super(`the database has no view ${view}`);
  }
}

/** What of the past is told, as conditions on rows. */
interface PastSight {
  /** Of the versions `v`. */
  readonly versions: string;
  /** Of what hangs on a task. */
  readonly ofTask: string;
  /** Of what lies in a project. */
  readonly ofProject: string;
}

const everything: PastSight = { versions: "TRUE", ofTask: "TRUE", ofProject: "TRUE" };
const ofPerson: PastSight = {
  versions: isSeenVersion("v"),
  ofTask: "task_id IN (SELECT id FROM seen_tasks)",
  ofProject: "project_id IN (SELECT id FROM seen_projects)",
};

/** The tables as they were: what the workspace had comes from the version history, the rest from its own times. */
const pastTables = ({ versions, ofTask, ofProject }: PastSight): readonly string[] => [
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
