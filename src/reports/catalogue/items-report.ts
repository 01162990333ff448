import { itemsOf, kindWords, namer, report } from "../report.ts";

/** Every item with its fields, as in `GET /api/items`. */
export const items = report({
  name: "items",
  group: "data",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "kind", title: "column.kind", type: "text", words: kindWords },
    { key: "id", title: "column.id", type: "count" },
    { key: "uid", title: "column.uid", type: "text" },
    { key: "title", title: "column.title", type: "text" },
    { key: "project_id", title: "column.projectId", type: "count" },
    { key: "project", title: "column.project", type: "text" },
    { key: "list_id", title: "column.listId", type: "count" },
    { key: "list", title: "column.list", type: "text" },
    { key: "first_on", title: "column.firstDay", type: "date" },
    { key: "last_on", title: "column.lastDay", type: "date" },
    { key: "starts_at", title: "column.starts", type: "instant" },
    { key: "ends_at", title: "column.ends", type: "instant" },
    { key: "completed", title: "column.done", type: "flag" },
    { key: "percent", title: "column.donePercent", type: "percent" },
    { key: "estimated_minutes", title: "column.estimated", type: "minutes" },
    { key: "logged_minutes", title: "column.logged", type: "minutes" },
    { key: "people", title: "column.people", type: "text" },
    { key: "labels", title: "column.labels", type: "text" },
    { key: "private", title: "column.private", type: "flag" },
    { key: "archived", title: "column.archived", type: "flag" },
  ],
  read(view, scope) {
    const { from, to } = scope;
    const rows = view({
      view: "report_items",
      columns:
        "item, kind, id, uid, title, project_id, project, list_id, list, first_on, last_on, starts_at, ends_at, completed, percent, estimated_minutes, logged_minutes, assigned, labels, private, archived",
      where: {
        report_items: [
          ...itemsOf(scope),
          ...(to ? [{ column: "first_on", is: "<=", value: to.toString() } as const] : []),
        ],
      },
    });
    return () => {
      const [peopleOf, labelsOf] = [namer(scope.people), namer(scope.labels)];
      const earliest = from?.toString() ?? null;
      // An item with only a first day may be open-ended, but counts on that day alone.
      const shown = rows.filter(
        (row) => earliest === null || (row.last_on ?? row.first_on ?? "") >= earliest,
      );
      return {
        rows: shown.map((row) => ({
          ...row,
          people: peopleOf(row.assigned),
          labels: labelsOf(row.labels),
        })),
      };
    };
  },
});
