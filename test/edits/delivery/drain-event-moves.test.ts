import type { Fault } from "@dayferry/sandbox";
import { expect, it } from "vitest";
import { rows } from "../../support/effort.ts";
import { calendar, vevent } from "../rig.ts";
import { settingFor, withEvent } from "./drain-rig.ts";
import { type MoveRig, moveRig } from "./move-rig.ts";

const lost = { kind: "drop-after" } as const;

/** A milestone with every field of an event, and its destination project. */
async function launch(rig: MoveRig) {
  const day = { start: "2026-11-24", end: "2026-11-24", all_day: true };
  const more = { description: "Ship it", reminder: 30, private: true, milestone: true };
  const made = await rig.event({ title: "Launch", ...day, ...more, assigned: [rig.owner] });
  const place = { ...rig.by, event: made.id };
  rig.sandbox.workspace.events.update(place, { completed: true });
  await rig.sweep();
  rig.sandbox.requests.clear();
  return made;
}

/** The one event is in the other project, with its UID and handle, and the old one is gone. */
async function expectMoved(rig: MoveRig, { uid, key }: { uid: string; key: number }) {
  expect(rig.states()).toEqual(["confirmed"]);
  expect(rig.eventsIn(rig.project)).toEqual([]);
  const [event, ...others] = rig.eventsIn(rig.otherProject);
  expect(others).toEqual([]);
  expect(rig.store.view.findUid(uid)).toMatchObject({ key, item: { id: event?.id } });
  await rig.expectRest();
}

it("moving an event to another project creates it there with all fields, deletes the old one and keeps its UID", async () => {
  const rig = await moveRig();
  const { id, uid } = await launch(rig);
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  expect(rig.shown()).toEqual(["Launch in elsewhere"]);
  await rig.drainAll();
  const event = "/projects/events";
  expect(rig.requests()).toEqual([
    `GET ${event}`,
    `POST ${event}`,
    `PUT ${event}`,
    `GET ${event}`,
    `DELETE ${event}`,
  ]);
  await expectMoved(rig, { uid, key });
  const [there] = rig.eventsIn(rig.otherProject);
  expect(there).toMatchObject({
    title: "Launch",
    description: "Ship it",
    start: "2026-11-24 00:00",
    reminder: 30,
    private: true,
    milestone: true,
    completed: true,
    assigned: [rig.owner],
  });
  expect(there?.id).not.toBe(id);
});

it("earlier edits move along, and later ones change the new event", async () => {
  const { rig, uid } = await withEvent(moveRig());
  rig.send(calendar(vevent(uid, "SUMMARY:Second review")));
  rig.eventToFar(uid);
  rig.send(calendar(vevent(uid, "DESCRIPTION:Bring the plans")));
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed", "confirmed"]);
  expect(rig.eventsIn(rig.otherProject)).toMatchObject([
    { title: "Second review", description: "Bring the plans", start: "2026-11-23 10:00" },
  ]);
  await rig.expectRest();
});

it.each<[string, Fault["method"] & string, Fault]>(
  rows<[string, Fault["method"] & string, Fault]>(
    [
      ["a lost creation", "POST", { kind: "drop-before" }],
      ["a lost answer of the creation", "POST", lost],
      ["half an answer of the creation", "POST", { kind: "cut" }],
      ["a creation that hangs", "POST", { kind: "hang-after" }],
      ["a 500 for the creation", "POST", { kind: "status", status: 500 }],
      ["a lost answer of the completion", "PUT", { ...lost, times: 4 }],
      ["a 503 for the completion", "PUT", { kind: "status", status: 503, times: 4 }],
      ["a lost deletion", "DELETE", { kind: "drop-before", times: 4 }],
      ["a lost answer of the deletion", "DELETE", { ...lost, times: 4 }],
      ["a 503 for the deletion", "DELETE", { kind: "status", status: 503, times: 4 }],
      [
        "a 429 for the deletion",
        "DELETE",
        { kind: "status", status: 429, headers: { "retry-after": "1" } },
      ],
    ],
    4,
  ),
)("a move happens exactly once despite %s", async (_name, method, fault) => {
  const rig = await moveRig(settingFor(fault));
  const { uid } = await launch(rig);
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ ...fault, method });
  for (let step = 0; step < 3; step++) {
    await rig.step();
    rig.sandbox.faults.clear();
    await rig.sweep();
    await rig.sweep();
    expect(rig.shown()).toEqual(["Launch in elsewhere"]);
    rig.restart();
    rig.clock.advance({ seconds: 30 });
  }
  await rig.drainAll();
  await expectMoved(rig, { uid, key });
  expect(rig.eventsIn(rig.otherProject)).toMatchObject([{ completed: true }]);
});

it("feeds show the event exactly once between the requests of a move", async () => {
  const seen = new Set<string>();
  const rig = await moveRig({
    async between(one) {
      await one.sweep();
      await one.sweep();
      seen.add(JSON.stringify(one.shown()));
    },
  });
  const { uid } = await launch(rig);
  const { sequence = 0 } = rig.store.view.findUid(uid) ?? {};
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  await rig.drainAll();
  expect([...seen]).toEqual([JSON.stringify(["Launch in elsewhere"])]);
  await expectMoved(rig, { uid, key });
  expect(rig.store.view.findUid(uid)?.sequence).toBe(sequence + 1);
});

it("ignores a list that was requested before the old event was deleted", async () => {
  const { rig, uid } = await withEvent(moveRig());
  const body = rig.eventsIn(rig.project);
  rig.eventToFar(uid);
  await rig.drainAll();
  const path = new RegExp(`/${rig.project}/events$`);
  rig.sandbox.faults.add({ kind: "replace", body, path });
  await rig.sweep();
  expect(rig.shown()).toEqual(["Review in elsewhere"]);
});

it("keeps a change that someone made to the old event before its deletion", async () => {
  const rig = await moveRig({
    async between(one) {
      const [old] = one.eventsIn(one.project);
      if (!old || old.title === "Renamed") return;
      const place = { ...one.by, event: old.id };
      one.sandbox.workspace.events.update(place, { title: "Renamed" });
    },
  });
  const { uid } = await rig.event();
  rig.eventToFar(uid);
  await rig.drainAll();
  expect(rig.eventsIn(rig.otherProject)).toMatchObject([{ title: "Renamed" }]);
  expect(rig.store.view.findUid(uid)?.item.title).toBe("Renamed");
  await rig.expectRest();
});

it("leaves the new event as created once the old one is gone, even if an earlier try knew another state", async () => {
  const rig = await moveRig();
  const day = { start: "2026-11-23", end: "2026-11-23", all_day: true };
  const { uid, id } = await rig.event({ title: "First", ...day });
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "POST", times: 4 });
  await rig.step();
  rig.sandbox.faults.clear();
  const hidden = { title: "Second", private: true };
  rig.sandbox.workspace.events.update({ ...rig.by, event: id }, hidden);
  rig.clock.set(rig.clock().add({ minutes: 5 }).toString());
  rig.sandbox.faults.add({ kind: "drop-after", method: "DELETE" });
  await rig.drainAll();
  rig.clock.set(rig.clock().add({ minutes: 5 }).toString());
  await rig.drainAll();
  expect(rig.eventsIn(rig.project)).toEqual([]);
  expect(rig.eventsIn(rig.otherProject)).toMatchObject([hidden]);
});

it("keeps changes that someone made to the new event, and keeps a private one hidden", async () => {
  const rig = await moveRig();
  const day = { start: "2026-11-23", end: "2026-11-23", all_day: true };
  const { uid, id } = await rig.event({ title: "First", description: "Old", ...day });
  const { events } = rig.sandbox.workspace;
  const member = rig.sandbox.workspace.people().find((one) => one.id !== rig.owner)?.id ?? 0;
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "DELETE", times: 4 });
  await rig.step();
  events.update(
    { ...rig.by, event: id },
    { title: "Older", description: "New", assigned: [member] },
  );
  const [there] = rig.eventsIn(rig.otherProject);
  const place = { ...rig.by, project: rig.otherProject, event: there?.id ?? 0 };
  events.update(place, { title: "Newer", private: true });
  rig.sandbox.faults.clear();
  rig.clock.set(rig.clock().add({ minutes: 5 }).toString());
  await rig.drainAll();
  expect(rig.eventsIn(rig.project)).toEqual([]);
  expect(rig.eventsIn(rig.otherProject)).toMatchObject([
    { title: "Newer", description: "New", private: true, assigned: [] },
  ]);
  await rig.expectRest();
});

it.each([
  ["ask", "Mine"],
  ["theirs", "Mine"],
  ["ours", "Renamed"],
] as const)("reports that someone else changed the same field: %s", async (conflicts, title) => {
  const rig = await moveRig({
    conflicts,
    async between(one) {
      const [old] = one.eventsIn(one.project);
      if (!old || old.title === "Renamed") return;
      const at = { ...one.by, event: old.id };
      one.sandbox.workspace.events.update(at, { title: "Renamed" });
    },
  });
  const { uid } = await rig.event({ title: "Review" });
  const shown = rig.store.view.findUid(uid) ?? expect.fail("it is not shown");
  const place = { projectId: rig.otherProject, listId: null };
  rig.store.journal.append({
    ...({ channel: "caldav", actor: rig.owner, newLabels: [], state: "pending" } as const),
    ...{ item: shown.key, action: "update", base: shown.item, patch: { place, title: "Mine" } },
  });
  await rig.drainAll();
  expect(rig.eventsIn(rig.otherProject)).toMatchObject([{ title }]);
  const taken = title === "Mine" ? "theirs" : "ours";
  expect(rig.edit().conflicts).toMatchObject([
    { field: "title", base: "Review", ours: "Renamed", theirs: "Mine", taken },
  ]);
  await rig.expectRest();
});

it("finds the new event by any of its requests, even if it arrives late and the old one was renamed", async () => {
  const rig = await moveRig();
  const day = { start: "2026-11-23", end: "2026-11-23", all_day: true };
  const { uid, id } = await rig.event({ title: "First", description: "Same", ...day });
  const rename = (title: string) =>
    rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { title });
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "POST", times: 4 });
  await rig.step();
  rig.sandbox.faults.clear();
  rename("Second");
  rig.clock.set(rig.clock().add({ minutes: 5 }).toString());
  rig.sandbox.faults.add({ kind: "drop-before", method: "POST" });
  await rig.step();
  rename("Third");
  for (const seconds of [10, 30]) {
    rig.clock.set(rig.clock().add({ seconds }).toString());
    await rig.step();
  }
  const late = { title: "Second", description: "Same", ...day };
  rig.sandbox.workspace.events.create({ ...rig.by, project: rig.otherProject }, late);
  await rig.drainAll();
  expect(rig.eventsIn(rig.project)).toEqual([]);
  expect(rig.eventsIn(rig.otherProject)).toMatchObject([{ title: "Third" }]);
  await rig.expectRest();
});

it("deletes the new event again if the old one may not be deleted", async () => {
  const { rig, id, uid } = await withEvent(moveRig());
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  const path = new RegExp(`/events/${id}$`);
  rig.sandbox.faults.add({ kind: "status", status: 403, method: "DELETE", path });
  expect(await rig.drainAll()).toEqual(["parked: refused"]);
  expect(rig.edit().problem).toContain(`cannot be removed from project ${rig.project}`);
  expect(rig.shown()).toEqual(["Review in project"]);
  expect(rig.eventsIn(rig.otherProject)).toEqual([]);
  expect(rig.store.view.findUid(uid)).toMatchObject({ key, item: { id } });
  await rig.expectRest();
  rig.keepMine();
  await rig.drainAll();
  await expectMoved(rig, { uid, key });
});

it("keeps the new event while an unanswered request may still delete the old one", async () => {
  const { rig, id, uid } = await withEvent(moveRig());
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  const path = new RegExp(`/events/${id}$`);
  rig.sandbox.faults.add({ kind: "late", answer: "drop", ms: 40_000, method: "DELETE", path });
  await rig.step();
  rig.sandbox.faults.add({ kind: "status", status: 403, method: "DELETE", path });
  await rig.drainAll();
  await expectMoved(rig, { uid, key });
});

it("keeps the new event while the key is refused, and deletes the old one later", async () => {
  const { rig, id, uid } = await withEvent(moveRig());
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  const path = new RegExp(`/events/${id}$`);
  rig.sandbox.faults.add({ kind: "status", status: 401, method: "DELETE", path });
  await rig.step();
  expect(rig.states()).toEqual(["pending"]);
  expect(rig.eventsIn(rig.otherProject)).toHaveLength(1);
  await rig.drainAll();
  await expectMoved(rig, { uid, key });
  expect(rig.requests("POST")).toHaveLength(1);
});

it.each([
  ["the deletion failed", (rig: MoveRig) => rig.step()],
  ["a restart came in between", async (rig: MoveRig) => void rig.restart()],
])("a move cannot be discarded once the new event exists and %s", async (_why, then) => {
  const { rig, uid } = await withEvent(moveRig());
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "DELETE", times: 8 });
  await rig.step();
  await then(rig);
  expect(rig.states()).toEqual(["pending"]);
  const decision = rig.editActions.discard(1);
  expect(decision).toMatchObject({ kind: "refused" });
  expect(decision.kind === "refused" && decision.reason).toContain("half done");
  rig.sandbox.faults.clear();
  await rig.drainAll();
  await expectMoved(rig, { uid, key });
});

it("reports both events if neither may be deleted", async () => {
  const { rig, uid } = await withEvent(moveRig());
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ kind: "status", status: 403, method: "DELETE", times: 2 });
  expect(await rig.drainAll()).toEqual(["parked: refused"]);
  expect(rig.edit().problem).toContain(`it is in project ${rig.otherProject} as well`);
  await rig.sweep();
  expect(rig.shown()).toEqual(["Review in elsewhere", "Review in project"]);
  expect(rig.editActions.discard(1).kind).toBe("done");
});

it("the event stays if it may not be created in the other project", async () => {
  const { rig, uid } = await withEvent(moveRig());
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ kind: "status", status: 403, method: "POST" });
  expect(await rig.drainAll()).toEqual(["parked: refused"]);
  expect(rig.shown()).toEqual(["Review in project"]);
  await rig.expectRest();
});

it("a move waits for a person if someone deleted the event", async () => {
  const { rig, id, uid } = await withEvent(moveRig());
  rig.eventToFar(uid);
  rig.sandbox.workspace.events.remove({ ...rig.by, event: id });
  expect(await rig.drainAll()).toEqual(["parked: refused"]);
  expect(rig.requests("POST")).toEqual([]);
});

it("a move goes on if the old event was deleted while the creation had no response", async () => {
  const { rig, id, uid } = await withEvent(moveRig());
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ ...lost, method: "POST" });
  await rig.step();
  rig.sandbox.workspace.events.remove({ ...rig.by, event: id });
  await rig.drainAll();
  await expectMoved(rig, { uid, key });
  expect(rig.requests("POST")).toHaveLength(1);
});

it("undo moves the event back under the same UID", async () => {
  const rig = await moveRig();
  const { uid } = await launch(rig);
  const key = rig.keyOf(uid);
  rig.eventToFar(uid);
  await rig.drainAll();
  expect(rig.editActions.undo(1, { channel: "dashboard", actor: null }).kind).toBe("done");
  expect(await rig.drainAll()).toEqual(["undone", "confirmed"]);
  expect(rig.eventsIn(rig.project)).toMatchObject([{ title: "Launch", completed: true }]);
  expect(rig.store.view.findUid(uid)?.key).toBe(key);
  await rig.expectRest();
});
