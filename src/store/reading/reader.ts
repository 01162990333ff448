import { fileURLToPath } from "node:url";
import type { Database } from "better-sqlite3";
import type { PersonId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { readMigrations } from "../migrate.ts";
import { appliedMigrationRow, numberColumn, textColumn } from "../rows/item-rows.ts";
import {
  type MirrorAgeRow,
  mirrorAgeRow,
  type NamedRow,
  namedRows,
  type ReportRow,
  type ReportView,
  reportRows,
} from "../rows/report-rows.ts";
import { completeFromFact } from "../view/view.ts";
import { openReadOnly } from "./read-only.ts";
import { type ReportQuery, readingOf } from "./report-reading.ts";
import { visibleTables } from "./report-visibility.ts";

/** Tables with the names of ids, as known now, also for a report of the past. */
export type DirectoryTable = "projects" | "todolists" | "people" | "labels" | "folders";

/** The database as reports read it, with or without a daemon. Never written to. */
export interface ReportDatabase {
  /** Reads one consistent state. Keep it short: a long read keeps the write-ahead log from shrinking. */
  once<Value>(read: () => Value): Value;
  view<Name extends ReportView, List extends string>(
    reading: ReportQuery<Name, List>,
  ): readonly ReportRow<Name, List>[];
  /**
   * All known rows, including those that are gone. Projects, lists and folders are limited to what `viewerId` may see, if given.
   */
  named(table: DirectoryTable, viewerId?: PersonId | null): readonly NamedRow[];
  mirrorAge(): MirrorAgeRow;
  /** The newest revision of the change log. */
  latestRevision(): number;
  /** Start of the complete history; null until everything has been read once. */
  knownFrom(): Temporal.Instant | null;
  close(): void;
}

const migrations = fileURLToPath(new URL("../../../migrations", import.meta.url));

/**
 * Opens a data directory's database read-only, without a lock or a daemon, also from a read-only medium. Fails with a sentence
 * if there is none, or if it does not fit this build.
 */
export function openReader(file: string): Result<ReportDatabase, string> {
  const opened = openReadOnly(file);
  if (!opened.ok) return opened;
  const { db, close } = opened.value;
  try {
    const misfit = misfitOf(db);
    if (misfit === null) return ok(readerOf(db, close));
    close();
    return fail(`${file} cannot be read: ${misfit}`);
  } catch (error) {
    close();
    throw error;
  }
}

function misfitOf(db: Database): string | null {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'").get();
  if (table === undefined) return "it is no database of Dayferry";
  const applied = db
    .prepare("SELECT version, name, sha256 FROM schema_migration ORDER BY version")
    .all()
    .map(appliedMigrationRow);
  const own = readMigrations(migrations);
  if (applied.length > own.length) {
    return `it is newer than this build (migration ${applied.length}; this build ends at ${own.length}); use the build that wrote it`;
  }
  if (applied.some(({ sha256, version }) => own[version - 1]?.sha256 !== sha256)) {
    return "it was written by a build with other migrations";
  }
  if (applied.length < own.length) {
    return `it is of an older build (migration ${applied.length} of ${own.length}); start the daemon of this build once, or run \`dayferry sync\`, to bring it up to date`;
  }
  return null;
}

function readerOf(db: Database, close: () => void): ReportDatabase {
  return {
    once: (read) => db.transaction(read).deferred(),
    view(reading) {
      const { sql, params } = readingOf(db, reading);
      return reportRows(reading, db.prepare(sql).all(params));
    },
    named(table, viewerId = null) {
      const isOfProject = table === "projects" || table === "todolists" || table === "folders";
      if (viewerId === null || !isOfProject) return namedRows(db.prepare(namesIn(table)).all());
      const key = table === "projects" ? "id" : "project_id";
      const sql = `WITH ${visibleTables.join(",\n")}
        SELECT * FROM (${namesIn(table)}) WHERE ${key} IN (SELECT id FROM seen_projects)`;
      return namedRows(db.prepare(sql).all({ viewerId }));
    },
    mirrorAge: () => mirrorAgeRow(db.prepare(mirrorAge).get()),
    latestRevision: () =>
      numberColumn(db.prepare("SELECT max(revision) AS revision FROM changes").get(), "revision"),
    knownFrom() {
      const whole = textColumn(db.prepare(firstWhole).get(), "at");
      const forgotten = textColumn(db.prepare(firstKept).get(), "at");
      const latest = [whole, whole && forgotten].filter((at) => at !== null).toSorted();
      return whole === null ? null : Temporal.Instant.from(latest.at(-1) ?? whole);
    },
    close,
  };
}

function namesIn(table: DirectoryTable): string {
  const name = table === "projects" || table === "todolists" ? "title" : "name";
  const zone = table === "people" ? "time_zone" : "NULL";
  const project = table === "folders" || table === "todolists" ? "project_id" : "NULL";
  return `SELECT id, ${name} AS name, ${zone} AS time_zone, ${project} AS project_id,
    gone_at IS NOT NULL AS gone FROM ${table} ORDER BY gone_at IS NOT NULL, id`;
}

const mirrorAge = `SELECT count(*) AS sources, sum(succeeded_at IS NULL) AS never,
    coalesce(sum(failure IS NOT NULL AND kind <> 'people'), 0) AS failing,
    max(succeeded_at) AS newest, min(succeeded_at) AS oldest
  FROM sources WHERE kind IN ('projects', 'people', 'labels', 'todolists', 'events', 'tasks', 'subtasks')
    AND (kind <> 'people' OR succeeded_at IS NOT NULL)`;

/** End of the first complete reading; before a second one begins, the end of what there is. */
const firstWhole = `SELECT coalesce((SELECT value FROM meta WHERE name = 'complete_at'),
    (SELECT CASE WHEN sum(succeeded_at IS NULL AND failures = 0) = 0 THEN max(succeeded_at) END
      FROM sources WHERE kind IN ('todolists', 'events', 'tasks', 'subtasks'))) AS at`;

/** Time of the oldest retained change. History before it is incomplete. */
const firstKept = `SELECT at FROM changes
  WHERE revision >= (SELECT CAST(value AS INTEGER) FROM meta WHERE name = '${completeFromFact}')
  ORDER BY revision LIMIT 1`;
