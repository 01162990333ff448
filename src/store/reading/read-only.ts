import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { fail, messageOf, ok, type Result } from "../../domain/result.ts";

/** A read-only connection and how to close it. */
export interface ReadOnly {
  readonly db: Database.Database;
  readonly close: () => void;
}

/** A file that grows during the copy is copied again. */
const tries = 3;

/**
 * Opens a database read-only: in place, where readers and the writer do not block each other. If that is impossible, as on a
 * read-only medium without room for the log index, file and log are copied to a temporary folder until `close`. Fails with a
 * sentence.
 */
export function openReadOnly(file: string): Result<ReadOnly, string> {
  if (!existsSync(file)) {
    return fail(`there is no database at ${file} yet: \`dayferry serve\` or \`sync\` makes it`);
  }
  if (!statSync(file).isFile()) return fail(`${file} is no file: name the database itself`);
  try {
    return ok(inPlace(file) ?? inCopy(file));
  } catch (error) {
    return fail(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function inPlace(file: string): ReadOnly | null {
  try {
    return checked(
      new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 }),
      () => undefined,
    );
  } catch (error) {
    const isNoDatabase = error instanceof Database.SqliteError && error.code === "SQLITE_NOTADB";
    if (isNoDatabase) throw error;
    return null;
  }
}

function inCopy(file: string): ReadOnly {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-read-"));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "copy.sqlite");
    for (let tried = 1; ; tried += 1) {
      const before = stampOf(file);
      copyFileSync(file, copy);
      if (before.log > 0) copyFileSync(`${file}-wal`, `${copy}-wal`);
      if (same(before, stampOf(file))) break;
      if (tried === tries) throw new Error("it keeps changing while it is copied");
    }
    return checked(new Database(copy, { readonly: true, fileMustExist: true }), clean);
  } catch (error) {
    clean();
    throw error;
  }
}

/** Reads once, as opening does not detect all problems. */
function checked(db: Database.Database, clean: () => void): ReadOnly {
  try {
    db.pragma("query_only = ON");
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    db,
    close() {
      db.close();
      clean();
    },
  };
}

interface Stamp {
  readonly size: number;
  readonly changedMs: number;
  /** Octets of the write-ahead log; 0 if there is none. */
  readonly log: number;
}

function stampOf(file: string): Stamp {
  const { size, mtimeMs } = statSync(file);
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return { size, changedMs: mtimeMs, log };
}

const same = (a: Stamp, b: Stamp): boolean =>
  a.size === b.size && a.changedMs === b.changedMs && a.log === b.log;
