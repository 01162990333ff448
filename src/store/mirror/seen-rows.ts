import { instantText } from "../rows/item-rows.ts";
import type { Tables } from "../rows/tables.ts";
import { bound, upsertInto } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";

interface SeenRowsOptions<Table extends keyof Tables> {
  readonly table: Table;
  readonly columns: readonly (keyof Tables[Table] & string)[];
  /** A row is written only if one of these differs; by default any column. */
  readonly compared?: readonly (keyof Tables[Table] & string)[];
  /** Written with a new row only. */
  readonly once?: readonly (keyof Tables[Table] & string)[];
  /** The column of the owner that a list is about; absent if one list has all rows. */
  readonly owner?: keyof Tables[Table] & string;
}

/** Writes rows of one table as last seen in the service. Missing ones are marked gone, never deleted. */
export function createSeenRows<Table extends keyof Tables>(
  { db, clock }: Pick<StoreDeps, "db" | "clock">,
  { table, columns, compared = columns, once, owner }: SeenRowsOptions<Table>,
) {
  const differs = compared.map((column) => `${column} IS NOT excluded.${column}`).join(" OR ");
  const write = db.prepare(
    `${upsertInto(table, { key: ["id"], columns, once })}, gone_at = NULL WHERE gone_at IS NOT NULL OR ${differs}`,
  );
  const bury = db.prepare(
    `UPDATE ${table} SET gone_at = @now WHERE gone_at IS NULL AND id NOT IN (SELECT value FROM json_each(@kept))
       ${owner ? `AND ${owner} = @owner` : ""}`,
  );
  return {
    /** Returns how many rows changed. */
    put(rows: readonly object[]): number {
      let changed = 0;
      for (const row of rows) changed += write.run(bound(row)).changes;
      return changed;
    },
    /** Marks all rows (of the owner) but these as gone; returns how many. */
    keepOnly: (rows: readonly { readonly id: number }[], of?: number): number =>
      bury.run({
        now: instantText(clock()),
        kept: JSON.stringify(rows.map(({ id }) => id)),
        owner: of,
      }).changes,
  };
}
