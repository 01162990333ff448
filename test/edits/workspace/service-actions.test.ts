import { describe, expect, it } from "vitest";
import { folderId, labelId, listId, serviceId } from "../../../src/domain/ids.ts";
import { type Answer, describeActionFailure } from "../../../src/edits/workspace/action-failure.ts";
import { createServiceActions } from "../../../src/edits/workspace/service-actions.ts";
import { aProject, aTodolist } from "../../support/items.ts";
import { drainRig } from "../delivery/drain-rig.ts";

const by = { person: null };

async function actionsRig() {
  const rig = await drainRig();
  const { store, upstream, project, otherList, otherProject, farList, list } = rig;
  store.directory.putProjects([aProject(project, "Website"), aProject(otherProject, "Fair")], true);
  const lists = [list, otherList].map((id) => aTodolist(id, { projectId: project }));
  store.directory.putTodolists(
    null,
    [...lists, aTodolist(farList, { projectId: otherProject })],
    true,
  );
  const hurried: string[] = [];
  const actions = createServiceActions({
    store,
    upstream,
    hurry: (name) => hurried.push(name),
  });
  return { ...rig, hurried, ...actions };
}

async function worked<Value>(answer: Answer<Value>): Promise<Value> {
  const result = await answer;
  if (!result.ok) throw new Error(describeActionFailure(result.failure));
  return result.value;
}

async function problem(answer: Answer<unknown>): Promise<string> {
  const result = await answer;
  if (result.ok) throw new Error("it was done");
  return `${result.failure.kind}: ${describeActionFailure(result.failure)}`;
}

const wishFor = (task: string, list: number) => ({
  task,
  listId: listId(list),
  projectId: null,
  title: null,
});

describe("moving a task", () => {
  it("keeps handle and UID in another list or project, and takes subtasks along", async () => {
    const rig = await actionsRig();
    const { id, uid } = await rig.task();
    const inTask = { ...rig.by, list: rig.list, task: id };
    const child = rig.sandbox.workspace.subtasks.create(inTask, { title: "Child" });
    const place = { projectId: rig.project, listId: rig.list, taskId: serviceId(id) };
    const known = await rig.upstream.subtasks.list(place, { priority: "sweep" });
    if (!known.ok) throw new Error("the subtasks cannot be read");
    for (const item of known.value.items) {
      if (item.id !== null) rig.store.mirror.put({ ...item, id: item.id }, `subtasks:${id}`);
    }
    const key = rig.store.view.findUid(uid)?.key;
    for (const [target, project] of [
      [rig.otherList, rig.project],
      [rig.farList, rig.otherProject],
    ] as const) {
      const moved = await worked(rig.tasks.move(wishFor(uid, target), by));
      expect(moved).toMatchObject({ uid, id, projectId: project, listId: target });
      const viewed = rig.store.view.findUid(uid);
      expect(viewed).toMatchObject({ key, collection: `tasks:${target}` });
      expect(viewed?.item.projectId).toBe(project);
      expect(rig.store.mirror.contents(`tasks:${target}`).size).toBe(1);
    }
    const [below] = rig.store.mirror.ofSource(`subtasks:${id}`);
    expect(below?.item).toMatchObject({ id: child.id, listId: rig.farList, parentId: id });
    expect(rig.hurried).toContain(`tasks:${rig.list}`);
    expect(rig.hurried).toContain(`tasks:${rig.farList}`);
    const there = { ...rig.by, project: rig.otherProject, list: rig.farList };
    expect(rig.sandbox.workspace.tasks.list(there)).toMatchObject([
      { id, title: "Write", due_date: "2026-11-24" },
    ]);
  });

  it("keeps the UID if the service gives the task another ID", async () => {
    const rig = await actionsRig();
    const { id, uid } = await rig.task();
    const other = { id: 999_001 };
    rig.sandbox.faults.add({
      kind: "transform",
      method: "PUT",
      transform: (json) => ({ ...Object(json), ...other }),
    });
    const moved = await worked(rig.tasks.move(wishFor(String(id), rig.otherList), by));
    expect(moved).toMatchObject({ uid, ...other });
    expect(rig.store.view.findUid(uid)?.item).toMatchObject(other);
  });

  it("removes the task from the view if nobody polls its new list", async () => {
    const rig = await actionsRig();
    const { uid } = await rig.task();
    rig.store.directory.putTodolists(rig.otherProject, [], true);
    const wish = { ...wishFor(uid, rig.farList), projectId: rig.otherProject };
    await worked(rig.tasks.move(wish, by));
    expect(rig.store.view.findUid(uid)).toBeNull();
  });

  it("gives the reason if it fails, and changes nothing", async () => {
    const rig = await actionsRig();
    const [{ id, uid }, event] = [await rig.task(), await rig.event()];
    const { tasks } = rig;
    expect(await problem(tasks.move(wishFor("4711", rig.list), by))).toContain('no task "4711"');
    expect(await problem(tasks.move(wishFor(event.uid, rig.list), by))).toContain("kind event");
    const wrong = { ...wishFor(uid, rig.farList), projectId: rig.project };
    expect(await problem(tasks.move(wrong, by))).toContain("no todolist");
    rig.sandbox.faults.add({ kind: "status", status: 403, method: "PUT" });
    const refused = await problem(tasks.move(wishFor(uid, rig.otherList), by));
    expect(refused).toContain(`tasks/${id} (403)`);
    expect(rig.store.view.findUid(uid)?.collection).toBe(`tasks:${rig.list}`);
  });
});

describe("copying a task", () => {
  it("creates a new item with the dates, under its own UID", async () => {
    const rig = await actionsRig();
    const { uid } = await rig.task();
    const wish = { ...wishFor(uid, rig.otherList), title: "Write more" };
    const copied = await worked(rig.tasks.copy(wish, by));
    expect(copied).toMatchObject({ title: "Write more", listId: rig.otherList });
    expect(copied.uid).not.toBe(uid);
    const dueOn = Temporal.PlainDate.from("2026-11-24");
    expect(rig.store.view.findUid(copied.uid)?.item).toMatchObject({ id: copied.id, dueOn });
    expect(rig.store.view.findUid(uid)?.collection).toBe(`tasks:${rig.list}`);
  });

  it("is reported and never repeated if the response is lost", async () => {
    const rig = await actionsRig();
    const { uid } = await rig.task();
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    const lost = await problem(rig.tasks.copy(wishFor(uid, rig.list), by));
    expect(lost).toContain("It is unknown whether");
    expect(lost).toContain("Check the workspace");
    expect(rig.requests("POST")).toHaveLength(1);
  });
});

it("comments are added and listed, and mirrored at once", async () => {
  const rig = await actionsRig();
  const { id, uid } = await rig.task();
  const made = await worked(rig.comments.add({ task: uid, text: "Hello" }, by));
  expect(made).toMatchObject({ description: "Hello", taskId: id });
  expect(await worked(rig.comments.list(String(id), by))).toHaveLength(1);
  expect(rig.store.comments.ofTask(serviceId(id))).toMatchObject([{ description: "Hello" }]);
  expect(await problem(rig.comments.add({ task: uid, text: " " }, by))).toContain("no text");
});

it("labels are created, renamed and deleted here and in the service", async () => {
  const rig = await actionsRig();
  const made = await worked(rig.labels.create("Print", by));
  expect(rig.store.directory.labelNames().get(made.id)).toBe("Print");
  await worked(rig.labels.rename({ id: made.id, name: "Web" }, by));
  expect(rig.store.directory.labelNames().get(made.id)).toBe("Web");
  expect((await worked(rig.labels.list(by))).map(({ name }) => name)).toContain("Web");
  await worked(rig.labels.delete(made.id, by));
  expect(rig.store.directory.labels().some(({ id }) => id === made.id)).toBe(false);
  expect((await worked(rig.labels.list(by))).some(({ id }) => id === made.id)).toBe(false);
  expect(await problem(rig.labels.delete(labelId(4711), by))).toContain("no label 4711");
  expect(await problem(rig.labels.create("", by))).toContain("needs a name");
});

describe("files", () => {
  const content = Buffer.from("plan");
  const plan = { name: "plan.txt", type: "text/plain", content };

  it("are uploaded into the home folder, listed, and deleted", async () => {
    const rig = await actionsRig();
    const place = { projectId: rig.project, folderId: null };
    const [filed] = await worked(rig.files.upload({ ...place, ...plan }, by));
    expect(filed).toMatchObject({ name: "plan.txt", byteSize: 4, folderId: rig.folder });
    expect(await worked(rig.files.list(place, by))).toHaveLength(1);
    expect(rig.store.files.ofProject(rig.project)).toMatchObject([{ name: "plan.txt" }]);
    await worked(rig.files.delete({ ...place, id: filed?.id ?? serviceId(1) }, by));
    expect(rig.store.files.ofProject(rig.project)).toEqual([]);
    expect(await worked(rig.files.list(place, by))).toEqual([]);
  });

  it("are refused for a project or folder that is not there", async () => {
    const rig = await actionsRig();
    const projectId = rig.project;
    const nowhere = { projectId, folderId: folderId(4711), ...plan };
    expect(await problem(rig.files.upload(nowhere, by))).toContain("folders/4711");
    rig.store.directory.putProjects([], true);
    rig.sandbox.requests.clear();
    const unknown = { ...plan, projectId: aProject(4711, "x").id, folderId: null };
    expect(await problem(rig.files.upload(unknown, by))).toContain("project 4711");
    expect(rig.requests()).toEqual([]);
  });
});
