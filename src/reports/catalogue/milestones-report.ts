import type { MoveRow, ReportRows } from "../../store/rows/report-rows.ts";
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

/** Every milestone by its day, with its first day and how it has moved. */
export const milestones: Report = {
  name: "milestones",
  title: "Milestones",
  about:
    "Every milestone with its date, whether it is done, late or upcoming, and how its date has moved.",
  group: "Upcoming",
  answers: "Is each milestone on time, and has its date moved?",
  takes: ["project", "person", "dates", "as-of"],
  columns: [
    { key: "due_on", title: "Day", type: "date" },
    { key: "days_left", title: "Days left", type: "days" },
    { key: "state", title: "State", type: "text" },
    { key: "title", title: "Title", type: "text" },
    { key: "project", title: "Project", type: "text" },
    { key: "people", title: "People", type: "text" },
    { key: "first_on", title: "First day", type: "date" },
    { key: "days_moved", title: "Moved by", type: "days" },
    { key: "moves", title: "Moves", type: "text" },
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
    notes: [
      "Only moves that were seen count: a date that moved twice between two sweeps moved once. Moves stand with the day on which they were seen.",
    ],
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
    title: "Milestones over time",
    about:
      listed.length > shownMilestones
        ? `The ${shownMilestones} of ${listed.length} milestones that are nearest to today; a ring is where one stood first, a line how it moved.`
        : "A ring is where a milestone stood first, a line how it moved.",
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
  const left = Math.abs(row.days_left);
  const state = {
    done: "done",
    today: "today",
    late: `late by ${inDays(left)}`,
    ahead: `in ${inDays(left)}`,
  };
  const moved =
    slip === 0 ? "" : `, moved ${inDays(Math.abs(slip))} ${slip > 0 ? "later" : "earlier"}`;
  return `${state[stateOf(row)]}${moved}`;
}

const inDays = (count: number): string => `${count} ${count === 1 ? "day" : "days"}`;
