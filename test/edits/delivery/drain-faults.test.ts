import type { Fault } from "@dayferry/sandbox";
import { expect, it } from "vitest";
import { calendar, vevent, vtodo } from "../rig.ts";
import { drainRig, settingFor, withEvent, withTask } from "./drain-rig.ts";

const outage = { kind: "status", status: 503, times: 4 } as const;

it("retries later if the service is down, and shows the edit all the time", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
  rig.sandbox.faults.add({ ...outage, method: "PUT", headers: { "retry-after": "90" } });
  await rig.step();
  expect(rig.edit()).toMatchObject({ state: "pending", attempts: 1, sentAt: null });
  expect(rig.edit().notBefore?.toString()).toBe("2026-11-20T12:01:30Z");
  expect(rig.edit().problem).toContain("503");
  expect(rig.events).toMatchObject([{ kind: "postponed", edit: 1 }]);
  expect(rig.store.view.findUid(uid)?.item.title).toBe("Renamed");
  expect(await rig.step()).toBe("idle");
  rig.sandbox.faults.clear();
  await rig.drainAll();
  expect(rig.edit()).toMatchObject({ state: "confirmed", attempts: 2, problem: null });
});

it.each<[string, Fault]>([
  ["one 500", { kind: "status", status: 500 }],
  ["a lost answer", { kind: "drop-after" }],
  ["a lost request", { kind: "drop-before" }],
  ["a time-out", { kind: "hang-after" }],
  ["a web page", { kind: "html" }],
  ["half an answer", { kind: "cut", plain: true }],
  ["a 429", { kind: "status", status: 429, headers: { "retry-after": "1" } }],
])("a change reaches the workspace despite %s", async (_name, fault) => {
  const { rig, uid } = await withEvent(drainRig(settingFor(fault)));
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
  rig.sandbox.faults.add({ ...fault, method: "PUT" });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.workspaceEvents()).toMatchObject([{ title: "Renamed" }]);
});

it.each<[string, Fault]>([
  ["a 500", { kind: "status", status: 500 }],
  ["a lost request", { kind: "drop-before" }],
  ["a time-out", { kind: "hang-before" }],
  // Longer than a fresh reading stays valid.
  ["a long 429", { kind: "status", status: 429, headers: { "retry-after": "4" } }],
])("reads the item again after %s, since someone may have changed it", async (_name, fault) => {
  const { rig, uid, id } = await withEvent(drainRig(settingFor(fault)));
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
  rig.sandbox.faults.add({ ...fault, method: "PUT" });
  await rig.step();
  expect(rig.states()).toEqual(["pending"]);
  const { workspace } = rig.sandbox;
  workspace.events.update({ ...rig.by, event: id }, { title: "Theirs" });
  await rig.drainAll();
  expect(rig.edit().conflicts).toMatchObject([{ field: "title", ours: "Theirs" }]);
});

it.each([
  ["a change", "SUMMARY:Mine", "PUT"],
  ["a deletion", "STATUS:CANCELLED", "DELETE"],
])("reports what %s overwrote even if its response was lost", async (_what, line, method) => {
  const { rig, uid, id } = await withEvent(drainRig({ conflicts: "theirs" }));
  rig.send(calendar(vevent(uid, line)));
  const { workspace } = rig.sandbox;
  workspace.events.update({ ...rig.by, event: id }, { title: "Theirs" });
  rig.sandbox.faults.add({ kind: "drop-after", method, times: 2 });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.edit().attempts).toBeGreaterThan(1);
  expect(rig.edit().conflicts).toMatchObject([{ field: "title", ours: "Theirs", taken: "theirs" }]);
});

it("checks the item after an unreadable response, and sends nothing again if it has changed", async () => {
  const { rig, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "SUMMARY:Written", "STATUS:COMPLETED")));
  rig.sandbox.faults.add({ kind: "cut", plain: true, method: "PUT", times: 2 });
  await rig.step();
  expect(rig.requests()).toEqual([
    "GET /projects/todolists/tasks",
    "PUT /projects/todolists/tasks",
    "GET /projects/todolists/tasks",
    "PUT /projects/todolists/tasks",
    "GET /projects/todolists/tasks",
  ]);
  expect(rig.states()).toEqual(["confirmed"]);
});

it("parks what the service rejects, with its message", async () => {
  const { rig, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "SUMMARY:Written")));
  const body = { code: 2033, message: "Custom field type is not supported" };
  rig.sandbox.faults.add({ kind: "status", status: 200, body, method: "PUT" });
  expect(await rig.drainAll()).toEqual(["parked: refused"]);
  expect(rig.edit().problem).toContain("Custom field type is not supported");
  expect(rig.store.view.findUid(uid)?.item.title).toBe("Write");
  expect(rig.events).toMatchObject([{ kind: "parked", reason: "refused" }]);
});

it("parks a change that the person may not make", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed")), { actor: rig.person("client") });
  expect(await rig.drainAll()).toEqual(["parked: refused"]);
  expect(rig.edit().problem).not.toContain("no longer exists");
});

it("parks a change of an item that is gone", async () => {
  const rig = await drainRig();
  const [one, two] = [
    await rig.event(),
    await rig.event({ milestone: true, start: "2026-11-23", end: "2026-11-23", all_day: true }),
  ];
  rig.send(calendar(vevent(one.uid, "SUMMARY:Renamed"), vevent(two.uid, "STATUS:COMPLETED")));
  rig.sandbox.workspace.events.remove({ ...rig.by, event: one.id });
  rig.sandbox.faults.add({
    kind: "status",
    status: 403,
    path: new RegExp(`${two.id}$`),
    times: 2,
  });
  expect(await rig.drainAll()).toEqual(["parked: refused", "parked: refused"]);
  expect(rig.edit(1).problem).toContain("no longer exists");
  expect(rig.edit(2).problem).toContain("no longer exists");
});

it("one failing edit does not delay the others", async () => {
  const rig = await drainRig({
    wrap: (upstream) => ({
      ...upstream,
      events: {
        ...upstream.events,
        update(wish, call) {
          if (wish.patch.title === "poison") throw new Error("boom");
          return upstream.events.update(wish, call);
        },
      },
    }),
  });
  const [one, two] = [await rig.event(), await rig.event({ title: "Other" })];
  rig.send(calendar(vevent(one.uid, "SUMMARY:poison"), vevent(two.uid, "SUMMARY:2")));
  expect(await rig.drainAll()).toEqual(["parked: failed", "confirmed"]);
  expect(rig.edit(1).problem).toContain("boom");
});

it("reports what the service did not store, and does not send it again", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed", "DESCRIPTION:New")));
  rig.sandbox.faults.add({
    kind: "transform",
    method: "PUT",
    transform: (json) => Object.assign(json instanceof Object ? json : {}, { title: "Rewritten" }),
  });
  await rig.drainAll();
  expect(rig.events).toMatchObject([
    { kind: "applied" },
    { kind: "differs", problem: expect.stringContaining("title") },
  ]);
  expect(rig.states()).toEqual(["confirmed"]);
  expect(rig.requests("PUT")).toHaveLength(1);
});

it("gives up after a day of retries and waits for a person", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", times: 100_000 });
  rig.clock.advance({ hours: 23, minutes: 55 });
  expect(await rig.drainAll()).toEqual(["parked: failed"]);
  expect(rig.edit().attempts).toBeGreaterThanOrEqual(10);
  rig.sandbox.faults.clear();
  rig.store.journal.resume(rig.edit().id);
  expect(await rig.drainAll()).toEqual(["confirmed"]);
});
