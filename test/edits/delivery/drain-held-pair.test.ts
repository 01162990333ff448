import { expect, it } from "vitest";
import { calendar, vtodo } from "../rig.ts";
import { drainRig, withTask } from "./drain-rig.ts";

/** Two edits of one task by one person, neither of them approved. */
async function heldPair(older: readonly string[], newer: readonly string[]) {
  const { rig, uid, id } = await withTask(drainRig({ mode: "review" }));
  rig.send(calendar(vtodo(uid, ...older)));
  rig.send(calendar(vtodo(uid, ...newer)));
  expect(rig.states()).toEqual(["held", "held"]);
  const task = () => rig.sandbox.workspace.tasks.get({ ...rig.by, list: rig.list, task: id });
  return { rig, id, task };
}

it("an older held edit counts as replaced if the newer one was approved first", async () => {
  const { rig, task } = await heldPair(["SUMMARY:First"], ["SUMMARY:Second"]);
  rig.editActions.approve(2);
  await rig.drainAll();
  rig.editActions.approve(1);
  expect(await rig.drainAll()).toEqual(["discarded", "confirmed"]);
  expect(rig.edit(1).problem).toContain("replaced by edit 2");
  expect(task().title).toBe("Second");
});

it("an older held edit still applies fields that the newer one leaves alone", async () => {
  const { rig, task } = await heldPair(
    ["SUMMARY:First", "DUE;VALUE=DATE:20261201"],
    ["SUMMARY:Second"],
  );
  rig.editActions.approve(2);
  await rig.drainAll();
  rig.editActions.approve(1);
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect(task()).toMatchObject({ title: "Second", due_date: "2026-12-01" });
  expect(rig.editActions.show(1)?.problem).toContain("replaced by edit 2");
});

it("two approved edits are carried out in their order", async () => {
  const { rig, task } = await heldPair(["SUMMARY:First"], ["SUMMARY:Second"]);
  rig.editActions.approve(2);
  rig.editActions.approve(1);
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect(task().title).toBe("Second");
});

it("an older held edit conflicts if someone else changed the item after the newer one", async () => {
  const { rig, id } = await heldPair(["SUMMARY:First"], ["SUMMARY:Second"]);
  rig.editActions.approve(2);
  await rig.drainAll();
  rig.sandbox.workspace.tasks.update({ ...rig.by, list: rig.list, task: id }, { title: "Other" });
  rig.editActions.approve(1);
  expect(await rig.drainAll()).toEqual(["parked: conflict", "confirmed"]);
});

it("an older held edit conflicts if the newer one is another person's", async () => {
  const { rig, uid } = await withTask(drainRig({ mode: "review" }));
  rig.send(calendar(vtodo(uid, "SUMMARY:First")));
  rig.send(calendar(vtodo(uid, "SUMMARY:Second")), { actor: rig.person("member") });
  rig.editActions.approve(2);
  await rig.drainAll();
  rig.editActions.approve(1);
  expect(await rig.drainAll()).toEqual(["parked: conflict", "confirmed"]);
});
