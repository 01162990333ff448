import { oneLine, plainDescription } from "../ics/text.ts";
import { type Frame, instantsOf, type Report } from "./report.ts";

/** Comments and the service's own history, newest first; the last 30 days where no dates are given. */
export const activity: Report = {
  name: "activity",
  title: "Activity",
  about: "Comments on tasks and their history, newest first.",
  takes: ["project", "person", "dates", "as-of"],
  columns: [
    { key: "at", title: "When", type: "instant" },
    { key: "person", title: "Who", type: "text" },
    { key: "action", title: "What", type: "text" },
    { key: "title", title: "Task", type: "text" },
    { key: "project", title: "Project", type: "text" },
    { key: "list", title: "List", type: "text" },
    { key: "text", title: "Text", type: "text" },
    { key: "task_id", title: "Task id", type: "count" },
  ],
  read(view, frame) {
    const { project, person } = frame;
    const rows = view({
      view: "report_activity",
      columns: ["at", "person", "action", "title", "project", "list", "text", "task_id"],
      where: {
        report_activity: [
          ...(project ? [{ column: "project_id", is: "=", value: project.id } as const] : []),
          ...(person ? [{ column: "person_id", is: "=", value: person.id } as const] : []),
          ...instantsOf("at", spanOf(frame)),
        ],
      },
    });
    return () => ({
      rows: rows
        .toSorted((a, b) => ((b.at ?? "") < (a.at ?? "") ? -1 : 1))
        .map((row) => [
          row.at,
          row.person,
          row.action,
          row.title,
          row.project,
          row.list,
          row.text && oneLine(plainDescription(row.text)),
          row.task_id,
        ]),
    });
  },
};

function spanOf(frame: Frame): Pick<Frame, "from" | "to" | "zone"> {
  const { from, to, today, zone } = frame;
  return from || to ? frame : { from: today.subtract({ days: 30 }), to: null, zone };
}
