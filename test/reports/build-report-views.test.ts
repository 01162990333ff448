import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { personId, projectId } from "../../src/domain/ids.ts";
import { migrate } from "../../src/store/migrate.ts";
import { anEvent, aProject, aTask, aTodolist, days, times } from "../support/items.ts";
import { migrations } from "../support/test-store.ts";
import { fill, reportRig } from "./rig.ts";

const date = (text: string) => Temporal.PlainDate.from(text);
const titles = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map(({ title }) => String(title)).toSorted();

/** What any program reads directly from the file, without a report. */
function ask(file: string, sql: string): readonly unknown[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

describe("report views", () => {
  it("use only SQL of SQLite 3.38, as one view that cannot be parsed hides the whole database", () => {
    const db = new Database(":memory:");
    onTestFinished(() => void db.close());
    migrate(db, migrations);
    const texts = db.prepare("SELECT sql FROM sqlite_schema WHERE type IN ('view', 'trigger')");
    for (const sql of texts.pluck().all()) {
      // ORDER BY within an aggregate came with 3.44, %G and %V with 3.46.
      expect(sql).not.toMatch(/group_concat\([^()]*(?:\([^()]*\)[^()]*)*ORDER BY/);
      expect(sql).not.toMatch(/%[GgVuUkIlPpRT]|\bconcat\(|string_agg|timediff|octet_length|unistr/);
    }
  });

  it("name people as the item lists them, and ISO weeks by their own year", () => {
    const rig = reportRig();
    const due = ["2026-12-31", "2027-01-03", "2027-01-04", "2024-12-30", "2026-01-01"];
    for (const [nth, day] of due.entries()) rig.put(aTask(nth + 1, { dueOn: date(day) }));
    rig.put(aTask(9, { dueOn: null, assigned: [personId(12), personId(99), personId(11)] }));
    expect(ask(rig.file, "SELECT people FROM report_items WHERE id = 9")).toEqual([
      { people: "Ana, Bo, Person 99" },
    ]);
    const weeks =
      "SELECT week, week_on, open_items AS n FROM report_workload WHERE person_id IS NULL";
    expect(ask(rig.file, `${weeks} ORDER BY week_on`)).toEqual([
      { week: "2025-W01", week_on: "2024-12-30", n: 1 },
      { week: "2026-W01", week_on: "2025-12-29", n: 1 },
      { week: "2026-W53", week_on: "2026-12-28", n: 2 },
      { week: "2027-W01", week_on: "2027-01-04", n: 1 },
    ]);
  });

  it("mark tasks of a private list as private, like private events", () => {
    const rig = reportRig();
    rig.store.directory.putTodolists(null, [aTodolist(3001, { private: true })], false);
    rig.put(aTask(1));
    rig.put(anEvent(2, { private: true }));
    rig.put(anEvent(3));
    expect(rig.rows("items").map(({ id, private: hidden }) => [id, hidden])).toEqual([
      [1, 1],
      [2, 1],
      [3, 0],
    ]);
  });

  it("call a milestone by its name in the changes too", () => {
    const rig = reportRig();
    rig.put(anEvent(1, { milestone: true, when: days("2026-12-01") }));
    rig.put(anEvent(2));
    expect(rig.rows("changes").map(({ kind }) => kind)).toEqual(["event", "milestone"]);
  });
});

describe("archived items", () => {
  it.each([
    ["a project is archived", aProject(2001, "Website"), { archived: true }],
    ["a project is out of sight", null, {}],
  ])("count as nothing to do when %s", (_, project, fields) => {
    const rig = reportRig();
    fill(rig);
    const other = aProject(2002, "Trade | fair");
    rig.store.directory.putProjects(project ? [{ ...project, ...fields }, other] : [other], true);
    const span = { from: "2026-01-01", to: "2027-01-01" };
    expect(titles(rig.rows("agenda", span))).toEqual(["Fair"]);
    for (const name of ["overdue", "milestones"]) expect(rig.rows(name)).toEqual([]);
    expect(rig.rows("workload")).toMatchObject([{ week: "no date", open_items: 1 }]);
    expect(rig.rows("labels")).toMatchObject([{ label: "(none)", items: 1 }]);
    // What was done stays done, and existing items stay listed.
    expect(rig.rows("hours").length).toBeGreaterThan(1);
    expect(rig.rows("items").filter(({ archived }) => archived === 1)).toHaveLength(5);
  });

  it("count as nothing to do when only their todolist is archived", () => {
    const rig = reportRig();
    fill(rig);
    rig.store.directory.putTodolists(projectId(2001), [aTodolist(3001, { archived: true })], true);
    expect(rig.rows("overdue")).toEqual([]);
    expect(titles(rig.rows("milestones"))).toEqual(["Launch"]);
  });
});

describe("days of timed events", () => {
  it("are the reader's in every report, also where UTC is on another day", () => {
    const rig = reportRig();
    // 00:30 in Berlin is the day before in UTC, and 22:00 to midnight touches no second day.
    rig.put(anEvent(1, { title: "Early", when: times("2026-11-24T00:30", "2026-11-24T01:30") }));
    rig.put(anEvent(2, { title: "Late", when: times("2026-11-24T22:00", "2026-11-25T00:00") }));
    rig.put(anEvent(3, { title: "Long", when: times("2026-11-24T22:00", "2026-11-25T00:30") }));
    rig.put(anEvent(4, { title: "Point", when: times("2026-11-24T00:00", "2026-11-24T00:00") }));
    const spans = (name: string, keys: readonly [string, string]) =>
      Object.fromEntries(
        rig.rows(name).map((row) => [row["title"], keys.map((key) => String(row[key]).slice(8))]),
      );
    const told = {
      Early: ["24", "24"],
      Late: ["24", "24"],
      Long: ["24", "25"],
      Point: ["24", "24"],
    };
    expect(spans("items", ["first_on", "last_on"])).toEqual(told);
    expect(spans("agenda", ["on", "until"])).toEqual(told);
    const onTuesday = { from: "2026-11-25", to: "2026-11-25" };
    expect(titles(rig.rows("agenda", onTuesday))).toEqual(["Long"]);
    expect(titles(rig.rows("items", onTuesday))).toEqual(["Long"]);
    rig.clock.advance({ hours: 1 });
    rig.put(anEvent(1, { title: "Early", when: times("2026-11-24T02:30", "2026-11-24T03:30") }));
    // In UTC that went from the 23rd to the 24th; for the reader it stayed on its day.
    expect(rig.rows("slippage")).toEqual([]);
  });

  it("follow a clock set back: 01:30 UTC of that night is 02:30", () => {
    const rig = reportRig();
    const at = (text: string) => Temporal.Instant.from(text).toZonedDateTimeISO("UTC");
    const when = {
      kind: "times",
      start: at("2026-10-24T22:00:00Z"),
      end: at("2026-10-25T23:00:00Z"),
    } as const;
    rig.put(anEvent(1, { title: "25 hours", when }));
    expect(rig.rows("agenda", { from: "2026-10-20", to: "2026-10-30" })).toMatchObject([
      { on: "2026-10-25", until: "2026-10-25", time: "00:00–00:00" },
    ]);
  });
});

it("items puts a task with only a start on that day", () => {
  const rig = reportRig();
  rig.put(aTask(1, { title: "Begins", startOn: date("2026-11-21"), dueOn: null }));
  rig.put(aTask(2, { title: "Dateless", dueOn: null }));
  const on = (from: string, to: string) => titles(rig.rows("items", { from, to }));
  expect(on("2026-11-21", "2026-11-21")).toEqual(["Begins"]);
  expect(on("2026-11-22", "2026-11-23")).toEqual([]);
  expect(titles(rig.rows("items", { from: "2026-11-20" }))).toEqual(["Begins"]);
});
