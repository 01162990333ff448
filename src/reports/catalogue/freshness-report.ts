import type { ReportRow } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import { ageText } from "../formats/cell-text.ts";
import { type Chart, compareTexts, projectOf, report, wordsFor } from "../report.ts";

const fields = "kind, project_id, project, list, items, age_seconds, failure";
type Row = ReportRow<"report_freshness", typeof fields>;

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
export const freshness = report({
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
  read(view, scope) {
    const rows = view({
      view: "report_freshness",
      columns: fields,
      where: { report_freshness: projectOf(scope) },
    });
    return () => freshnessOf(rows);
  },
});

interface Group {
  readonly kind: string;
  readonly project: string | null;
  readonly list: string | null;
  sources: number;
  items: number;
  oldest_seconds: number | null;
  newest_seconds: number | null;
  never: number;
  failing: number;
  failure: string | null;
}

/** One row per source; those of single tasks (subtasks, comments, history) are counted together per project. */
function freshnessOf(rows: readonly Row[]) {
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
      group.oldest_seconds = Math.max(group.oldest_seconds ?? row.age_seconds, row.age_seconds);
      group.newest_seconds = Math.min(group.newest_seconds ?? row.age_seconds, row.age_seconds);
    }
    if (row.failure !== null) group.failing += 1;
    group.failure ??= row.failure;
  }
  const unread = Number.POSITIVE_INFINITY;
  const sorted = [...groups.values()].toSorted((a, b) => {
    const [left, right] = [a.oldest_seconds ?? unread, b.oldest_seconds ?? unread];
    return left === right ? compareTexts(a.kind, b.kind) : right - left;
  });
  return { rows: sorted, chart: barsOf(sorted) };
}

const perTask: ReadonlySet<string> = new Set(["subtasks", "comments", "history"]);
const nothing = {
  ...{ sources: 0, items: 0, never: 0, failing: 0 },
  ...{ oldest_seconds: null, newest_seconds: null, failure: null },
};
const shownBars = 30;

function barsOf(groups: readonly Group[]): Chart | null {
  const read = groups.filter((group) => group.oldest_seconds !== null);
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
    bars: read.slice(0, shownBars).map(({ kind, project, list, oldest_seconds: oldest }) => ({
      name: [words[kind] ?? kind, list ?? project].filter((part) => part !== null).join(" · "),
      values: [oldest ?? 0],
      texts: [ageText(oldest ?? 0)],
    })),
  };
}
