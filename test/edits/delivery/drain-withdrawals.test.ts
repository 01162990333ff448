import { describe, expect, it } from "vitest";
import { vevent, vtodo } from "../rig.ts";
import { above, uid, type Written, withdrawalRig, written } from "./withdrawal-rig.ts";

const task = vtodo(above, "SUMMARY:Above");

describe("a creation that is deleted before it was sent", () => {
  it.each<Written>(["event", "milestone", "task"])("sends nothing for the %s", async (kind) => {
    const rig = await withdrawalRig();
    rig.put(written[kind]("First"));
    rig.put(written[kind]("Second"));
    rig.remove(written[kind](""));
    expect(rig.isShown(uid)).toBe(false);
    await rig.drainAll();
    expect(rig.requests()).toEqual([]);
    expect(rig.states()).toEqual(["discarded", "discarded", "confirmed"]);
    expect(rig.edit(1).problem).toContain("edit 3 deletes it");
    expect(rig.events).toContainEqual({ kind: "withdrawn", edit: 1, by: 3 });
  });

  it("creates the task above, and nothing below it", async () => {
    const rig = await withdrawalRig();
    rig.put(written.subtask("First"));
    rig.put(task);
    rig.remove(written.subtask(""));
    await rig.drainAll();
    expect(await rig.titles()).toEqual(["Above"]);
    expect(rig.states()).toEqual(["discarded", "confirmed", "confirmed"]);
    const undoer = { channel: "dashboard", actor: rig.owner } as const;
    expect(rig.editActions.undo(3, undoer).kind).toBe("done");
    await rig.drainAll();
    expect(await rig.titles()).toEqual(["Above", "First"]);
  });

  it("creates the item once if it is put again, as a task in another list", async () => {
    const rig = await withdrawalRig();
    rig.put(written.subtask("First"));
    rig.put(task);
    rig.remove(written.subtask(""));
    expect(rig.put(written.task("Second"), "there")).toBe("create");
    await rig.drainAll();
    expect(await rig.titles()).toEqual(["Above", "Second"]);
    expect(rig.states()).toEqual(["discarded", "confirmed", "confirmed", "confirmed"]);
    expect(rig.store.view.findUid(uid)).toMatchObject({ item: { kind: "task" } });
    expect(rig.store.view.ofProject(rig.project)).toHaveLength(2);
  });

  it("creates the item again if its first request was in flight", async () => {
    const rig = await withdrawalRig();
    rig.put(task);
    await rig.step();
    rig.put(written.subtask("First"));
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    await rig.step();
    rig.remove(written.subtask(""));
    expect(rig.put(written.task("Second"), "there")).toBe("create");
    await rig.drainAll();
    expect(await rig.titles()).toEqual(["Above", "Second"]);
    expect(rig.states()).toEqual(["confirmed", "confirmed", "confirmed", "confirmed"]);
    expect(rig.store.view.ofProject(rig.project)).toHaveLength(2);
  });

  it("withdraws the to-dos below a deleted task", async () => {
    const rig = await withdrawalRig();
    rig.put(task);
    rig.put(written.subtask("Below"));
    rig.remove(task);
    await rig.drainAll();
    expect(rig.requests()).toEqual([]);
    expect(rig.isShown(uid)).toBe(false);
    expect(rig.states()).toEqual(["discarded", "discarded", "confirmed"]);
    expect(rig.edit(2).problem).toContain("edit 3 deletes the task above it");
  });

  it("cannot be undone for a to-do whose task was deleted too", async () => {
    const rig = await withdrawalRig();
    rig.put(task);
    rig.put(written.subtask("Below"));
    rig.remove(written.subtask(""));
    rig.remove(task);
    expect(await rig.drainAll()).toEqual(["discarded", "discarded", "confirmed", "confirmed"]);
    const undone = rig.editActions.undo(3, { channel: "dashboard", actor: rig.owner });
    expect(undone).toMatchObject({ reason: expect.stringContaining("put again") });
  });

  it("keeps the to-dos below a task that returns within two seconds", async () => {
    const rig = await withdrawalRig();
    rig.put(task);
    rig.put(written.subtask("Below"));
    rig.remove(task);
    await rig.step();
    expect(rig.requests()).toEqual([]);
    rig.put(task);
    await rig.drainAll();
    expect(await rig.titles()).toEqual(["Above", "Below"]);
    expect(rig.states().slice(0, 3)).toEqual(["confirmed", "confirmed", "discarded"]);
  });

  it("is withdrawn even if the service has refused it meanwhile", async () => {
    const rig = await withdrawalRig();
    rig.put(written.event("First"));
    rig.sandbox.faults.add({ kind: "status", status: 503, method: "POST" });
    rig.sandbox.faults.add({ kind: "status", status: 400, method: "POST", times: 9 });
    await rig.step();
    rig.remove(written.event(""));
    expect(await rig.drainAll()).toEqual(["discarded", "confirmed"]);
  });

  it("leaves a new creation alone if the first one is discarded", async () => {
    const rig = await withdrawalRig();
    rig.put(written.task("First"));
    rig.sandbox.faults.add({ kind: "hang-before", method: "POST" });
    const step = rig.step();
    await expect.poll(() => rig.requests("POST")).toHaveLength(1);
    rig.remove(written.task(""));
    rig.abort();
    await step;
    rig.restart();
    const { channel, actor, item, action, base, newLabels } = rig.edit(1);
    const again = { channel, actor, item, action, base, newLabels, patch: { title: "Second" } };
    rig.store.journal.append({ ...again, state: "pending" });
    rig.editActions.discard(1);
    expect(rig.states()).toEqual(["discarded", "discarded", "pending"]);
    await rig.drainAll();
    expect(await rig.titles()).toEqual(["Second"]);
  });

  it("returns if the deletion is undone", async () => {
    const rig = await withdrawalRig();
    rig.put(written.task("First"));
    rig.remove(written.task(""));
    await rig.drainAll();
    expect(rig.editActions.undo(2, { channel: "dashboard", actor: rig.owner }).kind).toBe("done");
    await rig.drainAll();
    expect(await rig.titles()).toEqual(["First"]);
  });
});

it("sends a recreation after a change that was still in flight to the deleted item", async () => {
  const rig = await withdrawalRig();
  const former = await rig.event({ title: "First" });
  const put = (title: string) =>
    rig.put(vevent(former.uid, `SUMMARY:${title}`, "DTSTART;VALUE=DATE:20261224"));
  put("Second");
  rig.sandbox.workspace.events.remove({ ...rig.by, event: former.id });
  rig.store.mirror.bury(rig.edit(1).item);
  expect(put("Third")).toBe("create");
  expect(await rig.drainAll()).toEqual(["parked: refused", "confirmed"]);
  expect(await rig.titles()).toEqual(["Third"]);
  expect(rig.isShown(former.uid)).toBe(true);
});
