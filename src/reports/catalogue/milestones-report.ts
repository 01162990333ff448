import type { ReportRow } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import { localTimes } from "../formats/cell-text.ts";
import {
  type Chart,
  compareTexts,
  daysOf,
  itemsOf,
  namer,
  type ReportScope,
  report,
  type TimelineRow,
} from "../report.ts";

const fields = "item, due_on, days_left, completed, title, project, assigned";
const moveFields = "item, at, from_on, to_on";
type Row = ReportRow<"report_milestones", typeof fields>;
type Move = ReportRow<"report_moves", typeof moveFields>;

const stateWords = {
  done: "milestoneState.done",
  late: "milestoneState.late",
  today: "milestoneState.today",
  ahead: "milestoneState.ahead",
} as const;

/** Every milestone by its day, with its first day and how it has moved. */
export const milestones = report({
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
});

/** `moves` are sorted oldest first per item; those of other items are skipped. */
function milestonesOf(rows: readonly Row[], moves: readonly Move[], scope: ReportScope) {
  const peopleOf = namer(scope.people);
  const local = localTimes(scope.zone);
  const byItem = Map.groupBy(moves, ({ item }) => item);
  const listed = rows
    .toSorted((a, b) => a.days_left - b.days_left || compareTexts(a.title, b.title))
    .map((row) => {
      const moved = byItem.get(row.item) ?? [];
      // An earlier first day may be gone from the history; then the current one counts as the first.
      const days = [...moved.map(({ from_on: from }) => from), row.due_on];
      const first = days[0] ?? row.due_on;
      const moveTexts = moved.map(
        ({ at, from_on: from, to_on: to }) => `${from} → ${to} (${local(at).slice(0, 10)})`,
      );
      return {
        ...row,
        days,
        state: stateOf(row),
        people: peopleOf(row.assigned),
        first_on: first,
        days_moved: daysBetween(first, row.due_on),
        moves: moveTexts.join("; ") || null,
      };
    });
  return {
    rows: listed,
    chart: timelineOf(listed, scope),
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

type Listed = Row & Pick<TimelineRow, "days" | "state"> & { readonly days_moved: number };

function timelineOf(
  listed: readonly Listed[],
  { today }: Pick<ReportScope, "today">,
): Chart | null {
  if (listed.length === 0) return null;
  // If there are many, show those nearest to today.
  const nearest = listed
    .toSorted((a, b) => Math.abs(a.days_left) - Math.abs(b.days_left))
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
      .map((each) => ({
        name: each.title,
        days: each.days,
        state: each.state,
        said: wordsOf(each),
      })),
  };
}

/** `late by 3 days, moved 14 days later`. */
function wordsOf({ state: kind, days_left: left, days_moved: slip }: Listed): string {
  const state =
    kind === "late" || kind === "ahead"
      ? say(`chart.${kind}`, { days: Math.abs(left) })
      : say(stateWords[kind]);
  if (slip === 0) return state;
  return say(slip > 0 ? "chart.movedLater" : "chart.movedEarlier", { state, days: Math.abs(slip) });
}
