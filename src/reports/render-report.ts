import { fail, messageOf, ok, type Result } from "../domain/result.ts";
import { isDamage } from "../store/copies/copy-database.ts";
import { openReader } from "../store/reading/reader.ts";
import { defaultLanguage, inLanguage, type Language } from "../texts/say.ts";
import { type BuildOptions, buildReport } from "./build-report.ts";
import { freshnessText, localTimes } from "./formats/cell-text.ts";
import { extensionOf, type Format, mediaTypes, writeReport } from "./formats/format.ts";
import type { ReportDocument } from "./report.ts";
import { type PageWish, writeReportPage } from "./report-page.ts";
import type { ReportRequestFailure } from "./report-request.ts";

export interface RenderOptions extends BuildOptions {
  /** Path of the database. */
  readonly file: string;
  /** Width of the terminal, for a table; any by default. */
  readonly width?: number | null;
  /** A page's request is answered with JSON. */
  readonly format: Format | PageWish;
  /** Language of the texts; English by default. */
  readonly language?: Language;
}

/** A rendered report. */
export interface Rendered {
  readonly text: string;
  readonly mediaType: string;
  /** File name from report and day. */
  readonly fileName: string;
  /** Freshness of the mirror in a sentence. */
  readonly freshness: string;
  /** Remarks about the rows, for formats that have no place for them. */
  readonly notes: readonly string[];
}

/** `unreadable`: the database is missing or damaged, or belongs to another version. */
export type RenderFailure =
  | ReportRequestFailure
  | { readonly kind: "unreadable"; readonly message: string };

/** Opens the database for reading and renders the report; changes nothing. */
export function renderReport(options: RenderOptions): Result<Rendered, RenderFailure> {
  const opened = openReader(options.file);
  if (!opened.ok) return fail({ kind: "unreadable", message: opened.failure });
  try {
    return inLanguage(
      () => options.language ?? defaultLanguage,
      () => {
        const report = buildReport(opened.value, options);
        return report.ok ? ok(rendered(report.value, options)) : report;
      },
    );
  } catch (error) {
    if (!isDamage(error)) throw error;
    return fail({
      kind: "unreadable",
      message: `${options.file} is damaged: ${messageOf(error)}`,
    });
  } finally {
    opened.value.close();
  }
}

function rendered(
  report: ReportDocument,
  { format, width = null }: Pick<RenderOptions, "format" | "width">,
): Rendered {
  const { name, asOf, madeAt, zone } = report;
  const day = localTimes(zone)((asOf ?? madeAt).toString()).slice(0, 10);
  const file = typeof format === "string" ? format : "json";
  return {
    text:
      typeof format === "string"
        ? writeReport(report, format, width)
        : writeReportPage(report, format),
    mediaType: mediaTypes[file],
    fileName: `${name}-${day}.${extensionOf(file)}`,
    freshness: freshnessText(report.freshness),
    notes: report.notes ?? [],
  };
}
