import { localTimes } from "./local-time.ts";
import { itemsOf, namer, type Report } from "./report.ts";

/** Every item of the view with its fields: what `GET /api/items` answers. */
export const items: Report = {
  name: "items",
  title: "Items",
  about: "Every event, milestone, task and subtask with its fields.",
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
  ],
  read(view, frame) {
    const { from, to } = frame;
    const rows = view({
      view: "report_items",
      columns: [
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
      ],
      where: {
        report_items: [
          ...itemsOf(frame),
          // The view's days are those of UTC: a day more on each side is read, and left out below.
          ...(from
            ? [
                {
                  column: "last_on",
                  is: ">=",
                  value: from.subtract({ days: 1 }).toString(),
                } as const,
              ]
            : []),
          ...(to
            ? [{ column: "first_on", is: "<=", value: to.add({ days: 1 }).toString() } as const]
            : []),
        ],
      },
    });
    return () => {
      const local = localTimes(frame.zone);
      const [peopleOf, labelsOf] = [namer(frame.people), namer(frame.labels)];
      const [earliest, latest] = [from?.toString() ?? "", to?.toString() ?? "9999"];
      return {
        rows: rows.flatMap((row) => {
          const begins = row.starts_at === null ? null : local(row.starts_at).slice(0, 10);
          const ends = row.ends_at === null ? begins : local(row.ends_at).slice(0, 10);
          const [first, last] = [begins ?? row.first_on, ends ?? row.last_on];
          if ((last ?? first ?? latest) < earliest || (first ?? last ?? "") > latest) return [];
          return [
            [
              row.kind,
              row.id,
              row.uid,
              row.title,
              row.project_id,
              row.project,
              row.list_id,
              row.list,
              first,
              last,
              row.starts_at,
              row.ends_at,
              row.completed,
              row.percent,
              row.estimated_minutes,
              row.logged_minutes,
              peopleOf(row.assigned),
              labelsOf(row.labels),
              row.private,
            ],
          ];
        }),
      };
    };
  },
};
