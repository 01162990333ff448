import type { ReportRow } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import { hoursText } from "../formats/cell-text.ts";
import { type Chart, compareTexts, daysOf, itemsOf, personOf, report } from "../report.ts";

const fields =
  "project_id, project, list, person_id, person, items, open_items, estimated_minutes, logged_minutes";
type Row = ReportRow<"report_hours", typeof fields>;

/** Estimated against logged time. */
export const hours = report({
  name: "hours",
  group: "time",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "project", title: "column.project", type: "text" },
    { key: "list", title: "column.list", type: "text" },
    { key: "person", title: "column.person", type: "text" },
    { key: "items", title: "column.tasks", type: "count" },
    { key: "open_items", title: "column.open", type: "count" },
    { key: "estimated_minutes", title: "column.estimated", type: "minutes" },
    { key: "logged_minutes", title: "column.logged", type: "minutes" },
    { key: "left_minutes", title: "column.left", type: "minutes" },
    { key: "used_percent", title: "column.usedPercent", type: "percent" },
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
});

function hoursOf(rows: readonly Row[]) {
  const key = ({ project, list, person }: Row) =>
    `${project ?? ""}\u0000${list ?? ""}\u0000${person ?? "\uffff"}`;
  const sorted = rows
    .map((row) => ({ row, key: key(row) }))
    .toSorted((a, b) => compareTexts(a.key, b.key));
  return {
    rows: sorted.map(({ row }) => {
      const estimated = Math.round(row.estimated_minutes);
      const logged = Math.round(row.logged_minutes);
      return {
        ...row,
        person: row.person ?? say("reports.nobody"),
        estimated_minutes: estimated,
        logged_minutes: logged,
        left_minutes: estimated - logged,
        used_percent: estimated === 0 ? null : Math.round((100 * logged) / estimated),
      };
    }),
    chart: barsOf(rows),
    notes: [say("reports.hoursNote")],
  };
}

const shownProjects = 25;

function barsOf(rows: readonly Row[]): Chart | null {
  const totals = new Map<number, { readonly name: string; readonly values: [number, number] }>();
  for (const row of rows) {
    const [estimated, logged] = totals.get(row.project_id)?.values ?? [0, 0];
    totals.set(row.project_id, {
      name: row.project ?? say("reports.projectId", { id: String(row.project_id) }),
      values: [estimated + row.estimated_minutes, logged + row.logged_minutes],
    });
  }
  const most = [...totals.values()]
    .filter(({ values }) => values[0] + values[1] > 0)
    .toSorted((a, b) => Math.max(...b.values) - Math.max(...a.values));
  if (most.length === 0) return null;
  return {
    kind: "bars",
    title: say("chart.hours"),
    about:
      most.length > shownProjects
        ? say("chart.hoursSome", { shown: shownProjects, count: most.length })
        : say("chart.hoursAll"),
    series: [say("chart.estimated"), say("chart.logged")],
    bars: most.slice(0, shownProjects).map(({ name, values }) => ({
      name,
      values,
      texts: values.map((minutes) => hoursText(Math.round(minutes))),
    })),
  };
}
