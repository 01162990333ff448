import type { SqlValue } from "../../store/rows/report-rows.ts";
import type { Cell } from "../report.ts";
import { csvField, csvLine, rowObject } from "./data-formats.ts";
import type { Format } from "./format.ts";
import { htmlTable, pageOf } from "./html-format.ts";
import { alignedTable, markdownTable, visible } from "./text-formats.ts";

/** The formatted rows of a query, and whether there are more than the limit. */
export interface QueryText {
  readonly rows: number;
  readonly hasMore: boolean;
}

export interface QueryTextOptions {
  readonly columns: readonly string[];
  readonly format: Format;
  /** Limit of rows. */
  readonly limit: number;
  readonly write: (text: string) => void;
}

/** Formats a query's rows: CSV and JSON row by row, the other formats when the widths of all rows are known. */
export function writeRows(
  rows: Iterable<readonly SqlValue[]>,
  { columns, format, limit, write }: QueryTextOptions,
): QueryText {
  const collected: (readonly Cell[])[] = [];
  const plain = columns.map((key) => ({ key, title: key, type: "text" }) as const);
  if (format === "csv") write(`${columns.map(csvField).join(",")}\r\n`);
  let count = 0;
  let hasMore = false;
  for (const row of rows) {
    if (count === limit) {
      hasMore = true;
      break;
    }
    const cells = row.map(cellOf);
    if (format === "csv") write(`${csvLine(plain, cells)}\r\n`);
    else if (format === "json") {
      write(`${count === 0 ? "[\n" : ",\n"}  ${JSON.stringify(rowObject(plain, cells))}`);
    } else collected.push(cells);
    count += 1;
  }
  if (format === "json") write(count === 0 ? "[]\n" : "\n]\n");
  else if (format !== "csv") write(textOf(collected, { columns, format }));
  return { rows: count, hasMore };
}

function textOf(
  rows: readonly (readonly Cell[])[],
  { columns, format }: Pick<QueryTextOptions, "columns" | "format">,
): string {
  const titled = columns.map((title, nth) => ({ title, type: typeOf(rows, nth) }));
  const texts = rows.map((row) => row.map((cell) => (cell === null ? "" : String(cell))));
  if (format === "md") return markdownTable(titled, texts);
  if (format === "html") {
    return pageOf("Query", htmlTable(titled, { rows: texts, caption: "Query" }));
  }
  return alignedTable(
    titled,
    texts.map((row) => row.map(visible)),
  );
}

/** A column of numbers is right-aligned. */
const typeOf = (rows: readonly (readonly Cell[])[], nth: number): "count" | "text" =>
  rows.length > 0 && rows.every((row) => row[nth] === null || typeof row[nth] === "number")
    ? "count"
    : "text";

/** Numbers that JavaScript cannot hold exactly stay text; bytes are hexadecimal, as in SQL. */
function cellOf(value: SqlValue): Cell {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return value instanceof Uint8Array ? `x'${Buffer.from(value).toString("hex")}'` : value;
}
