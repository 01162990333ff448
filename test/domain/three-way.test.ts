import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelId, personId } from "../../src/domain/ids.ts";
import type { EventItem, TaskItem } from "../../src/domain/item.ts";
import { fieldsOf, type Patch, type PatchField } from "../../src/domain/patch.ts";
import { sameStored } from "../../src/domain/sameness.ts";
import { describeConflicts, describeUntaken, mergeFields } from "../../src/domain/three-way.ts";
import { anEvent, aTask, days, times } from "../support/items.ts";

const people = (...ids: readonly number[]): Patch => ({ assigned: ids.map(personId) });
const labels = (...ids: readonly number[]): Patch => ({ labels: ids.map(labelId) });
const day = (text: string) => Temporal.PlainDate.from(text);

describe("mergeFields() result", () => {
  it.each<[string, Patch, Patch, Patch, Patch, (readonly PatchField[])?]>([
    [
      "only the edit changed the field",
      { title: "A" },
      { title: "A" },
      { title: "B" },
      { title: "B" },
    ],
    [
      "each side changed another field",
      { title: "A", description: null },
      { title: "A", description: "new" },
      { title: "B" },
      { title: "B" },
    ],
    ["both changed it alike", { title: "A" }, { title: "B" }, { title: "B" }, {}],
    ["both changed it differently", { title: "A" }, { title: "B" }, { title: "C" }, {}, ["title"]],
    ["the wish is what the editor saw", { title: "A" }, { title: "B" }, { title: "A" }, {}],
    [
      "a day is unset here and moved there",
      { dueOn: day("2026-11-24") },
      { dueOn: day("2026-11-25") },
      { dueOn: null },
      {},
      ["dueOn"],
    ],
    [
      "one side moved the start and the other the end: times are one field",
      { when: times("2026-11-23T10:00", "2026-11-23T11:00") },
      { when: times("2026-11-23T09:00", "2026-11-23T11:00") },
      { when: times("2026-11-23T10:00", "2026-11-23T12:00") },
      {},
      ["when"],
    ],
    [
      "one side made it all-day and the other moved it",
      { when: times("2026-11-23T10:00") },
      { when: days("2026-11-23") },
      { when: times("2026-11-24T10:00") },
      {},
      ["when"],
    ],
    ["both sides added people", people(1), people(1, 2), people(1, 3), people(1, 2, 3)],
    [
      "one side added labels and the other took some off",
      labels(1, 2),
      labels(1, 2, 3),
      labels(2),
      labels(2, 3),
    ],
    ["both sides took the same person off", people(1, 2), people(2), people(2), {}],
    ["the same person was put in by both sides", people(), people(1), people(1), {}],
  ])("when %s", (_name, base, ours, theirs, patch, conflicts = []) => {
    expect(mergeFields({ base, ours, theirs })).toEqual({ patch, conflicts });
  });

  it("treats values as equal as configured", () => {
    const sides = { base: { title: "a" }, ours: { title: "A" }, theirs: { title: "b" } };
    const alike = (_field: PatchField, a: Patch, b: Patch) =>
      a.title?.toLowerCase() === b.title?.toLowerCase();
    expect(mergeFields(sides).conflicts).toEqual(["title"]);
    expect(mergeFields(sides, alike)).toEqual({ patch: { title: "b" }, conflicts: [] });
  });
});

const values = fc.record({
  title: fc.constantFrom("A", "B", "C"),
  description: fc.constantFrom(null, "d", "e"),
  completed: fc.boolean(),
  dueOn: fc.constantFrom(null, day("2026-11-24"), day("2026-11-25")),
  estimated: fc.constantFrom(null, Temporal.Duration.from({ hours: 1 })),
  assigned: fc.subarray([1, 2, 3, 4].map(personId)),
  labels: fc.subarray([1, 2, 3, 4].map(labelId)),
});
const wish = fc
  .tuple(values, fc.subarray(["title", "description", "completed", "dueOn", "estimated"] as const))
  .chain(([all, scalars]) =>
    fc.subarray(["assigned", "labels"] as const).map((sets): Patch => {
      const spoken: readonly PatchField[] = [...scalars, ...sets];
      return Object.fromEntries(
        spoken.map((field) => [field, new Map(Object.entries(all)).get(field)]),
      );
    }),
  );

const land = (ours: Patch, { patch }: { readonly patch: Patch }): Patch => ({ ...ours, ...patch });
const same = (a: Patch, b: Patch): boolean =>
  fieldsOf({ ...a, ...b }).every((field) => sameStored(field, a, b));

describe("mergeFields() of any three versions", () => {
  it("sends, names as a conflict, or finds already there whatever was wished", () => {
    fc.assert(
      fc.property(values, values, wish, (base, ours, theirs) => {
        const merge = mergeFields({ base, ours, theirs });
        const landed = land(ours, merge);
        for (const field of fieldsOf(theirs)) {
          if (field === "assigned" || field === "labels") continue;
          const isKept = sameStored(field, landed, theirs);
          const isSpoken = merge.conflicts.includes(field);
          const isNoWish = sameStored(field, base, theirs);
          expect(isKept || isSpoken || isNoWish).toBe(true);
          if (isSpoken) expect(sameStored(field, landed, ours)).toBe(true);
        }
      }),
    );
  });

  it("never takes a change of the workspace away that the edit does not speak of", () => {
    fc.assert(
      fc.property(values, values, wish, (base, ours, theirs) => {
        const { patch } = mergeFields({ base, ours, theirs });
        for (const field of fieldsOf(patch)) {
          if (field === "assigned" || field === "labels") continue;
          expect(sameStored(field, base, ours)).toBe(true);
        }
        const landed = land(ours, { patch });
        const kept = ours.assigned.filter((id) => !base.assigned.includes(id));
        for (const id of kept) expect(landed.assigned).toContain(id);
        const wished = (theirs.assigned ?? []).filter((id) => !base.assigned.includes(id));
        for (const id of wished) expect(landed.assigned).toContain(id);
        const removed = theirs.assigned
          ? base.assigned.filter((id) => !theirs.assigned?.includes(id))
          : [];
        for (const id of removed) expect(landed.assigned).not.toContain(id);
      }),
    );
  });

  it("has nothing left to send the second time", () => {
    fc.assert(
      fc.property(values, values, wish, (base, ours, theirs) => {
        const first = mergeFields({ base, ours, theirs });
        const again = mergeFields({ base, ours: land(ours, first), theirs });
        expect(again.patch).toEqual({});
        expect(again.conflicts).toEqual(first.conflicts);
      }),
    );
  });

  it("comes to the same in either order when two edits conflict in nothing", () => {
    fc.assert(
      fc.property(values, wish, wish, (base, a, b) => {
        const oneWay = land(base, mergeFields({ base, ours: base, theirs: a }));
        const otherWay = land(base, mergeFields({ base, ours: base, theirs: b }));
        const [second, other] = [
          mergeFields({ base, ours: oneWay, theirs: b }),
          mergeFields({ base, ours: otherWay, theirs: a }),
        ];
        expect(second.conflicts).toEqual(other.conflicts);
        fc.pre(second.conflicts.length === 0);
        expect(same(land(oneWay, second), land(otherWay, other))).toBe(true);
      }),
    );
  });
});

it("describeConflicts() result keeps every value in JSON", () => {
  const sides = {
    base: { dueOn: day("2026-11-24") },
    ours: { dueOn: null },
    theirs: { dueOn: day("2026-11-26") },
  };
  expect(describeConflicts(["dueOn"], { ...sides, taken: null })).toEqual([
    { field: "dueOn", base: "2026-11-24", ours: null, theirs: "2026-11-26", taken: null },
  ]);
});

const update = { action: "update", newLabels: [], base: aTask(1), conflicts: [] } as const;
const minutes = (count: number) => Temporal.Duration.from({ minutes: count });

describe("describeUntaken() result", () => {
  it("is one sentence, labels of unknown ids apart", () => {
    const labels = [labelId(5)];
    const wish = { ...update, patch: { title: "A", labels } };
    expect(describeUntaken(wish, aTask(1))).toContain("title, labels");
    const fresh = { ...wish, patch: { labels }, newLabels: ["Fresh"] };
    expect(describeUntaken(fresh, aTask(1, { labels: [...labels, labelId(9)] }))).toBeNull();
    expect(describeUntaken(fresh, aTask(1, { labels }))).toContain("labels");
    expect(describeUntaken({ ...fresh, patch: {} }, aTask(1))).toContain("labels");
  });

  it.each<[string, Patch, Partial<EventItem>]>([
    ["assigned", { assigned: [personId(11), personId(13)] }, { assigned: [personId(11)] }],
    ["title", { title: "A long title" }, { title: "A long" }],
    ["description", { description: "a" }, { description: null }],
    ["when", { when: days("2026-11-23") }, { when: days("2026-11-24") }],
    ["reminder", { reminder: minutes(7) }, { reminder: minutes(5) }],
    ["milestone", { milestone: true }, { milestone: false }],
    ["private", { private: true }, { private: false }],
    ["completed", { completed: true }, { completed: false }],
  ])("names %s that was dropped from a new event", (field, patch, got) => {
    const base = anEvent(1, patch);
    const answer = anEvent(1, got);
    expect(describeUntaken({ ...update, action: "create", base, patch }, answer)).toContain(field);
    expect(describeUntaken({ ...update, action: "create", base, patch }, base)).toBeNull();
  });

  it.each<[string, Patch, Partial<TaskItem>]>([
    ["assigned", { assigned: [personId(11), personId(13)] }, { assigned: [personId(11)] }],
    ["labels", { labels: [labelId(5), labelId(6)] }, { labels: [labelId(5)] }],
    ["startOn", { startOn: day("2026-11-23") }, { startOn: null }],
    ["dueOn", { dueOn: day("2026-11-23") }, { dueOn: day("2026-11-24") }],
    ["estimated", { estimated: minutes(90) }, { estimated: minutes(60) }],
    ["completed", { completed: true }, { completed: false }],
  ])("names %s that was dropped from a new task", (field, patch, got) => {
    const base = aTask(1, patch);
    const answer = aTask(1, got);
    expect(describeUntaken({ ...update, action: "create", base, patch }, answer)).toContain(field);
    expect(describeUntaken({ ...update, action: "create", base, patch }, base)).toBeNull();
  });

  it("omits people whom someone else has added, and values dropped in a conflict", () => {
    const [one, two] = [personId(1), personId(2)];
    const wish = { ...update, patch: { assigned: [one] } };
    expect(describeUntaken(wish, aTask(1, { assigned: [one, two] }))).toBeNull();
    expect(describeUntaken(wish, aTask(1, { assigned: [two] }))).toContain("assigned");
    const lost = { field: "title", base: "A", ours: "B", theirs: "C", taken: "ours" } as const;
    const dropped = { ...wish, patch: { title: "C" }, conflicts: [lost] };
    expect(describeUntaken(dropped, aTask(1, { title: "B" }))).toBeNull();
  });
});
