import { instantText } from "./item-rows.ts";
import type { Tables } from "./tables.ts";

interface UpsertColumns<Column> {
  readonly key: readonly Column[];
  readonly columns: readonly Column[];
  /** Written with a new row only. */
  readonly once?: readonly Column[] | undefined;
}

/**
 * SQL that adds a row, or updates the columns of the row with the same key. Values are bound by the names of their fields:
 * `@knownAs` for `known_as`. Further assignments and a WHERE clause may follow.
 */
export const upsert = <Table extends keyof Tables>(
  table: Table,
  columns: UpsertColumns<keyof Tables[Table] & string>,
): string => upsertInto(table, columns);

/** Like `upsert`, without a check of the names. */
export function upsertInto(
  table: string,
  { key, columns, once = [] }: UpsertColumns<string>,
): string {
  const all = [...key, ...columns, ...once];
  return `INSERT INTO ${table} (${all.join(", ")}) VALUES (${all.map((column) => `@${fieldOf(column)}`).join(", ")})
    ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`;
}

const fieldOf = (column: string): string =>
  column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The values of a row as SQLite stores them: flags as numbers, moments as sortable text, lists as JSON. */
export const bound = (fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, stored(value)]));

function stored(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Temporal.Instant) return instantText(value);
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
