import type { ReportRow } from "../../store/rows/report-rows.ts";
import { say } from "../../texts/say.ts";
import { localTimes } from "../formats/cell-text.ts";
import {
  type Chart,
  compareTexts,
  instantsOf,
  itemsOf,
  kindWords,
  type ReportScope,
  report,
} from "../report.ts";

const fields =
  "item, kind, title, project, list, completed, moves, moves_later, days_later, days_earlier, days_moved, last_moved_at";
const moveFields = "item, at, from_on, to_on";
type Row = ReportRow<"report_slippage", typeof fields>;
type Move = ReportRow<"report_moves", typeof moveFields>;

/** How often and how far dates have moved. */
export const slippage = report({
  name: "slippage",
  group: "delays",
  takes: ["project", "person", "label", "dates", "as-of"],
  columns: [
    { key: "kind", title: "column.kind", type: "text", words: kindWords },
    { key: "title", title: "column.title", type: "text" },
    { key: "project", title: "column.project", type: "text" },
    { key: "list", title: "column.list", type: "text" },
    { key: "moves", title: "column.moves", type: "count" },
    { key: "moves_later", title: "column.later", type: "count" },
    { key: "days_later", title: "column.daysLater", type: "days" },
    { key: "days_earlier", title: "column.daysEarlier", type: "days" },
    { key: "days_moved", title: "column.inAll", type: "days" },
    { key: "first_on", title: "column.firstDay", type: "date" },
    { key: "latest_on", title: "column.latestDay", type: "date" },
    { key: "last_moved_at", title: "column.lastMoved", type: "instant" },
    { key: "done", title: "column.done", type: "flag" },
  ],
  read(view, scope) {
    const moved = { report_moves: instantsOf("at", scope) };
    const where = { ...moved, report_items: itemsOf(scope) };
    const rows = view({ view: "report_slippage", columns: fields, where });
    const moves = view({ view: "report_moves", columns: moveFields, where: moved });
    return () => slippageOf(rows, moves, scope);
  },
});

/** `moves` are sorted oldest first per item; those of other items are skipped. */
function slippageOf(rows: readonly Row[], moves: readonly Move[], scope: ReportScope) {
  const byItem = Map.groupBy(moves, ({ item }) => item);
  const sorted = rows.toSorted(
    (a, b) =>
      Math.abs(b.days_moved) - Math.abs(a.days_moved) ||
      b.moves - a.moves ||
      compareTexts(a.title, b.title),
  );
  return {
    rows: sorted.map((row) => ({
      ...row,
      first_on: byItem.get(row.item)?.[0]?.from_on ?? null,
      latest_on: byItem.get(row.item)?.at(-1)?.to_on ?? null,
      done: row.completed,
    })),
    chart: linesOf(sorted, byItem, scope),
    notes: [say("reports.movesNote")],
  };
}

const shownLines = 8;

/** Milestones first, because others depend on their dates. */
function linesOf(
  rows: readonly Row[],
  moves: ReadonlyMap<number, readonly Move[]>,
  scope: ReportScope,
): Chart | null {
  const own = rows.filter(({ kind }) => kind === "milestone");
  const shown = own.length > 0 ? own : rows;
  const some = own.length > 0 ? "chart.movesMilestones" : "chart.movesItems";
  if (shown.length === 0) return null;
  const local = localTimes(scope.zone);
  const lines = shown.slice(0, shownLines).map(({ item, title }) => ({
    name: title,
    moves: (moves.get(item) ?? []).map(({ at, from_on: from, to_on: to }) => ({
      on: local(at).slice(0, 10),
      from,
      to,
    })),
  }));
  const span = spanOf(
    lines.flatMap((line) => line.moves.map(({ on }) => on)),
    scope,
  );
  return {
    kind: "lines",
    title: say("chart.moves"),
    about:
      shown.length > shownLines
        ? say(some, { shown: shownLines, count: shown.length })
        : say("chart.movesAll"),
    ...span,
    lines: lines.map(({ name, moves: moved }) => ({
      name,
      steps: moved.flatMap(({ on, from, to }, nth) => [
        ...(nth === 0 ? [{ on: span.from, day: from }] : []),
        { on, day: to },
      ]),
    })),
  };
}

/**
 * The time axis begins a little before the first move, so that the original day is visible, and ends with the report's period.
 */
function spanOf(
  moved: readonly string[],
  { from, to, today }: Pick<ReportScope, "from" | "to" | "today">,
): { readonly from: string; readonly to: string } {
  const end = to && Temporal.PlainDate.compare(to, today) < 0 ? to : today;
  const first = Temporal.PlainDate.from(moved.toSorted()[0] ?? end.toString());
  const before = Math.ceil(first.until(end, { largestUnit: "days" }).days / 12) + 1;
  return { from: (from ?? first.subtract({ days: before })).toString(), to: end.toString() };
}
