import { currentLanguage, say } from "../../texts/say.ts";
import { chartSvg } from "../charts.ts";
import type { CellType, Column, ReportDocument } from "../report.ts";
import { cellText, freshnessText, isNumeric, localTimes, subtitle } from "./cell-text.ts";
import { escapeMarkup } from "./markup.ts";

/** A self-contained page without scripts or requests, in the reader's color scheme. */
export function htmlOf(report: ReportDocument): string {
  const { title, about, columns, rows, chart = null, notes = [] } = report;
  const textOf = cellText(localTimes(report.zone));
  const texts = rows.map((row) => columns.map((column, nth) => textOf(row[nth] ?? null, column)));
  const body =
    rows.length === 0
      ? `<p>${escapeMarkup(say("reports.nothing"))}</p>\n`
      : htmlTable(columns, { rows: texts, caption: title });
  const below = [...notes, freshnessText(report.freshness)]
    .map((line) => `<p>${escapeMarkup(line)}</p>\n`)
    .join("");
  const picture = chart ? chartSvg(chart) : "";
  const heading = `<h1>${escapeMarkup(title)}</h1>
<p>${escapeMarkup(about)}</p>
<p class="when">${escapeMarkup(subtitle(report))}</p>`;
  return pageOf(title, `${heading}\n${picture}${body}<footer>\n${below}</footer>`);
}

/** A page around markup. The policy forbids what the page does not need. */
export function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="${currentLanguage()}">
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
<caption>${escapeMarkup(say("reports.caption", { title: caption, rows: rows.length }))}</caption>
<thead><tr>${head.join("")}</tr></thead>
<tbody>
${lines.join("")}</tbody>
</table>
</div>
`;
}

/** Numbers are right-aligned; numbers and dates do not wrap. */
function lookOf(type: CellType): string {
  if (isNumeric(type)) return ' class="n"';
  return type === "date" || type === "instant" ? ' class="d"' : "";
}

/** The complete style of a report's page; chart colors are classes, so that they follow the color scheme. */
const pageStyle = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --faint: #667085; --line: #d5dae1; --stripe: #f5f7fa;
  --a: #2563a8; --b: #c2691a; --c: #2f7d4f; --d: #8a4fa3; --grid: #e4e8ee; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --paper: #14181f; --faint: #98a2b3; --line: #364152;
  --stripe: #1b212b; --a: #6ea8e6; --b: #f0a85a; --c: #74c493; --d: #c79be0; --grid: #2a3341; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 76rem; font: 15px/1.45 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { margin: 0 0 .3rem; font-size: 1.6rem; }
p { margin: .2rem 0; }
.when, footer, caption { color: var(--faint); }
footer { margin-top: 1.5rem; font-size: .9rem; }
figure { margin: 1.5rem 0; overflow-x: auto; }
figcaption { color: var(--faint); font-size: .9rem; }
svg { max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg.narrow { display: none; }
@media screen and (width < 40rem) { svg:has(+ svg.narrow) { display: none; } svg.narrow { display: block; width: 100%; } }
svg text { fill: var(--ink); }
svg .faint { fill: var(--faint); }
svg .grid { stroke: var(--grid); fill: none; }
svg .a { fill: var(--a); }
svg .b { fill: var(--b); }
svg .track { fill: none; stroke-width: 2; }
svg .t0 { stroke: var(--a); }
svg .t1 { stroke: var(--b); }
svg .t2 { stroke: var(--c); }
svg .t3 { stroke: var(--d); }
svg .dashed { stroke-dasharray: 6 3; }
svg .on { fill: var(--paper); }
svg .slip { fill: none; stroke: var(--faint); stroke-width: 2; }
svg .first { fill: var(--paper); stroke: var(--faint); stroke-width: 2; }
svg .now { fill: none; stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 3; }
svg .stop { fill: var(--faint); }
svg circle.done { fill: var(--c); }
svg circle.late { fill: var(--b); }
svg circle.today, svg circle.ahead { fill: var(--a); }
table { border-collapse: collapse; width: 100%; margin-top: 1rem; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; }
th { position: sticky; top: 0; background: var(--paper); white-space: nowrap; }
tbody tr:nth-child(even) { background: var(--stripe); }
.n { text-align: right; }
.n, .d { font-variant-numeric: tabular-nums; white-space: nowrap; }
@media screen and (max-width: 50rem) { body { margin: 1rem auto; } th { position: static; } svg { max-width: none; }
  .rows { overflow-x: auto; } td { min-width: 4.5rem; } }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --faint: #555; --line: #bbb; --stripe: #fff;
  --a: #2563a8; --b: #c2691a; --c: #2f7d4f; --d: #8a4fa3; --grid: #ddd; }
  body { margin: 0; max-width: none; font-size: 10pt; } th { position: static; } tr, svg { break-inside: avoid; } }
`;
