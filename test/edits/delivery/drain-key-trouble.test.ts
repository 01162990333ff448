import { expect, it } from "vitest";
import { personId } from "../../../src/domain/ids.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import { drainRig, withEvent, withTask } from "./drain-rig.ts";

const many = 1000;

it.each([
  ["a change", 401],
  ["a change", 403],
  ["a creation", 401],
  ["a creation", 403],
  ["a deletion", 401],
  ["a deletion", 403],
])("keeps %s until the key works again: %i", async (what, status) => {
  const { rig, uid } = await withEvent(drainRig());
  const lines = what === "a deletion" ? ["STATUS:CANCELLED"] : ["SUMMARY:Renamed"];
  const isNew = what === "a creation";
  const text = isNew
    ? vevent("new@example.com", "SUMMARY:New", "DTSTART;VALUE=DATE:20261224")
    : vevent(uid, ...lines);
  rig.send(calendar(text));
  rig.sandbox.faults.add({ kind: "status", status, times: many });
  await rig.step();
  rig.clock.advance({ minutes: 20 });
  await rig.step();
  expect(rig.edit()).toMatchObject({ state: "pending", attempts: 2 });
  expect(rig.edit().problem).toContain("refused since 2026-11-20T12:00:00Z");
  rig.sandbox.faults.clear();
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.edit().keyRefusedAt).toBeNull();
});

it("keeps edits for months, retries only one of them, and sends all once the key works", async () => {
  const rig = await drainRig();
  const uids = [];
  for (const title of ["One", "Two", "Three"]) uids.push((await rig.event({ title })).uid);
  for (const uid of uids) rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
  rig.sandbox.faults.add({ kind: "status", status: 401, times: many });
  for (let week = 0; week < 12; week++) {
    for (let step = 0; step < 5; step++) await rig.step();
    rig.clock.advance({ hours: 24 * 7 });
  }
  expect(rig.states()).toEqual(["pending", "pending", "pending"]);
  expect([1, 2, 3].map((id) => rig.edit(id).attempts)).toEqual([12, 0, 0]);
  rig.sandbox.faults.clear();
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed", "confirmed"]);
});

it("a refused key does not delay other people's edits", async () => {
  const rig = await drainRig({
    client: { keyOf: (person) => (person === 13 ? "a key that was revoked" : null) },
  });
  const [mine, theirs] = [await rig.event({ title: "One" }), await rig.event({ title: "Two" })];
  rig.send(calendar(vevent(mine.uid, "SUMMARY:Renamed")), { actor: personId(13) });
  rig.send(calendar(vevent(theirs.uid, "SUMMARY:Renamed too")));
  await rig.step();
  await rig.step();
  expect(rig.states()).toEqual(["pending", "confirmed"]);
});

it("parks an edit if the person may not see the item, although the key works", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
  rig.sandbox.faults.add({ kind: "status", status: 403, method: "PUT" });
  await rig.step();
  expect(rig.states()).toEqual(["parked: refused"]);
});

it("keeps looking for a lost creation while its list is refused", async () => {
  const rig = await drainRig();
  rig.send(calendar(vevent("n@example.com", "SUMMARY:New", "DTSTART;VALUE=DATE:20261224")));
  rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
  await rig.step();
  rig.sandbox.faults.add({ kind: "status", status: 401, times: many });
  rig.clock.advance({ seconds: 5 });
  await rig.step();
  expect(rig.states()).toEqual(["pending"]);
  rig.sandbox.faults.clear();
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents()).toHaveLength(1);
});

it("never sends with another key", async () => {
  const { rig, uid, id } = await withTask(
    drainRig({ client: { keyOf: () => "a key that was revoked" } }),
  );
  rig.send(calendar(vtodo(uid, "SUMMARY:Renamed")));
  await rig.step();
  rig.clock.advance({ hours: 24 });
  await rig.step();
  expect(rig.states()).toEqual(["pending"]);
  const place = { ...rig.by, list: rig.list, task: id };
  expect(rig.sandbox.workspace.tasks.get(place).title).toBe("Write");
});
