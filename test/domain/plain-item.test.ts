import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelId, personId, serviceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import type { Patch } from "../../src/domain/patch.ts";
import {
  fromPlain,
  patchFromPlain,
  patchToPlain,
  publishedPart,
  toPlain,
} from "../../src/domain/plain-item.ts";
import { dates, times, zone } from "../support/items.ts";
import { anEvent, aTask } from "./items.ts";

const provenance = ({ id, byMe, updatedAt }: Item) => ({ id, byMe, updatedAt });
const again = (item: Item): Item =>
  fromPlain(JSON.parse(JSON.stringify(toPlain(item))), provenance(item), zone);

/** The whole value as text, whatever the order of its keys. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

describe("an item as JSON", () => {
  it.each<[string, Item]>([
    ["a timed event", anEvent()],
    ["an event without an end", anEvent({ when: times("2026-11-24T10:00", null) })],
    ["an event of whole days", anEvent({ when: dates("2026-11-24", "2026-11-26") })],
    ["a bare milestone", anEvent({ milestone: true, reminder: null, createdAt: null })],
    ["an unconfirmed event", anEvent({ id: null, creatorId: null, updatedAt: null })],
    ["a task", aTask({ assigned: [personId(11), personId(12)] })],
    [
      "a completed subtask",
      aTask({
        kind: "subtask",
        parentId: serviceId(600),
        assigned: [],
        labels: [labelId(1), labelId(2)],
        completed: true,
        completedAt: Temporal.Instant.from("2026-01-01T00:00:00Z"),
        completedBy: personId(11),
        startOn: null,
        dueOn: null,
        estimated: null,
        logged: Temporal.Duration.from({ minutes: 5 }),
      }),
    ],
  ])("keeps %s", (_name, item) => {
    expect(text(again(item))).toBe(text(item));
  });

  it("has times in the account's zone, whatever zone they came in", () => {
    const there = anEvent({ when: times("2026-11-24T18:00", null, "Asia/Tokyo") });
    const read = again(there);
    expect(read.kind === "event" && read.when.start.toString()).toBe(
      "2026-11-24T10:00:00+01:00[Europe/Berlin]",
    );
  });

  it("is equal if sets come in another order, and lengths are whole minutes", () => {
    const one = aTask({ assigned: [personId(2), personId(1)], labels: [labelId(9), labelId(3)] });
    const two = aTask({ assigned: [personId(1), personId(2)], labels: [labelId(3), labelId(9)] });
    expect(JSON.stringify(toPlain(one))).toBe(JSON.stringify(toPlain(two)));
    expect(toPlain(anEvent({ reminder: Temporal.Duration.from("P1W") }))).toMatchObject({
      reminderMinutes: 10_080,
    });
  });

  it("omits what is not content", () => {
    const other = anEvent({ id: serviceId(9), byMe: false, updatedAt: null });
    expect(toPlain(other)).toEqual(toPlain(anEvent()));
  });
});

describe("the published part", () => {
  const changed = (a: Item, b: Item) => publishedPart(toPlain(a)) !== publishedPart(toPlain(b));

  it.each<[string, Item, Item]>([
    ["a title", anEvent(), anEvent({ title: "B" })],
    ["a start", anEvent(), anEvent({ when: times("2026-11-24T10:01", null) })],
    ["a reminder", anEvent(), anEvent({ reminder: null })],
    ["an assignment", aTask(), aTask({ assigned: [] })],
    ["a due date", aTask(), aTask({ dueOn: null })],
    ["a label", aTask(), aTask({ labels: [labelId(1)] })],
    ["a percentage", aTask(), aTask({ percent: 21 })],
  ])("changes with %s", (_name, a, b) => {
    expect(changed(a, b)).toBe(true);
  });

  it.each<[string, Item, Item]>([
    ["a comment", aTask(), aTask({ commentCount: 4 })],
    ["a logged hour", aTask(), aTask({ logged: Temporal.Duration.from({ minutes: 60 }) })],
    ["an estimate", aTask(), aTask({ estimated: null })],
    ["a stage", aTask(), aTask({ stage: "Done" })],
    ["a later date of creation", anEvent(), anEvent({ createdAt: null })],
  ])("stays with %s", (_name, a, b) => {
    expect(changed(a, b)).toBe(false);
  });
});

describe("a patch as JSON", () => {
  const full: Patch = {
    title: "B",
    description: null,
    when: times("2026-11-24T10:00", "2026-11-24T11:00"),
    reminder: Temporal.Duration.from({ minutes: 30 }),
    milestone: true,
    private: false,
    completed: true,
    assigned: [personId(1), personId(2)],
    labels: [],
    startOn: Temporal.PlainDate.from("2026-11-24"),
    dueOn: null,
    estimated: null,
  };
  const back = (patch: Patch) => patchFromPlain(JSON.parse(text(patchToPlain(patch))), zone);

  it("keeps every subset of fields, including null", () => {
    fc.assert(
      fc.property(fc.subarray(Object.keys(full)), (names) => {
        const patch: Patch = Object.fromEntries(
          Object.entries(full).filter(([name]) => names.includes(name)),
        );
        const read = back(patch);
        expect(Object.keys(read).toSorted()).toEqual(Object.keys(patch).toSorted());
        expect(Object.entries(read).map(text).toSorted()).toEqual(
          Object.entries(patch).map(text).toSorted(),
        );
      }),
    );
  });

  it("writes cleared and set lengths, and dates of either kind", () => {
    const when = dates("2026-11-24", "2026-11-25");
    expect(patchToPlain({ when, reminder: null, dueOn: null })).toEqual({
      when: { startOn: "2026-11-24", endOn: "2026-11-25" },
      reminder: null,
      dueOn: null,
    });
    expect(text(back({ when }))).toBe(text({ when }));
  });
});
