import type { FreshnessRow } from "../../store/rows/report-rows.ts";
import { ageText } from "../formats/cell-text.ts";
import type { Chart, Report, ReportContent } from "../report.ts";

const fields = [
  "kind",
  "project_id",
  "project",
  "list",
  "items",
  "succeeded_at",
  "age_seconds",
  "failures",
  "failure",
] as const;
type Row = Pick<FreshnessRow, (typeof fields)[number]>;

/** How old the mirror is. */
export const freshness: Report = {
  name: "freshness",
  title: "Freshness",
  about: "When each list was last synced, the oldest first.",
  group: "Data",
  answers: "When was each list last synced?",
  takes: ["project"],
  columns: [
    { key: "kind", title: "Source", type: "text" },
    { key: "project", title: "Project", type: "text" },
    { key: "list", title: "List", type: "text" },
    { key: "sources", title: "Sources", type: "count" },
    { key: "items", title: "Items", type: "count" },
    { key: "oldest_seconds", title: "Oldest", type: "seconds" },
    { key: "newest_seconds", title: "Newest", type: "seconds" },
    { key: "never", title: "Never read", type: "count" },
    { key: "failing", title: "Failing", type: "count" },
    { key: "failure", title: "Why", type: "text" },
  ],
  read(view, { project }) {
    const rows = view({
      view: "report_freshness",
      columns: fields,
      where: {
        report_freshness: project ? [{ column: "project_id", is: "=", value: project.id }] : [],
      },
    });
    return () => freshnessOf(rows);
  },
};

interface Group {
  readonly kind: string;
  readonly project: string | null;
  readonly list: string | null;
  sources: number;
  items: number;
  oldest: number | null;
  newest: number | null;
  never: number;
  failing: number;
  failure: string | null;
}

/** One row per source; those of single tasks (subtasks, comments, history) are counted together per project. */
function freshnessOf(rows: readonly Row[]): ReportContent {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const list = perTask.has(row.kind) ? null : row.list;
    const key = `${row.kind}:${row.project_id ?? ""}:${list ?? ""}`;
    const group = groups.get(key) ?? { ...nothing, kind: row.kind, project: row.project, list };
    groups.set(key, group);
    group.sources += 1;
    group.items += row.items;
    if (row.age_seconds === null) group.never += 1;
    else {
      group.oldest = Math.max(group.oldest ?? row.age_seconds, row.age_seconds);
      group.newest = Math.min(group.newest ?? row.age_seconds, row.age_seconds);
    }
    if (row.failure !== null) group.failing += 1;
    group.failure ??= row.failure;
  }
  const unread = Number.POSITIVE_INFINITY;
  const sorted = [...groups.values()].toSorted((a, b) => {
    const [left, right] = [a.oldest ?? unread, b.oldest ?? unread];
    return left === right ? (a.kind < b.kind ? -1 : 1) : right - left;
  });
  return {
    rows: sorted.map((group) => [
      group.kind,
      group.project,
      group.list,
      group.sources,
      group.items,
      group.oldest,
      group.newest,
      group.never,
      group.failing,
      group.failure,
    ]),
    chart: barsOf(sorted),
  };
}

const perTask: ReadonlySet<string> = new Set(["subtasks", "comments", "history"]);
const nothing = {
  sources: 0,
  items: 0,
  oldest: null,
  newest: null,
  never: 0,
  failing: 0,
  failure: null,
};
const shownBars = 30;

function barsOf(groups: readonly Group[]): Chart | null {
  const read = groups.filter(({ oldest }) => oldest !== null);
  if (read.length === 0) return null;
  return {
    kind: "bars",
    title: "Age of the sources",
    about:
      read.length > shownBars
        ? `The ${shownBars} oldest of ${read.length}; the report has all.`
        : "Since they were last read as a whole.",
    series: ["age"],
    bars: read.slice(0, shownBars).map(({ kind, project, list, oldest }) => ({
      name: [kind, list ?? project].filter((part) => part !== null).join(" · "),
      values: [oldest ?? 0],
      texts: [ageText(oldest ?? 0)],
    })),
  };
}
