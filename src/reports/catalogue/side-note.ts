import type { FreshnessRow } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import { projectOf, type ReadView, type ReportScope } from "../report.ts";

/** Kinds of data that are read in addition to the items, when there is time. */
type SideKind = "comments" | "history" | "folders" | "files";

/** Reading progress of one kind. */
interface SideRead {
  readonly sources: number;
  readonly failing: number;
  /** When the oldest of them was read; null if none was read. */
  readonly readAt: string | null;
}

/** Reading progress of these kinds for one project, or for all of them. */
export function readSides(
  view: ReadView,
  { project }: Pick<ReportScope, "project">,
): (kind: SideKind) => SideRead {
  const rows = view({
    view: "report_freshness",
    columns: "kind, succeeded_at, failure",
    where: { report_freshness: projectOf({ project }) },
  });
  return (kind) => sideRead(rows.filter((row) => row.kind === kind));
}

function sideRead(rows: readonly Pick<FreshnessRow, "succeeded_at" | "failure">[]): SideRead {
  const read = rows.flatMap(({ succeeded_at: at }) => (at === null ? [] : [at])).toSorted();
  return {
    sources: read.length,
    failing: rows.filter(({ failure }) => failure !== null).length,
    readAt: read[0] ?? null,
  };
}

/** How many were read, and how many failed. */
export const sideText = ({ sources, failing }: SideRead): string =>
  failing > 0 ? say("reports.failingCount", { sources, failing }) : String(sources);
