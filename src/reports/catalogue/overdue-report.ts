import { compareTexts, daysOf, itemsOf, kindWords, namer, report } from "../report.ts";

/** Everything overdue, with the longest delay first. */
export const overdue = report({
  name: "overdue",
  group: "delays",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "due_on", title: "column.due", type: "date" },
    { key: "days_late", title: "column.daysLate", type: "days" },
    { key: "kind", title: "column.kind", type: "text", words: kindWords },
    { key: "title", title: "column.title", type: "text" },
    { key: "project", title: "column.project", type: "text" },
    { key: "list", title: "column.list", type: "text" },
    { key: "people", title: "column.people", type: "text" },
    { key: "percent", title: "column.donePercent", type: "percent" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_overdue",
      columns: "item, due_on, days_late, kind, title, project, list, assigned, percent",
      where: { report_items: itemsOf(scope), report_overdue: daysOf("due_on", scope) },
    });
    return () => {
      const peopleOf = namer(scope.people);
      return {
        rows: rows
          .toSorted((a, b) => b.days_late - a.days_late || compareTexts(a.title, b.title))
          .map((row) => ({ ...row, people: peopleOf(row.assigned) })),
      };
    };
  },
});
