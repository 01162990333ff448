import { say } from "../../texts/say.ts";
import { daysOf, itemsOf, report } from "../report.ts";

/** Items per label. */
export const labelsReport = report({
  name: "labels",
  group: "time",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "label_id", title: "column.labelId", type: "count" },
    { key: "label", title: "column.label", type: "text" },
    { key: "items", title: "column.tasks", type: "count" },
    { key: "open_items", title: "column.open", type: "count" },
    { key: "overdue_items", title: "column.overdue", type: "count" },
    { key: "estimated_minutes", title: "column.estimated", type: "minutes" },
    { key: "logged_minutes", title: "column.logged", type: "minutes" },
  ],
  read(view, scope) {
    const { label } = scope;
    const rows = view({
      view: "report_labels",
      columns:
        "label_id, label, items, open_items, overdue_items, estimated_minutes, logged_minutes",
      where: {
        report_items: [...itemsOf(scope), ...daysOf("last_on", scope)],
        report_labels: label ? [{ column: "label_id", is: "=", value: label.id }] : [],
      },
    });
    return () => ({
      rows: rows
        .toSorted((a, b) => b.open_items - a.open_items || b.items - a.items)
        .map((row) => ({ ...row, label: row.label ?? say("reports.noLabel") })),
    });
  },
});
