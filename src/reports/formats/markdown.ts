import type { ReportDocument } from "../build-report.ts";
import type { Column } from "../report.ts";
import { cellText, isNumeric } from "./cell-text.ts";
import { visible } from "./display-width.ts";
import { freshnessText, subtitle } from "./freshness-text.ts";
import { localTimes } from "./local-time.ts";

/** A heading, a pipe table and the freshness; what would be markup in a title is escaped. */
export function markdownOf(report: ReportDocument): string {
  const { title, about, columns, rows, notes = [] } = report;
  const say = cellText(localTimes(report.zone));
  const texts = rows.map((row) => columns.map(({ type }, nth) => say(row[nth] ?? null, type)));
  const body = rows.length === 0 ? "Nothing.\n" : markdownTable(columns, texts);
  const below = [...notes, freshnessText(report.freshness)].map((line) => `\n${line}\n`).join("");
  return `# ${title}\n\n${about}\n\n${escaped(subtitle(report))}\n\n${body}${below}`;
}

/** Source: GitHub Flavored Markdown, Tables. */
export function markdownTable(
  columns: readonly Pick<Column, "title" | "type">[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = columns.map(({ type }) => (isNumeric(type) ? "--:" : "---"));
  return [
    line(columns.map(({ title }) => escaped(title))),
    line(rule),
    ...rows.map((row) => line(row.map(escaped))),
  ].join("");
}

const markup = /[\\`*_{}[\]<>#|~&]/g;
const escaped = (text: string): string => visible(text).replace(markup, "\\$&");
