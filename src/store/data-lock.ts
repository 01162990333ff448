import { join } from "node:path";
import Database from "better-sqlite3";
import { keepFilePrivate } from "./private-files.ts";

/** The data directory is this process's until `release`, or until the process ends in whatever way. */
export interface DataLock {
  release(): void;
}

/**
 * Takes the data directory for this process; null when another one has it. An exclusive transaction on a database of
 * its own is the lock: the operating system drops it with the process, so neither `kill -9` nor a reused process id
 * can leave it behind.
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
