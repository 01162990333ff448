import type { ReportDocument } from "../build-report.ts";
import type { Cell, Column } from "../report.ts";

/** The report with its columns, its rows as objects, and how fresh the mirror is. */
export function jsonOf(report: ReportDocument): string {
  const { name, title, madeAt, asOf, zone, filters, freshness, columns, rows, notes = [] } = report;
  const head = {
    report: name,
    title,
    madeAt,
    asOf,
    timeZone: zone,
    filters,
    notes,
    freshness,
    columns,
  };
  const lines = rows.map((row) => `    ${JSON.stringify(rowObject(columns, row))}`);
  const body = lines.length > 0 ? `[\n${lines.join(",\n")}\n  ]` : "[]";
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": ${body}\n}\n`;
}

/** A row by its columns' keys; flags as true and false. */
export function rowObject(
  columns: readonly Pick<Column, "key" | "type">[],
  row: readonly Cell[],
): Readonly<Record<string, Cell | boolean>> {
  const object: Record<string, Cell | boolean> = {};
  for (const [nth, { key, type }] of columns.entries()) {
    const cell = row[nth] ?? null;
    object[key] = type === "flag" && cell !== null ? cell === 1 : cell;
  }
  return object;
}
