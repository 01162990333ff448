import type { Cell, Column, ReportDocument } from "../report.ts";

/** The last column of every report: since when what stands in the row is at least known. */
const readColumn = "mirror_read_at";

/**
 * Comma-separated values: a header of keys, CRLF, quotes where needed; instants in UTC, lengths as whole numbers. The
 * last column is the oldest reading of the mirror. Text that a spreadsheet would take for a formula gets an apostrophe
 * before it. Source: RFC 4180.
 */
export function csvOf({ columns, rows, readAt, freshness }: ReportDocument): string {
  const read = (readAt === undefined ? freshness.oldestReadAt : readAt) ?? "";
  const lines = rows.map((row) => `${csvLine(columns, row)},${read}\r\n`);
  return `${columns.map(({ key }) => key).join(",")},${readColumn}\r\n${lines.join("")}`;
}

/** One record without its line end. */
/** By which spreadsheets know UTF-8. */
export const byteOrderMark = "\ufeff";

export const csvLine = (columns: readonly Pick<Column, "type">[], row: readonly Cell[]): string =>
  columns.map((_, nth) => csvField(row[nth] ?? null)).join(",");

export function csvField(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const opening = formula.test(cell) ? `'${cell}` : cell;
  const safe = opening.replace(innerFormula, "$1'");
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What spreadsheets begin a formula with, in either width, and the white space that they skip. Source: OWASP, CSV Injection. */
const formula = /^(?:[\t\r]|[\t\r\n ]*[=+\-@＝＋－＠])/;
/** The same behind a semicolon, where it separates cells: quotes that begin behind a comma mean nothing there. */
const innerFormula = /(;[\t\r\n ]*)(?=[=+\-@＝＋－＠])/g;
const special = /[",\r\n]/;

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
