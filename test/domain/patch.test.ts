import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelId, personId } from "../../src/domain/ids.ts";
import {
  applyPatch,
  changedFields,
  fieldsOf,
  type Patch,
  type PatchField,
  patchFields,
  pick,
  sameField,
  valuesOf,
} from "../../src/domain/patch.ts";
import { anEvent, aTask, dates, times } from "./items.ts";

const minutes = (count: number) => Temporal.Duration.from({ minutes: count });
const day = (text: string) => Temporal.PlainDate.from(text);

/** Any patch, with values that tend to meet. */
const patches: fc.Arbitrary<Patch> = fc.record(
  {
    title: fc.constantFrom("A", "B"),
    description: fc.constantFrom(null, "", "text"),
    when: fc.constantFrom(dates("2026-01-01", "2026-01-02"), times("2026-01-01T10:00", null)),
    reminder: fc.constantFrom(null, minutes(0), minutes(30)),
    milestone: fc.boolean(),
    private: fc.boolean(),
    completed: fc.boolean(),
    assigned: fc.uniqueArray(fc.constantFrom(personId(1), personId(2), personId(3))),
    labels: fc.uniqueArray(fc.constantFrom(labelId(1), labelId(2))),
    startOn: fc.constantFrom(null, day("2026-01-01"), day("2026-01-02")),
    dueOn: fc.constantFrom(null, day("2026-01-01"), day("2026-01-02")),
    estimated: fc.constantFrom(null, minutes(30), minutes(60)),
  },
  { requiredKeys: [] },
);

describe("sameField()", () => {
  it.each<[PatchField, Patch, Patch, boolean]>([
    ["title", { title: "A" }, { title: "A" }, true],
    ["title", { title: "A" }, { title: "a" }, false],
    ["description", { description: null }, { description: "" }, false],
    ["completed", { completed: true }, {}, false],
    ["milestone", { milestone: true }, { milestone: true }, true],
    ["private", { private: true }, { private: false }, false],
    [
      "when",
      { when: times("2026-01-01T10:00", null) },
      { when: times("2026-01-01T09:00", null, "UTC") },
      true,
    ],
    ["when", { when: times("2026-01-01T10:00", null) }, {}, false],
    ["when", {}, {}, true],
    ["reminder", { reminder: minutes(60) }, { reminder: Temporal.Duration.from("PT1H") }, true],
    ["reminder", { reminder: Temporal.Duration.from("P1W") }, { reminder: minutes(10_080) }, true],
    ["reminder", { reminder: Temporal.Duration.from("PT90S") }, { reminder: minutes(2) }, true],
    ["reminder", { reminder: minutes(0) }, { reminder: null }, false],
    ["reminder", { reminder: null }, {}, false],
    ["estimated", { estimated: minutes(60) }, { estimated: minutes(61) }, false],
    ["startOn", { startOn: day("2026-01-01") }, { startOn: day("2026-01-01") }, true],
    ["startOn", { startOn: null }, {}, false],
    ["dueOn", { dueOn: day("2026-01-01") }, { dueOn: null }, false],
    ["dueOn", { dueOn: null }, { dueOn: null }, true],
    [
      "assigned",
      { assigned: [personId(1), personId(2)] },
      { assigned: [personId(2), personId(1), personId(1)] },
      true,
    ],
    ["assigned", { assigned: [] }, {}, false],
    ["labels", { labels: [labelId(1)] }, { labels: [labelId(12)] }, false],
  ])("of %s when %j meets %j is %s", (field, a, b, expected) => {
    expect(sameField(field, a, b)).toBe(expected);
    expect(sameField(field, b, a)).toBe(expected);
  });

  it("is true for every field of a patch and itself", () => {
    fc.assert(
      fc.property(patches, (patch) => {
        expect(patchFields.every((field) => sameField(field, patch, patch))).toBe(true);
      }),
    );
  });
});

describe("changedFields()", () => {
  it("keeps only what the wish says otherwise", () => {
    const base: Patch = { title: "A", dueOn: day("2026-01-01"), assigned: [personId(1)] };
    const wish: Patch = { title: "B", dueOn: day("2026-01-01"), assigned: [personId(1)] };
    expect(changedFields(base, wish)).toEqual({ title: "B" });
  });

  it("is empty when nothing is wished, whatever the base says", () => {
    expect(changedFields({ title: "A" }, {})).toEqual({});
  });

  it("turns the item into the wish and nothing else when it is applied", () => {
    fc.assert(
      fc.property(patches, fc.boolean(), (wish, isEvent) => {
        const item = isEvent ? anEvent() : aTask();
        const has = fieldsOf(valuesOf(item));
        const own = pick(
          wish,
          fieldsOf(wish).filter((field) => has.includes(field)),
        );
        const changed = changedFields(valuesOf(item), own);
        const after = valuesOf(applyPatch(item, changed));
        for (const field of has) {
          const expected = own[field] === undefined ? valuesOf(item) : own;
          expect(sameField(field, after, expected), field).toBe(true);
        }
        expect(changedFields(after, own)).toEqual({});
      }),
    );
  });
});

describe("fieldsOf(), pick()", () => {
  it("name the fields in one order, null included", () => {
    expect(fieldsOf({ dueOn: null, title: "A" })).toEqual(["title", "dueOn"]);
    expect(pick({ title: "A", dueOn: null }, ["dueOn"])).toEqual({ dueOn: null });
  });
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

describe("valuesOf()", () => {
  it("is what an unchanged editor would send: it changes nothing", () => {
    for (const item of [anEvent(), aTask()]) {
      expect(applyPatch(item, changedFields(valuesOf(item), valuesOf(item)))).toEqual(item);
      expect(changedFields(valuesOf(item), valuesOf(item))).toEqual({});
    }
  });
});
