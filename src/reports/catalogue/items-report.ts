import { itemsOf, namer, type Report } from "../report.ts";

/** Every item with its fields, as in `GET /api/items`. */
export const items: Report = {
  name: "items",
  title: "Items",
  about: "Every event, milestone, task and subtask with its fields.",
  group: "Data",
  answers: "Which items exist, with all their fields?",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "kind", title: "Kind", type: "text" },
    { key: "id", title: "Id", type: "count" },
    { key: "uid", title: "UID", type: "text" },
    { key: "title", title: "Title", type: "text" },
    { key: "project_id", title: "Project id", type: "count" },
    { key: "project", title: "Project", type: "text" },
    { key: "list_id", title: "List id", type: "count" },
    { key: "list", title: "List", type: "text" },
    { key: "first_on", title: "First day", type: "date" },
    { key: "last_on", title: "Last day", type: "date" },
    { key: "starts_at", title: "Starts", type: "instant" },
    { key: "ends_at", title: "Ends", type: "instant" },
    { key: "completed", title: "Done", type: "flag" },
    { key: "percent", title: "Done %", type: "percent" },
    { key: "estimated_minutes", title: "Estimated", type: "minutes" },
    { key: "logged_minutes", title: "Logged", type: "minutes" },
    { key: "people", title: "People", type: "text" },
    { key: "labels", title: "Labels", type: "text" },
    { key: "private", title: "Private", type: "flag" },
    { key: "archived", title: "Archived", type: "flag" },
  ],
  read(view, scope) {
    const { from, to } = scope;
    const rows = view({
      view: "report_items",
      columns: [
        "item",
        "kind",
        "id",
        "uid",
        "title",
        "project_id",
        "project",
        "list_id",
        "list",
        "first_on",
        "last_on",
        "starts_at",
        "ends_at",
        "completed",
        "percent",
        "estimated_minutes",
        "logged_minutes",
        "assigned",
        "labels",
        "private",
        "archived",
      ],
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
        items: shown.map(({ item }) => item),
        rows: shown.map((row) => [
          row.kind,
          row.id,
          row.uid,
          row.title,
          row.project_id,
          row.project,
          row.list_id,
          row.list,
          row.first_on,
          row.last_on,
          row.starts_at,
          row.ends_at,
          row.completed,
          row.percent,
          row.estimated_minutes,
          row.logged_minutes,
          peopleOf(row.assigned),
          labelsOf(row.labels),
          row.private,
          row.archived,
        ]),
      };
    };
  },
};
