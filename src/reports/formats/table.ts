import type { ReportDocument } from "../build-report.ts";
import type { Column } from "../report.ts";
import { cellText, isNumeric } from "./cell-text.ts";
import { displayWidth, visible } from "./display-width.ts";
import { freshnessText, subtitle } from "./freshness-text.ts";
import { localTimes } from "./local-time.ts";
import { shorten } from "./shorten.ts";

/** Longer texts are cut, so that one long title does not push the other columns out of sight. */
const widest = 60;

const short = (text: string): string => (text.length > widest ? shorten(text, widest) : text);

/** Aligned columns for a terminal, with title above and freshness below. */
export function tableOf(report: ReportDocument): string {
  const { title, columns, rows, notes = [] } = report;
  const say = cellText(localTimes(report.zone));
  const texts = rows.map((row) =>
    columns.map(({ type }, nth) => short(visible(say(row[nth] ?? null, type)))),
  );
  const body = rows.length === 0 ? "Nothing.\n" : alignedTable(columns, texts);
  const below = [...notes, freshnessText(report.freshness)].map((line) => `${line}\n`).join("");
  return `${title} · ${visible(subtitle(report))}\n\n${body}\n${below}`;
}

/** Head and rows in aligned columns; numbers stand at the right. */
export function alignedTable(
  columns: readonly Pick<Column, "title" | "type">[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = lines.map((cells) => cells.map(displayWidth));
  const widestOf = columns.map((_, nth) =>
    widths.reduce((most, line) => Math.max(most, line[nth] ?? 0), 0),
  );
  const isRight = columns.map(({ type }) => isNumeric(type));
  const padded = lines.map((cells, row) => {
    let line = "";
    for (const [nth, cell] of cells.entries()) {
      const padding = " ".repeat((widestOf[nth] ?? 0) - (widths[row]?.[nth] ?? 0));
      line += (nth === 0 ? "" : "  ") + (isRight[nth] ? padding + cell : cell + padding);
    }
    return `${line.trimEnd()}\n`;
  });
  return padded.join("");
}
