import { chartSvg } from "./charts.ts";
import { freshnessText, subtitle } from "./formats/cell-text.ts";
import type { Cell, Column, ReportDocument } from "./report.ts";

/** Which rows of a report a page shows. */
export interface PageWish {
  /** From 1; one behind the last is the last. */
  readonly page: number;
  /** Rows of a page. */
  readonly size: number;
}

/** A report as a page shows it: the chart, and so many of its rows. */
export interface ReportPage {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly page: number;
  readonly pages: number;
  /** How many rows stand on earlier pages. */
  readonly before: number;
  /** Rows of all pages. */
  readonly total: number;
  /** A figure, as markup; null where the report has none. */
  readonly chart: string | null;
  /** Of when, in which zone, narrowed by what. */
  readonly subtitle: string;
  readonly zone: string;
  readonly notes: readonly string[];
}

/** One page of a report, in JSON. */
export function writeReportPage(report: ReportDocument, { page, size }: PageWish): string {
  const { title, columns, rows, chart = null, notes = [], zone, freshness } = report;
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const shown = Math.min(Math.max(1, page), pages);
  const before = (shown - 1) * size;
  const told: ReportPage = {
    title,
    columns,
    rows: rows.slice(before, before + size),
    page: shown,
    pages,
    before,
    total: rows.length,
    chart: chart && chartSvg(chart),
    subtitle: subtitle(report),
    zone,
    notes: [...notes, freshnessText(freshness)],
  };
  return JSON.stringify(told);
}
