import type { FreshnessRow } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import { ageText } from "../formats/cell-text.ts";
import { type Chart, type Report, type ReportContent, wordsFor } from "../report.ts";

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

const sourceWords = {
  projects: "reportSource.projects",
  people: "reportSource.people",
  labels: "reportSource.labels",
  todolists: "reportSource.todolists",
  events: "reportSource.events",
  tasks: "reportSource.tasks",
  subtasks: "reportSource.subtasks",
  comments: "reportSource.comments",
  history: "reportSource.history",
  folders: "reportSource.folders",
  files: "reportSource.files",
} as const;

/** How old the mirror is. */
export const freshness: Report = {
  name: "freshness",
  group: "data",
  takes: ["project"],
  columns: [
    { key: "kind", title: "column.source", type: "text", words: sourceWords },
    { key: "project", title: "column.project", type: "text" },
    { key: "list", title: "column.list", type: "text" },
    { key: "sources", title: "column.sources", type: "count" },
    { key: "items", title: "column.items", type: "count" },
    { key: "oldest_seconds", title: "column.oldest", type: "seconds" },
    { key: "newest_seconds", title: "column.newest", type: "seconds" },
    { key: "never", title: "column.neverRead", type: "count" },
    { key: "failing", title: "column.failing", type: "count" },
    { key: "failure", title: "column.why", type: "text" },
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
  const words = wordsFor(sourceWords);
  return {
    kind: "bars",
    title: say("chart.ages"),
    about:
      read.length > shownBars
        ? say("chart.agesSome", { shown: shownBars, count: read.length })
        : say("chart.agesAll"),
    series: [say("chart.age")],
    bars: read.slice(0, shownBars).map(({ kind, project, list, oldest }) => ({
      name: [words[kind] ?? kind, list ?? project].filter((part) => part !== null).join(" · "),
      values: [oldest ?? 0],
      texts: [ageText(oldest ?? 0)],
    })),
  };
}
