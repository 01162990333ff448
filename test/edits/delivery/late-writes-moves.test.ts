import { expect, it } from "vitest";
import { calendar, vevent, vtodo } from "../rig.ts";
import { withEvent, withTask } from "./drain-rig.ts";
import { type MoveRig, moveRig } from "./move-rig.ts";

const late = { kind: "late", answer: "drop" } as const;

async function watchOut(rig: MoveRig): Promise<void> {
  for (let round = 0; round < 60; round++) {
    if ((await rig.step()) === "worked") continue;
    const next = rig.store.journal.nextAt() ?? rig.store.unanswered.nextLookAt();
    if (next === null) return;
    rig.clock.set(next.add({ milliseconds: 1 }).toString());
    await rig.sweep();
  }
  throw new Error("the watch does not end");
}

it("a late move does not undo a newer one", async () => {
  const { rig, uid } = await withTask(moveRig(), { title: "Write" });
  rig.sandbox.faults.add({ ...late, method: "PUT" });
  rig.toOther(uid);
  await rig.drainAll({ sweep: rig.sweep });
  expect(rig.shown()).toEqual(["Write in other"]);
  rig.move(uid, { list: rig.list });
  await rig.drainAll({ sweep: rig.sweep });
  expect(rig.tasksIn(rig.list)).toHaveLength(1);
  rig.sandbox.faults.deliverLate();
  await watchOut(rig);
  expect(rig.shown()).toEqual(["Write in list"]);
  await rig.expectRest();
});

it("a late move keeps the title that someone else has set", async () => {
  const { rig, uid, id } = await withTask(moveRig(), { title: "Write" });
  rig.sandbox.faults.add({ ...late, method: "PUT" });
  rig.toOther(uid);
  await rig.drainAll({ sweep: rig.sweep });
  rig.move(uid, { list: rig.list });
  await rig.drainAll({ sweep: rig.sweep });
  const there = { ...rig.by, list: rig.list, task: id };
  rig.sandbox.workspace.tasks.update(there, { title: "Rewrite" });
  await rig.sweep();
  rig.sandbox.faults.deliverLate();
  await watchOut(rig);
  expect(rig.shown()).toEqual(["Rewrite in list"]);
  await rig.expectRest();
});

it("a late move does not undo a newer title, though somebody has made the same move before it arrived", async () => {
  const { rig, uid, id } = await withTask(moveRig(), { title: "Write" });
  rig.sandbox.faults.add({ ...late, method: "PUT" });
  rig.toOther(uid);
  await rig.drainAll({ sweep: rig.sweep });
  rig.move(uid, { list: rig.list });
  await rig.drainAll({ sweep: rig.sweep });
  const there = { ...rig.by, list: rig.list, task: id };
  rig.sandbox.workspace.tasks.update(there, {
    title: "Write",
    project: rig.project,
    list_id: rig.otherList,
  });
  await rig.sweep();
  await rig.drainAll({ sweep: rig.sweep });
  rig.send(calendar(vtodo(uid, "SUMMARY:Rewrite")));
  await rig.drainAll({ sweep: rig.sweep });
  expect(rig.shown()).toEqual(["Rewrite in list"]);
  rig.sandbox.faults.deliverLate();
  await watchOut(rig);
  expect(rig.shown()).toEqual(["Rewrite in list"]);
  await rig.expectRest();
});

it("a late change of dates does not undo newer dates", async () => {
  const { rig, uid } = await withEvent(moveRig(), { title: "Launch" });
  const at = (hour: number) =>
    vevent(
      uid,
      `DTSTART;TZID=Europe/Berlin:20261123T${hour}0000`,
      `DTEND;TZID=Europe/Berlin:20261123T${hour + 1}0000`,
    );
  rig.sandbox.faults.add({ ...late, method: "PUT" });
  rig.send(calendar(at(14)));
  await rig.step();
  rig.send(calendar(at(16)));
  await rig.step();
  rig.sandbox.faults.deliverLate();
  await watchOut(rig);
  expect(rig.eventsIn(rig.project)).toMatchObject([{ start: "2026-11-23 16:00" }]);
  await rig.expectRest();
});

it("a late title of a subtask does not undo a newer one", async () => {
  const rig = await moveRig();
  const { id: task } = await rig.task({ title: "Write" });
  const { uid } = await rig.subtask(task, "Child");
  rig.sandbox.faults.add({ ...late, method: "PUT" });
  rig.send(calendar(vtodo(uid, "SUMMARY:Child A")));
  await rig.step();
  rig.send(calendar(vtodo(uid, "SUMMARY:Child B")));
  await rig.step();
  rig.sandbox.faults.deliverLate();
  await watchOut(rig);
  const place = { by: rig.owner, project: rig.project, list: rig.list, task };
  expect(rig.sandbox.workspace.subtasks.list(place)).toMatchObject([{ title: "Child B" }]);
});

it("a late deletion after a move leaves one event", async () => {
  const { rig, uid } = await withEvent(moveRig(), { title: "Launch" });
  rig.sandbox.faults.add({ ...late, method: "DELETE" });
  rig.eventToFar(uid);
  await rig.drainAll();
  rig.move(uid, { project: rig.project, list: null });
  await rig.drainAll();
  rig.sandbox.faults.deliverLate();
  await watchOut(rig);
  expect(rig.shown()).toEqual(["Launch in project"]);
  await rig.expectRest();
});
