import { expect, it } from "vitest";
import { calendar, vtodo } from "../rig.ts";
import { withTask } from "./drain-rig.ts";
import { moveRig } from "./move-rig.ts";

it("moves a task and changes its subtasks, one after the other", async () => {
  const { rig, id, uid } = await withTask(
    moveRig({ between: (one) => one.sweep().then(() => {}) }),
  );
  const child = await rig.subtask(id, "Child");
  rig.toFar(uid);
  rig.send(calendar(vtodo(child.uid, "SUMMARY:Child two")));
  rig.send(calendar(vtodo("new@example.com", "SUMMARY:Child three", `RELATED-TO:${uid}`)));
  expect(rig.shown()).toEqual(["Child three in far", "Child two in far", "Write in far"]);
  expect(await rig.drainAll({ loops: 4 })).toEqual(["confirmed", "confirmed", "confirmed"]);
  expect(rig.shown()).toEqual(["Child three in far", "Child two in far", "Write in far"]);
  await rig.expectRest();
});

it("creates a new subtask where its task still is", async () => {
  const { rig, uid } = await withTask(moveRig());
  rig.toFar(uid);
  rig.send(calendar(vtodo("new@example.com", "SUMMARY:Child", `RELATED-TO:${uid}`)));
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", times: 4 });
  await rig.step();
  await rig.step();
  expect(rig.states()).toEqual(["pending", "confirmed"]);
  expect(rig.shown()).toEqual(["Child in far", "Write in far"]);
  await rig.drainAll();
  expect(rig.shown()).toEqual(["Child in far", "Write in far"]);
  await rig.expectRest();
});
