import type { Cell, Column, ReportDocument } from "../report.ts";

/** The last column of every report: when the oldest source of the row was read. */
const readColumn = "mirror_read_at";

/**
 * Comma-separated values: a header of keys, CRLF, quotes if needed; instants in UTC, durations as whole numbers. The last
 * column is the time of the oldest reading of the mirror. Text that a spreadsheet would evaluate as a formula gets an
 * apostrophe in front. Source: RFC 4180.
 */
export function csvOf({ columns, rows, readAt, freshness }: ReportDocument): string {
  const read = (readAt === undefined ? freshness.oldestReadAt : readAt) ?? "";
  const lines = rows.map((row) => `${csvLine(columns, row)},${read}\r\n`);
  return `${columns.map(({ key }) => key).join(",")},${readColumn}\r\n${lines.join("")}`;
}

/** Tells spreadsheets that the file is UTF-8. */
export const byteOrderMark = "\ufeff";

/** One record without its line end. */
export const csvLine = (columns: readonly Pick<Column, "type">[], row: readonly Cell[]): string =>
  columns.map((_, nth) => csvField(row[nth] ?? null)).join(",");

export function csvField(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const opening = formula.test(cell) ? `'${cell}` : cell;
  const safe = opening.replace(innerFormula, "$1'");
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Characters that start a formula in spreadsheets, in both widths, and the white space they skip. Source: OWASP, CSV Injection.
 */
const formula = /^(?:[\t\r]|[\t\r\n ]*[=+\-@＝＋－＠])/;
/** Such a character after a semicolon, which some locales use as separator. Quotes after a comma have no effect there. */
const innerFormula = /(;[\t\r\n ]*)(?=[=+\-@＝＋－＠])/g;
const special = /[",\r\n]/;

/** The report with its columns, its rows as objects, and the freshness of the mirror. */
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
    columns: columns.map(({ key, title, type }) => ({ key, title, type })),
  };
  const lines = rows.map((row) => `    ${JSON.stringify(rowObject(columns, row))}`);
  const body = lines.length > 0 ? `[\n${lines.join(",\n")}\n  ]` : "[]";
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": ${body}\n}\n`;
}

/** A row as an object by column key; flags as booleans. */
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
