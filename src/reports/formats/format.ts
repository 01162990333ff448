import type { ReportDocument } from "../report.ts";
import { csvOf, jsonOf } from "./data-formats.ts";
import { htmlOf } from "./html-format.ts";
import { markdownOf, tableOf } from "./text-formats.ts";

export const formats = ["table", "csv", "json", "md", "html"] as const;
export type Format = (typeof formats)[number];

export const isFormat = (text: string): text is Format => formats.some((format) => format === text);

/** The whole report as text; `width`: of the terminal, for a table. */
export function writeReport(
  report: ReportDocument,
  format: Format,
  width: number | null = null,
): string {
  return writers[format](report, width);
}

const writers = { table: tableOf, csv: csvOf, json: jsonOf, md: markdownOf, html: htmlOf };

/** Content types of the formats. */
export const mediaTypes: Readonly<Record<Format, string>> = {
  table: "text/plain; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
};

/** File extension of a format. */
export const extensionOf = (format: Format): string => (format === "table" ? "txt" : format);
