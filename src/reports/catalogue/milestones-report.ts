import type { MoveRow, ReportRows } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import { localTimes } from "../formats/cell-text.ts";
import {
  type Chart,
  daysOf,
  itemsOf,
  namer,
  type Report,
  type ReportContent,
  type ReportScope,
  type TimelineRow,
} from "../report.ts";

const fields = [
  "item",
  "due_on",
  "days_left",
  "completed",
  "title",
  "project",
  "assigned",
] as const;
const moveFields = ["item", "at", "from_on", "to_on", "days"] as const;
type Row = Pick<ReportRows["report_milestones"], (typeof fields)[number]>;
type Move = Pick<MoveRow, (typeof moveFields)[number]>;

const stateWords = {
  done: "milestoneState.done",
  late: "milestoneState.late",
  today: "milestoneState.today",
  ahead: "milestoneState.ahead",
} as const;

/** Every milestone by its day, with its first day and how it has moved. */
export const milestones: Report = {
  name: "milestones",
  group: "upcoming",
  takes: ["project", "person", "dates", "as-of"],
  columns: [
    { key: "due_on", title: "column.day", type: "date" },
    { key: "days_left", title: "column.daysLeft", type: "days" },
    { key: "state", title: "column.state", type: "text", words: stateWords },
    { key: "title", title: "column.title", type: "text" },
    { key: "project", title: "column.project", type: "text" },
    { key: "people", title: "column.people", type: "text" },
    { key: "first_on", title: "column.firstDay", type: "date" },
    { key: "days_moved", title: "column.movedBy", type: "days" },
    { key: "moves", title: "column.moves", type: "text" },
  ],
  read(view, scope) {
    const rows = view({
      view: "report_milestones",
      columns: fields,
      where: { report_items: itemsOf(scope), report_milestones: daysOf("due_on", scope) },
    });
    const moves = view({ view: "report_moves", columns: moveFields, where: {} });
    return () => milestonesOf(rows, moves, scope);
  },
};

/** `moves` are sorted oldest first per item; those of other items are skipped. */
function milestonesOf(
  rows: readonly Row[],
  moves: readonly Move[],
  scope: ReportScope,
): ReportContent {
  const peopleOf = namer(scope.people);
  const local = localTimes(scope.zone);
  const byItem = Map.groupBy(moves, ({ item }) => item);
  const listed = rows
    .toSorted((a, b) => a.days_left - b.days_left || (a.title < b.title ? -1 : 1))
    .map((row) => {
      const moved = byItem.get(row.item) ?? [];
      // An earlier first day may be gone from the history; then the current one counts as the first.
      const days = [...moved.map(({ from_on: from }) => from), row.due_on];
      return { row, moved, days, slip: daysBetween(days[0] ?? row.due_on, row.due_on) };
    });
  return {
    rows: listed.map(({ row, moved, days, slip }) => [
      row.due_on,
      row.days_left,
      stateOf(row),
      row.title,
      row.project,
      peopleOf(row.assigned),
      days[0] ?? row.due_on,
      slip,
      moved.length === 0
        ? null
        : moved
            .map(
              ({ at, from_on: from, to_on: to }) => `${from} → ${to} (${local(at).slice(0, 10)})`,
            )
            .join("; "),
    ]),
    items: listed.map(({ row }) => row.item),
    chart: timelineOf(
      listed.map(({ row, days, slip }) => ({ row, days, slip })),
      scope,
    ),
    notes: [`${say("reports.movesNote")} ${say("reports.movesDayNote")}`],
  };
}

const daysBetween = (from: string, to: string): number =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: "days" }).days;

function stateOf({
  completed,
  days_left: left,
}: Pick<Row, "completed" | "days_left">): TimelineRow["state"] {
  if (completed === 1) return "done";
  return left < 0 ? "late" : left === 0 ? "today" : "ahead";
}

const shownMilestones = 40;

function timelineOf(
  listed: readonly { readonly row: Row; readonly days: readonly string[]; readonly slip: number }[],
  { today }: Pick<ReportScope, "today">,
): Chart | null {
  if (listed.length === 0) return null;
  // If there are many, show those nearest to today.
  const nearest = listed
    .toSorted((a, b) => Math.abs(a.row.days_left) - Math.abs(b.row.days_left))
    .slice(0, shownMilestones);
  const shown = new Set(nearest);
  return {
    kind: "timeline",
    title: say("chart.milestones"),
    about:
      listed.length > shownMilestones
        ? say("chart.milestonesSome", { shown: shownMilestones, count: listed.length })
        : say("chart.milestonesAll"),
    today: today.toString(),
    rows: listed
      .filter((each) => shown.has(each))
      .map(({ row, days, slip }) => ({
        name: row.title,
        days,
        state: stateOf(row),
        said: wordsOf(row, slip),
      })),
  };
}

/** `late by 3 days, moved 14 days later`. */
function wordsOf(row: Pick<Row, "completed" | "days_left">, slip: number): string {
  const [kind, left] = [stateOf(row), Math.abs(row.days_left)];
  const state =
    kind === "late" || kind === "ahead"
      ? say(`chart.${kind}`, { days: left })
      : say(stateWords[kind]);
  if (slip === 0) return state;
  return say(slip > 0 ? "chart.movedLater" : "chart.movedEarlier", { state, days: Math.abs(slip) });
}
