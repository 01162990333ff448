import type { ReportDocument } from "../build-report.ts";
import { chartSvg } from "../charts/chart.ts";
import type { CellType, Column } from "../report.ts";
import { cellText, isNumeric } from "./cell-text.ts";
import { freshnessText, subtitle } from "./freshness-text.ts";
import { localTimes } from "./local-time.ts";
import { escapeMarkup } from "./markup.ts";
import { pageStyle } from "./page-style.ts";

/** One page that needs nothing else: no script, no request, light or dark as the reader's system is. */
export function htmlOf(report: ReportDocument): string {
  const { title, about, columns, rows, chart = null, notes = [] } = report;
  const say = cellText(localTimes(report.zone));
  const texts = rows.map((row) => columns.map(({ type }, nth) => say(row[nth] ?? null, type)));
  const body =
    rows.length === 0 ? "<p>Nothing.</p>\n" : htmlTable(columns, { rows: texts, caption: title });
  const below = [...notes, freshnessText(report.freshness)]
    .map((line) => `<p>${escapeMarkup(line)}</p>\n`)
    .join("");
  const picture = chart ? chartSvg(chart) : "";
  const heading = `<h1>${escapeMarkup(title)}</h1>
<p>${escapeMarkup(about)}</p>
<p class="when">${escapeMarkup(subtitle(report))}</p>`;
  return pageOf(title, `${heading}\n${picture}${body}<footer>\n${below}</footer>`);
}

/** A page around a body of markup. The policy forbids what the page does not do anyway. */
export function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeMarkup(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

export function htmlTable(
  columns: readonly Pick<Column, "title" | "type">[],
  { rows, caption }: { readonly rows: readonly (readonly string[])[]; readonly caption: string },
): string {
  const looks = columns.map(({ type }) => lookOf(type));
  const head = columns.map(
    ({ title }, nth) => `<th scope="col"${looks[nth] ?? ""}>${escapeMarkup(title)}</th>`,
  );
  const lines = rows.map((row) => {
    const cells = row.map((cell, nth) => `<td${looks[nth] ?? ""}>${escapeMarkup(cell)}</td>`);
    return `<tr>${cells.join("")}</tr>\n`;
  });
  const title = escapeMarkup(caption);
  return `<div class="rows" role="region" aria-label="${title}" tabindex="0">
<table>
<caption>${title}: ${rows.length} ${rows.length === 1 ? "row" : "rows"}</caption>
<thead><tr>${head.join("")}</tr></thead>
<tbody>
${lines.join("")}</tbody>
</table>
</div>
`;
}

/** Numbers stand at the right, and neither they nor dates are broken into two lines. */
function lookOf(type: CellType): string {
  if (isNumeric(type)) return ' class="n"';
  return type === "date" || type === "instant" ? ' class="d"' : "";
}
