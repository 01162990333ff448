import { describe, expect, it } from "vitest";
import { labelId, personId } from "../../src/domain/ids.ts";
import { reports } from "../../src/reports/catalogue/catalogue.ts";
import { anEvent, aTask, days, times } from "../support/items.ts";
import { fill, readEverything, reportRig } from "./rig.ts";

const date = (text: string) => Temporal.PlainDate.from(text);
const titles = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map(({ title }) => title);

describe("agenda", () => {
  it("covers two weeks by default, by day and time in the account's zone", () => {
    const rig = reportRig();
    fill(rig);
    const rows = rig.rows("agenda");
    expect(titles(rows)).toEqual(["Fair", "Night call", "Next week", "Launch"]);
    expect(rows[0]).toMatchObject({ on: "2026-11-20", until: "2026-11-23", time: null });
    expect(rows[1]).toMatchObject({ on: "2026-11-21", until: "2026-11-22", time: "23:30–00:30" });
    expect(rows[3]).toMatchObject({ kind: "milestone", people: "Bo", done: 0 });
  });

  it("gives a named person's items, in their zone", () => {
    const rig = reportRig();
    rig.put(
      anEvent(9, { when: times("2026-11-22T03:00", "2026-11-22T04:00"), assigned: [personId(12)] }),
    );
    expect(rig.rows("agenda", { person: "bo" })).toMatchObject([
      { on: "2026-11-21", time: "21:00–22:00" },
    ]);
    expect(rig.rows("agenda", { person: "11" })).toEqual([]);
    // In Berlin the event is on the 22nd only, though in UTC it is also on the 22nd from 02:00.
    expect(rig.rows("agenda", { from: "2026-11-21", to: "2026-11-21" })).toEqual([]);
    expect(rig.rows("agenda", { from: "2026-11-22", to: "2026-11-22" })).toHaveLength(1);
  });
});

describe("overdue", () => {
  it("lists open items only, the latest first", () => {
    const rig = reportRig();
    fill(rig);
    rig.put(anEvent(8, { title: "Old meeting", when: days("2026-11-01") }));
    rig.put(anEvent(9, { title: "Missed", when: days("2026-11-20"), milestone: true }));
    expect(rig.rows("overdue")).toMatchObject([
      { title: "Late one", days_late: 11, people: "Ana, Bo", project: "Website" },
      { title: "Missed", days_late: 1, kind: "milestone" },
    ]);
    expect(titles(rig.rows("overdue", { label: "urgent" }))).toEqual(["Late one"]);
    expect(titles(rig.rows("overdue", { from: "2026-11-15" }))).toEqual(["Missed"]);
    expect(rig.rows("overdue", { project: "Trade | fair" })).toEqual([]);
  });

  it("does not count items due today in the reader's zone as late", () => {
    const rig = reportRig();
    rig.put(aTask(1, { dueOn: date("2026-11-21"), assigned: [personId(12)] }));
    rig.clock.set("2026-11-21T22:59:00Z");
    expect(rig.rows("overdue")).toEqual([]);
    rig.clock.set("2026-11-21T23:01:00Z");
    expect(rig.rows("overdue")).toMatchObject([{ days_late: 1 }]);
    // In New York it is still the 21st.
    expect(rig.rows("overdue", { person: "Bo" })).toEqual([]);
  });
});

describe("workload", () => {
  it("counts a shared item for each person and splits its minutes equally", () => {
    const rig = reportRig();
    fill(rig);
    const rows = rig.rows("workload");
    expect(rows).toMatchObject([
      {
        person: "Ana",
        week: "2026-W46",
        week_on: "2026-11-09",
        open_items: 1,
        estimated_minutes: 60,
        logged_minutes: 15,
      },
      { person: "Ana", week: "2026-W48", open_items: 1, estimated_minutes: 60 },
      { person: "Bo", week: "2026-W46", open_items: 1, estimated_minutes: 60 },
      { person: "Bo", week: "2026-W49", open_items: 1 },
      { person: "(nobody)", person_id: null, week: "no date", week_on: null, open_items: 1 },
    ]);
    expect(rig.rows("workload", { person: "Ana" }).map(({ person }) => person)).toEqual([
      "Ana",
      "Ana",
    ]);
  });

  it("has fields for earlier, later and undated work when weeks lie far apart", () => {
    const rig = reportRig();
    fill(rig);
    rig.put(aTask(20, { dueOn: date("2028-01-01"), assigned: [personId(11)] }));
    const { chart } = rig.report("workload");
    expect(chart).toMatchObject({ kind: "heat-map", rows: ["Ana", "Bo", "(nobody)"] });
    if (chart?.kind !== "heat-map") throw new Error("no heat map");
    expect(chart.columns.slice(0, 3)).toEqual(["before", "W47", "W48"]);
    expect(chart.values[0]).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    expect(chart.values[2]?.at(-1)).toBe(1);
  });
});

it("milestones says which are done, late, today and ahead", () => {
  const rig = reportRig();
  const put = (id: number, day: string, completed = false) =>
    rig.put(anEvent(id, { title: day, when: days(day), milestone: true, completed }));
  put(1, "2026-11-01", true);
  put(2, "2026-11-19");
  put(3, "2026-11-21");
  put(4, "2026-12-24");
  expect(rig.rows("milestones").map(({ state, days_left: left }) => [state, left])).toEqual([
    ["done", -20],
    ["late", -2],
    ["today", 0],
    ["ahead", 33],
  ]);
});

it("hours sums equal those of the tasks when people share one", () => {
  const rig = reportRig();
  fill(rig);
  const rows = rig.rows("hours");
  const sum = (key: string) => rows.reduce((total, row) => total + Number(row[key]), 0);
  expect([sum("estimated_minutes"), sum("logged_minutes")]).toEqual([180, 75]);
  expect(rows.find(({ person }) => person === "Bo")).toMatchObject({
    estimated_minutes: 60,
    logged_minutes: 15,
    left_minutes: 45,
    used_percent: 25,
  });
  expect(rig.rows("hours", { person: "Bo" })).toHaveLength(1);
  expect(rig.report("hours").chart).toMatchObject({
    bars: [{ name: "Website", values: [180, 75], texts: ["3:00", "1:15"] }],
  });
});

it("labels counts a late task under its label, and unlabelled ones together", () => {
  const rig = reportRig();
  fill(rig);
  rig.put(aTask(30, { labels: [labelId(5), labelId(6)], completed: true }));
  expect(rig.rows("labels")).toMatchObject([
    { label: "(none)", label_id: null, items: 3, open_items: 2, overdue_items: 0 },
    { label: "Urgent", items: 2, open_items: 1, overdue_items: 1, estimated_minutes: 120 },
    { label: "Later", items: 1, open_items: 0 },
  ]);
  expect(rig.rows("labels", { label: "6" })).toMatchObject([{ label: "Later" }]);
});

it("every report answers on an empty mirror, and with as many cells as columns once there is something", () => {
  const empty = reportRig();
  for (const { name } of reports) expect(empty.rows(name)).toEqual([]);
  const full = reportRig();
  fill(full);
  readEverything(full);
  for (const { name } of reports) {
    const { rows, columns } = full.report(name);
    for (const row of rows) expect([name, row.length]).toEqual([name, columns.length]);
  }
});
