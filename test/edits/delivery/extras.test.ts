import type { Fault } from "@dayferry/sandbox";
import { describe, expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import {
  type DrainSetting,
  drainRig,
  impatient,
  settingFor,
  withEvent,
  withTask,
} from "./drain-rig.ts";

const file = (name: string, text = "content") =>
  `ATTACH;FMTTYPE=text/plain;FILENAME=${name};VALUE=BINARY;ENCODING=BASE64:${Buffer.from(text).toString("base64")}`;

async function rigWithExtras(setting: DrainSetting = {}) {
  const rig = await drainRig(setting);
  const { sandbox, by, list, store, clock } = rig;
  const { workspace } = sandbox;
  const inTask = (task: number) => ({ ...by, list, task });
  return {
    ...rig,
    comments: (task: number) =>
      workspace.comments.list(inTask(task)).map(({ description }) => description),
    files: (folder: number = rig.folder) =>
      workspace.files.list({ ...by, folder }).map(({ name }) => name),
    extras: (edit = 1) =>
      rig.editActions.show(edit)?.extras.map(({ state, name }) => `${name} ${state}`),
    /** Lets everything work, and time pass, until nothing waits any more. */
    async settle() {
      for (let round = 0; round < 60; round++) {
        await rig.drainAll();
        const next = store.extras.nextAt();
        if (next === null) return;
        if (Temporal.Instant.compare(next, clock()) > 0) clock.set(next.toString());
      }
      throw new Error("extras still wait");
    },
  };
}

describe("a comment", () => {
  it("is added to the task after the change, with the person's own key, and mirrored", async () => {
    const { rig, id, uid } = await withTask(rigWithExtras());
    const actor = rig.person("member");
    const text = vtodo(uid, "SUMMARY:Rewrite", "COMMENT:First\\, then second", "COMMENT:More");
    rig.send(calendar(text), { actor });
    await rig.settle();
    const task = { ...rig.by, list: rig.list, task: id };
    const made = rig.sandbox.workspace.comments.list(task);
    expect(made.map(({ creator }) => creator.id)).toEqual([actor, actor]);
    expect(rig.comments(id)).toEqual(["First, then second", "More"]);
    expect(rig.requests().slice(-3)).toEqual([
      expect.stringMatching(/^PUT .*tasks$/),
      expect.stringMatching(/^POST .*comments$/),
      expect.stringMatching(/^POST .*comments$/),
    ]);
    expect(rig.extras()).toEqual(["COMMENT done", "COMMENT done"]);
    expect(rig.store.comments.count()).toBe(2);
    expect(rig.events.filter(({ kind }) => kind === "extra-done")).toHaveLength(2);
    // The same file again says nothing new.
    rig.send(calendar(vtodo(uid, "SUMMARY:Rewrite", "COMMENT:First\\, then second")));
    await rig.settle();
    expect(rig.comments(id)).toHaveLength(2);
  });

  it("waits until a new task exists and is approved", async () => {
    const rig = await rigWithExtras({ mode: "review" });
    rig.send(calendar(vtodo("new@example.com", "SUMMARY:New", "COMMENT:Hello")));
    expect(await rig.step()).toBe("idle");
    rig.editActions.approve(1);
    await rig.settle();
    const [task] = rig.workspaceTasks();
    expect(rig.comments(task?.id ?? 0)).toEqual(["Hello"]);
  });

  it.each<[string, Fault, number]>([
    ["a lost request", { kind: "drop-before" }, 2],
    ["a lost answer", { kind: "drop-after" }, 1],
    ["an answer that hangs", { kind: "hang-after" }, 1],
    ["a 503", { kind: "status", status: 503 }, 2],
    ["a web page", { kind: "html" }, 2],
    ["half an answer", { kind: "cut" }, 1],
  ])("is created exactly once despite %s", async (_name, fault, posts) => {
    const rig = await rigWithExtras(settingFor(fault));
    const { id, uid } = await rig.task();
    rig.sandbox.workspace.comments.create(
      { ...rig.by, list: rig.list, task: id },
      { description: "Same words of someone else, earlier" },
    );
    rig.clock.advance({ minutes: 5 });
    rig.send(calendar(vtodo(uid, "COMMENT:Once")));
    rig.sandbox.faults.add({ ...fault, method: "POST", path: /comments$/ });
    await rig.settle();
    expect(rig.comments(id).filter((text) => text === "Once")).toHaveLength(1);
    expect(rig.requests("POST")).toHaveLength(posts);
    expect(rig.extras()).toEqual(["COMMENT done"]);
  });

  it.each<[string, "hang" | "drop" | number]>([
    ["no answer in time", "hang"],
    ["a cut connection", "drop"],
    ["an error", 500],
  ])("is created once if the request is carried out late, after %s", async (_name, answer) => {
    const rig = await rigWithExtras(answer === "hang" ? impatient : {});
    const { id, uid } = await rig.task();
    rig.send(calendar(vtodo(uid, "COMMENT:Once")));
    await rig.step();
    rig.sandbox.faults.add({ kind: "late", answer, method: "POST", path: /comments$/ });
    await rig.step();
    rig.clock.advance({ seconds: 8 });
    await rig.step();
    expect(rig.requests("POST")).toHaveLength(1);
    expect(rig.editActions.show(1)?.problem).toContain("may still be carried out");
    rig.sandbox.faults.deliverLate();
    await rig.settle();
    expect(rig.comments(id)).toEqual(["Once"]);
    expect(rig.requests("POST")).toHaveLength(1);
  });

  it("is created once although the clock of the service is an hour behind", async () => {
    const sky = { clock: () => Temporal.Instant.from("2026-11-20T11:00:00Z") };
    const rig = await rigWithExtras({ sandbox: sky });
    const { id, uid } = await rig.task();
    rig.send(calendar(vtodo(uid, "COMMENT:Once")));
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST", path: /comments$/ });
    await rig.settle();
    expect(rig.comments(id)).toEqual(["Once"]);
  });

  it("is not confused with an earlier comment of the same words", async () => {
    const { rig, id, uid } = await withTask(rigWithExtras());
    const task = { ...rig.by, list: rig.list, task: id };
    rig.send(calendar(vtodo(uid, "COMMENT:Again")));
    const before = rig.sandbox.workspace.comments.create(task, { description: "Again" });
    const place = { projectId: rig.project, listId: rig.list, taskId: serviceId(id) };
    rig.store.comments.put({
      ...place,
      id: serviceId(before.id),
      description: "Again",
      creatorId: rig.owner,
      byMe: true,
      createdAt: rig.clock(),
    });
    rig.sandbox.faults.add({ kind: "drop-before", method: "POST", path: /comments$/ });
    await rig.settle();
    expect(rig.comments(id)).toEqual(["Again", "Again"]);
  });

  it("is looked up before a refused one is retried", async () => {
    const { rig, id, uid } = await withTask(rigWithExtras());
    rig.send(calendar(vtodo(uid, "COMMENT:Once")));
    rig.sandbox.faults.add({ kind: "status", status: 403, method: "POST", path: /comments$/ });
    await rig.settle();
    const task = { ...rig.by, list: rig.list, task: id };
    rig.sandbox.workspace.comments.create(task, { description: "Once" });
    rig.editActions.retry(1);
    await rig.settle();
    expect(rig.comments(id)).toEqual(["Once"]);
  });

  it("is parked if refused, leaves the others alone, and is retried on request", async () => {
    const { rig, id, uid } = await withTask(rigWithExtras());
    rig.send(calendar(vtodo(uid, "SUMMARY:Renamed", "COMMENT:No", "COMMENT:Yes")));
    rig.sandbox.faults.add({ kind: "status", status: 403, method: "POST", path: /comments$/ });
    await rig.settle();
    expect(rig.states()).toEqual(["confirmed"]);
    expect(rig.comments(id)).toEqual(["Yes"]);
    expect(rig.extras()).toEqual(["COMMENT parked", "COMMENT done"]);
    expect(rig.editActions.show(1)?.problem).toContain('"COMMENT" is waiting for a decision');
    expect(rig.store.extras.counts()).toMatchObject({ parked: 1, done: 1 });
    expect(rig.editActions.retry(1)).toMatchObject({ kind: "done" });
    await rig.settle();
    expect(rig.comments(id)).toEqual(["Yes", "No"]);
    expect(rig.editActions.retry(1)).toMatchObject({ kind: "refused" });
  });

  it("is resumed after the process ended with it in flight", async () => {
    const { rig, id, uid } = await withTask(rigWithExtras());
    rig.send(calendar(vtodo(uid, "COMMENT:Once")));
    await rig.step();
    rig.sandbox.faults.add({ kind: "hang-after", method: "POST", path: /comments$/ });
    const step = rig.step();
    await expect.poll(() => rig.comments(id)).toEqual(["Once"]);
    rig.abort();
    await step;
    rig.restart();
    await rig.settle();
    expect(rig.comments(id)).toEqual(["Once"]);
    expect(rig.requests("POST")).toHaveLength(1);
  });

  it("is never sent if its edit was discarded", async () => {
    const { rig, id, uid } = await withTask(rigWithExtras());
    rig.send(calendar(vtodo(uid, "COMMENT:Gone")));
    rig.editActions.discard(1);
    await rig.settle();
    expect(rig.comments(id)).toEqual([]);
  });
});

describe("a file", () => {
  it("is uploaded before the task is created, and attached", async () => {
    const rig = await rigWithExtras();
    rig.send(calendar(vtodo("new@example.com", "SUMMARY:New", file("a.txt"), file("b.txt"))));
    await rig.settle();
    const [task] = rig.workspaceTasks();
    expect(task?.attachments).toHaveLength(2);
    expect(rig.files()).toEqual(["a.txt", "b.txt"]);
    expect(rig.extras()).toEqual(["a.txt done", "b.txt done"]);
    // The uploads are removed once they are attached.
    const [extra] = rig.store.extras.ofEdit(rig.edit().id);
    expect(rig.store.extras.content(extra?.id ?? 0)).toBeNull();
  });

  it("is uploaded once if the creation fails in between", async () => {
    const rig = await rigWithExtras();
    rig.send(calendar(vtodo("new@example.com", "SUMMARY:New", file("a.txt"))));
    rig.sandbox.faults.add({ kind: "drop-before", method: "POST", path: /tasks$/ });
    await rig.settle();
    expect(rig.workspaceTasks().map(({ attachments }) => attachments.length)).toEqual([1]);
    expect(rig.requests("POST").filter((request) => request.includes("upload"))).toHaveLength(1);
  });

  it("is filed in the folder if the service refuses it, and the task is created without it", async () => {
    const rig = await rigWithExtras();
    rig.send(calendar(vtodo("new@example.com", "SUMMARY:New", file("a.txt"), file("b.txt"))));
    rig.sandbox.faults.add({ kind: "status", status: 413, method: "POST", path: /upload/ });
    await rig.settle();
    expect(rig.workspaceTasks().map(({ attachments }) => attachments.length)).toEqual([1]);
    expect(rig.extras()).toEqual(["a.txt parked", "b.txt done"]);
    rig.editActions.retry(1);
    await rig.settle();
    expect(rig.files()).toEqual(["b.txt", "a.txt"]);
    expect(rig.extras()).toEqual(["a.txt done", "b.txt done"]);
  });

  it("of an event goes into the project's home folder, once despite a lost response", async () => {
    const { rig, uid } = await withEvent(rigWithExtras());
    rig.send(calendar(vevent(uid, file("plan.txt"))));
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST", path: /files$/ });
    await rig.settle();
    expect(rig.files()).toEqual(["plan.txt"]);
    expect(rig.extras()).toEqual(["plan.txt done"]);
  });

  it("is filed once if the request is carried out late", async () => {
    const { rig, uid } = await withEvent(rigWithExtras());
    rig.send(calendar(vevent(uid, file("plan.txt"))));
    rig.sandbox.faults.add({ kind: "late", answer: "drop", method: "POST", path: /files$/ });
    await rig.step();
    await rig.step();
    rig.clock.advance({ seconds: 8 });
    await rig.step();
    rig.sandbox.faults.deliverLate();
    await rig.settle();
    expect(rig.files()).toEqual(["plan.txt"]);
    expect(rig.extras()).toEqual(["plan.txt done"]);
  });

  it("waits for a person if no folder is known", async () => {
    const rig = await rigWithExtras({ sandbox: { discovery: false } });
    const { uid } = await rig.event();
    rig.send(calendar(vevent(uid, file("plan.txt"))));
    await rig.settle();
    expect(rig.extras()).toEqual(["plan.txt parked"]);
    expect(rig.editActions.show(1)?.problem).toContain("projects[].folders");
  });
});
