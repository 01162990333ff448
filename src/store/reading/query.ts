import Database from "better-sqlite3";
import { fail, ok, type Result } from "../../domain/result.ts";
import { type SqlValue, sqlValues } from "../rows/report-rows.ts";
import { openReadOnly } from "./read-only.ts";

/** A running query: column names, and rows one by one. */
export interface Query {
  readonly columns: readonly string[];
  /** Throws SQLite's errors; `sqlProblem` explains them. */
  readonly rows: () => Iterable<readonly SqlValue[]>;
  readonly close: () => void;
}

/**
 * Prepares one read-only query. The connection cannot write, and statements that open another file or change a setting are
 * refused. Fails with a sentence.
 */
export function openQuery(file: string, sql: string): Result<Query, string> {
  const opened = openReadOnly(file);
  if (!opened.ok) return opened;
  const { db, close } = opened.value;
  const refused = (reason: string) => {
    close();
    return fail(reason);
  };
  try {
    const forbidden = forbiddenIn(sql);
    if (forbidden) return refused(forbidden);
    const statement = db.prepare(sql);
    if (!statement.reader || !statement.readonly) {
      return refused("only queries that read are run: SELECT, WITH, VALUES, EXPLAIN");
    }
    const columns = statement.columns().map(({ name }) => name);
    const reading = statement.raw(true).safeIntegers(true);
    return ok({
      columns: distinct(columns),
      *rows() {
        for (const row of reading.iterate()) yield sqlValues(row);
      },
      close,
    });
  } catch (error) {
    return refused(sqlProblem(error, sql));
  }
}

/** SQLite's error for a query, with the position if the offending text occurs once. */
export function sqlProblem(error: unknown, sql: string): string {
  if (!(error instanceof Error)) return String(error);
  if (/more than one statement/.test(error.message)) {
    return "one query is run at a time, and this is more than one statement";
  }
  if (!(error instanceof Database.SqliteError || error instanceof RangeError)) return error.message;
  const [, near, missing] =
    /near "([^"]+)"|no such (?:column|table|function): (\S+)/.exec(error.message) ?? [];
  const word = near ?? missing;
  const at = word === undefined ? -1 : sql.indexOf(word);
  if (word === undefined || at < 0 || sql.indexOf(word, at + 1) >= 0) return error.message;
  const before = sql.slice(0, at).split("\n");
  return `${error.message} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

/** Pragmas that only describe the schema. They run even below EXPLAIN, so none may follow it. */
const describing =
  /^pragma\s+(?:main\.)?(?:table_info|table_xinfo|table_list|index_list|index_info|foreign_key_list)\b/i;
const reading = /^(?:(?:explain\s+(?:query\s+plan\s+)?)?(?:select|with|values)|pragma)\b/i;

function forbiddenIn(sql: string): string | null {
  const start = sql.replace(/^(?:\s+|--[^\n]*\n?|\/\*.*?\*\/|;)+/su, "");
  if (start === "") return "there is no query";
  if (!reading.test(start)) return "only queries that read are run: SELECT, WITH, VALUES, EXPLAIN";
  if (/^pragma\b/i.test(start) && !describing.test(start)) {
    return "only pragmas that describe tables are run: table_info, table_xinfo, table_list, index_list, index_info, foreign_key_list";
  }
  return null;
}

/** Numbers duplicate names, so that rows can be objects. */
function distinct(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let nth = 2; taken.has(own) || (nth > 2 && names.includes(own)); nth += 1) {
      own = `${name}_${nth}`;
    }
    taken.add(own);
    return own;
  });
}
