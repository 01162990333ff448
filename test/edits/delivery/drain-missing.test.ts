import { expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { sourceOf } from "../../../src/domain/source.ts";
import { worked } from "../../contract/pair.ts";
import { calendar, vtodo } from "../rig.ts";
import { changeTask, drainRig, withTask } from "./drain-rig.ts";

it("a change waits for the other lists, and is applied where its task is now", async () => {
  const { rig, id, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "SUMMARY:Written")));
  changeTask(rig, id, { project: rig.project, list_id: rig.otherList, move_task: true });
  await rig.step();
  expect(rig.edit()).toMatchObject({ state: "pending", missedAt: rig.clock() });
  expect(rig.missing).toMatchObject([{ id: 1 }]);
  expect(rig.events).toMatchObject([{ kind: "postponed" }]);
  const place = { projectId: rig.project, listId: rig.otherList, id: serviceId(id) };
  const swept = worked(await rig.upstream.tasks.get(place, { priority: "sweep" }));
  rig.store.mirror.put({ ...swept, id: serviceId(id) }, sourceOf(swept));
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  const there = { ...rig.by, list: rig.otherList };
  const moved = rig.sandbox.workspace.tasks.list(there).find((task) => task.id === id);
  expect(moved).toMatchObject({ title: "Written" });
  expect(rig.store.view.findUid(uid)?.item).toMatchObject({ id, title: "Written" });
});

it("asks for the other lists again after a crash", async () => {
  const { rig, id, uid } = await withTask(drainRig());
  const other = { kind: "tasks", projectId: rig.project, listId: rig.otherList } as const;
  rig.store.sources.put([other]);
  rig.send(calendar(vtodo(uid, "SUMMARY:Written")));
  rig.sandbox.workspace.tasks.remove({ ...rig.by, list: rig.list, task: id });
  await rig.step();
  const asked = rig.hurried.length;
  rig.clock.advance({ seconds: 5 });
  rig.restart();
  expect(rig.hurried.slice(asked)).toEqual([[`tasks:${rig.otherList}`]]);
  rig.clock.advance({ seconds: 1 });
  rig.store.sources.attempted(other, rig.clock());
  rig.clock.advance({ seconds: 1 });
  rig.store.sources.succeeded(other, { items: 0, gaps: null });
  rig.clock.advance({ seconds: 14 });
  await rig.step();
  expect(rig.states()).toEqual(["parked: refused"]);
});

it("parks a change if no list shows the task", async () => {
  const { rig, id, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "SUMMARY:Written")));
  rig.sandbox.workspace.tasks.remove({ ...rig.by, list: rig.list, task: id });
  expect(await rig.drainAll()).toEqual(["parked: refused"]);
  expect(rig.edit().problem).toContain("no longer exists");
  expect(rig.missing).toHaveLength(1);
  // Each time, its list is read as well.
  expect(rig.requests("GET")).toHaveLength(4);
});

it("confirms a deletion if no list shows the task", async () => {
  const { rig, id, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "STATUS:CANCELLED")));
  rig.sandbox.workspace.tasks.remove({ ...rig.by, list: rig.list, task: id });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.missing).toHaveLength(1);
});
