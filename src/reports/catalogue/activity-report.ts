import { oneLine } from "@dayferry/ical";
import { plainDescription } from "../../domain/text.ts";
import { say } from "../../texts/say.ts";
import { localTimes } from "../formats/cell-text.ts";
import {
  compareTexts,
  instantsOf,
  personOf,
  projectOf,
  type ReportScope,
  report,
} from "../report.ts";
import { readSides, sideText } from "./side-note.ts";

/** Comments and the service's history, newest first; the last 30 days by default. */
export const activity = report({
  name: "activity",
  group: "history",
  takes: ["project", "person", "dates", "as-of"],
  columns: [
    { key: "at", title: "column.when", type: "instant" },
    { key: "person", title: "column.who", type: "text" },
    { key: "action", title: "column.what", type: "text" },
    { key: "title", title: "column.task", type: "text" },
    { key: "project", title: "column.project", type: "text" },
    { key: "list", title: "column.list", type: "text" },
    { key: "text", title: "column.text", type: "text" },
    { key: "task_id", title: "column.taskId", type: "count" },
  ],
  read(view, scope) {
    const { zone } = scope;
    const { from, to } = spanOf(scope);
    const rows = view({
      view: "report_activity",
      columns: "item, at, person, action, title, project, list, text, task_id",
      where: {
        report_activity: [
          ...projectOf(scope),
          ...personOf(scope),
          // An entry may have a date without a time, so one more day on each side is read and filtered below.
          ...instantsOf("at", {
            from: from?.subtract({ days: 1 }) ?? null,
            to: to?.add({ days: 1 }) ?? null,
            zone,
          }),
        ],
      },
    });
    const read = scope.asOf ? null : readSides(view, scope);
    const local = localTimes(zone);
    const dayOf = (at: string) => (at.length > 10 ? local(at).slice(0, 10) : at);
    const [earliest, latest] = [from?.toString() ?? "", to?.toString() ?? "9999"];
    const isWithin = (at: string | null) =>
      at !== null && dayOf(at) >= earliest && dayOf(at) <= latest;
    return () => ({
      rows: rows
        .filter(({ at }) => isWithin(at))
        .toSorted((a, b) => compareTexts(b.at ?? "", a.at ?? ""))
        .map((row) => ({ ...row, text: row.text && oneLine(plainDescription(row.text)) })),
      notes: read
        ? [
            say("reports.sidesRead", {
              comments: sideText(read("comments")),
              history: sideText(read("history")),
            }),
          ]
        : [],
    });
  },
});

function spanOf({ from, to, today }: ReportScope): Pick<ReportScope, "from" | "to"> {
  return from || to ? { from, to } : { from: today.subtract({ days: 30 }), to: null };
}
