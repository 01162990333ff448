import { chartSvg } from "./charts.ts";
import { freshnessText, subtitle } from "./formats/cell-text.ts";
import type { Cell, Column, ReportDocument } from "./report.ts";

/** Which rows of a report a page shows. */
export interface PageWish {
  /** From 1; too large means the last one. */
  readonly page: number;
  /** Rows per page. */
  readonly size: number;
}

/** A report as a page shows it: the chart and one page of rows. */
export interface ReportPage {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** The key of each row's item; null for none. */
  readonly items: readonly (number | null)[];
  readonly page: number;
  readonly pages: number;
  /** Number of rows on earlier pages. */
  readonly before: number;
  /** Rows on all pages. */
  readonly total: number;
  /** A figure as markup; null if the report has none. */
  readonly chart: string | null;
  /** Which time, time zone and filters it is for. */
  readonly subtitle: string;
  readonly zone: string;
  readonly notes: readonly string[];
}

/** One page of a report as JSON. */
export function writeReportPage(report: ReportDocument, { page, size }: PageWish): string {
  const { title, columns, rows, items = [], chart = null, notes = [], zone, freshness } = report;
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const shown = Math.min(Math.max(1, page), pages);
  const before = (shown - 1) * size;
  const reportPage: ReportPage = {
    title,
    columns,
    rows: rows.slice(before, before + size),
    items: items.slice(before, before + size),
    page: shown,
    pages,
    before,
    total: rows.length,
    chart: chart && chartSvg(chart),
    subtitle: subtitle(report),
    zone,
    notes: [...notes, freshnessText(freshness)],
  };
  return JSON.stringify(reportPage);
}
