import type { Fault, Reply } from "@dayferry/sandbox";
import { describe, expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { sourceOf } from "../../../src/domain/source.ts";
import { worked } from "../../contract/pair.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import { change, changeTask, drainRig, impatient, withEvent, withTask } from "./drain-rig.ts";

type Rig = Awaited<ReturnType<typeof drainRig>>;

const late = { kind: "late", answer: "drop" } as const;
const titleOf = (rig: Rig, uid: string) => rig.store.view.findUid(uid)?.item.title;
const held = (rig: Rig) => rig.workspaceEvents().map(({ title }) => title);

/** A sweep of the one list of events. */
async function sweep(rig: Rig): Promise<void> {
  const { project, upstream, store } = rig;
  const call = { priority: "sweep" } as const;
  const { items } = worked(await upstream.events.list({ projectId: project, view: "all" }, call));
  for (const item of items)
    store.mirror.put({ ...item, id: item.id ?? serviceId(1) }, sourceOf(item));
}

/** An event whose edit "A" got no answer at first, and was confirmed by its repetition. */
async function unanswered(fault: Fault = late) {
  const isHung = fault.kind === "late" && fault.answer === "hang";
  const { rig, id, uid } = await withEvent(drainRig(isHung ? impatient : {}), { title: "X" });
  rig.sandbox.faults.add({ ...fault, method: "PUT" });
  rig.send(calendar(vevent(uid, "SUMMARY:A")));
  await repeated(rig);
  return { rig, id, uid };
}

/** Sends an edit whose first request gets no answer. */
async function repeated(rig: Rig): Promise<void> {
  await rig.step();
  expect(rig.states()).toEqual(["pending"]);
  rig.clock.set(String(rig.store.journal.nextAt()));
  await rig.step();
  expect(rig.states()).toEqual(["confirmed"]);
}

async function overwritten(fault: Fault = late) {
  const { rig, id, uid } = await unanswered(fault);
  rig.clock.advance({ seconds: 1 });
  rig.send(calendar(vevent(uid, "SUMMARY:B")));
  await rig.step();
  expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  expect(held(rig)).toEqual(["B"]);
  rig.clock.advance({ seconds: 1 });
  rig.sandbox.faults.deliverLate();
  expect(held(rig)).toEqual(["A"]);
  return { rig, id, uid };
}

/** Lets the watch end; returns `held()`. */
async function watchOut(rig: Rig) {
  for (let round = 0; round < 40; round++) {
    if ((await rig.step()) === "worked") continue;
    const next = rig.store.unanswered.nextLookAt() ?? rig.store.journal.nextAt();
    if (next === null) return held(rig);
    rig.clock.set(next.add({ milliseconds: 1 }).toString());
  }
  throw new Error("the watch does not end");
}

describe("a change that arrives late over a newer one", () => {
  it.each<[string, Fault]>([
    ["a time-out", { kind: "late", answer: "hang" }],
    ["a cut connection", { kind: "late", answer: "drop" }],
    ["an error of the service", { kind: "late", answer: 500 }],
  ])("is reverted automatically after %s", async (_what, fault) => {
    const { rig, uid } = await overwritten(fault);
    expect(await watchOut(rig)).toEqual(["B"]);
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
    expect(titleOf(rig, uid)).toBe("B");
    expect(rig.store.unanswered.nextLookAt()).toBeNull();
  });

  it("is reverted if the service stores titles as HTML", async () => {
    const escaped = (body: unknown) =>
      typeof body === "object" && body !== null && "title" in body
        ? { ...body, title: String(body.title).replaceAll(/&(?!amp;)/g, "&amp;") }
        : body;
    const answering = (_request: unknown, reply: Reply) => reply;
    const intermediary = { arriving: () => {}, rewriting: escaped, answering };
    const { rig, uid } = await withEvent(drainRig({ sandbox: { intermediary } }), { title: "X" });
    rig.sandbox.faults.add({ ...late, method: "PUT" });
    rig.send(calendar(vevent(uid, "SUMMARY:A & A")));
    await repeated(rig);
    rig.clock.advance({ seconds: 1 });
    rig.send(calendar(vevent(uid, "SUMMARY:B & B")));
    await rig.step();
    rig.clock.advance({ seconds: 1 });
    rig.sandbox.faults.deliverLate();
    expect(held(rig)).toEqual(["A &amp; A"]);
    expect(await watchOut(rig)).toEqual(["B &amp; B"]);
  });

  it("makes the newer edit pending again as soon as a sweep sees it, while feeds keep showing the newer value", async () => {
    const { rig, uid } = await overwritten();
    const before = rig.store.changes.latest();
    await sweep(rig);
    expect(rig.states()).toEqual(["confirmed", "pending"]);
    expect(rig.editActions.show(2)?.problem).toContain("edit 1");
    expect(titleOf(rig, uid)).toBe("B");
    expect(rig.store.changes.latest()).toBe(before);
    await rig.drainAll();
    expect(held(rig)).toEqual(["B"]);
    expect(rig.store.changes.latest()).toBe(before);
  });

  it("is not hidden by an older state of the item", async () => {
    const { rig, uid } = await overwritten();
    const earlier = rig.clock().subtract({ seconds: 2 }).toString({ fractionalSecondDigits: 0 });
    await sweep(rig);
    const older = (json: unknown) => ({ ...Object(json), title: "B", updated_at: earlier });
    const path = /\/events\/\d+$/;
    rig.sandbox.faults.add({ kind: "transform", method: "GET", path, transform: older });
    await rig.step();
    expect(held(rig)).toEqual(["A"]);
    expect(rig.states()).toEqual(["confirmed", "pending"]);
    expect(await watchOut(rig)).toEqual(["B"]);
    expect(titleOf(rig, uid)).toBe("B");
  });

  it("is not assumed because of an outdated read in between", async () => {
    const { rig, uid } = await withEvent(drainRig(), { title: "X" });
    const before = rig.store.view.findUid(uid)?.item;
    if (!before?.id) throw new Error("the event is not mirrored");
    rig.sandbox.faults.add({ kind: "drop-after", method: "PUT" });
    rig.send(calendar(vevent(uid, "SUMMARY:A")));
    await repeated(rig);
    rig.store.mirror.put({ ...before, id: before.id }, sourceOf(before));
    await sweep(rig);
    await watchOut(rig);
    expect(rig.states()).toEqual(["confirmed"]);
    expect(held(rig)).toEqual(["A"]);
    expect(titleOf(rig, uid)).toBe("A");
  });

  it("does not conflict with a later edit of the same field", async () => {
    const { rig, uid } = await overwritten();
    rig.send(calendar(vevent(uid, "SUMMARY:D")));
    await rig.step();
    expect(rig.states()).toEqual(["confirmed", "confirmed", "confirmed"]);
    expect(await watchOut(rig)).toEqual(["D"]);
  });

  it("is reverted beside a later edit of another field", async () => {
    const { rig, uid } = await overwritten();
    rig.send(calendar(vevent(uid, "SUMMARY:B", "DESCRIPTION:Bring cake")));
    await watchOut(rig);
    expect(rig.workspaceEvents()).toMatchObject([{ title: "B", description: "Bring cake" }]);
    expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
  });

  it("is reverted to what someone else had set, if that was seen", async () => {
    const { rig, id, uid } = await unanswered();
    rig.clock.advance({ seconds: 1 });
    change(rig, id, { title: "C" });
    await sweep(rig);
    rig.sandbox.faults.deliverLate();
    expect(await watchOut(rig)).toEqual(["C"]);
    expect(titleOf(rig, uid)).toBe("C");
  });

  it("leaves someone else's newer value alone", async () => {
    const { rig, id } = await overwritten();
    change(rig, id, { title: "Z" });
    expect(await watchOut(rig)).toEqual(["Z"]);
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  });

  it("yields if someone changes the field again meanwhile", async () => {
    const { rig, id } = await overwritten();
    await sweep(rig);
    change(rig, id, { title: "Z" });
    expect(await watchOut(rig)).toEqual(["Z"]);
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  });

  it("needs no action if it never arrives", async () => {
    const { rig } = await unanswered();
    expect(await watchOut(rig)).toEqual(["A"]);
    expect(rig.requests("PUT")).toHaveLength(2);
    expect(rig.store.unanswered.nextLookAt()).toBeNull();
  });

  it("is reverted to the value that an undo restored", async () => {
    const { rig } = await unanswered();
    rig.editActions.undo(1, { channel: "dashboard", actor: rig.owner });
    await rig.step();
    expect(held(rig)).toEqual(["X"]);
    rig.sandbox.faults.deliverLate();
    expect(await watchOut(rig)).toEqual(["X"]);
    expect(rig.states()).toEqual(["undone", "confirmed"]);
  });

  it("is reverted to the previous value if its edit was discarded", async () => {
    const { rig, uid } = await withEvent(drainRig(), { title: "X" });
    rig.sandbox.faults.add({ ...late, method: "PUT" });
    rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", times: 3 });
    rig.send(calendar(vevent(uid, "SUMMARY:A")));
    await rig.step();
    expect(rig.states()).toEqual(["pending"]);
    rig.editActions.discard(1);
    rig.sandbox.faults.deliverLate();
    expect(held(rig)).toEqual(["A"]);
    expect(await watchOut(rig)).toEqual(["X"]);
    expect(rig.states()).toEqual(["discarded", "confirmed"]);
    expect(titleOf(rig, uid)).toBe("X");
  });

  it("does not complete a reopened task", async () => {
    const { rig, uid } = await withTask(drainRig());
    rig.sandbox.faults.add({ ...late, method: "PUT" });
    rig.send(calendar(vtodo(uid, "STATUS:COMPLETED")));
    await rig.step();
    rig.send(calendar(vtodo(uid, "STATUS:NEEDS-ACTION")));
    await rig.step();
    expect(rig.workspaceTasks()).toMatchObject([{ completed: false }]);
    rig.sandbox.faults.deliverLate();
    expect(rig.workspaceTasks()).toMatchObject([{ completed: true }]);
    await watchOut(rig);
    expect(rig.workspaceTasks()).toMatchObject([{ completed: false }]);
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  });

  it("does not undo a second person's edit under another key", async () => {
    const { rig, id, uid } = await withTask(drainRig(), { title: "X" });
    const second = rig.person("member");
    rig.sandbox.faults.add({ ...late, method: "PUT" });
    rig.send(calendar(vtodo(uid, "SUMMARY:A")));
    await rig.step();
    rig.send(calendar(vtodo(uid, "SUMMARY:B")), { actor: second });
    await rig.step();
    rig.sandbox.faults.deliverLate();
    changeTask(rig, id, { description: "More" });
    await watchOut(rig);
    expect(rig.workspaceTasks()).toMatchObject([{ title: "B", description: "More" }]);
  });

  it("is still reverted after a restart", async () => {
    const { rig } = await overwritten();
    rig.restart();
    expect(await watchOut(rig)).toEqual(["B"]);
  });

  it("is watched at least for the timeout if the process ended with it in flight", async () => {
    const timeout = Temporal.Duration.from({ seconds: 40 });
    const { rig, uid } = await withEvent(drainRig({ client: { timeout } }), { title: "X" });
    rig.sandbox.faults.add({ kind: "late", method: "PUT" });
    rig.send(calendar(vevent(uid, "SUMMARY:A")));
    const stepping = rig.step();
    await expect.poll(() => rig.requests("PUT")).toHaveLength(1);
    rig.abort();
    await stepping;
    rig.restart();
    await rig.step();
    rig.send(calendar(vevent(uid, "SUMMARY:B")));
    await rig.step();
    rig.clock.advance({ seconds: 39 });
    rig.sandbox.faults.deliverLate();
    expect(await watchOut(rig)).toEqual(["B"]);
  });

  it("is checked again later if the item cannot be read", async () => {
    const { rig } = await overwritten();
    rig.clock.advance({ minutes: 4 });
    rig.sandbox.faults.add({ kind: "status", status: 403, method: "GET", times: 2 });
    expect(await watchOut(rig)).toEqual(["B"]);
  });

  it("is reverted only once, without fighting anyone", async () => {
    const { rig, id } = await overwritten();
    await watchOut(rig);
    change(rig, id, { title: "A" });
    await sweep(rig);
    expect(await watchOut(rig)).toEqual(["A"]);
  });
});

describe("a deletion that arrives late", () => {
  it("recreates the item if the deletion was discarded", async () => {
    const { rig, id, uid } = await withEvent(drainRig(), { title: "X" });
    rig.sandbox.faults.add({ ...late, method: "DELETE" });
    rig.sandbox.faults.add({ kind: "status", status: 503, method: "DELETE", times: 3 });
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    await rig.step();
    rig.editActions.discard(1);
    rig.sandbox.faults.deliverLate();
    expect(held(rig)).toEqual([]);
    await watchOut(rig);
    expect(rig.missing.length).toBeGreaterThan(0);
    const key = rig.store.mirror.find("event", serviceId(id));
    if (key) rig.store.mirror.bury(key);
    expect(titleOf(rig, uid)).toBe("X");
    await rig.drainAll();
    expect(held(rig)).toEqual(["X"]);
    expect(titleOf(rig, uid)).toBe("X");
    expect(rig.editActions.show(2)?.problem).toContain("edit 1");
  });

  it("leaves the item deleted if that was intended", async () => {
    const { rig, uid } = await withEvent(drainRig(), { title: "X" });
    rig.sandbox.faults.add({ ...late, method: "DELETE" });
    rig.send(calendar(vevent(uid, "STATUS:CANCELLED")));
    await rig.step();
    rig.sandbox.faults.deliverLate();
    expect(await watchOut(rig)).toEqual([]);
    expect(rig.states()).toEqual(["confirmed"]);
  });
});
