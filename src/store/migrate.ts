import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { appliedMigrationRow } from "./rows/item-rows.ts";

/** Thrown if the database and this build's migrations do not fit. Nothing was changed. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

const filePattern = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/**
 * Migrates the database to the latest version, each file in one transaction. Refuses a gap in the numbers, a file that was
 * changed after it was applied, and a database newer than this build.
 */
export function migrate(db: Database, folder: string): void {
  db.exec(`CREATE TABLE IF NOT EXISTS schema_migration (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL
  ) STRICT`);
  const migrations = readMigrations(folder);
  const applied = db
    .prepare("SELECT version, name, sha256 FROM schema_migration ORDER BY version")
    .all();
  for (const row of applied.map(appliedMigrationRow)) {
    const own = migrations[row.version - 1];
    if (!own) {
      throw new MigrationError(
        `the database is newer than this build: it has migration ${row.version} (${row.name}), the build ends at ${migrations.length}; use the build that wrote it, or restore the backup from before its migration`,
      );
    }
    if (own.sha256 !== row.sha256) {
      throw new MigrationError(
        `migration ${own.version} (${own.name}) was changed after it was applied`,
      );
    }
  }
  for (const migration of migrations.slice(applied.length)) apply(db, migration);
}

/** True if `migrate` would change a database that has been in use. Throws like `migrate`. */
export function wouldChange(db: Database, folder: string): boolean {
  const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'").get();
  if (has === undefined) return false;
  const { length } = db.prepare("SELECT version FROM schema_migration").all();
  return length > 0 && length < readMigrations(folder).length;
}

/** The numbered files of the folder in order. Throws `MigrationError` on a gap or an unexpected name. */
export function readMigrations(folder: string): readonly Migration[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .toSorted();
  return files.map((file, index) => {
    const [, number, name] = filePattern.exec(file) ?? [];
    if (!number || !name) throw new MigrationError(`${file} is not named NNNN_name.sql`);
    const version = Number(number);
    if (version !== index + 1) {
      throw new MigrationError(`migration ${index + 1} is missing: found ${file} in its place`);
    }
    const sql = readFileSync(join(folder, file), "utf8");
    return { version, name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
  });
}

function apply(db: Database, { version, name, sql, sha256 }: Migration): void {
  const run = db.transaction(() => {
    db.exec(sql);
    const broken = db.pragma("foreign_key_check");
    if (Array.isArray(broken) && broken.length > 0) {
      throw new MigrationError(
        `migration ${version} (${name}) leaves ${broken.length} broken references`,
      );
    }
    db.prepare(
      "INSERT INTO schema_migration (version, name, sha256, applied_at) VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
    ).run(version, name, sha256);
  });
  run.exclusive();
}
