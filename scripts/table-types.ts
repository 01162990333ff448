import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { migrate } from "../src/store/migrate.ts";

const migrations = join(fileURLToPath(new URL("..", import.meta.url)), "migrations");

/** The formatter breaks longer lines. */
const widest = 100;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: 0 | 1;
  readonly pk: number;
}

/** `src/store/rows/tables.ts`: the columns of each table after all migrations, as types. Tables are STRICT, so that they hold. */
export function tableTypes(): string {
  const db = new Database(":memory:");
  migrate(db, migrations);
  const tables = db
    .prepare(
      `SELECT l.name, s.sql FROM pragma_table_list l JOIN sqlite_schema s USING (name)
       WHERE l.type = 'table' AND l.schema = 'main' AND s.name NOT LIKE 'sqlite_%' ORDER BY s.name`,
    )
    .all();
  const columnsOf = db.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)');
  const written = tables.map((table) => {
    const { name, sql } = textsOf(table);
    const columns = columnsOf.all(name).map((column) => {
      const { name: called, type, notnull, pk } = { ...emptyColumn, ...Object(column) };
      const isNullable = notnull === 0 && pk === 0;
      const kinds = [
        ...(choicesIn(sql, called) ?? [typeOf(type)]),
        ...(isNullable ? ["null"] : []),
      ];
      const line = `    readonly ${called}: ${kinds.join(" | ")};`;
      return line.length <= widest
        ? line
        : `    readonly ${called}:${kinds.map((one) => `\n      | ${one}`).join("")};`;
    });
    return [`  readonly ${name}: {`, ...columns, "  };"].join("\n");
  });
  db.close();
  return [
    "// Written by `npm run reference` from the migrations.",
    "",
    "/** The columns of each table. */",
    "export interface Tables {",
    ...written,
    "}",
    "",
  ].join("\n");
}

const emptyColumn: Column = { name: "", type: "", notnull: 0, pk: 0 };

function textsOf(row: unknown): { readonly name: string; readonly sql: string } {
  const { name, sql }: Readonly<Record<string, unknown>> = { ...Object(row) };
  return { name: String(name), sql: String(sql) };
}

function typeOf(type: string): string {
  switch (type) {
    case "INTEGER":
    case "REAL":
      return "number";
    case "TEXT":
      return "string";
    case "BLOB":
      return "Uint8Array";
    default:
      throw new Error(`no type is known for ${type}`);
  }
}

/** The values that a CHECK of the column allows; null if none does. */
function choicesIn(sql: string, column: string): readonly string[] | null {
  const [, list] = new RegExp(`CHECK \\(${column} IN \\(([^)]*)\\)\\)`).exec(sql) ?? [];
  if (list === undefined) return null;
  return list
    .split(",")
    .map((value) => value.trim())
    .map((value) => (value.startsWith("'") ? JSON.stringify(value.slice(1, -1)) : value));
}
