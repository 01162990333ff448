import type { ReportRows } from "../../store/rows/report-rows.ts";
import { hoursText } from "../formats/cell-text.ts";
import {
  type Chart,
  daysOf,
  itemsOf,
  personOf,
  type Report,
  type ReportContent,
} from "../report.ts";

const fields = [
  "project_id",
  "project",
  "list",
  "person_id",
  "person",
  "items",
  "open_items",
  "estimated_minutes",
  "logged_minutes",
] as const;

type Row = Pick<ReportRows["report_hours"], (typeof fields)[number]>;

/** Estimated against logged time. */
export const hours: Report = {
  name: "hours",
  title: "Hours",
  about: "Estimated against logged time of tasks and subtasks per project, list and person.",
  group: "Time and labels",
  answers: "How do logged hours compare with the estimate?",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "project", title: "Project", type: "text" },
    { key: "list", title: "List", type: "text" },
    { key: "person", title: "Person", type: "text" },
    { key: "items", title: "Tasks", type: "count" },
    { key: "open_items", title: "Open", type: "count" },
    { key: "estimated_minutes", title: "Estimated", type: "minutes" },
    { key: "logged_minutes", title: "Logged", type: "minutes" },
    { key: "left_minutes", title: "Left", type: "minutes" },
    { key: "used_percent", title: "Used %", type: "percent" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_hours",
      columns: fields,
      where: {
        report_items: [...itemsOf(scope), ...daysOf("last_on", scope)],
        report_hours: personOf(scope),
      },
    });
    return () => hoursOf(rows);
  },
};

function hoursOf(rows: readonly Row[]): ReportContent {
  const key = ({ project, list, person }: Row) =>
    `${project ?? ""}\u0000${list ?? ""}\u0000${person ?? "\uffff"}`;
  const sorted = rows
    .map((row) => ({ row, key: key(row) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return {
    rows: sorted.map(({ row }) => {
      const [estimated, logged] = [row.estimated_minutes, row.logged_minutes].map(Math.round);
      return [
        row.project,
        row.list,
        row.person ?? "(nobody)",
        row.items,
        row.open_items,
        estimated ?? 0,
        logged ?? 0,
        (estimated ?? 0) - (logged ?? 0),
        estimated ? Math.round((100 * (logged ?? 0)) / estimated) : null,
      ];
    }),
    chart: barsOf(rows),
    notes: ["The time of an item counts in equal parts for each of its people."],
  };
}

const shownProjects = 25;

function barsOf(rows: readonly Row[]): Chart | null {
  const totals = new Map<number, { readonly name: string; readonly values: [number, number] }>();
  for (const row of rows) {
    const [estimated, logged] = totals.get(row.project_id)?.values ?? [0, 0];
    totals.set(row.project_id, {
      name: row.project ?? `Project ${row.project_id}`,
      values: [estimated + row.estimated_minutes, logged + row.logged_minutes],
    });
  }
  const most = [...totals.values()]
    .filter(({ values }) => values[0] + values[1] > 0)
    .toSorted((a, b) => Math.max(...b.values) - Math.max(...a.values));
  if (most.length === 0) return null;
  return {
    kind: "bars",
    title: "Estimated against logged time per project",
    about:
      most.length > shownProjects
        ? `The ${shownProjects} of ${most.length} projects with the most time.`
        : "In hours and minutes.",
    series: ["estimated", "logged"],
    bars: most.slice(0, shownProjects).map(({ name, values }) => ({
      name,
      values,
      texts: values.map((minutes) => hoursText(Math.round(minutes))),
    })),
  };
}
