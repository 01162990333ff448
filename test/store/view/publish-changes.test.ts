import { describe, expect, it } from "vitest";
import { listId, personId, projectId, revision, serviceId } from "../../../src/domain/ids.ts";
import { type EventItem, eventsOf, type TaskItem, tasksOf } from "../../../src/domain/item.ts";

import { aLabel, anEvent, aTask, days } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

const project = projectId(2001);

describe("SEQUENCE and LAST-MODIFIED", () => {
  const eventChanges: readonly (readonly [string, Partial<EventItem>])[] = [
    ["title", { title: "other" }],
    ["description", { description: "text" }],
    ["time", { when: days("2026-12-01") }],
    ["reminder", { reminder: Temporal.Duration.from("PT5M") }],
    ["milestone", { milestone: true }],
    ["privacy", { private: true }],
    ["completion", { completed: true }],
    ["people", { assigned: [personId(11)] }],
    ["project", { projectId: projectId(2002) }],
  ];
  it.each(eventChanges)("publish() raises both when an event's %s changes", (_name, fields) => {
    const { put, seen, clock } = storeRig();
    const before = seen(put(anEvent(1)));
    clock.advance({ minutes: 1 });
    const after = seen(put(anEvent(1, fields)));
    expect(after.sequence).toBe(before.sequence + 1);
    expect(after.modifiedAt).toEqual(clock());
    expect(after.uid).toBe(before.uid);
  });

  const silent: readonly (readonly [string, Partial<TaskItem>])[] = [
    ["a comment", { commentCount: 1 }],
    ["a logged hour", { logged: Temporal.Duration.from("PT1H") }],
    ["a subtask", { subtaskCount: 1 }],
    ["the workflow's stage", { stage: "Review" }],
  ];
  it.each(silent)(
    "publish() raises the revision, not SEQUENCE, when %s is added to a task",
    (_name, fields) => {
      const { put, seen, store, clock } = storeRig();
      const before = seen(put(aTask(1)));
      const revisionBefore = store.changes.revisionOf(project);
      clock.advance({ minutes: 1 });
      const after = seen(put(aTask(1, fields)));
      expect([after.sequence, after.modifiedAt]).toEqual([before.sequence, before.modifiedAt]);
      expect(store.changes.revisionOf(project)).toBeGreaterThan(revisionBefore);
    },
  );

  it("publish() writes nothing when the content is the same", () => {
    const { put, store, clock } = storeRig();
    const key = put(anEvent(1));
    const latest = store.changes.latest();
    clock.advance({ minutes: 1 });
    expect(store.mirror.put(anEvent(1, { byMe: true }), "events:2001")).toBe("unchanged");
    expect(store.mirror.put(anEvent(1, { updatedAt: clock() }), "events:2001")).toBe("unchanged");
    expect(store.changes.publish(key)).toBe(false);
    expect(store.changes.latest()).toBe(latest);
  });

  it("publish() moves LAST-MODIFIED on although the clock stands still or goes back", () => {
    const { put, seen, clock } = storeRig();
    const moments = ["a", "b", "c"].map((title) => {
      const { modifiedAt } = seen(put(anEvent(1, { title })));
      if (title === "b") clock.advance({ hours: -5 });
      return modifiedAt.toString();
    });
    expect(moments).toEqual([
      "2026-11-20T12:00:00Z",
      "2026-11-20T12:00:01Z",
      "2026-11-20T12:00:02Z",
    ]);
  });

  it("touch() raises both for another cause, and knows the version under the new number", () => {
    const { put, seen, store, clock } = storeRig();
    const key = put(anEvent(1));
    const before = seen(key);
    clock.advance({ minutes: 1 });
    store.changes.touch(key);
    const after = seen(key);
    expect([after.sequence, after.modifiedAt]).toEqual([before.sequence + 1, clock()]);
    expect(
      store.view.shownAs(key, { sequence: after.sequence, modifiedAt: null }, null),
    ).toMatchObject({
      title: "Event 1",
    });
    expect(store.editSteps.shownAfter(key, after.modifiedAt)).toEqual(clock());
    store.mirror.bury(key);
    store.changes.touch(key);
    expect(store.mirror.identity(key).sequence).toBe(after.sequence + 2);
  });
});

describe("the change log", () => {
  it("bury() and put() keep the UID and continue SEQUENCE when an item goes and comes back", () => {
    const { put, seen, store } = storeRig();
    const key = put(anEvent(1));
    const { uid, sequence } = seen(key);
    store.mirror.bury(key);
    expect(store.view.get(key)).toBeNull();
    expect(store.view.findUid(uid)).toBeNull();
    expect(put(anEvent(1))).toBe(key);
    expect(seen(key).uid).toBe(uid);
    expect(seen(key).sequence).toBe(sequence + 2);
    const acts = store.changes.since(revision(0), 100).map(({ act, item }) => [act, item]);
    expect(acts).toEqual([
      ["put", key],
      ["bury", key],
      ["put", key],
    ]);
  });

  it("put() logs one bury and one put, and both projects, when a task moves", () => {
    const { put, seen, store } = storeRig();
    const key = put(aTask(1));
    const { uid } = seen(key);
    const [here, there] = [store.changes.revisionOf(project), store.changes.latest()];
    put(aTask(1, { listId: listId(3009), projectId: projectId(2002) }));
    const log = store.changes.since(there, 10);
    expect(log.map(({ act, collection, item }) => [act, collection, item])).toEqual([
      ["bury", tasksOf(listId(3001)), key],
      ["put", tasksOf(listId(3009)), key],
    ]);
    expect(seen(key).uid).toBe(uid);
    expect(store.changes.revisionOf(project)).toBeGreaterThan(here);
    expect(store.changes.revisionOf(projectId(2002))).toBeGreaterThan(here);
    expect(store.changes.itemsSince(project, here)).toEqual([key]);
  });

  it("publish() finds the subtasks of a task that comes back after moving while deleted", () => {
    const { put, seen, wish, store } = storeRig();
    const key = put(aTask(1));
    const child = put(aTask(2, { kind: "subtask", parentId: serviceId(1) }));
    const place = { projectId: project, listId: listId(3003) };
    const move = wish(key, "update", { place });
    expect(seen(child).item).toMatchObject(place);
    const deletion = wish(key, "delete");
    store.journal.discard(move);
    store.journal.discard(deletion);
    expect(seen(key).item).toMatchObject({ listId: 3001 });
    expect(seen(child).item).toMatchObject({ listId: 3001 });
  });

  it("revisionOf() never goes back when a todolist changes projects with all its tasks", () => {
    const { put, store } = storeRig();
    put(anEvent(1));
    put(aTask(1));
    put(aTask(2));
    const before = store.changes.revisionOf(project);
    const move = { projectId: projectId(2002) };
    put(aTask(1, move));
    put(aTask(2, move));
    expect(store.changes.revisionOf(project)).toBeGreaterThan(before);
    expect(store.changes.revisionOf(projectId(2002))).toBeGreaterThan(before);
    expect([store.view.count(project), store.view.count(projectId(2002))]).toEqual([1, 2]);
  });

  it("revisionOf() changes only when the project's own things do, or names", () => {
    const { put, store } = storeRig();
    put(anEvent(1));
    const before = store.changes.revisionOf(project);
    put(anEvent(2, { projectId: projectId(2002) }));
    expect(store.changes.revisionOf(project)).toBe(before);
    store.directory.putLabels([aLabel(51, "Design")], true);
    expect(store.changes.revisionOf(project)).toBeGreaterThan(before);
    const named = store.changes.revisionOf(project);
    store.directory.putLabels([aLabel(51, "Design")], true);
    expect(store.changes.revisionOf(project)).toBe(named);
  });

  it("itemsSince() gives each changed item of this project once", () => {
    const { put, store } = storeRig();
    const key = put(anEvent(1));
    const after = store.changes.latest();
    expect(store.changes.itemsSince(project, after)).toEqual([]);
    put(anEvent(1, { title: "a" }));
    put(anEvent(1, { title: "b" }));
    put(anEvent(5, { projectId: projectId(2002) }));
    const other = put(aTask(6));
    expect(new Set(store.changes.itemsSince(project, after))).toEqual(new Set([key, other]));
    expect(store.changes.itemsSince(project, after)).toHaveLength(2);
  });

  it("since() gives a long log in pages, in order, at fixed-width times", () => {
    const { put, store, clock } = storeRig("2026-11-20T12:00:00.5Z");
    for (let id = 1; id <= 5; id++) put(anEvent(id));
    const page = store.changes.since(revision(2), 2);
    expect(page.map((change) => change.revision)).toEqual([3, 4]);
    expect(page[0]).toMatchObject({ at: clock(), collection: eventsOf(project) });
  });
});

it("shownAs() tells shown versions from others", () => {
  const { put, seen, store } = storeRig();
  const key = put(aTask(1, { title: "first" }));
  put(aTask(1, { title: "second" }));
  put(aTask(1, { title: "second", commentCount: 3 }));
  expect(store.view.shownAs(key, { sequence: 0, modifiedAt: null }, null)).toMatchObject({
    id: 1,
    title: "first",
  });
  expect(store.view.shownAs(key, { sequence: 1, modifiedAt: null }, null)).toMatchObject({
    title: "second",
    commentCount: 3,
  });
  expect(store.view.shownAs(key, { sequence: 2, modifiedAt: null }, null)).toBeNull();
  store.mirror.bury(key);
  expect(store.view.shownAs(key, { sequence: 2, modifiedAt: null }, null)).toBeNull();
  expect(seen(put(aTask(1))).sequence).toBe(3);
});
