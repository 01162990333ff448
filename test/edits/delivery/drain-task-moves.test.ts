import type { Fault } from "@dayferry/sandbox";
import { expect, it } from "vitest";
import { listId, projectId } from "../../../src/domain/ids.ts";
import { rows } from "../../support/effort.ts";
import { calendar, vtodo } from "../rig.ts";
import { settingFor, withTask } from "./drain-rig.ts";
import { type MoveRig, moveRig } from "./move-rig.ts";

const lists = "/projects/todolists/tasks";
const lost = { kind: "drop-after", times: 4 } as const;

const keepsName = (rig: MoveRig, uid: string, key: number) =>
  expect(rig.store.view.findUid(uid)?.key).toBe(key);

it("a move shows at once with its subtasks, and reaches the workspace later", async () => {
  const { rig, id, uid } = await withTask(moveRig());
  await rig.subtask(id, "Child");
  const key = rig.keyOf(uid);
  rig.toOther(uid);
  expect(rig.shown()).toEqual(["Child in other", "Write in other"]);
  await rig.drainAll();
  expect(rig.requests()).toEqual([`GET ${lists}`, `PUT ${lists}`]);
  expect(rig.bodies("PUT")).toMatchObject([
    { move_task: true, id, list_id: rig.otherList, project: rig.project, title: "Write" },
  ]);
  expect(rig.states()).toEqual(["confirmed"]);
  expect(rig.shown()).toEqual(["Child in other", "Write in other"]);
  expect(rig.tasksIn(rig.otherList)).toMatchObject([{ id, due_date: "2026-11-24" }]);
  keepsName(rig, uid, key);
  await rig.expectRest();
});

it("a move to another project takes other pending fields along", async () => {
  const { rig, uid } = await withTask(moveRig(), { description: "Two pages" });
  rig.send(calendar(vtodo(uid, "SUMMARY:Written", "STATUS:COMPLETED")));
  rig.toFar(uid);
  rig.send(calendar(vtodo(uid, "DUE;VALUE=DATE:20261130")));
  expect(rig.shown()).toEqual(["Written in far"]);
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed", "confirmed"]);
  expect(rig.tasksIn(rig.farList, rig.otherProject)).toMatchObject([
    { title: "Written", description: "Two pages", due_date: "2026-11-30", completed: true },
  ]);
  await rig.expectRest();
});

it.each<[string, Fault]>(
  rows<[string, Fault]>(
    [
      ["a lost request", { kind: "drop-before", times: 4 }],
      ["a lost answer", lost],
      ["an answer that hangs", { kind: "hang-after", times: 4 }],
      ["a 503", { kind: "status", status: 503, times: 4 }],
      ["half an answer", { kind: "cut", plain: true }],
      ["another answer", { kind: "replace", body: { hello: "world" } }],
      ["a web page", { kind: "html" }],
      ["a 429", { kind: "status", status: 429, headers: { "retry-after": "1" } }],
    ],
    4,
  ),
)("a move happens exactly once despite %s", async (_name, fault) => {
  const { rig, id, uid } = await withTask(moveRig(settingFor(fault)));
  await rig.subtask(id, "Child");
  rig.toOther(uid);
  rig.sandbox.faults.add({ ...fault, method: "PUT" });
  for (let step = 0; step < 3; step++) {
    await rig.step();
    rig.sandbox.faults.clear();
    await rig.sweep();
    expect(rig.shown()).toEqual(["Child in other", "Write in other"]);
    rig.clock.advance({ seconds: 30 });
  }
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  await rig.expectRest();
  expect(rig.tasksIn(rig.otherList)).toMatchObject([{ id }]);
});

it("checks the new list after a lost response, and sends nothing again", async () => {
  const { rig, id, uid } = await withTask(moveRig());
  rig.toFar(uid);
  rig.sandbox.faults.add({ ...lost, method: "PUT" });
  await rig.step();
  rig.sandbox.faults.clear();
  rig.sandbox.requests.clear();
  expect(rig.restart()).toBeLessThanOrEqual(1);
  await rig.drainAll();
  expect(rig.requests("PUT")).toEqual([]);
  expect(rig.states()).toEqual(["confirmed"]);
  expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id, listId: rig.farList });
  await rig.expectRest();
});

it("finds the moved task under another ID, and keeps its UID", async () => {
  const { rig, uid } = await withTask(moveRig());
  const key = rig.keyOf(uid);
  rig.toOther(uid);
  copyInsteadOfMoving(rig, uid);
  await rig.step();
  await rig.sweep();
  expect(rig.shown()).toEqual(["Write in other"]);
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  keepsName(rig, uid, key);
  const [moved] = rig.tasksIn(rig.otherList);
  expect(rig.store.view.findUid(uid)?.item.id).toBe(moved?.id);
  await rig.expectRest();
});

it("waits for a person if several tasks could be the moved one", async () => {
  const { rig, uid } = await withTask(moveRig());
  rig.toOther(uid);
  copyInsteadOfMoving(rig, uid);
  await rig.step();
  const there = { ...rig.by, list: rig.otherList };
  rig.sandbox.workspace.tasks.create(there, { title: "Write", due_date: "2026-11-24" });
  expect(await rig.drainAll()).toEqual(["parked: unknown-outcome"]);
  expect(rig.requests("PUT")).toHaveLength(1);
});

it("keeps the UID if the response has another ID", async () => {
  const { rig, uid } = await withTask(moveRig());
  rig.toOther(uid);
  const transform = (json: unknown) => ({ ...Object(json), id: 999_001 });
  rig.sandbox.faults.add({ kind: "transform", method: "PUT", transform });
  await rig.step();
  expect(rig.states()).toEqual(["confirmed"]);
  expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id: 999_001 });
});

it("continues with the other fields after a failure between them and the move", async () => {
  const { rig, uid } = await withTask(moveRig());
  const base = rig.store.view.findUid(uid)?.item;
  if (!base) throw new Error("the task is not shown");
  const place = { projectId: rig.otherProject, listId: rig.farList };
  rig.store.journal.append({
    channel: "caldav",
    actor: rig.owner,
    item: rig.keyOf(uid),
    action: "update",
    base,
    patch: { place, title: "Written" },
    newLabels: [],
    state: "pending",
  });
  const path = new RegExp(`/todolists/${rig.farList}/`);
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", path, times: 4 });
  await rig.step();
  expect(rig.tasksIn(rig.farList, rig.otherProject)).toMatchObject([{ title: "Write" }]);
  expect(rig.states()).toEqual(["pending"]);
  expect(rig.shown()).toEqual(["Written in far"]);
  rig.restart();
  await rig.drainAll();
  expect(rig.bodies("PUT").filter((body) => Object(body).move_task)).toHaveLength(1);
  expect(rig.shown()).toEqual(["Written in far"]);
  await rig.expectRest();
});

it("confirms a move without a request if someone else has made it", async () => {
  const { rig, id, uid } = await withTask(moveRig());
  await rig.subtask(id, "Child");
  rig.toOther(uid);
  const place = { ...rig.by, list: rig.list, task: id };
  rig.sandbox.workspace.tasks.update(place, { move_task: true, list_id: rig.otherList });
  await rig.step();
  expect(rig.states()).toEqual(["confirmed"]);
  expect(rig.requests("PUT")).toEqual([]);
  await rig.expectRest();
});

it.each([
  ["ask", "parked: conflict", "far"],
  ["theirs", "confirmed", "other"],
  ["ours", "discarded", "far"],
] as const)(
  "follows the policy %s if someone else has moved the task elsewhere",
  async (conflicts, state, where) => {
    const { rig, id, uid } = await withTask(moveRig({ conflicts }));
    rig.toOther(uid);
    const place = { ...rig.by, list: rig.list, task: id };
    const far = { move_task: true, list_id: rig.farList, project: rig.otherProject };
    rig.sandbox.workspace.tasks.update(place, far);
    await rig.sweep();
    expect(await rig.drainAll()).toEqual([state]);
    expect(rig.shown()).toEqual([`Write in ${where}`]);
    const [conflict] = rig.edit().conflicts;
    expect(conflict).toMatchObject({
      field: "place",
      base: { projectId: rig.project, listId: rig.list },
      ours: { projectId: rig.otherProject, listId: rig.farList },
      theirs: { projectId: rig.project, listId: rig.otherList },
    });
    const shown = rig.editActions.show(1);
    const told = shown?.replaced ?? shown?.problem ?? "";
    const { directory } = rig.store;
    const project = directory.project(projectId(rig.otherProject))?.title;
    expect(told).toContain(`${project}, ${directory.todolist(listId(rig.farList))?.title}`);
    expect(told).toMatch(/^Place\b/);
    await rig.expectRest();
    if (conflicts !== "ask") return;
    rig.keepMine();
    await rig.drainAll();
    expect(rig.shown()).toEqual(["Write in other"]);
    await rig.expectRest();
  },
);

it("returns the task to the old list if the service refuses the move", async () => {
  const { rig, id, uid } = await withTask(moveRig());
  await rig.subtask(id, "Child");
  rig.toOther(uid);
  rig.sandbox.faults.add({ kind: "status", status: 403, method: "PUT" });
  expect(await rig.drainAll()).toEqual(["parked: refused"]);
  expect(rig.shown()).toEqual(["Child in list", "Write in list"]);
  await rig.expectRest();
  rig.keepMine();
  await rig.drainAll();
  expect(rig.shown()).toEqual(["Child in other", "Write in other"]);
  await rig.expectRest();
});

it("reports if the service responds without moving the task", async () => {
  const { rig, uid } = await withTask(moveRig());
  rig.toOther(uid);
  const stay = { list: { id: rig.list }, project: { id: rig.project } };
  const transform = (json: unknown) => ({ ...Object(json), ...stay });
  rig.sandbox.faults.add({ kind: "transform", method: "PUT", transform });
  await rig.step();
  expect(rig.events).toMatchObject([{ kind: "applied" }, { kind: "differs" }]);
  expect(rig.editActions.show(1)?.problem).toContain("without storing place");
});

it("undo moves the task back", async () => {
  const { rig, id, uid } = await withTask(moveRig());
  await rig.subtask(id, "Child");
  rig.toFar(uid);
  await rig.drainAll();
  const undone = rig.editActions.undo(1, { channel: "dashboard", actor: null });
  expect(undone).toMatchObject({
    kind: "done",
    edit: { changes: [{ field: "place", from: expect.stringMatching(/: /) }] },
  });
  expect(rig.shown()).toEqual(["Child in list", "Write in list"]);
  expect(await rig.drainAll()).toEqual(["undone", "confirmed"]);
  expect(rig.tasksIn(rig.list)).toMatchObject([{ id }]);
  await rig.expectRest();
});

it("a deletion from the old list does not delete a task that someone moved", async () => {
  const { rig, id, uid } = await withTask(moveRig());
  rig.send(calendar(vtodo(uid, "STATUS:CANCELLED")));
  const place = { ...rig.by, list: rig.list, task: id };
  rig.sandbox.workspace.tasks.update(place, { move_task: true, list_id: rig.otherList });
  await rig.sweep();
  expect(await rig.drainAll()).toEqual(["parked: conflict"]);
  expect(rig.shown()).toEqual(["Write in other"]);
});

/** Has the service make a copy and drop the old task, and loses the answer. */
function copyInsteadOfMoving(rig: MoveRig, uid: string): void {
  const item = rig.store.view.findUid(uid)?.item;
  const id = Number(item?.id);
  const transform = (json: unknown) => {
    const there = { ...rig.by, list: rig.otherList };
    const { workspace } = rig.sandbox;
    workspace.tasks.remove({ ...there, task: id });
    workspace.tasks.create(there, { title: "Write", due_date: "2026-11-24" });
    return { ...Object(json), id: "lost" };
  };
  rig.sandbox.faults.add({ kind: "transform", method: "PUT", transform });
}
