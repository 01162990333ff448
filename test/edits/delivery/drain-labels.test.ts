import { expect, it } from "vitest";
import { calendar, vtodo } from "../rig.ts";
import { drainRig, withTask } from "./drain-rig.ts";

it("creates a label once for several concurrent edits, and keeps existing labels", async () => {
  const rig = await drainRig();
  const [one, two] = [await rig.task(), await rig.task({ title: "Other" })];
  rig.send(calendar(vtodo(one.uid, "CATEGORIES:Fresh"), vtodo(two.uid, "CATEGORIES:fresh,Crisp")));
  await rig.drainAll({ loops: 2 });
  const labels = rig.sandbox.workspace.labels.list(rig.by);
  expect(labels.map(({ name }) => name)).toEqual(["Fresh", "Crisp"]);
  const ids = labels.map(({ id }) => id);
  expect(rig.workspaceTasks().map((task) => task.labels)).toEqual([ids.slice(0, 1), ids]);
  expect(rig.store.directory.labels().map(({ name }) => name)).toEqual(["Fresh", "Crisp"]);
  expect(rig.events.map(({ kind }) => kind)).toEqual(["applied", "applied"]);
});

it.each([
  { kind: "drop-after" },
  { kind: "drop-before" },
  { kind: "html" },
  { kind: "status", status: 500 },
] as const)("creates no second label after $kind", async (fault) => {
  const { rig, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "CATEGORIES:Fresh")));
  rig.sandbox.faults.add({ ...fault, method: "POST", path: /labels/ });
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  const [label, second] = rig.sandbox.workspace.labels.list(rig.by);
  expect(second).toBeUndefined();
  expect(rig.workspaceTasks()).toMatchObject([{ labels: [label?.id] }]);
});

it.each([{ answer: "drop" }, { answer: 500 }] as const)(
  "creates one label if the request is carried out late, after $answer",
  async (how) => {
    const { rig, uid } = await withTask(drainRig());
    rig.send(calendar(vtodo(uid, "CATEGORIES:Fresh")));
    rig.sandbox.faults.add({ kind: "late", ...how, method: "POST", path: /labels/ });
    await rig.step();
    rig.clock.advance({ seconds: 8 });
    await rig.step();
    expect(rig.requests("POST")).toHaveLength(1);
    rig.sandbox.faults.deliverLate();
    rig.clock.advance({ seconds: 1 });
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.sandbox.workspace.labels.list(rig.by)).toHaveLength(1);
  },
);

it("after a restart, waits for a label whose request is still in flight", async () => {
  const { rig, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "CATEGORIES:Fresh")));
  rig.sandbox.faults.add({ kind: "late", method: "POST", path: /labels/ });
  const stepping = rig.step();
  await expect.poll(() => rig.requests("POST")).toHaveLength(1);
  rig.abort();
  await stepping;
  rig.restart();
  rig.clock.advance({ seconds: 8 });
  await rig.step();
  expect(rig.requests("POST")).toHaveLength(1);
  rig.sandbox.faults.deliverLate();
  await rig.drainAll();
  expect(rig.sandbox.workspace.labels.list(rig.by)).toHaveLength(1);
});

it("uses a label that someone else has created meanwhile", async () => {
  const { rig, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "CATEGORIES:Fresh")));
  const made = rig.sandbox.workspace.labels.create(rig.by, { name: "FRESH" });
  await rig.drainAll();
  expect(rig.workspaceTasks()).toMatchObject([{ labels: [made.id] }]);
});

it.each(["POST", "GET"])("parks the edits if %s of labels is refused", async (method) => {
  const { rig, uid } = await withTask(drainRig());
  rig.send(
    calendar(
      vtodo(uid, "CATEGORIES:Fresh"),
      vtodo("new@example.com", "SUMMARY:New", "CATEGORIES:Other"),
    ),
  );
  const refusal = {
    kind: "status",
    status: 403,
    method: "POST",
    path: /labels/,
    times: 2,
  } as const;
  rig.sandbox.faults.add(refusal);
  if (method === "GET")
    rig.sandbox.faults.add({ kind: "status", status: 403, path: /labels/, method, times: 2 });
  expect(await rig.drainAll()).toEqual(["parked: refused", "parked: refused"]);
  expect(rig.requests("PUT")).toEqual([]);
});

it("reads the labels before it sends a second time", async () => {
  const { rig, uid } = await withTask(drainRig());
  rig.send(calendar(vtodo(uid, "CATEGORIES:Fresh")));
  rig.sandbox.faults.add({ kind: "drop-before", method: "POST", path: /labels/ });
  rig.sandbox.faults.add({
    kind: "status",
    status: 503,
    method: "GET",
    path: /labels/,
    times: 8,
  });
  await rig.step();
  expect(rig.states()).toEqual(["pending"]);
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(rig.sandbox.workspace.labels.list(rig.by)).toHaveLength(1);
});
