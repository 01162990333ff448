import { closeSync, openSync, readSync } from "node:fs";
import Database from "better-sqlite3";
import { fail, messageOf, ok, type Result } from "../../domain/result.ts";
import { openReadOnly, type ReadOnly } from "../reading/read-only.ts";
import { numberColumn, textColumn } from "../rows/item-rows.ts";

/** Metadata of a database. */
export interface DatabaseFacts {
  /** The latest migration applied; 0 if none. */
  readonly migration: number;
  /** Empty if no daemon has opened it yet. */
  readonly installation: string;
  readonly epoch: string;
  /** Edits that are pending, held or parked. */
  readonly openEdits: number;
}

/** Why a database cannot be read. `unreadable`: because of the disk or another process; the database may be intact. */
export interface DatabaseFault {
  readonly kind: "damaged" | "unreadable";
  readonly problem: string;
}

/**
 * Writes a consistent copy of a database into a new file while others may write to it, with SQLite's online backup in one
 * transaction. `onShare`: called with the part that is written, from 0 to 1. Throws errors of the target disk.
 */
export async function copyDatabase(
  file: string,
  copy: string,
  onShare: (share: number) => void = () => undefined,
): Promise<Result<void, DatabaseFault>> {
  const opened = openToRead(file);
  if (!opened.ok) return opened;
  const { db, close } = opened.value;
  try {
    // The transaction fixes the state, even if the copy takes several steps.
    db.exec("BEGIN");
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    await db.backup(copy, {
      progress({ totalPages, remainingPages }) {
        if (totalPages > 0) onShare(1 - remainingPages / totalPages);
        return pagesPerStep;
      },
    });
    db.exec("COMMIT");
    return ok(undefined);
  } catch (error) {
    if (isDamage(error)) return damaged(file, messageOf(error));
    throw error;
  } finally {
    close();
  }
}

/** 8 MB with the usual page size. */
const pagesPerStep = 2048;

/** SQLite codes for invalid contents. Source: https://www.sqlite.org/rescode.html. */
const damage = /^SQLITE_(?:CORRUPT|NOTADB)/;

/** True if an error, or its cause, means that the database itself is damaged. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOfDatabase = error instanceof Database.SqliteError && damage.test(error.code);
  return isOfDatabase || isDamage(error.cause);
}

/** Opens a database read-only, and distinguishes a damaged one from one that cannot be reached. */
export function openToRead(file: string): Result<ReadOnly, DatabaseFault> {
  const opened = openReadOnly(file);
  if (opened.ok) return opened;
  const { failure } = opened;
  if (contradiction.test(failure) || !hasHead(file)) return damaged(file, failure);
  return fail({ kind: "unreadable", problem: failure });
}

/** Source: https://www.sqlite.org/fileformat.html (1.3.1). An empty file is a new database. */
function hasHead(file: string): boolean {
  try {
    const descriptor = openSync(file, "r");
    const head = Buffer.alloc(16);
    const length = readSync(descriptor, head);
    closeSync(descriptor);
    return length === 0 || head.toString("latin1") === "SQLite format 3\0";
  } catch {
    return true;
  }
}

const contradiction = /malformed|not a database/;

const damaged = (file: string, problem: string) => {
  const said = problem.startsWith(file) ? problem : `${file} is damaged: ${problem}`;
  return fail({ kind: "damaged", problem: said } as const);
};

type Thoroughness = "quick" | "full";

/**
 * Checks a whole database for damage: `quick` reads all pages, `full` also compares indexes with their tables and checks
 * references. Returns its metadata, or what is wrong.
 */
export function examineDatabase(
  file: string,
  thoroughness: Thoroughness,
): Result<DatabaseFacts, DatabaseFault> {
  const opened = openToRead(file);
  if (!opened.ok) return opened;
  const { db, close } = opened.value;
  try {
    const problem = damageIn(db, thoroughness);
    return problem === null ? ok(factsOf(db)) : damaged(file, problem);
  } catch (error) {
    if (isDamage(error)) return damaged(file, messageOf(error));
    return fail({ kind: "unreadable", problem: `${file} cannot be read: ${messageOf(error)}` });
  } finally {
    close();
  }
}

/** SQLite's complaint about an open database; null if none. Throws if it cannot be read at all. */
function damageIn(db: Database.Database, thoroughness: Thoroughness): string | null {
  const check = thoroughness === "full" ? "integrity_check(3)" : "quick_check(3)";
  const found = db.prepare(`PRAGMA ${check}`).pluck().all().map(String);
  if (found.length !== 1 || found[0] !== "ok") return found.join("; ").replaceAll("\n", " ");
  if (thoroughness === "quick") return null;
  const broken = db.prepare("PRAGMA foreign_key_check").all().length;
  return broken === 0 ? null : `${broken} broken references`;
}

function factsOf(db: Database.Database): DatabaseFacts {
  const has = (table: string): boolean =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !==
    undefined;
  const meta = (name: string): string =>
    has("meta")
      ? (textColumn(db.prepare("SELECT value FROM meta WHERE name = ?").get(name), "value") ?? "")
      : "";
  const count = (sql: string): number => numberColumn(db.prepare(sql).get(), "count");
  return {
    migration: has("schema_migration")
      ? count("SELECT coalesce(max(version), 0) AS count FROM schema_migration")
      : 0,
    installation: meta("installation"),
    epoch: meta("epoch"),
    openEdits: has("edits")
      ? count(
          "SELECT count(*) AS count FROM edits WHERE state IN ('pending', 'claimed', 'held', 'parked')",
        )
      : 0,
  };
}
