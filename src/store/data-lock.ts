import { join } from "node:path";
import Database from "better-sqlite3";
import { keepFilePrivate } from "./private-files.ts";

/** Ownership of the data directory, until `release` or the end of the process. */
export interface DataLock {
  release(): void;
}

/**
 * Locks the data directory for this process; null if another process has it. The lock is an exclusive transaction on a separate
 * database. The operating system drops it with the process, so neither `kill -9` nor a reused process id can leave it behind.
 */
export function lockDataDirectory(dataDir: string): DataLock | null {
  const file = join(dataDir, "lock.sqlite");
  keepFilePrivate(file);
  const db = new Database(file, { timeout: 0 });
  try {
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code === "SQLITE_BUSY") return null;
    throw error;
  }
  return { release: () => db.close() };
}
