import { expect, it } from "vitest";
import { calendar, vtodo } from "../rig.ts";
import { changeTask, type DrainSetting, drainRig, withTask } from "./drain-rig.ts";

// The service deletes a task's subtasks with it, whatever somebody just wrote into them.

/** A task with a subtask that came from a calendar, both in the service. */
async function family(setting: DrainSetting = {}) {
  const rig = await drainRig(setting);
  const parent = await rig.task();
  rig.send(calendar(vtodo("sub@example.com", "SUMMARY:Sub", `RELATED-TO:${parent.uid}`)));
  await rig.drainAll();
  const { sandbox, by, list } = rig;
  const below = { ...by, list, task: parent.id };
  const [sub] = sandbox.workspace.subtasks.list(below);
  if (!sub) throw new Error("the task has no subtask");
  rig.sandbox.requests.clear();
  return {
    ...rig,
    rig,
    parent,
    sub,
    deleteTask: () => rig.send(calendar(vtodo(parent.uid, "STATUS:CANCELLED"))),
    changeSub: (body: object) =>
      sandbox.workspace.subtasks.update({ ...below, subtask: sub.id }, body),
    addSub: (body: object) => sandbox.workspace.subtasks.create(below, body),
  };
}

it("deleting a task waits for a person if a subtask has changed, and then deletes what that person has seen", async () => {
  const it = await family();
  it.deleteTask();
  it.changeSub({ description: "Ring Ben first" });
  expect(await it.drainAll()).toEqual(["confirmed", "parked: conflict"]);
  const told = it.editActions.show(2);
  expect(told?.problem).toMatch(/Description of its subtask "Sub" is .*Ring Ben first/);
  expect(told?.choice).toMatchObject({
    kind: "deletion",
    fields: [{ name: "Description of the subtask “Sub”", theirs: "Ring Ben first" }],
  });
  expect(it.requests("DELETE")).toEqual([]);
  it.changeSub({ title: "Sub, urgent" });
  it.keepMine(2);
  await it.drainAll();
  expect(it.states()[1]).toBe("parked: conflict");
  expect(it.editActions.show(2)?.problem).toContain("Sub, urgent");
  it.keepMine(2);
  expect(await it.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect(it.workspaceTasks()).toEqual([]);
});

it("deleting a task waits for a person if it has a new subtask", async () => {
  const it = await family();
  it.deleteTask();
  it.addSub({ title: "Brand new" });
  expect(await it.drainAll()).toEqual(["confirmed", "parked: conflict"]);
  expect(it.editActions.show(2)?.problem).toContain("Brand new");
  it.editActions.discard(2, { channel: "cli", actor: null });
  expect(it.workspaceTasks()).toHaveLength(1);
});

it("a deletion does not read below a task without subtasks", async () => {
  const { rig, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "STATUS:CANCELLED")));
  await rig.drainAll();
  expect(rig.requests()).toEqual([
    "GET /projects/todolists/tasks",
    "DELETE /projects/todolists/tasks",
  ]);
});

it("a deletion ignores changes by the same person", async () => {
  const it = await family();
  it.send(calendar(vtodo("sub@example.com", "SUMMARY:Sub  by  me", `RELATED-TO:${it.parent.uid}`)));
  it.deleteTask();
  expect(await it.drainAll()).toEqual(["confirmed", "confirmed", "confirmed"]);
  expect(it.workspaceTasks()).toEqual([]);
});

it("deleting a task and its changed subtask keeps both until a person decides", async () => {
  const it = await family();
  it.changeSub({ description: "Ring Ben first" });
  it.deleteTask();
  it.send(calendar(vtodo("sub@example.com", "STATUS:CANCELLED", `RELATED-TO:${it.parent.uid}`)));
  await it.drainAll();
  expect(it.states().slice(1)).toEqual(["parked: conflict", "parked: conflict"]);
  expect(it.requests("DELETE")).toEqual([]);
});

it("a conflict policy deletes the task, or keeps it with its subtasks", async () => {
  for (const [conflicts, state, left] of [
    ["theirs", "confirmed", 0],
    ["ours", "discarded", 1],
  ] as const) {
    const it = await family({ conflicts });
    it.deleteTask();
    it.changeSub({ description: "Ring Ben first" });
    await it.drainAll();
    expect(it.states()[1]).toBe(state);
    const { problem, replaced } = it.editActions.show(2) ?? {};
    expect(state === "confirmed" ? replaced : problem).toContain("Ring Ben first");
    expect(state === "confirmed" ? problem : replaced).toBeNull();
    expect(it.workspaceTasks()).toHaveLength(left);
  }
});

it("a deletion still asks about a subtask after a change of the task was approved", async () => {
  const it = await family();
  it.deleteTask();
  changeTask(it.rig, it.parent.id, { title: "Write soon" });
  await it.drainAll();
  it.changeSub({ description: "Ring Ben first" });
  it.keepMine(2);
  await it.drainAll();
  expect(it.states()[1]).toBe("parked: conflict");
  expect(it.editActions.show(2)?.problem).toContain("Ring Ben first");
});
