import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { applyPatch, fieldsOf, pick, valuesOf } from "../../src/domain/patch.ts";
import { changedFields } from "../../src/domain/sameness.ts";
import { dates } from "../support/items.ts";
import { anEvent, aTask } from "./items.ts";

const day = (text: string) => Temporal.PlainDate.from(text);

it("fields of a patch are listed in one order, including null", () => {
  expect(fieldsOf({ dueOn: null, title: "A" })).toEqual(["title", "dueOn"]);
  expect(pick({ title: "A", dueOn: null }, ["dueOn"])).toEqual({ dueOn: null });
});

describe("applying a patch", () => {
  it("ignores fields that the kind does not have", () => {
    expect(applyPatch(anEvent(), { dueOn: day("2026-01-01"), labels: [] })).toEqual(anEvent());
    expect(applyPatch(aTask(), { milestone: true, reminder: null })).toEqual(aTask());
  });

  it("clears with null and keeps what is not mentioned", () => {
    const task = applyPatch(aTask(), { description: null, dueOn: null, estimated: null });
    expect(task).toEqual(aTask({ description: null, dueOn: null, estimated: null }));
    expect(applyPatch(anEvent(), { reminder: null })).toEqual(anEvent({ reminder: null }));
  });

  it("sets every field of an event", () => {
    const when = dates("2026-01-01", "2026-01-02");
    const wish = { title: "B", description: "d", when, milestone: true, private: true };
    expect(applyPatch(anEvent(), wish)).toEqual(anEvent(wish));
  });

  it("completes a task with 100 % and forgets who completed it before", () => {
    const before = aTask({
      completedBy: personId(3),
      completedAt: Temporal.Instant.from("2026-01-01T00:00Z"),
    });
    const done = applyPatch(before, { completed: true });
    expect(done).toMatchObject({
      completed: true,
      percent: 100,
      completedAt: null,
      completedBy: null,
    });
  });

  it("reopens a task at 0 %", () => {
    const done = aTask({ completed: true, percent: 100, completedBy: personId(3) });
    expect(applyPatch(done, { completed: false })).toMatchObject({
      completed: false,
      percent: 0,
      completedBy: null,
    });
  });

  it("keeps who completed a task if it is completed again", () => {
    const done = aTask({ completed: true, completedBy: personId(3) });
    expect(applyPatch(done, { completed: true })).toMatchObject({ completedBy: personId(3) });
  });
});

it("an unchanged editor sends no changes", () => {
  for (const item of [anEvent(), aTask()]) {
    expect(applyPatch(item, changedFields(valuesOf(item), valuesOf(item)))).toEqual(item);
    expect(changedFields(valuesOf(item), valuesOf(item))).toEqual({});
  }
});
