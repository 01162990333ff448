import { describe, expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import { applyPatch, fieldsOf, pick, valuesOf } from "../../src/domain/patch.ts";
import { changedFields } from "../../src/domain/sameness.ts";
import { dates } from "../support/items.ts";
import { anEvent, aTask } from "./items.ts";

const day = (text: string) => Temporal.PlainDate.from(text);

it("fieldsOf(), pick() name the fields in one order, null included", () => {
  expect(fieldsOf({ dueOn: null, title: "A" })).toEqual(["title", "dueOn"]);
  expect(pick({ title: "A", dueOn: null }, ["dueOn"])).toEqual({ dueOn: null });
});

describe("applyPatch()", () => {
  it("ignores fields that the kind does not have", () => {
    expect(applyPatch(anEvent(), { dueOn: day("2026-01-01"), labels: [] })).toEqual(anEvent());
    expect(applyPatch(aTask(), { milestone: true, reminder: null })).toEqual(aTask());
  });

  it("unsets by null and leaves what is not spoken of", () => {
    const task = applyPatch(aTask(), { description: null, dueOn: null, estimated: null });
    expect(task).toEqual(aTask({ description: null, dueOn: null, estimated: null }));
    expect(applyPatch(anEvent(), { reminder: null })).toEqual(anEvent({ reminder: null }));
  });

  it("sets every field of an event", () => {
    const when = dates("2026-01-01", "2026-01-02");
    const wish = { title: "B", description: "d", when, milestone: true, private: true };
    expect(applyPatch(anEvent(), wish)).toEqual(anEvent(wish));
  });

  it("completes a task with 100 % and forgets who did so before", () => {
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

  it("reopens a task from the start, as a hundred percent is what is completed", () => {
    const done = aTask({ completed: true, percent: 100, completedBy: personId(3) });
    expect(applyPatch(done, { completed: false })).toMatchObject({
      completed: false,
      percent: 0,
      completedBy: null,
    });
  });

  it("keeps who completed a task when it is completed again", () => {
    const done = aTask({ completed: true, completedBy: personId(3) });
    expect(applyPatch(done, { completed: true })).toMatchObject({ completedBy: personId(3) });
  });
});

it("valuesOf() is what an unchanged editor would send: it changes nothing", () => {
  for (const item of [anEvent(), aTask()]) {
    expect(applyPatch(item, changedFields(valuesOf(item), valuesOf(item)))).toEqual(item);
    expect(changedFields(valuesOf(item), valuesOf(item))).toEqual({});
  }
});
