import { describe, expect, it } from "vitest";
import { calendar, vtodo } from "../rig.ts";
import { withEvent } from "./drain-rig.ts";
import { type MoveRig, moveRig } from "./move-rig.ts";

const chore = vtodo("chore@example.com", "SUMMARY:Chore", "DUE;VALUE=DATE:20261201");
const body = { title: "Chore", due_date: "2026-12-01" };

async function lostChore(kind: "drop-after" | "drop-before" = "drop-after") {
  const rig = await moveRig();
  rig.send(calendar(chore));
  rig.sandbox.faults.add({ kind, method: "POST" });
  await rig.step();
  return rig;
}

/** Somebody moves the list's only task away. */
function moveAway(rig: MoveRig, to: { readonly project: number; readonly list: number }): void {
  const [task] = rig.tasksIn(rig.list);
  const target = { project: to.project, list_id: to.list, title: "Chore", move_task: true };
  const place = { ...rig.by, list: rig.list, task: task?.id ?? 0 };
  rig.sandbox.workspace.tasks.update(place, target);
}

const everywhere = (rig: MoveRig) =>
  [rig.tasksIn(rig.list), rig.tasksIn(rig.otherList), rig.tasksIn(rig.farList, rig.otherProject)]
    .flat()
    .map(({ title }) => title);

describe("a lost creation that someone moves at once", () => {
  it.each<[string, (rig: MoveRig) => { readonly project: number; readonly list: number }]>([
    ["another list", ({ project, otherList: list }) => ({ project, list })],
    ["another project", ({ otherProject: project, farList: list }) => ({ project, list })],
  ])("is found in %s", async (_where, to) => {
    const rig = await lostChore();
    moveAway(rig, to(rig));
    expect(await rig.drainAll({ sweep: rig.sweep })).toEqual(["confirmed"]);
    expect(everywhere(rig)).toEqual(["Chore"]);
    expect(rig.requests("POST")).toHaveLength(1);
    expect(rig.store.view.findUid("chore@example.com")?.item).toMatchObject({
      listId: to(rig).list,
    });
    await rig.expectRest();
  });

  it("is found even if it was also renamed, and is shown once all the time", async () => {
    const rig = await lostChore();
    moveAway(rig, { project: rig.project, list: rig.otherList });
    const place = { ...rig.by, list: rig.otherList, task: rig.tasksIn(rig.otherList)[0]?.id ?? 0 };
    rig.sandbox.workspace.tasks.update(place, { title: "Duty" });
    await rig.sweep();
    expect(rig.shown()).toEqual(["Chore in list"]);
    await rig.drainAll({ sweep: rig.sweep });
    expect(rig.shown()).toEqual(["Duty in other"]);
    expect(rig.requests("POST")).toHaveLength(1);
    await rig.expectRest();
  });

  it("is sent again once every list was read and none has it", async () => {
    const rig = await lostChore("drop-before");
    await rig.drainAll({ sweep: rig.sweep });
    expect(rig.hurried.flat()).toContain(`tasks:${rig.otherList}`);
    expect(rig.requests("POST")).toHaveLength(2);
    expect(everywhere(rig)).toEqual(["Chore"]);
    expect(rig.clock().toString() < "2026-11-20T12:03:30").toBe(true);
  });

  it("is sent again a minute later if the lists cannot be read", async () => {
    const rig = await lostChore("drop-before");
    const sent = rig.edit().sentAt ?? expect.fail("the request has left");
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.requests("POST")).toHaveLength(2);
    // A minute after the three minutes in which the first request could still be carried out.
    expect(rig.clock().since(sent).total("seconds")).toBeGreaterThanOrEqual(239);
    expect(rig.clock().since(sent).total("seconds")).toBeLessThan(260);
  });

  it("yields two items from two equal creations in flight, whatever is lost", async () => {
    const rig = await moveRig();
    rig.send(calendar(chore));
    rig.send(calendar(chore.replace("chore@", "again@")), { actor: rig.person("member") });
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    expect(await rig.drainAll({ loops: 2, sweep: rig.sweep })).toEqual(["confirmed", "confirmed"]);
    expect(everywhere(rig)).toEqual(["Chore", "Chore"]);
    await rig.expectRest();
  });
});

describe("an item created by a discarded edit", () => {
  it("is deleted automatically, with the reason", async () => {
    const rig = await moveRig();
    rig.send(calendar(chore));
    rig.sandbox.faults.add({ kind: "late", answer: "drop", method: "POST" });
    await rig.step();
    rig.editActions.discard(1);
    rig.sandbox.faults.deliverLate();
    expect(everywhere(rig)).toEqual(["Chore"]);
    rig.clock.advance({ seconds: 181 });
    await rig.step();
    expect(rig.hurried.flat()).toContain(`tasks:${rig.list}`);
    await rig.sweep();
    expect(rig.shown()).toEqual([]);
    expect(rig.editActions.show(2)?.problem).toContain("edit 1");
    await rig.drainAll();
    expect(everywhere(rig)).toEqual([]);
    expect(rig.states()).toEqual(["discarded", "confirmed"]);
  });

  it("is deleted if it was seen before the edit was discarded", async () => {
    const rig = await lostChore();
    rig.sandbox.faults.add({ kind: "status", status: 403, method: "GET", times: 1000 });
    rig.clock.advance({ minutes: 4 });
    await rig.step();
    rig.sandbox.faults.clear();
    await rig.sweep();
    rig.clock.advance({ seconds: 1 });
    expect(rig.states()).toEqual(["pending"]);
    rig.editActions.discard(1);
    await rig.sweep();
    await rig.drainAll();
    expect(everywhere(rig)).toEqual([]);
    expect(rig.states()).toEqual(["discarded", "confirmed"]);
    expect(rig.shown()).toEqual([]);
  });

  it("is deleted in the target project if it was seen before the move was discarded", async () => {
    const { rig, uid } = await withEvent(moveRig(), { title: "Launch" });
    rig.eventToFar(uid);
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    await rig.step();
    rig.clock.advance({ minutes: 4 });
    await rig.sweep();
    rig.clock.advance({ seconds: 1 });
    rig.editActions.discard(1);
    await rig.sweep();
    await rig.drainAll();
    expect(rig.eventsIn(rig.otherProject)).toEqual([]);
    expect(rig.shown()).toEqual(["Launch in project"]);
  });

  it("does not include what someone creates after the list was read", async () => {
    const rig = await lostChore("drop-before");
    rig.editActions.discard(1);
    rig.clock.advance({ seconds: 181 });
    await rig.sweep();
    rig.clock.advance({ seconds: 1 });
    rig.sandbox.workspace.tasks.create({ ...rig.by, list: rig.list }, body);
    await rig.sweep();
    expect(rig.shown()).toEqual(["Chore in list"]);
  });

  it("stays if a person discarded the edit after seeing the problem", async () => {
    const rig = await lostChore();
    const edit = rig.edit();
    const problem = "nobody can tell";
    rig.store.journal.settle(edit, { kind: "park", reason: "unknown-outcome", problem });
    rig.editActions.discard(1);
    await rig.sweep();
    expect(rig.shown()).toEqual(["Chore in list"]);
    expect(rig.states()).toEqual(["discarded"]);
  });

  it("is deleted in the target project of a discarded move", async () => {
    const { rig, uid } = await withEvent(moveRig(), { title: "Launch" });
    rig.eventToFar(uid);
    rig.sandbox.faults.add({ kind: "late", answer: "drop", method: "POST" });
    await rig.step();
    rig.editActions.discard(1);
    rig.sandbox.faults.deliverLate();
    rig.clock.advance({ seconds: 181 });
    await rig.sweep();
    await rig.drainAll();
    expect(rig.eventsIn(rig.otherProject)).toEqual([]);
    expect(rig.eventsIn(rig.project)).toMatchObject([{ title: "Launch" }]);
    expect(rig.shown()).toEqual(["Launch in project"]);
  });
});
