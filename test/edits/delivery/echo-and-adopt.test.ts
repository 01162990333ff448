import { describe, expect, it } from "vitest";
import { labelId, personId } from "../../../src/domain/ids.ts";
import type { EventItem, Item, TaskItem } from "../../../src/domain/item.ts";
import type { Patch } from "../../../src/domain/patch.ts";
import { describeEcho, missingFields } from "../../../src/edits/delivery/echo.ts";
import { createItemCalls, NoParentError } from "../../../src/edits/delivery/item-calls.ts";
import { anEvent, aTask, days, times } from "../../support/items.ts";
import { clientOf } from "../../upstream/loopback.ts";

const update = { action: "update", newLabels: [], base: aTask(1), conflicts: [] } as const;
const minutes = (count: number) => Temporal.Duration.from({ minutes: count });
const day = Temporal.PlainDate.from("2026-11-23");

describe("missingFields() result", () => {
  it.each<[string, Patch, Item]>([
    [
      "trimmed text",
      { title: " A  ", description: "b\n" },
      anEvent(1, { title: "A", description: "b" }),
    ],
    ["<br> for line ends", { description: "a\nb" }, anEvent(1, { description: "a<br>b" })],
    [
      "paragraphs for lines",
      { description: "a\nb" },
      anEvent(1, { description: "<p>a</p><p>b</p>" }),
    ],
    ["an empty text for none", { description: null }, anEvent(1, { description: "" })],
    [
      "cut seconds",
      { when: times("2026-11-23T10:00:30") },
      anEvent(1, { when: times("2026-11-23T10:00") }),
    ],
    [
      "another order",
      { assigned: [personId(2), personId(1)] },
      anEvent(1, { assigned: [personId(1), personId(2)] }),
    ],
    [
      "the first day of a milestone",
      { milestone: true, when: days("2026-11-23", "2026-11-25") },
      anEvent(1, { milestone: true, when: days("2026-11-23") }),
    ],
  ])("is empty when the service writes %s", (_name, patch, answer) => {
    expect(missingFields(patch, answer)).toEqual([]);
  });

  it.each<[string, Patch, Item]>([
    ["title", { title: "A" }, anEvent(1, { title: "B" })],
    ["description", { description: "a b" }, anEvent(1, { description: "a\nb" })],
    ["description", { description: "a" }, anEvent(1, { description: "<p>b</p>" })],
    ["when", { when: days("2026-11-23") }, anEvent(1, { when: days("2026-11-24") })],
    ["completed", { completed: true }, aTask(1)],
    ["assigned", { assigned: [personId(1)] }, aTask(1)],
    ["dueOn", { dueOn: null }, aTask(1)],
    [
      "reminder",
      { reminder: null },
      anEvent(1, { reminder: Temporal.Duration.from({ minutes: 5 }) }),
    ],
  ])("names %s when it was not taken over", (field, patch, answer) => {
    expect(missingFields(patch, answer)).toEqual([field]);
  });

  it("is told in one sentence, labels of unknown ids apart", () => {
    const labels = [labelId(5)];
    const wish = { ...update, patch: { title: "A", labels } };
    expect(describeEcho(wish, aTask(1))).toContain("title, labels");
    const fresh = { ...wish, patch: { labels }, newLabels: ["Fresh"] };
    expect(describeEcho(fresh, aTask(1, { labels: [...labels, labelId(9)] }))).toBeNull();
    expect(describeEcho(fresh, aTask(1, { labels }))).toContain("labels");
    expect(describeEcho({ ...fresh, patch: {} }, aTask(1))).toContain("labels");
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
    expect(describeEcho({ ...update, action: "create", base, patch }, answer)).toContain(field);
    expect(describeEcho({ ...update, action: "create", base, patch }, base)).toBeNull();
  });

  it.each<[string, Patch, Partial<TaskItem>]>([
    ["assigned", { assigned: [personId(11), personId(13)] }, { assigned: [personId(11)] }],
    ["labels", { labels: [labelId(5), labelId(6)] }, { labels: [labelId(5)] }],
    ["startOn", { startOn: day }, { startOn: null }],
    ["dueOn", { dueOn: day }, { dueOn: day.add({ days: 1 }) }],
    ["estimated", { estimated: minutes(90) }, { estimated: minutes(60) }],
    ["completed", { completed: true }, { completed: false }],
  ])("names %s that was dropped from a new task", (field, patch, got) => {
    const base = aTask(1, patch);
    const answer = aTask(1, got);
    expect(describeEcho({ ...update, action: "create", base, patch }, answer)).toContain(field);
    expect(describeEcho({ ...update, action: "create", base, patch }, base)).toBeNull();
  });

  it("leaves out whom somebody else has added, and what was dropped in a conflict", () => {
    const [one, two] = [personId(1), personId(2)];
    const wish = { ...update, patch: { assigned: [one] } };
    expect(describeEcho(wish, aTask(1, { assigned: [one, two] }))).toBeNull();
    expect(describeEcho(wish, aTask(1, { assigned: [two] }))).toContain("assigned");
    const lost = { field: "title", base: "A", ours: "B", theirs: "C", taken: "ours" } as const;
    const dropped = { ...wish, patch: { title: "C" }, conflicts: [lost] };
    expect(describeEcho(dropped, aTask(1, { title: "B" }))).toBeNull();
  });
});

describe("createItemCalls() result", () => {
  it("throws for a subtask without a parent", () => {
    const { upstream } = clientOf("http://127.0.0.1:9/api/v3");
    const calls = createItemCalls(upstream, { priority: "edit" });
    expect(() => calls.list(aTask(1, { kind: "subtask" }))).toThrow(NoParentError);
  });
});
