import { describe, expect, it } from "vitest";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import { untilHung } from "../support/eventually.ts";
import { countedSync } from "./support/counted-reads.ts";
import { roomy, type Stage, stage } from "./support/stage.ts";
import {
  addFamily,
  addTask,
  placeAt,
  viewInventory,
  workspaceInventory,
} from "./support/workspace.ts";

const reader = "this program";
const oneByOne = { requests: 1, perMs: 5 };

/** One list with two tasks, the first with a subtask; an event; everything read and at rest in an earlier process. */
async function swept(more: Parameters<typeof countedSync>[1] = { reader }, quota = roomy) {
  const it = await stage({ quota });
  const family = addFamily(it);
  const earlier = countedSync(it, more);
  await earlier.reads();
  await earlier.reads();
  return { it, earlier, ...family };
}

function mirrored({ store }: Stage, kind: "task" | "event", id: number) {
  const key = store.mirror.find(kind, serviceId(id));
  const found = key === null ? null : store.mirror.get(key);
  if (!found) throw new Error(`${kind} ${id} is not mirrored`);
  return { ...found, item: { ...found.item, id: serviceId(id) } };
}

const anew = (it: Stage, more: Parameters<typeof countedSync>[1] = { reader }) =>
  countedSync(it, more).reads();

describe("a response that an earlier process has read", () => {
  it("is not decoded again, and counts as read", async () => {
    const { it } = await swept();
    const revision = it.store.changes.latest();
    const items = () => it.store.sources.all().map(({ name, items }) => [name, items]);
    const before = items();
    expect(await anew(it)).toEqual([]);
    expect(items()).toEqual(before);
    expect(it.store.changes.latest()).toBe(revision);
    expect(await anew(it)).toEqual([]);
  });

  it("is decoded by a program that decodes it differently or cannot say", async () => {
    const { it } = await swept();
    expect((await anew(it, {})).length).toBeGreaterThan(3);
    expect((await anew(it)).length).toBeGreaterThan(3);
    expect((await anew(it, { reader: "another program" })).length).toBeGreaterThan(3);
    expect(await anew(it, { reader: "another program" })).toEqual([]);
  });

  it("is decoded if it differs, and in the process after that", async () => {
    const { it, tasks, place, task } = await swept();
    tasks.update({ ...place, task }, { title: "New" });
    const later = countedSync(it, { reader });
    expect(await later.reads()).toEqual(["tasks"]);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
    tasks.update({ ...place, task }, { title: "Old" });
    expect(await anew(it)).toEqual(["tasks"]);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it.each([
    ["it shows an older state again", true],
    ["it comes unchanged after a newer one that nobody could understand", false],
  ])("is decoded if %s", async (_, isReadable) => {
    const { it, tasks, place, task, earlier } = await swept();
    const path = new RegExp(`/${place.list}/tasks$`);
    const spoil = (json: unknown) =>
      Array.isArray(json) ? json.map((one) => ({ ...one, due_date: "soon" })) : json;
    if (isReadable) {
      tasks.update({ ...place, task }, { title: "New" });
      await earlier.reads();
      tasks.update({ ...place, task }, { title: "Old" });
    } else {
      it.sandbox.faults.add({ kind: "transform", transform: spoil, path });
      expect(await earlier.reads()).toEqual(["tasks"]);
    }
    expect(await anew(it)).toEqual(["tasks"]);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it("is decoded if any process wrote one of its rows later", async () => {
    const { it, event, other } = await swept();
    it.store.mirror.bury(mirrored(it, "event", event).key);
    expect(await anew(it)).toEqual(["events"]);
    it.store.mirror.adopt(mirrored(it, "task", other).key, serviceId(999_999));
    expect(await anew(it)).toContain("tasks");
    const { item } = mirrored(it, "task", other);
    it.store.mirror.put(item, `tasks:${placeAt(it, 0, 1).list}`);
    expect(await anew(it)).toContain("tasks");
    await anew(it);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it("is decoded if a row was written during the poll", async () => {
    const { it, place, task } = await swept();
    const path = new RegExp(`/${place.list}/tasks$`);
    const { item } = mirrored(it, "task", task);
    it.sandbox.faults.add({
      kind: "transform",
      path,
      transform(json: unknown) {
        it.store.mirror.put({ ...item, title: "Never in the list" }, `tasks:${place.list}`);
        return json;
      },
    });
    expect(await anew(it)).toEqual(["tasks"]);
    await anew(it);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it("is not invalidated by a write that was rolled back", async () => {
    const { it, event } = await swept();
    const fail = () =>
      it.store.together(() => {
        it.store.mirror.bury(mirrored(it, "event", event).key);
        throw new Error("undone");
      });
    expect(fail).toThrow("undone");
    expect(await anew(it)).toEqual([]);
  });

  it("is decoded after a failed poll in any process", async () => {
    const { it, place, earlier } = await swept();
    const path = new RegExp(`/${place.list}/tasks$`);
    it.sandbox.faults.add({ kind: "status", status: 403, path });
    expect(await earlier.reads()).toEqual([]);
    expect(await anew(it)).toEqual(["tasks"]);
    it.sandbox.faults.add({ kind: "status", status: 403, path });
    const later = countedSync(it, { reader });
    expect(await later.reads()).toEqual([]);
    expect(await later.reads()).toEqual(["tasks"]);
  });

  it("is decoded if its list moved, or was missing in between", async () => {
    const { it, place, task } = await swept();
    const { sources } = it.store;
    const name = `tasks:${place.list}`;
    const list = {
      kind: "tasks",
      projectId: projectId(place.project),
      listId: listId(place.list),
    } as const;
    sources.put([list]);
    expect(it.store.bodies.get(name)).not.toBeNull();
    sources.put([{ ...list, projectId: projectId(place.project + 1) }]);
    expect(it.store.bodies.get(name)).toBeNull();
    sources.drop([`subtasks:${task}`]);
    expect(it.store.bodies.get(`subtasks:${task}`)).toBeNull();
  });

  it("is decoded as long as it lacks an item that is being checked", async () => {
    const { it, place, task, earlier } = await swept();
    const path = new RegExp(`/${place.list}/tasks$`);
    const cut = (json: unknown) =>
      Array.isArray(json) ? json.filter(({ id }) => id === task) : json;
    it.sandbox.faults.add({ kind: "transform", transform: cut, path, times: 2 });
    expect(await earlier.reads()).toEqual(["tasks"]);
    expect(await anew(it)).toEqual(["tasks"]);
    await anew(it);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it("is decoded once on another day", async () => {
    let now = Temporal.Instant.from("2027-03-01T23:59:00Z");
    const { it } = await swept({ reader, clock: () => now });
    now = now.add({ minutes: 2 });
    expect(await anew(it, { reader, clock: () => now })).toEqual(["tasks"]);
    expect(await anew(it, { reader, clock: () => now })).toEqual([]);
  });

  it("still tells which tasks have unread comments", async () => {
    const { it, place, task } = await swept();
    it.sandbox.workspace.comments.create({ ...place, by: it.by, task }, { description: "Hello" });
    await countedSync(it, { reader }).reads();
    const later = countedSync(it, {
      reader,
      side: { comments: true, history: false, files: false },
    });
    expect(await later.reads()).toEqual([]);
    await later.sync.readSide({ signal: untilHung(), most: 5 });
    expect(it.store.comments.ofTask(serviceId(task))).toHaveLength(1);
  });

  it("still tells how soon tasks with subtasks are due", async () => {
    const now = () => Temporal.Instant.from("2027-03-08T12:00:00Z");
    const { it, place, task } = await swept({ reader, clock: now }, oneByOne);
    const late = addTask(it, place, { title: "Late", due_date: "2027-12-24" });
    const soon = addTask(it, place, { title: "Soon", due_date: "2027-03-08" });
    for (const one of [late, soon]) {
      it.sandbox.workspace.subtasks.create({ ...place, task: one }, { title: "Below" });
    }
    await countedSync(it, { reader, clock: now }).reads();
    await anew(it, { reader, clock: now });
    it.asked();
    expect(await anew(it, { reader, clock: now })).toEqual([]);
    const order = it.asked().flatMap((asked) => /tasks\/(\d+)\/subtasks/.exec(asked)?.[1] ?? []);
    expect(order.map(Number)).toEqual([soon, task, late]);
  });
});
