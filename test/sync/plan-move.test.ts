import { describe, expect, it } from "vitest";
import type { Edit } from "../../src/domain/edit.ts";
import { editId, itemKey, listId, projectId } from "../../src/domain/ids.ts";
import { isOfMove } from "../../src/sync/plan-snapshot.ts";
import { untouched } from "../support/edits.ts";
import { anEvent, aTask, days } from "../support/items.ts";

const sentAt = Temporal.Instant.from("2026-11-20T12:00:00.400Z");
const createdAt = Temporal.Instant.from("2026-11-20T12:00:00Z");
const far = { projectId: projectId(2002), listId: listId(3009) };

const move = (more: Pick<Edit, "base" | "patch"> & Partial<Edit>): Edit => ({
  ...untouched,
  id: editId(1),
  channel: "caldav",
  actor: null,
  program: null,
  item: itemKey(1),
  action: "update",
  state: "claimed",
  attempts: 1,
  sentAt,
  createdAt: sentAt,
  updatedAt: sentAt,
  before: more.base,
  ...more,
});

describe("recognizing a task's move", () => {
  const task = move({ base: aTask(601, { title: "Write" }), patch: { place: far } });
  const copy = aTask(602, { ...far, title: "Write", byMe: true, createdAt });

  it.each([
    [
      "the task itself in its new list: it is simply there",
      aTask(601, { ...far, title: "Write" }),
      false,
    ],
    ["the same under another id, made when the move was sent", copy, true],
    ["the same under another id, with the old stamp", aTask(602, { ...far, title: "Write" }), true],
    ["another title", { ...copy, title: "Read" }, false],
    ["another day", { ...copy, dueOn: null }, false],
    ["the old list", { ...copy, listId: listId(3001), projectId: projectId(2001) }, false],
    ["someone else's", { ...copy, byMe: false }, false],
    [
      "made days before by its stamp",
      { ...copy, createdAt: createdAt.subtract({ hours: 48 }) },
      true,
    ],
  ])("%s", (_what, item, expected) => {
    expect(isOfMove(task, item)).toBe(expected);
  });

  it("ends with the move", () => {
    for (const state of ["confirmed", "parked"] as const) {
      expect(isOfMove({ ...task, state, parkReason: "refused" }, copy)).toBe(false);
    }
  });
});

describe("recognizing an event's move", () => {
  const when = days("2026-11-24");
  const base = anEvent(501, { title: "Launch", when });
  const place = { projectId: projectId(2002), listId: null };
  const event = move({ base, patch: { place, title: "Second launch" } });
  const made = { title: "Second launch", when, projectId: projectId(2002) };
  const created = anEvent(777, { ...made, byMe: true, createdAt });

  it.each([
    ["the one that is left behind", base, true],
    ["the one that was made", created, true],
    ["another one there", { ...created, title: "Launch" }, false],
    ["a task of the same number", aTask(501), false],
  ])("%s", (_what, item, expected) => {
    expect(isOfMove(event, item)).toBe(expected);
  });

  it("includes the old event after the move, since an old list may still arrive", () => {
    const ended = { ...event, state: "confirmed", confirmedAt: sentAt } as const;
    expect(isOfMove(ended, base)).toBe(true);
    expect(isOfMove(ended, created)).toBe(false);
  });

  it("uses the values of the service when the request left", () => {
    const renamed = move({ base, before: { ...base, title: "Start" }, patch: { place } });
    expect(isOfMove(renamed, { ...created, title: "Start" })).toBe(true);
    expect(isOfMove(renamed, { ...created, title: "Launch" })).toBe(false);
  });
});
