import { daysOf, itemsOf, namer, type Report } from "../report.ts";

/** Everything overdue, latest first. */
export const overdue: Report = {
  name: "overdue",
  title: "Overdue",
  about: "Open tasks, subtasks and milestones that are past their due date.",
  group: "Delays",
  answers: "Which tasks and milestones are overdue?",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "due_on", title: "Due", type: "date" },
    { key: "days_late", title: "Days late", type: "days" },
    { key: "kind", title: "Kind", type: "text" },
    { key: "title", title: "Title", type: "text" },
    { key: "project", title: "Project", type: "text" },
    { key: "list", title: "List", type: "text" },
    { key: "people", title: "People", type: "text" },
    { key: "percent", title: "Done %", type: "percent" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_overdue",
      columns: [
        "item",
        "due_on",
        "days_late",
        "kind",
        "title",
        "project",
        "list",
        "assigned",
        "percent",
      ],
      where: { report_items: itemsOf(scope), report_overdue: daysOf("due_on", scope) },
    });
    return () => {
      const peopleOf = namer(scope.people);
      const sorted = rows.toSorted(
        (a, b) => b.days_late - a.days_late || (a.title < b.title ? -1 : 1),
      );
      return {
        items: sorted.map(({ item }) => item),
        rows: sorted.map((row) => [
          row.due_on,
          row.days_late,
          row.kind,
          row.title,
          row.project,
          row.list,
          peopleOf(row.assigned),
          row.percent,
        ]),
      };
    };
  },
};
