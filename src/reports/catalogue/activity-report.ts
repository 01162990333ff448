import { oneLine } from "@dayferry/ical";
import { plainDescription } from "../../domain/text.ts";
import { localTimes } from "../formats/cell-text.ts";
import { instantsOf, personOf, projectOf, type Report, type ReportScope } from "../report.ts";
import { readSides, sideText } from "./side-note.ts";

/** Comments and the service's history, newest first; the last 30 days by default. */
export const activity: Report = {
  name: "activity",
  title: "Activity",
  about: "Comments on tasks and their history, newest first.",
  group: "History",
  answers: "Who commented, and who changed which task?",
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
  read(view, scope) {
    const { zone } = scope;
    const { from, to } = spanOf(scope);
    const rows = view({
      view: "report_activity",
      columns: ["item", "at", "person", "action", "title", "project", "list", "text", "task_id"],
      where: {
        report_activity: [
          ...projectOf(scope),
          ...personOf(scope),
          // An entry may have a date without a time: one more day on each side is read and filtered below.
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
    return () => {
      const shown = rows
        .filter(({ at }) => isWithin(at))
        .toSorted((a, b) => newestFirst(a.at ?? "", b.at ?? ""));
      return {
        items: shown.map(({ item }) => item),
        rows: shown.map((row) => [
          row.at,
          row.person,
          row.action,
          row.title,
          row.project,
          row.list,
          row.text && oneLine(plainDescription(row.text)),
          row.task_id,
        ]),
        notes: read
          ? [
              `Tasks whose comments have been read so far: ${sideText(read("comments"))}; whose history: ${sideText(read("history"))}.`,
            ]
          : [],
      };
    };
  },
};

const newestFirst = (a: string, b: string): number => (a > b ? -1 : a < b ? 1 : 0);

function spanOf({ from, to, today }: ReportScope): Pick<ReportScope, "from" | "to"> {
  return from || to ? { from, to } : { from: today.subtract({ days: 30 }), to: null };
}
