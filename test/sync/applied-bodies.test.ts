import { describe, expect, it } from "vitest";
import { projectId, serviceId } from "../../src/domain/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { untilHung } from "../support/eventually.ts";
import { countedSync } from "./support/counted-reads.ts";
import { roomy, type Stage, stage } from "./support/stage.ts";
import {
  addFamily,
  placeAt,
  shownTitles,
  viewInventory,
  workspaceInventory,
} from "./support/workspace.ts";

/** One list with two tasks, the first with a subtask; an event; everything read and at rest. */
async function rested(more: Parameters<typeof countedSync>[1] = {}) {
  const it = await stage({ quota: roomy });
  const family = addFamily(it);
  const counted = countedSync(it, more);
  await counted.reads();
  expect(await counted.reads()).toEqual([]);
  return {
    ...counted,
    ...family,
    it,
    titles: () => shownTitles(it, projectId(family.place.project)),
  };
}

const all = ["Below", "Meeting", "Old", "Other"];

function mirrored({ store }: Stage, kind: "task" | "event", id: number) {
  const key = store.mirror.find(kind, serviceId(id));
  const found = key === null ? null : store.mirror.get(key);
  if (!found) throw new Error(`${kind} ${id} is not mirrored`);
  return { ...found, item: { ...found.item, id: serviceId(id) } };
}

describe("an unchanged response of a list", () => {
  it("is not decoded again, and counts as read", async () => {
    const { it, reads, sync } = await rested();
    const revision = it.store.changes.latest();
    const before = it.store.sources.all();
    const between = Temporal.Now.instant();
    const summary = await sync.sweep({ signal: untilHung() });
    expect(summary).toMatchObject({ added: 0, changed: 0, unchanged: 4 });
    expect(await reads()).toEqual([]);
    expect(it.store.changes.latest()).toBe(revision);
    const after = it.store.sources.all();
    expect(after.map(({ name, items }) => [name, items])).toEqual(
      before.map(({ name, items }) => [name, items]),
    );
    for (const { attemptedAt, succeededAt } of after) {
      expect(attemptedAt && Temporal.Instant.compare(attemptedAt, between)).toBe(1);
      expect(succeededAt && Temporal.Instant.compare(succeededAt, between)).toBe(1);
    }
  });

  it("is decoded if it differs", async () => {
    const { it, reads, tasks, place, task } = await rested();
    tasks.update({ ...place, task }, { title: "New" });
    expect(await reads()).toEqual(["tasks"]);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
    expect(await reads()).toEqual([]);
  });

  it("is decoded if the response to an edit has written one of its rows", async () => {
    const { it, reads, task, titles } = await rested();
    const { key, item } = mirrored(it, "task", task);
    const wish = { channel: "cli", actor: null, newLabels: [], state: "pending" } as const;
    it.store.journal.append({ ...wish, item: key, action: "update", base: item, patch: {} });
    const edit = it.store.journal.claimNext();
    if (!edit) throw new Error("nothing to claim");
    it.store.journal.confirm(edit, { ...item, title: "Never in the list" });
    expect(await reads()).toEqual(["tasks"]);
    expect(titles()).toEqual(all);
  });

  it("is decoded if one of its rows was buried", async () => {
    const { it, reads, event, titles } = await rested();
    it.store.mirror.bury(mirrored(it, "event", event).key);
    expect(await reads()).toEqual(["events"]);
    expect(titles()).toEqual(all);
  });

  it("is decoded if one of its rows was moved to another list", async () => {
    const { it, reads, other, titles } = await rested();
    const { item } = mirrored(it, "task", other);
    it.store.mirror.put(item, `tasks:${placeAt(it, 0, 1).list}`);
    expect(await reads()).toEqual(["tasks", "tasks"]);
    expect(titles()).toEqual(all);
    expect(mirrored(it, "task", other).source).toBe(`tasks:${placeAt(it, 0).list}`);
  });

  it("is decoded if one of its items was given another ID", async () => {
    const { it, reads, other, titles } = await rested();
    it.store.mirror.adopt(mirrored(it, "task", other).key, serviceId(999_999));
    expect(await reads()).toContain("tasks");
    await reads();
    expect(titles()).toEqual(all);
  });

  it("is decoded if a subtask appeared below a task that claims to have none", async () => {
    const { it, reads, place, other, subtasks } = await rested();
    const path = new RegExp(`/${place.list}/tasks$`);
    const asBefore = (json: unknown) =>
      Array.isArray(json) ? json.map((task) => ({ ...task, ...stamps(task.id) })) : json;
    const stamps = (id: unknown) =>
      id === other ? { sub_tasks: 0, updated_at: "2026-01-01T00:00:00Z" } : {};
    it.sandbox.faults.add({ kind: "transform", transform: asBefore, path, times: 9 });
    await reads();
    expect(await reads()).toEqual([]);
    const made = subtasks.create({ ...place, task: other }, { title: "Answered" });
    const { item } = mirrored(it, "task", other);
    if (item.kind !== "task") throw new Error("no task");
    const child = { ...item, kind: "subtask", id: serviceId(made.id), title: "Answered" } as const;
    it.store.mirror.put({ ...child, parentId: item.id }, `subtasks:${other}`);
    expect(await reads()).toContain("tasks");
    expect(it.store.sources.all().map(({ name }) => name)).toContain(`subtasks:${other}`);
  });

  it("is decoded as long as it lacks an item that is being checked", async () => {
    const { it, reads, place, task } = await rested();
    const path = new RegExp(`/${place.list}/tasks$`);
    const cut = (json: unknown) =>
      Array.isArray(json) ? json.filter(({ id }) => id === task) : json;
    it.sandbox.faults.add({ kind: "transform", transform: cut, path, times: 4 });
    expect(await reads()).toEqual(["tasks"]);
    expect(await reads()).toEqual(["tasks"]);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it("is decoded as long as one of its elements cannot be read", async () => {
    const { it, reads, place, task } = await rested();
    const path = new RegExp(`/${place.list}/tasks$`);
    const spoil = (json: unknown) =>
      Array.isArray(json)
        ? json.map((one) => (one.id === task ? { ...one, due_date: "soon" } : one))
        : json;
    it.sandbox.faults.add({ kind: "transform", transform: spoil, path, times: 4 });
    expect(await reads()).toEqual(["tasks"]);
    expect(await reads()).toEqual(["tasks"]);
  });

  it("is decoded twice if it omits a field", async () => {
    const { it, reads, place, tasks, task } = await rested();
    tasks.update({ ...place, task }, { title: "New", description: "Known" });
    await reads();
    tasks.update({ ...place, task }, { title: "Newer" });
    const path = new RegExp(`/${place.list}/tasks$`);
    const omit = (json: unknown) =>
      Array.isArray(json) ? json.map((one) => ({ ...one, description: undefined })) : json;
    it.sandbox.faults.add({ kind: "transform", transform: omit, path, times: 9 });
    expect(await reads()).toEqual(["tasks"]);
    expect(await reads()).toEqual(["tasks"]);
    expect(await reads()).toEqual([]);
    const state = it.store.sources.all().find(({ name }) => name === `tasks:${place.list}`);
    expect(state?.failure).toContain('"description" is missing');
    expect(mirrored(it, "task", task).item).toMatchObject({ title: "Newer", description: "Known" });
  });

  it("is decoded after a failed poll", async () => {
    const { it, reads, place } = await rested();
    const path = new RegExp(`/${place.list}/tasks$`);
    it.sandbox.faults.add({ kind: "status", status: 403, path });
    expect(await reads()).toEqual([]);
    expect(await reads()).toEqual(["tasks"]);
    expect(await reads()).toEqual([]);
  });

  it("is decoded if its list was out of scope in between", async () => {
    const { it, reads, place, task } = await rested();
    const lookUp = new RegExp(`/projects/${place.project}/todolists$`);
    const single = new RegExp(`/todolists/${place.list}$`);
    const hide = (json: unknown) =>
      Array.isArray(json) ? json.map((list) => ({ ...list, archived: true })) : json;
    it.sandbox.faults.add({ kind: "transform", transform: hide, path: lookUp });
    it.sandbox.faults.add({ kind: "transform", transform: hide, path: single });
    await reads();
    const names = () => it.store.sources.all().map(({ name }) => name);
    expect(names()).not.toContain(`subtasks:${task}`);
    expect(await reads()).toContain("tasks");
    expect(names()).toContain(`subtasks:${task}`);
  });

  it("is decoded once on another day, since due dates order the polling of subtasks", async () => {
    let now = Temporal.Instant.from("2027-03-01T23:59:00Z");
    const { reads } = await rested({ clock: () => now });
    now = now.add({ minutes: 2 });
    expect(await reads()).toEqual(["tasks"]);
    expect(await reads()).toEqual([]);
  });

  it("is decoded if the transaction of its first reading failed", async () => {
    const fault = { isOn: false };
    const { it, place, task, tasks } = await rested();
    const { store } = it;
    const failing: Store = {
      ...store,
      sources: {
        ...store.sources,
        succeeded(source, read) {
          if (fault.isOn && source.kind === "tasks") throw new Error("the disk is full");
          store.sources.succeeded(source, read);
        },
      },
    };
    const { reads } = countedSync(it, { store: failing });
    await reads();
    tasks.update({ ...place, task }, { title: "New" });
    fault.isOn = true;
    await reads();
    fault.isOn = false;
    expect(await reads()).toContain("tasks");
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });
});
