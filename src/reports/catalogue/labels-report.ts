import { daysOf, itemsOf, type Report } from "../report.ts";

/** Items per label. */
export const labelsReport: Report = {
  name: "labels",
  title: "Labels",
  about: "Tasks and subtasks per label; one with two labels counts for both.",
  group: "Time and labels",
  answers: "How many tasks has each label, and how many are overdue?",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "label_id", title: "Label id", type: "count" },
    { key: "label", title: "Label", type: "text" },
    { key: "items", title: "Tasks", type: "count" },
    { key: "open_items", title: "Open", type: "count" },
    { key: "overdue_items", title: "Overdue", type: "count" },
    { key: "estimated_minutes", title: "Estimated", type: "minutes" },
    { key: "logged_minutes", title: "Logged", type: "minutes" },
  ],
  read(view, scope) {
    const { label } = scope;
    const rows = view({
      view: "report_labels",
      columns: [
        "label_id",
        "label",
        "items",
        "open_items",
        "overdue_items",
        "estimated_minutes",
        "logged_minutes",
      ],
      where: {
        report_items: [...itemsOf(scope), ...daysOf("last_on", scope)],
        report_labels: label ? [{ column: "label_id", is: "=", value: label.id }] : [],
      },
    });
    return () => ({
      rows: rows
        .toSorted((a, b) => b.open_items - a.open_items || b.items - a.items)
        .map((row) => [
          row.label_id,
          row.label ?? "(none)",
          row.items,
          row.open_items,
          row.overdue_items,
          row.estimated_minutes,
          row.logged_minutes,
        ]),
    });
  },
};
