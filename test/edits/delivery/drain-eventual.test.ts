import { expect, it } from "vitest";
import { calendar, vevent } from "../rig.ts";
import { drainRig, withEvent } from "./drain-rig.ts";
import { moveRig } from "./move-rig.ts";
import { withdrawalRig, written } from "./withdrawal-rig.ts";

const party = "party@example.com";
const named = (uid: string, title: string) => calendar(vevent(uid, `SUMMARY:${title}`));

/** An event that an edit renamed from "Old" to "A" a moment ago. */
async function renamed() {
  const { rig, id, uid } = await withEvent(drainRig(), { title: "Old" });
  rig.send(named(uid, "A"));
  await rig.drainAll();
  const path = new RegExp(`/events/${id}$`);
  const titles = () => rig.workspaceEvents().map(({ title }) => title);
  return { rig, uid, path, titles };
}

const asBefore = (json: unknown) => ({ ...Object(json), title: "Old" });

it("waits, without a conflict, while the service still shows the state before the last edit", async () => {
  const { rig, uid, path, titles } = await renamed();
  const fault = { kind: "transform", method: "GET", path, transform: asBefore } as const;
  rig.sandbox.faults.add({ ...fault, times: 2 });
  rig.send(named(uid, "B"));
  await rig.step();
  expect(rig.edit(2)).toMatchObject({ state: "pending", conflicts: [] });
  expect(rig.edit(2).problem).toContain("does not yet show");
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect(rig.edit(2).conflicts).toEqual([]);
  expect(titles()).toEqual(["B"]);
});

it("does not wait if the last edit itself restored the earlier value", async () => {
  const { rig, uid, titles } = await renamed();
  for (const title of ["Old", "B"]) {
    rig.send(named(uid, title));
    await rig.step();
    expect(titles()).toEqual([title]);
  }
  expect(rig.states()).toEqual(["confirmed", "confirmed", "confirmed"]);
});

it("changes an item that responds with 404 while its list shows it", async () => {
  const { rig, uid, path, titles } = await renamed();
  rig.clock.advance({ minutes: 1 });
  rig.sandbox.faults.add({ kind: "status", status: 404, method: "GET", path });
  rig.send(named(uid, "B"));
  await rig.step();
  expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  expect(titles()).toEqual(["B"]);
});

it("sends a deletion even if neither the item nor its list shows it", async () => {
  const { rig, uid, titles } = await renamed();
  rig.clock.advance({ minutes: 1 });
  const unseen = { method: "GET", times: 99 } as const;
  rig.sandbox.faults.add({ kind: "status", status: 404, path: /\/events\/\d+$/, ...unseen });
  rig.sandbox.faults.add({ kind: "replace", body: [], path: /\/events$/, ...unseen });
  rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect(titles()).toEqual([]);
});

it("finishes a move whose new event is not visible yet", async () => {
  const { rig, uid } = await withEvent(moveRig(), { title: "Launch" });
  rig.eventToFar(uid);
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "DELETE", times: 4 });
  await rig.step();
  rig.sandbox.faults.clear();
  const unseen = { method: "GET", path: new RegExp(`/${rig.otherProject}/events`) } as const;
  rig.sandbox.faults.add({ kind: "status", status: 404, ...unseen, times: 2 });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect([rig.eventsIn(rig.project), rig.eventsIn(rig.otherProject)]).toMatchObject([
    [],
    [{ title: "Launch" }],
  ]);
});

it("does not mistake the event that a move deleted for the one that a move back creates", async () => {
  const { rig, uid } = await withEvent(moveRig(), { title: "Launch" });
  const old = rig.eventsIn(rig.project);
  rig.eventToFar(uid);
  await rig.drainAll();
  rig.move(uid, { list: null });
  rig.sandbox.faults.add({ kind: "drop-before", method: "POST" });
  const path = new RegExp(`/${rig.project}/events$`);
  rig.sandbox.faults.add({ kind: "replace", body: old, method: "GET", path });
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect([rig.eventsIn(rig.project), rig.eventsIn(rig.otherProject)]).toMatchObject([
    [{ title: "Launch" }],
    [],
  ]);
});

it("waits for a recreated item that is not visible yet", async () => {
  const rig = await withdrawalRig();
  rig.put(written.event("Old"));
  await rig.drainAll();
  rig.remove(written.event("Old"));
  await rig.drainAll();
  rig.put(written.event("New"));
  await rig.step();
  rig.sandbox.faults.add({ kind: "status", status: 404, method: "GET", path: /events\/\d+$/ });
  rig.sandbox.faults.add({ kind: "replace", body: [], method: "GET", path: /events$/ });
  rig.put(written.event("Newer"));
  await rig.drainAll();
  rig.sandbox.faults.clear();
  expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
  expect(await rig.titles()).toEqual(["Newer"]);
});

it("waits for a new item that is not visible yet", async () => {
  const rig = await drainRig();
  rig.send(calendar(vevent(party, "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224")));
  await rig.drainAll();
  rig.sandbox.faults.add({ kind: "status", status: 404, method: "GET", times: 2 });
  rig.send(named(party, "Feast"));
  await rig.step();
  expect(rig.states()).toEqual(["confirmed", "pending"]);
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(["Feast"]);
});
