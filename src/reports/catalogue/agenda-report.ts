import { localTimes } from "../formats/cell-text.ts";
import { compareTexts, itemsOf, kindWords, namer, type ReportScope, report } from "../report.ts";

/** Events and due items by day; two weeks from today by default. */
export const agenda = report({
  name: "agenda",
  group: "upcoming",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "on", title: "column.day", type: "date" },
    { key: "until", title: "column.until", type: "date" },
    { key: "time", title: "column.time", type: "text" },
    { key: "kind", title: "column.kind", type: "text", words: kindWords },
    { key: "title", title: "column.title", type: "text" },
    { key: "project", title: "column.project", type: "text" },
    { key: "list", title: "column.list", type: "text" },
    { key: "people", title: "column.people", type: "text" },
    { key: "done", title: "column.done", type: "flag" },
  ],
  read(view, scope) {
    const { from, to } = spanOf(scope);
    const rows = view({
      view: "report_agenda",
      columns:
        "item, kind, title, project, list, completed, starts_at, ends_at, first_on, last_on, assigned",
      where: {
        report_items: itemsOf(scope),
        report_agenda: [
          ...(from ? [{ column: "last_on", is: ">=", value: from.toString() } as const] : []),
          ...(to ? [{ column: "first_on", is: "<=", value: to.toString() } as const] : []),
        ],
      },
    });
    return () => {
      const local = localTimes(scope.zone);
      const peopleOf = namer(scope.people);
      const timeOf = (at: string | null) => (at === null ? null : local(at).slice(11));
      const entries = rows.map((row) => {
        const [begins, ends] = [timeOf(row.starts_at), timeOf(row.ends_at)];
        const time = begins && `${begins}${ends ? `–${ends}` : ""}`;
        return {
          ...row,
          ...{ on: row.first_on, until: row.last_on, time, done: row.completed },
          people: peopleOf(row.assigned),
          order: `${row.first_on} ${time ?? ""} ${row.title}`,
        };
      });
      return { rows: entries.toSorted((a, b) => compareTexts(a.order, b.order)) };
    };
  },
});

/** Two weeks from today, unless dates are given. */
function spanOf({ from, to, today }: ReportScope): Pick<ReportScope, "from" | "to"> {
  return from || to ? { from, to } : { from: today, to: today.add({ days: 13 }) };
}
