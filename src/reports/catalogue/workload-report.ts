import type { WorkloadRow } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import {
  type Chart,
  compareTexts,
  daysOf,
  itemsOf,
  personOf,
  type ReportScope,
  report,
} from "../report.ts";

/** Open work per person, by week. */
export const workload = report({
  name: "workload",
  group: "upcoming",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "person_id", title: "column.personId", type: "count" },
    { key: "person", title: "column.person", type: "text" },
    { key: "week", title: "column.week", type: "text" },
    { key: "week_on", title: "column.monday", type: "date" },
    { key: "open_items", title: "column.open", type: "count" },
    { key: "estimated_minutes", title: "column.estimated", type: "minutes" },
    { key: "logged_minutes", title: "column.logged", type: "minutes" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_workload",
      columns: "person_id, person, week, week_on, open_items, estimated_minutes, logged_minutes",
      where: {
        report_items: [...itemsOf(scope), ...daysOf("last_on", scope)],
        // Other assignees of the person's items are not shown.
        report_workload: personOf(scope),
      },
    });
    return () => workloadOf(rows, scope);
  },
});

function workloadOf(rows: readonly WorkloadRow[], { today }: Pick<ReportScope, "today">) {
  const named = rows.map((row) => ({ ...row, person: row.person ?? say("reports.nobody") }));
  const sorted = named.toSorted(
    (a, b) =>
      Number(a.person_id === null) - Number(b.person_id === null) ||
      compareTexts(a.person, b.person) ||
      (a.person_id ?? 0) - (b.person_id ?? 0) ||
      compareTexts(a.week_on ?? "9999", b.week_on ?? "9999"),
  );
  return {
    rows: sorted.map((row) => ({
      ...row,
      week: row.week ?? say("word.noDate"),
      estimated_minutes: Math.round(row.estimated_minutes),
      logged_minutes: Math.round(row.logged_minutes),
    })),
    chart: heatMap(sorted, today),
    notes: [say("reports.workloadNote")],
  };
}

const shownWeeks = 12;
const shownPeople = 40;

/** Overdue, this week, the next weeks, later, and without a date. */
function heatMap(
  rows: readonly (WorkloadRow & { readonly person: string })[],
  today: Temporal.PlainDate,
): Chart | null {
  if (rows.length === 0) return null;
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const weeks = Array.from({ length: shownWeeks }, (_, nth) => monday.add({ weeks: nth }));
  const mondays = new Map(weeks.map((week, nth) => [week.toString(), nth + 1]));
  const first = monday.toString();
  const columnOf = (on: string | null) => {
    if (on === null) return shownWeeks + 2;
    return on < first ? 0 : (mondays.get(on) ?? shownWeeks + 1);
  };
  const people = new Map<string, { readonly name: string; readonly values: number[] }>();
  for (const row of rows) {
    const key = String(row.person_id);
    const values = people.get(key)?.values ?? Array.from({ length: shownWeeks + 3 }, () => 0);
    const column = columnOf(row.week_on);
    values[column] = (values[column] ?? 0) + row.open_items;
    people.set(key, { name: row.person, values });
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const busiest = [...people.values()]
    .toSorted((a, b) => sum(b.values) - sum(a.values))
    .slice(0, shownPeople);
  return {
    kind: "heat-map",
    title: say("chart.workload"),
    about:
      people.size > shownPeople
        ? say("chart.workloadSome", { shown: shownPeople, count: people.size })
        : say("chart.workloadAll"),
    rows: busiest.map(({ name }) => name),
    columns: [
      say("chart.before"),
      ...weeks.map((week) => say("chart.week", { week: String(week.weekOfYear).padStart(2, "0") })),
      say("chart.later"),
      say("word.noDate"),
    ],
    values: busiest.map(({ values }) => values),
  };
}
