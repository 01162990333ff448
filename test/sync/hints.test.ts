import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../src/domain/ids.ts";
import {
  type HintRow,
  Hints,
  hintRowsOfLists,
  hintRowsOfTasks,
  SignTrust,
} from "../../src/sync/hints.ts";
import { aTask } from "../support/items.ts";

const start = Temporal.Instant.from("2026-11-20T10:00:00Z");
const at = (seconds: number): Temporal.Instant => start.add({ seconds });

const reporter = "tasks:1";
const source = "subtasks:7";

/** What a list says of a task's subtasks. */
function row({ time = 0, count = 2, progress = 0 }): HintRow {
  return {
    about: source,
    reporter: "task-row",
    updatedAt: at(time),
    timeSign: "task-time",
    counts: [
      { sign: "task-subtasks", value: String(count) },
      { sign: "task-progress", value: String(progress) },
    ],
  };
}

function rig() {
  const trust = new SignTrust(null);
  const hints = new Hints(trust);
  return {
    trust,
    hints,
    told: (seconds: number, ...rows: readonly HintRow[]) =>
      hints.report(reporter, { at: at(seconds), rows }).changed,
    unchanged: (seconds: number) => hints.silent(reporter, at(seconds)).unchanged,
    read: (seconds: number, ...changes: readonly number[]) =>
      hints.read(source, { at: at(seconds), changes: changes.map(at) }),
  };
}

describe("hints of a change", () => {
  it("are not given by a row that is new or unchanged", () => {
    const { told } = rig();
    expect(told(10, row({}))).toEqual([]);
    expect(told(20, row({}))).toEqual([]);
  });

  it.each([
    ["its time", { time: 15 }],
    ["a count", { count: 3 }],
    ["its progress", { progress: 50 }],
  ])("are given when %s has moved", (_, moved) => {
    const { told } = rig();
    told(10, row({}));
    expect(told(20, row(moved))).toEqual([
      { source, probability: 0.5, changedAt: at("time" in moved ? moved.time : 0) },
    ]);
  });

  it("are not given if the source was read since", () => {
    const { told, read, trust } = rig();
    told(10, row({}));
    read(18, 15);
    expect(told(20, row({ time: 15, count: 3 }))).toEqual([]);
    read(30);
    expect(trust.text()).toBe("");
  });

  it("are not given by what a reading revealed, even if the service's clock is ahead", () => {
    const { told, read } = rig();
    told(10, row({}));
    read(18, 3_600);
    expect(told(20, row({ time: 3_600 }))).toEqual([]);
    expect(told(30, row({ time: 3_610 }))).toHaveLength(1);
  });

  it("are given by what happened after the source was read", () => {
    const { told, read } = rig();
    told(10, row({}));
    read(14);
    expect(told(20, row({ time: 15 }))).toHaveLength(1);
  });

  it("are not given by a field that has never been a reliable sign", () => {
    const { told, read } = rig();
    told(0, row({}));
    for (let round = 1; round <= 10; round += 1) {
      expect(told(round * 100, row({ time: round * 100 - 5 }))).toHaveLength(1);
      read(round * 100 + 10);
    }
    expect(told(2_000, row({ time: 1_990 }))).toEqual([]);
  });

  it("are not given by a missing field", () => {
    const { hints } = rig();
    const bare = {
      about: source,
      reporter: "task-row",
      updatedAt: null,
      timeSign: "task-time",
    } as const;
    const tell = (seconds: number, value: string | null) =>
      hints.report(reporter, {
        at: at(seconds),
        rows: [{ ...bare, counts: [{ sign: "task-subtasks", value }] }],
      }).changed;
    expect([tell(1, null), tell(2, "3"), tell(3, null), tell(4, "4")].flat()).toEqual([]);
  });
});

it("are not given twice by two sources for the same change", () => {
  const { hints, told, read } = rig();
  const list = {
    ...row({}),
    about: reporter,
    reporter: "list-row",
    timeSign: "list-time",
  } as const;
  hints.report("todolists:1", { at: at(0), rows: [list] });
  const asked = (seconds: number, shown: HintRow) => {
    hints.read(reporter, { at: at(seconds), changes: [] });
    return told(seconds, shown);
  };
  asked(10, row({}));
  read(14);
  expect(asked(20, row({ count: 3 }))).toEqual([]);
});

describe("hints of silence", () => {
  /** Reports `count` changes, and is silent about `untold` others. */
  function rounds({ told: count = 0, untold = 0 }) {
    const made = rig();
    made.told(0, row({}));
    for (let round = 1; round <= count + untold; round += 1) {
      const time = 100 * round;
      if (round <= count) made.told(time + 20, row({ time }));
      else made.unchanged(time + 20);
      made.read(time + 30, time);
    }
    return { ...made, end: 100 * (count + untold) + 40 };
  }

  it("are not given while too little is known", () => {
    const { unchanged, end } = rounds({ told: 9 });
    expect(unchanged(end)).toEqual([]);
  });

  it.each([
    ["all changes", { told: 40 }, 0.95],
    ["every other change", { told: 20, untold: 20 }, 0.48],
    ["hardly any", { told: 1, untold: 39 }, 0.02],
  ])("make silence as probable as rows have reported %s", (_, given, part) => {
    const { unchanged, end } = rounds(given);
    const [hint] = unchanged(end);
    expect(hint?.source).toBe(source);
    expect(hint?.probability).toBeCloseTo(part, 2);
  });

  it("are not given for a source with a pending hint", () => {
    const { unchanged, told, read, end } = rounds({ told: 40 });
    told(end, row({ time: end - 10 }));
    expect(unchanged(end + 10)).toEqual([]);
    read(end + 20, end - 10);
    expect(unchanged(end + 30)).toHaveLength(1);
  });

  it("ignore changes before the row was first shown, or after it was last shown", () => {
    const { told, read, trust } = rig();
    told(100, row({}));
    read(200, 50, 98, 150);
    expect(trust.text()).toBe("");
  });

  it("spread over the thousands of tasks of a list, once they were read after it", () => {
    const { hints, trust } = rounds({ told: 40 });
    const rows = Array.from({ length: 450 }, (_, nth) => ({
      ...row({}),
      about: `subtasks:${nth + 100}`,
    }));
    hints.report("tasks:2", { at: at(0), rows });
    expect(hints.silent("tasks:2", at(0)).unchanged).toEqual([]);
    for (const { about } of rows) hints.read(about, { at: at(0), changes: [] });
    const spokenOf = [1, 2, 3].flatMap((seconds) =>
      hints.silent("tasks:2", at(seconds)).unchanged.map((hint) => hint.source),
    );
    expect(new Set(spokenOf).size).toBe(450);
    expect(trust.coverage("task-row")).toBeGreaterThan(0.9);
  });
});

describe("learning from a reading", () => {
  it("counts a sign as right if the source has changed, otherwise as wrong", () => {
    const { told, read, trust } = rig();
    told(10, row({}));
    told(20, row({ time: 15 }));
    expect(read(25, 15)).toBe(true);
    expect(trust.worth("task-time")).toBeCloseTo(0.67, 2);
    told(30, row({ time: 28 }));
    read(35);
    expect(trust.worth("task-time")).toBe(0.5);
  });

  it("ignores a change that was edited here, once", () => {
    const { told, read, hints, trust } = rig();
    told(10, row({}));
    hints.knownOtherwise(source);
    told(20, row({ time: 15 }));
    expect(read(25)).toBe(false);
    told(30, row({ time: 28 }));
    expect(read(35)).toBe(true);
    expect(trust.worth("task-time")).toBeCloseTo(0.33, 2);
  });

  it("ignores sources without signs, and removed ones", () => {
    const { told, read, hints } = rig();
    expect(read(5, 1)).toBe(false);
    told(10, row({}));
    told(20, row({ time: 15 }));
    hints.drop(source);
    expect(read(25, 15)).toBe(false);
    expect(told(30, row({ time: 28 }))).toEqual([]);
  });

  it("trusts a field that predicts everything after a while, and no other", () => {
    const { told, read, trust } = rig();
    told(0, row({}));
    for (let round = 1; round <= 40; round += 1) {
      const time = round * 100 - 20;
      told(round * 100, row({ time, progress: round % 2 }));
      read(round * 100 + 10, ...(round % 4 === 0 ? [] : [time]));
      told(round * 100 + 20, row({ time, progress: round % 2 }));
    }
    expect(trust.worth("task-time")).toBeCloseTo(0.74, 1);
    expect(trust.text()).not.toContain("task-subtasks");
  });
});

it("rows of tasks hint at their subtasks, by which field", () => {
  const parent = { subtaskCount: 2, percent: 40, updatedAt: start };
  const items = [aTask(7, parent), aTask(8, parent), aTask(9, { subtaskCount: 0 })];
  const rows = hintRowsOfTasks(items, new Set([8]));
  expect(rows.map(({ about, timeSign }) => [about, timeSign])).toEqual([
    ["subtasks:7", "task-time"],
    ["subtasks:8", "task-content"],
  ]);
  expect(rows[0]?.counts.map(({ value }) => value)).toEqual(["2", "40"]);
});

describe("rows of lists", () => {
  const list = {
    id: listId(3),
    projectId: projectId(1),
    title: "List",
    archived: false,
    private: false,
    updatedAt: start,
  };

  it.each([
    [5, 2, "5 2"],
    [null, null, null],
    [5, null, "5 null"],
  ])("hint at tasks by the counts %j and %j", (completed, remaining, value) => {
    const [row] = hintRowsOfLists([{ ...list, completed, remaining }]);
    expect(row).toMatchObject({ about: "tasks:3", timeSign: "list-time", updatedAt: start });
    expect(row?.counts).toEqual([{ sign: "list-counts", value }]);
  });
});
