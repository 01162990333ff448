import type { Tables } from "./tables.ts";

/** A row of a query that reads columns of one table, or of that table and more. The tables are STRICT. */
export const tableRow = <Table extends keyof Tables>(row: unknown): Tables[Table] =>
  row as Tables[Table];
