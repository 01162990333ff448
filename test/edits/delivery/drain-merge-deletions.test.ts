import { describe, expect, it } from "vitest";
import { calendar, vevent, vtodo } from "../rig.ts";
import { change, drainRig, withEvent } from "./drain-rig.ts";

describe("step() of a deletion beside someone else's change", () => {
  it("waits, and deletes once a person wants it all the same", async () => {
    const { rig, id, uid } = await withEvent(drainRig());
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    change(rig, id, { title: "Important now" });
    expect(await rig.drainAll()).toEqual(["parked: conflict"]);
    expect(rig.editActions.show(1)?.problem).toMatch(/changed since you saw it.*"Important now"/);
    expect(rig.workspaceEvents()).toHaveLength(1);
    rig.keepMine();
    await rig.drainAll();
    expect(rig.workspaceEvents()).toEqual([]);
    expect(rig.edit()).toMatchObject({ state: "confirmed", before: { title: "Important now" } });
  });

  it("deletes and keeps the version that was lost when the policy is theirs", async () => {
    const { rig, id, uid } = await withEvent(drainRig({ conflicts: "theirs" }));
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    change(rig, id, { title: "Important now" });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toEqual([]);
    expect(rig.editActions.show(1)?.replaced).toContain('"Important now"');
    rig.editActions.undo(1, { channel: "upload", actor: null });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Important now" }]);
  });

  it("keeps the item when the policy is ours", async () => {
    const { rig, id, uid } = await withEvent(drainRig({ conflicts: "ours" }));
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    change(rig, id, { title: "Important now" });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toHaveLength(1);
    expect(rig.store.view.findUid(uid)).not.toBeNull();
    expect(rig.editActions.show(1)).toMatchObject({
      state: "discarded",
      problem: expect.stringContaining("not deleted"),
    });
  });

  it("buries the subtasks of a deleted task with it", async () => {
    const rig = await drainRig();
    const parent = await rig.task();
    rig.send(calendar(vtodo("sub@example.com", "SUMMARY:Sub", `RELATED-TO:${parent.uid}`)));
    await rig.drainAll();
    expect(rig.store.view.findUid("sub@example.com")).not.toBeNull();
    rig.send(calendar(vtodo(parent.uid, "STATUS:CANCELLED")));
    expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
    expect(rig.store.view.findUid("sub@example.com")).toBeNull();
    expect(rig.store.mirror.counts()).toEqual({ event: 0, task: 0, subtask: 0 });
  });
});
