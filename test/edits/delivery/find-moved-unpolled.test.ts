import type { SandboxOptions } from "@dayferry/sandbox";
import { expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import type { Source } from "../../../src/domain/source.ts";
import { worked } from "../../contract/pair.ts";
import { calendar, vtodo } from "../rig.ts";
import { drainRig, withTask } from "./drain-rig.ts";

/** A task whose list is the only polled one, and its deletion by a person. */
async function onePolledList(sandbox: Partial<SandboxOptions> = {}) {
  const { rig, id, uid } = await withTask(drainRig({ sandbox }));
  const near: Source & { kind: "tasks" } = {
    kind: "tasks",
    projectId: rig.project,
    listId: rig.list,
  };
  rig.store.sources.put([near]);
  /** Reads the list as a sweep does. */
  const sweep = async () => {
    rig.clock.advance({ seconds: 1 });
    rig.store.sources.attempted(near, rig.clock());
    const { items } = worked(await rig.upstream.tasks.list(near, { priority: "sweep" }));
    rig.store.sources.succeeded(near, { items: items.length, gaps: null });
  };
  const delete_ = (of = uid) => rig.send(calendar(vtodo(of, "STATUS:CANCELLED")));
  const moveTo = (project: number, list: number) =>
    rig.sandbox.workspace.tasks.update(
      { ...rig.by, list: rig.list, task: id },
      { project, list_id: list, move_task: true },
    );
  const moveBack = () =>
    rig.sandbox.workspace.tasks.update(
      { ...rig.by, list: rig.otherList, task: id },
      { project: rig.project, list_id: rig.list, move_task: true },
    );
  const remove = () => rig.sandbox.workspace.tasks.remove({ ...rig.by, list: rig.list, task: id });
  const tasksIn = (project: number, list: number) =>
    rig.sandbox.workspace.tasks.list({ by: rig.owner, project, list });
  return {
    rig,
    id,
    uid,
    delete_,
    moveTo,
    moveBack,
    remove,
    tasksIn,
    drain: () => rig.drainAll({ sweep }),
  };
}

it.each([
  ["another list", "project", "otherList"],
  ["a list of another project", "otherProject", "farList"],
] as const)(
  "finds a deleted task in %s that is not polled, and asks before deleting it there",
  async (_, project, list) => {
    const { rig, moveTo, delete_, tasksIn, drain } = await onePolledList();
    moveTo(rig[project], rig[list]);
    delete_();
    expect(await drain()).toEqual(["parked: conflict"]);
    expect(rig.requests("DELETE")).toEqual([]);
    expect(tasksIn(rig[project], rig[list])).toHaveLength(1);
    rig.keepMine();
    expect(await drain()).toEqual(["confirmed"]);
    expect(tasksIn(rig[project], rig[list])).toEqual([]);
  },
);

it("deletes a subtask where its task was moved", async () => {
  const { rig, id, moveTo, drain, delete_ } = await onePolledList();
  const below = { ...rig.by, list: rig.list, task: id };
  rig.sandbox.workspace.subtasks.create(below, { title: "Below" });
  const place = { projectId: rig.project, listId: rig.list, taskId: serviceId(id) };
  const { items } = worked(await rig.upstream.subtasks.list(place, { priority: "sweep" }));
  const [subtask] = items;
  if (!subtask?.id) throw new Error("there is no subtask");
  rig.store.mirror.put({ ...subtask, id: subtask.id }, `subtasks:${id}`);
  const key = rig.store.mirror.find("subtask", subtask.id);
  moveTo(rig.project, rig.otherList);
  delete_(key === null ? "" : rig.store.mirror.identity(key).uid);
  expect(await drain()).toEqual(["confirmed"]);
  const there = { by: rig.owner, project: rig.project, list: rig.otherList, task: id };
  expect(rig.sandbox.workspace.subtasks.list(there)).toEqual([]);
});

it("confirms the deletion if every list reports that it has no such task", async () => {
  const { rig, remove, delete_, drain } = await onePolledList();
  remove();
  delete_();
  expect(await drain()).toEqual(["confirmed"]);
  expect(
    rig.requests("GET").filter((request) => request.endsWith("/tasks")).length,
  ).toBeGreaterThan(0);
});

it("waits for a person if the service names no lists, and searches again on a retry", async () => {
  const { rig, moveTo, moveBack, delete_, drain } = await onePolledList({ discovery: false });
  moveTo(rig.project, rig.otherList);
  delete_();
  expect(await drain()).toEqual(["parked: refused"]);
  expect(rig.edit().problem).toContain("has not confirmed its deletion");
  expect(rig.requests("DELETE")).toEqual([]);
  moveBack();
  rig.editActions.retry(1);
  expect(await drain()).toEqual(["confirmed"]);
  expect(rig.requests("DELETE")).toHaveLength(1);
});

it("waits for a person if a list is closed to the person who deletes", async () => {
  const { rig, remove, delete_, drain } = await onePolledList();
  remove();
  delete_();
  const path = new RegExp(`/todolists/${rig.farList}/tasks/\\d+$`);
  rig.sandbox.faults.add({ kind: "status", status: 403, path, times: 100 });
  expect(await drain()).toEqual(["parked: refused"]);
  expect(rig.edit().problem).toContain(`list ${rig.farList}`);
  rig.sandbox.faults.clear();
  rig.editActions.retry(1);
  expect(await drain()).toEqual(["confirmed"]);
});
