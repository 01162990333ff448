import { daysOf, itemsOf, namer, type Report } from "../report.ts";

/** Every milestone in the order of its day. */
export const milestones: Report = {
  name: "milestones",
  title: "Milestones",
  about: "Every milestone with its day, and whether it is done, late or ahead.",
  takes: ["project", "person", "dates", "as-of"],
  columns: [
    { key: "due_on", title: "Day", type: "date" },
    { key: "days_left", title: "Days left", type: "days" },
    { key: "state", title: "State", type: "text" },
    { key: "title", title: "Title", type: "text" },
    { key: "project", title: "Project", type: "text" },
    { key: "people", title: "People", type: "text" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_milestones",
      columns: ["due_on", "days_left", "completed", "title", "project", "assigned"],
      where: { report_items: itemsOf(scope), report_milestones: daysOf("due_on", scope) },
    });
    return () => {
      const peopleOf = namer(scope.people);
      return {
        rows: rows
          .toSorted((a, b) => a.days_left - b.days_left || (a.title < b.title ? -1 : 1))
          .map((row) => [
            row.due_on,
            row.days_left,
            stateOf(row),
            row.title,
            row.project,
            peopleOf(row.assigned),
          ]),
      };
    };
  },
};

function stateOf({
  completed,
  days_left: left,
}: {
  readonly completed: number;
  readonly days_left: number;
}): string {
  if (completed === 1) return "done";
  return left < 0 ? "late" : left === 0 ? "today" : "ahead";
}
