import { lazy } from "../../domain/lazy.ts";
import { say } from "../../texts/say.ts";
import type { Column, ReportDocument } from "../report.ts";
import { cellText, freshnessText, isNumeric, localTimes, subtitle } from "./cell-text.ts";

/** Aligned columns for a terminal of this width (null for any), with the title above and the freshness below. */
export function tableOf(report: ReportDocument, width: number | null = null): string {
  const { title, columns, rows, notes = [] } = report;
  const textOf = cellText(localTimes(report.zone));
  const texts = rows.map((row) =>
    columns.map((column, nth) => short(visible(textOf(row[nth] ?? null, column)))),
  );
  const body =
    rows.length === 0 ? `${say("reports.nothing")}\n` : alignedTable(columns, texts, width);
  const below = [...notes, freshnessText(report.freshness)].map((line) => `${line}\n`).join("");
  return `${title} · ${visible(subtitle(report))}\n\n${body}\n${below}`;
}

/** Longer text is cut, so that one long title does not push other columns off the screen. */
const widest = 60;

const short = (text: string): string => (text.length > widest ? shorten(text, widest) : text);

/**
 * Header and rows in aligned columns; numbers are right-aligned. `width`: the longest line, reached by cutting the widest texts
 * as far as possible; null for any length.
 */
export function alignedTable(
  columns: readonly Pick<Column, "title" | "type">[],
  rows: readonly (readonly string[])[],
  width: number | null = null,
): string {
  const whole = [columns.map(({ title }) => title), ...rows];
  const natural = columns.map((_, nth) =>
    whole.reduce((most, line) => Math.max(most, displayWidth(line[nth] ?? "")), 0),
  );
  const widestOf = width === null ? natural : fittingWidths(columns, natural, width);
  const lines = whole.map((line) => line.map((cell, nth) => cutTo(cell, widestOf[nth] ?? 0)));
  const widths = lines.map((cells) => cells.map(displayWidth));
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

/** No column is cut below this width. */
const narrowest = 8;

/** Narrows the widest text column until the line fits. */
function fittingWidths(
  columns: readonly Pick<Column, "type">[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const fitting = [...natural];
  const gaps = 2 * (columns.length - 1);
  let excess = fitting.reduce((sum, one) => sum + one, gaps) - width;
  while (excess > 0) {
    const widest = columns.reduce<number | null>((best, { type }, nth) => {
      const own = fitting[nth] ?? 0;
      if (isNumeric(type) || own <= narrowest) return best;
      return best === null || own > (fitting[best] ?? 0) ? nth : best;
    }, null);
    if (widest === null) return fitting;
    fitting[widest] = (fitting[widest] ?? 0) - 1;
    excess -= 1;
  }
  return fitting;
}

/** At most this many columns of a terminal, ending in … if cut. */
function cutTo(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = "";
  let width = 1;
  for (const { segment } of segmenter().segment(text)) {
    width += displayWidth(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** A heading, a pipe table and the freshness; markup in titles is escaped. */
export function markdownOf(report: ReportDocument): string {
  const { title, about, columns, rows, notes = [] } = report;
  const textOf = cellText(localTimes(report.zone));
  const texts = rows.map((row) => columns.map((column, nth) => textOf(row[nth] ?? null, column)));
  const body = rows.length === 0 ? `${say("reports.nothing")}\n` : markdownTable(columns, texts);
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

/** Columns a text takes in a terminal: two for wide characters and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter().segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Makes text safe for one line of a terminal, without control sequences. */
export const visible = (text: string): string =>
  narrow.test(text) ? text : text.replace(steering, " ");

/** Latin letters, dashes, quotes and arrows: one column each, without control characters. */
const narrow = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff]*$/;
const steering = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;
const segmenter = lazy(() => new Intl.Segmenter());
/** East Asian wide and fullwidth characters, and emoji. Source: Unicode Standard Annex 11. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;

/** One line of at most `most` UTF-16 units, ending in … if cut; never cuts a character in half. */
export function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…` : line;
}
