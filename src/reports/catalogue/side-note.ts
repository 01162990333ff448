import type { FreshnessRow } from "../../store/rows/report-rows.ts";
import type { ReadView, ReportScope } from "../report.ts";

/** What is read beside the items, and only once there is time for it. */
type SideKind = "comments" | "history" | "folders" | "files";

/** How much of a kind has been read. */
interface SideRead {
  readonly sources: number;
  readonly failing: number;
  /** When the oldest of them was read; null = none was. */
  readonly readAt: string | null;
}

/** How far the reading has come of what hangs around the items of the project, or of all of them. */
export function readSides(
  view: ReadView,
  { project }: Pick<ReportScope, "project">,
): (kind: SideKind) => SideRead {
  const rows = view({
    view: "report_freshness",
    columns: ["kind", "succeeded_at", "failure"],
    where: {
      report_freshness: project ? [{ column: "project_id", is: "=", value: project.id }] : [],
    },
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

/** How many have been read, and how many could not be. */
export const sideText = ({ sources, failing }: SideRead): string =>
  failing > 0 ? `${sources} (${failing} failing)` : String(sources);
