import type { AgendaRow } from "../../store/rows/report-rows.ts";
import { localTimes } from "../formats/cell-text.ts";
import {
  type Cell,
  itemsOf,
  kindWords,
  namer,
  type Report,
  type ReportContent,
  type ReportScope,
} from "../report.ts";

const fields = [
  "item",
  "kind",
  "title",
  "project",
  "list",
  "completed",
  "starts_at",
  "ends_at",
  "first_on",
  "last_on",
  "assigned",
] as const;
type Row = Pick<AgendaRow, (typeof fields)[number]>;

/** Events and due items by day; two weeks from today by default. */
export const agenda: Report = {
  name: "agenda",
  group: "upcoming",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "on", title: "column.day", type: "date" },
    { key: "until", title: "column.until", type: "date" },
    { key: "time", title: "column.time", type: "text" },
    { key: "kind", title: "column.kind", type: "text", words: kindWords },
    { key: "title", title: "column.title", type: "text" },
    { key: "project", title: "column.project", type: "text" },
    { key: "list", title: "column.list", type: "text" },
    { key: "people", title: "column.people", type: "text" },
    { key: "done", title: "column.done", type: "flag" },
  ],
  read(view, scope) {
    const { from, to } = spanOf(scope);
    const rows = view({
      view: "report_agenda",
      columns: fields,
      where: {
        report_items: itemsOf(scope),
        report_agenda: [
          ...(from ? [{ column: "last_on", is: ">=", value: from.toString() } as const] : []),
          ...(to ? [{ column: "first_on", is: "<=", value: to.toString() } as const] : []),
        ],
      },
    });
    return () => agendaOf(rows, scope);
  },
};

/** Two weeks from today, unless dates are given. */
function spanOf({ from, to, today }: ReportScope): Pick<ReportScope, "from" | "to"> {
  return from || to ? { from, to } : { from: today, to: today.add({ days: 13 }) };
}

function agendaOf(rows: readonly Row[], scope: ReportScope): ReportContent {
  const local = localTimes(scope.zone);
  const peopleOf = namer(scope.people);
  const timeOf = (at: string | null) => (at === null ? null : local(at).slice(11));
  const entries: {
    readonly item: number;
    readonly order: string;
    readonly cells: readonly Cell[];
  }[] = [];
  for (const row of rows) {
    const [begins, ends] = [timeOf(row.starts_at), timeOf(row.ends_at)];
    const time = begins && `${begins}${ends ? `–${ends}` : ""}`;
    entries.push({
      item: row.item,
      order: `${row.first_on} ${time ?? ""} ${row.title}`,
      cells: [
        row.first_on,
        row.last_on,
        time,
        row.kind,
        row.title,
        row.project,
        row.list,
        peopleOf(row.assigned),
        row.completed,
      ],
    });
  }
  entries.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0));
  return {
    rows: entries.map(({ cells }) => cells),
    items: entries.map(({ item }) => item),
  };
}
