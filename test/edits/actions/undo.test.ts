import { describe, expect, it } from "vitest";
import type { Item } from "../../../src/domain/item.ts";
import { inverseOf } from "../../../src/edits/actions/undo.ts";
import { drainRig, withEvent, withTask } from "../delivery/drain-rig.ts";
import { calendar, vevent, vtodo } from "../rig.ts";

const by = { channel: "upload", actor: null } as const;
const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");

type Rig = Awaited<ReturnType<typeof drainRig>>;

/** Accepts, sends, undoes, sends. */
async function doAndUndo(rig: Rig, file: string) {
  rig.send(calendar(file));
  await rig.drainAll();
  expect(rig.edit(1).state).toBe("confirmed");
  const decision = rig.editActions.undo(1, by);
  expect(decision).toMatchObject({ kind: "done", edit: { undoes: 1, state: "pending" } });
  expect(await rig.drainAll()).toEqual(["undone", "confirmed"]);
  return rig.editActions.show(2);
}

const reasonOf = (rig: Rig, id: number) => {
  const decision = rig.editActions.undo(id, by);
  return decision.kind === "refused" ? decision.reason : decision.kind;
};

describe("undo of a confirmed edit", () => {
  it("reverts a change and nothing else", async () => {
    const { rig, id, uid } = await withEvent(drainRig(), { description: "old" });
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed", "DTSTART;VALUE=DATE:20261201")));
    await rig.drainAll();
    rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { description: "someone's" });
    rig.editActions.undo(1, by);
    expect(await rig.drainAll()).toEqual(["undone", "confirmed"]);
    expect(rig.workspaceEvents()).toMatchObject([
      { title: "Review", start: "2026-11-23 10:00", all_day: false, description: "someone's" },
    ]);
    expect(rig.editActions.show(2)).toMatchObject({
      action: "update",
      channel: "upload",
      problem: null,
    });
  });

  it("restores what the service had, not what the editor saw", async () => {
    const { rig, id, uid } = await withEvent(drainRig({ conflicts: "theirs" }));
    rig.send(calendar(vevent(uid, "SUMMARY:Mine")));
    rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { title: "Yours" });
    await rig.drainAll();
    rig.editActions.undo(1, by);
    await rig.drainAll();
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Yours" }]);
  });

  it("restores it even if the first request was carried out without a response", async () => {
    const { rig, uid } = await withEvent(drainRig());
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    rig.sandbox.faults.add({ kind: "drop-after", method: "PUT", times: 9 });
    await rig.step();
    rig.sandbox.faults.clear();
    await rig.drainAll();
    expect(rig.edit()).toMatchObject({ state: "confirmed", before: { title: "Review" } });
    rig.editActions.undo(1, by);
    await rig.drainAll();
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Review" }]);
  });

  it("removes labels and people that the edit added", async () => {
    const { rig, uid } = await withTask(drainRig());
    await doAndUndo(rig, vtodo(uid, "CATEGORIES:Fresh"));
    expect(rig.workspaceTasks()).toMatchObject([{ labels: [] }]);
  });

  it("reopens what was completed, and completes what was reopened", async () => {
    const { rig, uid } = await withTask(drainRig());
    const inverse = await doAndUndo(rig, vtodo(uid, "STATUS:COMPLETED"));
    expect(inverse?.action).toBe("reopen");
    expect(rig.workspaceTasks()).toMatchObject([{ completed: false }]);
    expect(rig.editActions.undo(2, by)).toMatchObject({
      kind: "done",
      edit: { action: "complete" },
    });
    await rig.drainAll();
    expect(rig.workspaceTasks()).toMatchObject([{ completed: true }]);
    expect(rig.states()).toEqual(["undone", "undone", "confirmed"]);
  });

  it("deletes what was created", async () => {
    const rig = await drainRig();
    const inverse = await doAndUndo(rig, party);
    expect(inverse?.action).toBe("delete");
    expect(rig.workspaceEvents()).toEqual([]);
    expect(rig.store.view.findUid("party@example.com")).toBeNull();
  });

  it("recreates what was deleted, as the same item", async () => {
    const { rig, id, uid } = await withEvent(drainRig(), {
      description: "<b>kept</b>",
      reminder: 15,
      private: true,
    });
    const key = rig.store.mirror.findUid(uid)?.item;
    const inverse = await doAndUndo(rig, vevent(uid, "STATUS:CANCELLED"));
    expect(inverse).toMatchObject({ action: "create", problem: null });
    const [event] = rig.workspaceEvents();
    expect(event).toMatchObject({
      title: "Review",
      start: "2026-11-23 10:00",
      description: "<b>kept</b>",
      reminder: 15,
      private: true,
    });
    expect(event?.id).not.toBe(id);
    expect(rig.store.view.findUid(uid)).toMatchObject({ key, item: { id: event?.id } });
    expect(rig.store.mirror.counts().event).toBe(1);
  });

  it("says what of a deleted task cannot be restored", async () => {
    const { rig, id, uid } = await withTask(drainRig(), { estimated_hours: 2 });
    const place = { ...rig.by, list: rig.list, task: id };
    rig.sandbox.workspace.comments.create(place, { description: "remember" });
    rig.sandbox.workspace.subtasks.create(place, { title: "Sub" });
    rig.send(calendar(vtodo(uid, "STATUS:COMPLETED")));
    await rig.drainAll();
    rig.send(calendar(vtodo(uid, "STATUS:CANCELLED")));
    await rig.drainAll();
    // Nobody here saw the subtask.
    rig.keepMine(2);
    await rig.drainAll();
    rig.editActions.undo(2, by);
    await rig.drainAll();
    expect(rig.editActions.show(3)).toMatchObject({
      state: "confirmed",
      problem: expect.stringMatching(/1 comment, 1 subtask.*cannot be brought back/),
    });
    expect(rig.workspaceTasks()).toMatchObject([
      { title: "Write", estimated_hours: 2, completed: true, due_date: "2026-11-24" },
    ]);
  });

  it("recreates an item once, even if the response is lost", async () => {
    const { rig, uid } = await withTask(drainRig());
    rig.send(calendar(vtodo(uid, "STATUS:CANCELLED")));
    await rig.drainAll();
    rig.editActions.undo(1, by);
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    expect(await rig.drainAll()).toEqual(["undone", "confirmed"]);
    expect(rig.workspaceTasks()).toHaveLength(1);
  });

  it("keeps the item as it is if it came back by itself", async () => {
    const { rig, uid } = await withEvent(drainRig());
    const key = rig.store.mirror.findUid(uid)?.item ?? expect.fail("no identity");
    const item = rig.store.mirror.get(key)?.item ?? expect.fail("not mirrored");
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    await rig.drainAll();
    rig.editActions.undo(1, by);
    // A late answer to an old sweep, when the item no longer exists.
    if (item.id === null) return expect.fail("no id");
    rig.store.mirror.put({ ...item, id: item.id }, `events:${rig.project}`);
    expect(rig.store.mirror.findUid(uid)?.item).toBe(key);
    expect(await rig.drainAll()).toEqual(["undone", "confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(1);
    expect(rig.store.view.ofProject(rig.project)).toHaveLength(1);
  });

  it("gives the old item another UID if both exist in the end", async () => {
    const { rig, uid } = await withEvent(drainRig());
    const key = rig.store.mirror.findUid(uid)?.item ?? expect.fail("no identity");
    const item = rig.store.mirror.get(key)?.item ?? expect.fail("not mirrored");
    await doAndUndo(rig, vevent(uid, "STATUS:CANCELLED"));
    if (item.id === null) return expect.fail("no id");
    rig.store.mirror.put({ ...item, id: item.id }, `events:${rig.project}`);
    const uids = rig.store.view.ofProject(rig.project).map((view) => view.uid);
    expect(uids).toEqual([uid, `again-${uid}`]);
  });

  it("conflicts with a later change of the same field, like any edit", async () => {
    const { rig, id, uid } = await withEvent(drainRig());
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    await rig.drainAll();
    rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { title: "Later" });
    rig.editActions.undo(1, by);
    expect(await rig.drainAll()).toEqual(["confirmed", "parked: conflict"]);
    expect(rig.workspaceEvents()).toMatchObject([{ title: "Later" }]);
    expect(reasonOf(rig, 1)).toContain("edit 2");
    rig.editActions.discard(2);
    expect(rig.edit(1).state).toBe("confirmed");
    expect(rig.editActions.undo(1, by)).toMatchObject({ kind: "done", edit: { id: 3 } });
  });

  it("waits for approval in review mode", async () => {
    const { rig, uid } = await withEvent(drainRig({ mode: "review" }));
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    rig.editActions.approve(1);
    await rig.drainAll();
    expect(rig.editActions.undo(1, by)).toMatchObject({ kind: "done", edit: { state: "held" } });
    rig.editActions.approve(2);
    expect(await rig.drainAll()).toEqual(["undone", "confirmed"]);
  });
});

describe("undo of what cannot be undone", () => {
  it("gives the reason", async () => {
    const { rig, uid } = await withEvent(drainRig());
    expect(reasonOf(rig, 99)).toBe("unknown");
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    expect(reasonOf(rig, 1)).toContain("discard it");
    rig.store.journal.claimNext();
    expect(reasonOf(rig, 1)).toContain("being sent");
    rig.recover();
    await rig.drainAll();
    rig.editActions.undo(1, by);
    expect(reasonOf(rig, 1)).toContain("edit 2");
    await rig.drainAll();
    expect(reasonOf(rig, 1)).toContain("undone already");
    rig.send(calendar(vevent(uid, "SUMMARY:Third")));
    rig.editActions.discard(3);
    expect(reasonOf(rig, 3)).toContain("discarded");
  });

  it("refuses if the item or its parent is gone, or if nothing was changed", async () => {
    const rig = await drainRig();
    const parent = await rig.task();
    const { id, uid } = await rig.event();
    rig.send(calendar(vtodo("sub@example.com", "SUMMARY:Sub", `RELATED-TO:${parent.uid}`)));
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { title: "Renamed" });
    await rig.drainAll();
    expect(reasonOf(rig, 2)).toContain("changed nothing");
    rig.send(calendar(vtodo("sub@example.com", "STATUS:CANCELLED")));
    await rig.drainAll();
    rig.send(calendar(vtodo(parent.uid, "STATUS:CANCELLED"), vevent(uid, "STATUS:CANCELLED")));
    await rig.drainAll();
    expect(reasonOf(rig, 1)).toContain("no longer in the workspace");
    expect(reasonOf(rig, 3)).toContain("above the deleted subtask");
    const key = rig.store.mirror.findUid(uid)?.item ?? expect.fail("no identity");
    const item = rig.edit(5).before ?? expect.fail("nothing was deleted");
    if (item.id === null) return expect.fail("no id");
    rig.store.mirror.put({ ...item, id: item.id }, `events:${rig.project}`);
    expect(rig.store.view.get(key)).not.toBeNull();
    expect(reasonOf(rig, 5)).toContain("is back");
  });

  it("refuses a parked edit", async () => {
    const { rig, uid } = await withEvent(drainRig());
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")), { actor: rig.person("client") });
    await rig.drainAll();
    expect(reasonOf(rig, 1)).toContain("parked");
  });
});

it("fails if the service cannot store the previous times", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "DTSTART:20261124T100000Z", "DTEND:20261124T110000Z")));
  await rig.drainAll();
  const edit = rig.edit(1);
  const start = Temporal.Instant.from("2026-10-25T01:30Z").toZonedDateTimeISO("Europe/Berlin");
  const before: Item | null =
    edit.before?.kind === "event"
      ? { ...edit.before, when: { kind: "times", start, end: null } }
      : null;
  const inverse = inverseOf({ ...edit, before }, { store: rig.store, by });
  expect(inverse).toEqual({
    ok: false,
    failure: expect.stringMatching(/cannot store the previous times: the start, 2026-10-25T01:30Z/),
  });
});
