import { describe, expect, it } from "vitest";
import { calendar, vevent, vtodo } from "../rig.ts";
import { drainRig, withEvent, withTask } from "./drain-rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");
const chore = vtodo("chore@example.com", "SUMMARY:Chore", "DUE;VALUE=DATE:20261224");

describe("a change", () => {
  it("sends only the changed fields, and confirms edit and mirror together", async () => {
    const { rig, id, uid } = await withEvent(drainRig(), { description: "kept" });
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    expect(await rig.step()).toBe("worked");
    expect(rig.bodies("PUT")).toEqual([{ title: "Renamed" }]);
    expect(rig.requests()).toEqual(["GET /projects/events", "PUT /projects/events"]);
    expect(rig.workspaceEvents()).toMatchObject([{ id, title: "Renamed", description: "kept" }]);
    expect(rig.edit()).toMatchObject({ state: "confirmed", answer: { title: "Renamed" } });
    expect(rig.store.view.findUid(uid)).toMatchObject({
      pending: false,
      item: { title: "Renamed" },
    });
    expect(rig.store.mirror.ofSource(`events:${rig.project}`)).toMatchObject([
      { item: { title: "Renamed" } },
    ]);
    expect(rig.events).toEqual([{ kind: "applied", edit: 1, action: "update" }]);
    expect(rig.applied).toMatchObject([{ id: 1, state: "confirmed" }]);
    expect(await rig.step()).toBe("idle");
  });

  it("sends start, end and all_day together", async () => {
    const { rig, uid } = await withEvent(drainRig());
    rig.send(calendar(vevent(uid, "DTSTART:20261124T090000Z", "DTEND:20261124T093000Z")));
    await rig.drainAll();
    expect(rig.bodies("PUT")).toEqual([
      { start: "2026-11-24T10:00:00+01:00", end: "2026-11-24T10:30:00+01:00", all_day: false },
    ]);
  });

  it("sends one date of a task alone", async () => {
    const { rig, uid } = await withTask(drainRig());
    rig.send(calendar(vtodo(uid, "DUE;VALUE=DATE:20261130")));
    await rig.drainAll();
    expect(rig.bodies("PUT")).toEqual([{ due_date: "2026-11-30" }]);
  });

  it("sends a completion separately, after the other fields", async () => {
    const { rig, uid, id } = await withTask(drainRig());
    rig.send(calendar(vtodo(uid, "SUMMARY:Written", "STATUS:COMPLETED")));
    await rig.drainAll();
    expect(rig.bodies("PUT")).toEqual([{ title: "Written" }, { completed: true }]);
    rig.send(calendar(vtodo(uid, "STATUS:NEEDS-ACTION")));
    await rig.drainAll();
    expect(rig.bodies("PUT").at(-1)).toEqual({ completed: false });
    expect(rig.workspaceTasks()).toMatchObject([{ id, title: "Written", completed: false }]);
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  });

  it("does not reopen an event that stops being a milestone", async () => {
    const { rig, uid, id } = await withEvent(drainRig(), {
      milestone: true,
      start: "2026-11-23",
      end: "2026-11-23",
      all_day: true,
    });
    rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { completed: true });
    rig.send(calendar(vevent(uid, "STATUS:COMPLETED")));
    await rig.drainAll();
    rig.send(calendar(vevent(uid, "CATEGORIES:Other")));
    await rig.drainAll();
    expect(rig.bodies("PUT").at(-1)).toEqual({ milestone: false });
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  });

  it("uses the key of the person who made it", async () => {
    const { rig, uid } = await withTask(drainRig());
    const member = rig.person("member");
    rig.sandbox.workspace.tasks.list({ by: member, project: rig.project, list: rig.list });
    rig.send(calendar(vtodo(uid, "STATUS:COMPLETED")), { actor: member });
    await rig.drainAll();
    expect(rig.workspaceTasks()).toMatchObject([{ completed_by: member }]);
  });

  it("edits, completes and deletes a subtask below its parent", async () => {
    const rig = await drainRig();
    const parent = await rig.task();
    rig.send(calendar(vtodo("sub@example.com", "SUMMARY:Sub", `RELATED-TO:${parent.uid}`)));
    await rig.drainAll();
    rig.send(calendar(vtodo("sub@example.com", "SUMMARY:Sub 2", "STATUS:COMPLETED")));
    await rig.drainAll();
    const place = { ...rig.by, list: rig.list, task: parent.id };
    expect(rig.sandbox.workspace.subtasks.list(place)).toMatchObject([
      { title: "Sub 2", completed: true },
    ]);
    rig.send(calendar(vtodo("sub@example.com", "STATUS:CANCELLED")));
    await rig.drainAll();
    expect(rig.sandbox.workspace.subtasks.list(place)).toEqual([]);
    expect(rig.states()).toEqual(["confirmed", "confirmed", "confirmed"]);
  });

  it("is sent one by one for an item, and concurrently for several items", async () => {
    const rig = await drainRig();
    const [one, two] = [await rig.event(), await rig.event({ title: "Other" })];
    rig.send(calendar(vevent(one.uid, "SUMMARY:1")));
    rig.send(calendar(vevent(one.uid, "SUMMARY:2")));
    rig.send(calendar(vevent(two.uid, "SUMMARY:3")));
    rig.sandbox.faults.add({ kind: "delay", ms: 60, method: "PUT" });
    const steps = await Promise.all([rig.step(), rig.step(), rig.step()]);
    expect(steps.toSorted()).toEqual(["idle", "worked", "worked"]);
    expect(rig.states()).toEqual(["confirmed", "pending", "confirmed"]);
    await rig.drainAll();
    expect(rig.bodies("PUT").map((body) => JSON.stringify(body))).toEqual([
      '{"title":"1"}',
      '{"title":"3"}',
      '{"title":"2"}',
    ]);
    expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(["2", "3"]);
  });
});

describe("a creation", () => {
  it("creates the item and keeps the calendar's UID", async () => {
    const rig = await drainRig();
    rig.send(calendar(party, chore));
    await rig.drainAll();
    const [event] = rig.workspaceEvents();
    expect(event).toMatchObject({ title: "Party", start: "2026-12-24 00:00", all_day: true });
    expect(rig.workspaceTasks()).toMatchObject([{ title: "Chore", due_date: "2026-12-24" }]);
    expect(rig.store.view.findUid("party@example.com")?.item.id).toBe(event?.id);
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
    expect(rig.edit(1).sentAt).not.toBeNull();
  });

  it("completes a new item with a second request", async () => {
    const rig = await drainRig();
    rig.send(calendar(chore.replace("DUE;", "STATUS:COMPLETED\r\nDUE;")));
    await rig.drainAll();
    expect(rig.bodies("POST")).toEqual([{ title: "Chore", due_date: "2026-12-24" }]);
    expect(rig.bodies("PUT")).toEqual([{ completed: true }]);
    expect(rig.workspaceTasks()).toMatchObject([{ title: "Chore", completed: true }]);
  });

  it("is not repeated if only the completion fails", async () => {
    const rig = await drainRig();
    rig.send(calendar(chore.replace("DUE;", "STATUS:COMPLETED\r\nDUE;")));
    rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", times: 4 });
    await rig.step();
    expect(rig.states()).toEqual(["pending"]);
    expect(rig.store.view.findUid("chore@example.com")?.item.completed).toBe(true);
    rig.restart();
    await rig.drainAll();
    expect(rig.requests("POST")).toHaveLength(1);
    expect(rig.workspaceTasks()).toMatchObject([{ title: "Chore", completed: true }]);
    expect(rig.states()).toEqual(["confirmed"]);
  });

  it("is parked if the new item is gone before its completion", async () => {
    const rig = await drainRig();
    rig.send(calendar(chore.replace("DUE;", "STATUS:COMPLETED\r\nDUE;")));
    rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", times: 4 });
    await rig.step();
    const [task] = rig.workspaceTasks();
    rig.sandbox.workspace.tasks.remove({ ...rig.by, list: rig.list, task: task?.id ?? 0 });
    expect(await rig.drainAll()).toEqual(["parked: refused"]);
    expect(rig.edit().problem).toContain("no longer exists");
  });

  it("parks later edits of the item if it is refused", async () => {
    const rig = await drainRig();
    rig.send(calendar(party));
    rig.send(calendar(party.replace("Party", "Feast")));
    rig.sandbox.faults.add({
      kind: "status",
      status: 400,
      method: "POST",
      body: { message: "no" },
    });
    expect(await rig.drainAll()).toEqual(["parked: refused", "parked: failed"]);
    expect(rig.edit(2).problem).toContain("edit 1");
    expect(rig.events.map(({ kind }) => kind)).toEqual(["parked", "parked"]);
  });
});

describe("a deletion", () => {
  it("deletes the item and removes it from the mirror", async () => {
    const { rig, uid } = await withTask(drainRig());
    rig.send(calendar(vtodo(uid, "STATUS:CANCELLED")));
    await rig.drainAll();
    expect(rig.workspaceTasks()).toEqual([]);
    expect(rig.store.view.findUid(uid)).toBeNull();
    expect(rig.store.mirror.counts().task).toBe(0);
    expect(rig.edit()).toMatchObject({ state: "confirmed", answer: null });
  });

  it("is confirmed if the item is already gone", async () => {
    const { rig, uid, id } = await withEvent(drainRig());
    rig.sandbox.workspace.events.remove({ ...rig.by, event: id });
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.store.mirror.counts().event).toBe(0);
  });

  it("shows the item again if the service refuses", async () => {
    const { rig, uid } = await withEvent(drainRig());
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")), { actor: rig.person("client") });
    expect(rig.store.view.findUid(uid)).toBeNull();
    expect(await rig.drainAll()).toEqual(["parked: refused"]);
    expect(rig.store.view.findUid(uid)).not.toBeNull();
  });
});
