import { describe, expect, it } from "vitest";
import { listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { likenessOf } from "../../src/domain/lost-creation.ts";
import { anEvent, aTask, days } from "../support/items.ts";

const sentAt = Temporal.Instant.from("2026-11-20T12:00:00.900Z");
const createdAt = Temporal.Instant.from("2026-11-20T12:00:00Z");
const party = { title: "Party", when: days("2026-12-24"), byMe: true, createdAt };
const description = "Bring cake";
const wished = anEvent(1, { ...party, description });
const lost = { wished, sentAt, resentAt: null, actor: null };
const elsewhere = { title: "X", when: days("2026-12-29") };
const changed = (after: Temporal.DurationLike) => ({ updatedAt: createdAt.add(after) });
const stamped = (by: Temporal.DurationLike, other: Parameters<typeof anEvent>[1] = {}) =>
  anEvent(9, { ...party, ...other, createdAt: createdAt.add(by) });

describe("likeness of an event", () => {
  it.each<[string, Item, "same" | "altered" | null]>([
    ["the same title and dates", anEvent(9, party), "same"],
    ["a trimmed title", anEvent(9, { ...party, title: "Party " }), "same"],
    ["no creation time", anEvent(9, { ...party, createdAt: null }), "same"],
    ["a clock an hour behind", stamped({ hours: -1 }), "same"],
    ["a clock 14 hours ahead", stamped({ hours: 14 }), "same"],
    ["a clock years behind", stamped({ hours: -24 * 800 }), "same"],
    ["a clock years ahead", stamped({ hours: 24 * 800 }), "same"],
    ["stamps of days ago and another title", stamped({ hours: -48 }, { title: "Feast" }), null],
    [
      "another title, made so a minute later",
      stamped({ minutes: 1 }, { ...changed({ minutes: 1 }), title: "Feast" }),
      null,
    ],
    [
      "another title, changed a minute later",
      stamped({ minutes: 1 }, { ...changed({ minutes: 2 }), title: "Feast" }),
      "altered",
    ],
    [
      "another title, made and changed at once",
      stamped({ seconds: 1 }, { ...changed({ seconds: 1 }), title: "Feast" }),
      "altered",
    ],
    [
      "another project, made so a minute later",
      stamped({ minutes: 1 }, { ...changed({ minutes: 1 }), projectId: projectId(2002) }),
      "altered",
    ],
    ["another title", anEvent(9, { ...party, title: "Feast" }), "altered"],
    ["another day", anEvent(9, { ...party, when: days("2026-12-25") }), "altered"],
    ["another project", anEvent(9, { ...party, projectId: projectId(2002) }), "altered"],
    ["become a milestone", anEvent(9, { ...party, milestone: true }), "altered"],
    ["only the description left", anEvent(9, { ...party, ...elsewhere, description }), "altered"],
    ["nothing in common", anEvent(9, { ...party, ...elsewhere }), null],
    ["another hand", anEvent(9, { ...party, byMe: false, creatorId: personId(12) }), null],
    ["another kind", aTask(9, { title: "Party", byMe: true, createdAt }), null],
  ])("with %s", (_what, item, expected) => {
    expect(likenessOf(item, lost)).toBe(expected);
  });

  it.each<[string, number, number | null, "altered" | null]>([
    ["2 s before, by an unknown clock", 0, null, "altered"],
    ["2 s before, by the same clock", 0, 0, null],
    ["2 s before, by a clock that is 3 s behind", -3, 3, null],
    ["within the same second", 2, 0, "altered"],
    ["within the same second, by a clock that is 3 s behind", -1, 3, "altered"],
    ["2 s after, by a clock that is 3 s ahead", 7, -3, "altered"],
  ])("with another title, created so %s", (_what, seconds, ahead, expected) => {
    const title = "Feast";
    const item = stamped({ seconds }, { ...changed({ seconds }), title });
    const left = { sentAt: sentAt.add({ seconds: 2 }), resentAt: null, actor: null };
    const clockLead = ahead === null ? null : Temporal.Duration.from({ seconds: ahead });
    expect(likenessOf(item, { wished, ...left, clockLead })).toBe(expected);
  });

  it.each<[string, number, number | null, "altered" | null]>([
    ["a minute before, by a clock that is 30 s ahead", -30, -30, null],
    ["a minute before, by an unknown clock", -60, null, "altered"],
    ["then, by a clock that was set by 4 s since", -4, 0, "altered"],
  ])("with another title, created %s, and changed since", (_what, seconds, ahead, expected) => {
    const item = stamped({ seconds }, { ...changed({ minutes: 2 }), title: "Feast" });
    const clockLead = ahead === null ? null : Temporal.Duration.from({ seconds: ahead });
    expect(likenessOf(item, { ...lost, clockLead })).toBe(expected);
  });

  it("is certain if the edit's person created it", () => {
    const item = anEvent(9, { ...party, byMe: false, creatorId: personId(12) });
    expect(likenessOf(item, { ...lost, actor: personId(12) })).toBe("same");
  });
});

describe("likeness of a task", () => {
  const task = aTask(1, { byMe: true, createdAt, dueOn: Temporal.PlainDate.from("2026-11-24") });
  const made = { ...task, id: serviceId(2) };
  it.each<[string, Item, "same" | "altered" | null]>([
    ["the same", made, "same"],
    ["another list", { ...made, listId: listId(3009) }, "altered"],
    ["no date any more", { ...made, dueOn: null }, "altered"],
    ["only an unset date in common", { ...made, title: "X", dueOn: null }, null],
    ["below a task", { ...made, kind: "subtask", parentId: serviceId(5) }, null],
  ])("with %s", (_what, item, expected) => {
    expect(likenessOf(item, { ...lost, wished: task })).toBe(expected);
  });
});
