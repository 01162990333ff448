import { describe, expect, it } from "vitest";
import type { Edit, EditAction } from "../../src/domain/edit.ts";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item, TaskItem } from "../../src/domain/item.ts";
import { leaveCreating } from "../support/edits.ts";
import { roomy, type Stage, stage, until } from "./support/stage.ts";
import {
  addTask,
  placeAt,
  shownTitles,
  viewInventory,
  workspaceInventory,
} from "./support/workspace.ts";

async function world() {
  const it = await stage({ quota: roomy });
  const place = placeAt(it, 0);
  const task = addTask(it, place, { title: "Old", due_date: "2027-03-09" });
  addTask(it, place, { title: "Other" });
  await it.sweep();
  const { tasks, subtasks } = it.sandbox.workspace;
  return { it, place, task, tasks, subtasks, titles: () => titlesOf(it) };
}

const titlesOf = (it: Stage) => shownTitles(it, projectId(placeAt(it, 0).project));

function mirrored({ store }: Stage, task: number) {
  const key = store.mirror.find("task", serviceId(task));
  const found = key === null ? null : store.mirror.get(key);
  if (!found) throw new Error(`task ${task} is not mirrored`);
  return found;
}

/** Accepts and claims an edit of a mirrored task. */
function claimed(it: Stage, { task, action }: { task: number; action: EditAction }): Edit {
  const { key, item } = mirrored(it, task);
  return claim(it, { item: key, action, base: item });
}

function claim({ store }: Stage, edit: Pick<Edit, "item" | "action" | "base">): Edit {
  const rest = { channel: "cli", actor: null, patch: {}, newLabels: [], state: "pending" } as const;
  store.journal.append({ ...rest, ...edit });
  const next = store.journal.claimNext();
  if (!next) throw new Error("nothing to claim");
  return next;
}

/** Runs a sweep in which the answer to `path` was made before `meanwhile` and arrives after it. */
async function sweepWithLate(it: Stage, late: { path: RegExp; meanwhile: () => void }) {
  it.sandbox.requests.clear();
  it.sandbox.faults.add({ kind: "delay", ms: 150, path: late.path });
  const sweeping = it.sweep();
  await until(() =>
    it.sandbox.requests.entries().some(({ path, personId }) => late.path.test(path) && personId),
  );
  late.meanwhile();
  return sweeping;
}

describe("a poll", () => {
  it("is as old as its request, even if the response is late", async () => {
    const { it } = await world();
    let between = Temporal.Now.instant();
    const meanwhile = () => {
      between = Temporal.Now.instant();
    };
    await sweepWithLate(it, { path: /\/tasks$/, meanwhile });
    const order = (at: Temporal.Instant | null) => at && Temporal.Instant.compare(at, between);
    const polls = it.store.sources
      .all()
      .map(({ attemptedAt, succeededAt }) => [order(attemptedAt), order(succeededAt)]);
    expect(polls).toContainEqual([-1, 1]);
  });

  it.each([403, 404])("with response %i counts as refused", async (status) => {
    const { it } = await world();
    it.sandbox.faults.add({ kind: "status", status, path: /\/tasks$/ });
    await it.sweep();
    const refused = it.store.sources.all().filter(({ refusedAt }) => refusedAt !== null);
    expect(refused).toMatchObject([{ source: { kind: "tasks" }, failures: 1 }]);
    it.sandbox.faults.add({ kind: "status", status: 503, path: /\/tasks$/, times: 20 });
    await it.sweep();
    expect(it.store.sources.all().filter(({ refusedAt }) => refusedAt !== null)).toEqual([]);
  });
});

describe("a snapshot older than a confirmation", () => {
  it("does not restore the old title", async () => {
    const { it, place, task, tasks, titles } = await world();
    const edit = claimed(it, { task, action: "update" });
    await sweepWithLate(it, {
      path: new RegExp(`/${place.list}/tasks$`),
      meanwhile() {
        tasks.update({ ...place, task }, { title: "New" });
        it.store.journal.confirm(edit, { ...mirrored(it, task).item, title: "New" });
      },
    });
    expect(titles()).toEqual(["New", "Other"]);
    await it.sweep();
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it("does not restore a deleted item", async () => {
    const { it, place, task, tasks, titles } = await world();
    const edit = claimed(it, { task, action: "delete" });
    await sweepWithLate(it, {
      path: new RegExp(`/${place.list}/tasks$`),
      meanwhile() {
        tasks.remove({ ...place, task });
        it.store.journal.confirm(edit, null);
      },
    });
    expect(titles()).toEqual(["Other"]);
  });

  it("does not lose an item that was created meanwhile", async () => {
    const { it, place, task, titles } = await world();
    const edit = creationOf(it, mirrored(it, task).item);
    await sweepWithLate(it, {
      path: new RegExp(`/${place.list}/tasks$`),
      meanwhile() {
        const id = addTask(it, place, { title: "Born here" });
        it.store.journal.confirm(edit, { ...edit.base, id: serviceId(id) });
      },
    });
    expect(titles()).toEqual(["Born here", "Old", "Other"]);
    expect(it.events.filter((event) => event.kind === "polled" && event.missing > 0)).toEqual([]);
    await it.sweep();
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });
});

describe("a creation without a response yet", () => {
  it("is not shown a second time by a sweep, and keeps the calendar's UID", async () => {
    const { it, place, task, titles } = await world();
    const edit = creationOf(it, mirrored(it, task).item);
    const id = addTask(it, place, { title: "Born here" });
    addTask(it, place, { title: "Born elsewhere" });
    const summary = await it.sweep();
    expect(summary.added).toBe(1);
    expect(titles()).toEqual(["Born elsewhere", "Born here", "Old", "Other"]);
    expect(it.store.mirror.find("task", serviceId(id))).toBeNull();

    it.store.journal.confirm(edit, { ...edit.base, id: serviceId(id) });
    await it.sweep();
    expect(titles()).toEqual(["Born elsewhere", "Born here", "Old", "Other"]);
    expect(it.store.mirror.findUid("from-a-calendar")?.serviceId).toBe(id);
  });

  it("is shown by the sweep once a person has to decide", async () => {
    const { it, place, task, titles } = await world();
    const edit = creationOf(it, mirrored(it, task).item);
    const id = addTask(it, place, { title: "Born here" });
    await it.sweep();
    expect(titles()).toEqual(["Born here", "Old", "Other"]);
    expect(it.store.mirror.find("task", serviceId(id))).toBeNull();
    it.store.journal.settle(edit, { kind: "park", reason: "unknown-outcome", problem: "lost" });
    expect(titles()).toEqual(["Old", "Other"]);
    await it.sweep();
    expect(titles()).toEqual(["Born here", "Old", "Other"]);
    expect(it.store.candidates.ofEdit(edit.id)).toMatchObject([{ id }]);
    it.store.journal.discard(edit.id);
    await it.sweep();
    expect(titles()).toEqual(["Born here", "Old", "Other"]);
  });

  it("is deleted once if it appears after it was discarded", async () => {
    const { it, place, task, titles } = await world();
    const edit = creationOf(it, mirrored(it, task).item);
    const soon = Temporal.Now.instant().add({ seconds: 1 });
    it.store.journal.settle(edit, { kind: "retry", notBefore: soon, problem: "lost" });
    it.store.journal.discard(edit.id);
    const id = addTask(it, place, { title: "Born here" });
    await it.sweep();
    expect(titles()).toEqual(["Old", "Other"]);
    const [deletion] = it.store.journal.list({ state: "pending", limit: 5 });
    expect(deletion).toMatchObject({ action: "delete", base: { id }, restores: { by: edit.id } });
    await it.sweep();
    expect(it.store.journal.list({ state: "pending", limit: 5 })).toHaveLength(1);
  });
});

it("a single GET is ignored if the item was seen elsewhere meanwhile", async () => {
  const { it, place, task, tasks, titles } = await world();
  const target = placeAt(it, 0, 1);
  const body = { list_id: target.list, project: target.project, move_task: true };
  tasks.update({ ...place, task }, body);
  // The other list shows the task only at its second reading, while the single GET is still under way.
  it.sandbox.faults.add({
    kind: "replace",
    body: [],
    path: new RegExp(`/${target.list}/tasks$`),
  });
  await sweepWithLate(it, {
    path: new RegExp(`/${place.list}/tasks/${task}$`),
    meanwhile() {
      const { item, key } = mirrored(it, task);
      it.store.mirror.put(
        { ...asTask(item), listId: listId(target.list), id: serviceId(task) },
        `tasks:${target.list}`,
      );
      expect(it.store.absences.all().map((absence) => absence.item)).not.toContain(key);
    },
  });
  expect(it.store.absences.all()).toEqual([]);
  expect(titles()).toEqual(["Old", "Other"]);
});

describe("subtasks", () => {
  async function withChild() {
    const all = await world();
    const below = { ...all.place, task: all.task };
    all.subtasks.create(below, { title: "Below" });
    await all.it.sweep();
    return all;
  }

  it("are gone with a parent that an edit deleted", async () => {
    const { it, place, task, tasks, titles } = await withChild();
    expect(titles()).toEqual(["Below", "Old", "Other"]);
    const edit = claimed(it, { task, action: "delete" });
    tasks.remove({ ...place, task });
    it.store.journal.confirm(edit, null);
    expect(titles()).toEqual(["Other"]);
    const summary = await it.sweep();
    expect(summary).toMatchObject({ added: 0, buried: 0 });
    expect(titles()).toEqual(["Other"]);
    expect(it.store.sources.all().some(({ name }) => name === `subtasks:${task}`)).toBe(false);
    it.asked();
    await it.again().sweep();
    expect(it.asked().filter((path) => path.includes("subtasks"))).toEqual([]);
  });

  it("are read at the parent's new place if they were requested at the old one", async () => {
    const { it, place, task, tasks } = await withChild();
    const target = placeAt(it, 1, 1);
    const body = { list_id: target.list, project: target.project, move_task: true };
    tasks.update({ ...place, task }, body);
    // The old place answers empty instead of 404, and late.
    const path = new RegExp(`/${place.list}/tasks/${task}/subtasks$`);
    it.sandbox.faults.add({ kind: "status", status: 200, body: [], path, times: 9 });
    const summary = await it.sweep();
    expect(summary.buried).toBe(0);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
    expect(it.store.absences.all()).toEqual([]);
  });
});

function creationOf(it: Stage, like: Item): Edit {
  const key = it.store.mirror.createIdentity("task", "from-a-calendar");
  const base = { ...asTask(like), id: null, title: "Born here", dueOn: null };
  const edit = claim(it, { item: key, action: "create", base });
  leaveCreating(it.store, edit.id);
  return it.store.journal.get(edit.id) ?? edit;
}

function asTask(item: Item): TaskItem {
  if (item.kind === "event") throw new Error(`${item.title} is no task`);
  return item;
}
