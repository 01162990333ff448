import Database from "better-sqlite3";
import { messageOf } from "../../domain/result.ts";
import { numberColumn, textColumn } from "../rows/item-rows.ts";

// A child process, as a large file takes seconds. Checks a private copy of the database, given as the first argument, and
// prints as JSON its metadata, or why it cannot be served.
const [, , file = ""] = process.argv;
process.stdout.write(JSON.stringify(look()));

function look(): object {
  try {
    const db = new Database(file, { fileMustExist: true });
    try {
      // Changes in the log beside it belong to it.
      db.pragma("wal_checkpoint(TRUNCATE)");
      const found = String(db.pragma("quick_check(1)", { simple: true }));
      if (found !== "ok") return { problem: `it is damaged (${found})` };
      const of = (sql: string) => db.prepare(sql).get();
      const known = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'";
      const fact = (name: string) =>
        textColumn(of(`SELECT (SELECT value FROM meta WHERE name = '${name}') AS value`), "value");
      if (of(known) === undefined) return { problem: "it is no database of Dayferry" };
      const installation = fact("installation");
      if (installation === null) return { problem: "no daemon has ever served it" };
      const newest = "SELECT coalesce(max(revision), 0) AS revision FROM changes";
      return {
        installation,
        epoch: fact("epoch"),
        revision: numberColumn(of(newest), "revision"),
        readAt: textColumn(of("SELECT max(succeeded_at) AS at FROM sources"), "at"),
      };
    } finally {
      db.close();
    }
  } catch (error) {
    return { problem: `it cannot be read (${messageOf(error)})` };
  }
}
