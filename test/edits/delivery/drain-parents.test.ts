import { describe, expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { momentInWords } from "../../../src/domain/wording.ts";
import { worked } from "../../contract/pair.ts";
import { zone } from "../../support/items.ts";
import { calendar, vtodo } from "../rig.ts";
import { drainRig } from "./drain-rig.ts";

const parent = vtodo("parent@example.com", "SUMMARY:Parent", "DUE;VALUE=DATE:20261224");
const child = (uid = "child@example.com", above = "parent@example.com") =>
  vtodo(uid, `SUMMARY:${uid}`, `RELATED-TO:${above}`);

async function parentsRig(setting: Parameters<typeof drainRig>[0] = {}) {
  const rig = await drainRig(setting);
  return {
    ...rig,
    put: (item: string) => rig.send(calendar(item), { channel: "caldav" }),
    viewed: (uid: string) => rig.store.view.findUid(uid)?.item ?? null,
    async subtasksOf(uid: string) {
      const item = rig.store.view.findUid(uid)?.item;
      if (item?.kind !== "task" || item.id === null) throw new Error(`${uid} is no task yet`);
      const { projectId, listId, id } = item;
      const call = { priority: "sweep" } as const;
      const listed = await rig.upstream.subtasks.list({ projectId, listId, taskId: id }, call);
      return worked(listed).items.map(({ title }) => title);
    },
  };
}

describe("a to-do below a new task", () => {
  it("waits for the task, and takes its ID", async () => {
    const rig = await parentsRig();
    rig.put(parent);
    rig.put(child());
    expect(rig.viewed("child@example.com")).toMatchObject({ kind: "subtask", parentId: null });
    expect(rig.store.journal.awaitedParent(rig.edit(2).item)).toBe("parent@example.com");
    await rig.step();
    const task = rig.viewed("parent@example.com");
    expect(rig.viewed("child@example.com")).toMatchObject({ kind: "subtask", parentId: task?.id });
    expect(rig.store.journal.awaitedParent(rig.edit(2).item)).toBeNull();
    await rig.drainAll();
    expect(await rig.subtasksOf("parent@example.com")).toEqual(["child@example.com"]);
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  });

  it("is never sent first, however many steps run", async () => {
    const rig = await parentsRig();
    rig.put(parent);
    for (const name of ["a", "b", "c"]) rig.put(child(name));
    await rig.drainAll({ loops: 4 });
    expect((await rig.subtasksOf("parent@example.com")).toSorted()).toEqual(["a", "b", "c"]);
    expect(rig.workspaceTasks()).toHaveLength(1);
  });

  it("becomes a subtask of a task that arrives within a minute", async () => {
    const rig = await parentsRig();
    rig.put(child());
    expect(rig.viewed("child@example.com")).toMatchObject({ kind: "task" });
    expect(await rig.step()).toBe("idle");
    const until = momentInWords(rig.clock().add({ seconds: 60 }), zone);
    expect(rig.editActions.show(1)).toMatchObject({
      problem: `it waits until ${until} for its parent task, "parent@example.com", which has not arrived yet; without it, this becomes a task without a parent`,
    });
    rig.clock.advance({ seconds: 50 });
    rig.put(parent);
    expect(rig.editActions.show(1)?.problem).toBe(
      "it waits for edit 2, which creates the task above it",
    );
    expect(rig.viewed("child@example.com")).toMatchObject({ kind: "subtask" });
    await rig.drainAll({ loops: 2 });
    expect(await rig.subtasksOf("parent@example.com")).toEqual(["child@example.com"]);
    expect(rig.workspaceTasks()).toHaveLength(1);
  });

  it("becomes a task of its own after a minute, and stays one", async () => {
    const rig = await parentsRig();
    const plan = rig.put(child());
    expect(JSON.stringify(plan)).toContain("in a minute");
    rig.clock.advance({ seconds: 61 });
    expect(await rig.step()).toBe("worked");
    expect(rig.editActions.show(1)?.problem).toBeNull();
    rig.put(parent);
    await rig.drainAll();
    expect(await rig.subtasksOf("parent@example.com")).toEqual([]);
    expect(rig.workspaceTasks()).toHaveLength(2);
  });

  it("keeps changes made while it waited", async () => {
    const rig = await parentsRig();
    rig.put(child());
    rig.put(vtodo("child@example.com", "SUMMARY:Renamed", "RELATED-TO:parent@example.com"));
    rig.put(parent);
    rig.put(vtodo("child@example.com", "DUE;VALUE=DATE:20261223"));
    await rig.drainAll({ loops: 3 });
    expect(await rig.subtasksOf("parent@example.com")).toEqual(["Renamed"]);
    expect(rig.viewed("child@example.com")).toMatchObject({ kind: "subtask", title: "Renamed" });
    expect(rig.states()).toEqual(["confirmed", "confirmed", "confirmed", "confirmed"]);
  });

  it("knows its task in every edit, even once the creation is done", async () => {
    const rig = await parentsRig();
    rig.put(child());
    rig.put(vtodo("child@example.com", "SUMMARY:Renamed", "RELATED-TO:parent@example.com"));
    rig.put(parent);
    await rig.step();
    const task = rig.viewed("parent@example.com");
    expect(rig.edit(2).base).toMatchObject({ kind: "subtask", parentId: task?.id });
  });

  it("still waits after a restart", async () => {
    const rig = await parentsRig();
    rig.put(parent);
    rig.put(child());
    rig.store.journal.claimNext();
    expect(rig.restart()).toBe(1);
    await rig.drainAll({ loops: 2 });
    expect(await rig.subtasksOf("parent@example.com")).toEqual(["child@example.com"]);
  });

  it("has one level only: a to-do with children stays a task", async () => {
    const rig = await parentsRig();
    rig.put(child("middle", "top"));
    rig.put(child("leaf", "middle"));
    rig.put(vtodo("top", "SUMMARY:Top"));
    await rig.drainAll({ loops: 3 });
    expect(await rig.subtasksOf("middle")).toEqual(["leaf"]);
    expect(await rig.subtasksOf("top")).toEqual([]);
    expect(rig.states()).toEqual(["confirmed", "confirmed", "confirmed"]);
  });

  it.each([
    ["itself", [child("a", "a")]],
    ["one that names it", [child("a", "b"), child("b", "a")]],
  ])("loses nothing if it names %s", async (_name, items) => {
    const rig = await parentsRig();
    for (const item of items) rig.put(item);
    expect(await rig.drainAll({ loops: 2 })).toEqual(items.map(() => "confirmed"));
  });

  it("waits for a person together with a task that the service refuses", async () => {
    const rig = await parentsRig();
    rig.put(parent);
    rig.put(child());
    rig.sandbox.faults.add({ kind: "status", status: 400, method: "POST" });
    await rig.step();
    expect(rig.states()).toEqual(["parked: refused", "parked: failed"]);
    expect(rig.edit(2).problem).toContain("edit 1 is waiting for a decision");
    expect(rig.editActions.retry(1).kind).toBe("done");
    await rig.drainAll({ loops: 2 });
    expect(await rig.subtasksOf("parent@example.com")).toEqual(["child@example.com"]);
  });

  it("waits for a person together with a task that is gone, as after a restore", async () => {
    const rig = await parentsRig();
    rig.put(parent);
    rig.put(child());
    rig.store.mirror.adopt(rig.edit(1).item, serviceId(999_999));
    const creation = rig.store.journal.claimNext();
    if (creation?.id !== 1) throw new Error("the task is not first");
    rig.store.journal.settle(creation, { kind: "park", reason: "refused", problem: "it is gone" });
    expect(rig.states()).toEqual(["parked: refused", "parked: failed"]);
    rig.editActions.discard(1);
    await rig.drainAll();
    expect(rig.workspaceTasks()).toMatchObject([{ title: "child@example.com" }]);
  });

  it("becomes a task of its own if a person retries it without the task", async () => {
    const rig = await parentsRig();
    rig.put(parent);
    rig.put(child());
    rig.sandbox.faults.add({ kind: "status", status: 400, method: "POST" });
    await rig.step();
    rig.editActions.retry(2);
    await rig.drainAll();
    expect(rig.workspaceTasks()).toMatchObject([{ title: "child@example.com" }]);
    expect(rig.states()).toEqual(["parked: refused", "confirmed"]);
  });

  it("becomes a task of its own if the task is discarded", async () => {
    const rig = await parentsRig();
    rig.put(parent);
    rig.put(child());
    rig.editActions.discard(1);
    expect(rig.viewed("child@example.com")).toMatchObject({ kind: "task", parentId: null });
    await rig.drainAll();
    expect(rig.workspaceTasks()).toMatchObject([{ title: "child@example.com" }]);
  });

  it("is approved in any order in review mode", async () => {
    const rig = await parentsRig({ mode: "review" });
    rig.put(child());
    rig.put(parent);
    rig.editActions.approve(1);
    expect(await rig.step()).toBe("idle");
    expect(rig.editActions.show(1)?.problem).toBe(
      "it waits for edit 2, which creates the task above it and is waiting for approval itself",
    );
    rig.editActions.approve(2);
    expect(rig.editActions.show(1)?.problem).toBe(
      "it waits for edit 2, which creates the task above it",
    );
    await rig.drainAll({ loops: 2 });
    expect(await rig.subtasksOf("parent@example.com")).toEqual(["child@example.com"]);
  });

  it("is created where its task is now", async () => {
    const rig = await parentsRig();
    const { id, uid } = await rig.task();
    rig.put(child("child@example.com", uid));
    const there = { ...rig.by, list: rig.list, task: id };
    const move = { list_id: rig.otherList, move_task: true };
    rig.sandbox.workspace.tasks.update(there, move);
    const mirrored = rig.viewed(uid);
    if (mirrored?.kind !== "task") throw new Error("the task is not mirrored");
    const moved = { ...mirrored, id: serviceId(id), listId: rig.otherList };
    rig.store.mirror.put(moved, `tasks:${rig.otherList}`);
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(await rig.subtasksOf(uid)).toEqual(["child@example.com"]);
  });
});

describe("edits that depend on a parked creation", () => {
  const refusal = { kind: "status", status: 422, method: "POST" } as const;
  const renamed = (uid: string, title: string) =>
    vtodo(uid, `SUMMARY:${title}`, "RELATED-TO:parent@example.com");

  /** A parked task, with a change of it, a to-do below it, and changes of that to-do. */
  async function parkedFamily() {
    const rig = await parentsRig();
    rig.put(parent);
    rig.put(vtodo("parent@example.com", "SUMMARY:Parent, renamed", "DUE;VALUE=DATE:20261224"));
    rig.put(child());
    rig.put(renamed("child@example.com", "Child, renamed"));
    rig.put(renamed("child@example.com", "Child, renamed again"));
    rig.sandbox.faults.add(refusal);
    await rig.drainAll();
    return rig;
  }

  it("wait with a reason that names it, and continue after one retry", async () => {
    const rig = await parkedFamily();
    expect(rig.states()).toEqual(["parked: refused", ...Array(4).fill("parked: failed")]);
    for (const id of [2, 3, 4, 5]) {
      expect(rig.edit(id).problem).toContain("edit 1 is waiting for a decision");
    }
    expect(rig.events.filter(({ kind }) => kind === "parked")).toHaveLength(5);
    rig.editActions.retry(1);
    expect(await rig.drainAll({ loops: 2 })).toEqual(Array(5).fill("confirmed"));
    expect(rig.workspaceTasks()).toMatchObject([{ title: "Parent, renamed" }]);
    expect(await rig.subtasksOf("parent@example.com")).toEqual(["Child, renamed again"]);
  });

  it("become independent if the creation is discarded, and say why", async () => {
    const rig = await parkedFamily();
    rig.editActions.discard(1);
    expect(rig.edit(2)).toMatchObject({ state: "discarded" });
    expect(rig.edit(2).problem).toContain("edit 1, which creates the item, was discarded");
    expect(rig.edit(4)).toMatchObject({ state: "pending" });
    expect(rig.edit(4).problem).toContain("given up with edit 1");
    expect(await rig.drainAll()).toEqual([
      "discarded",
      "discarded",
      "confirmed",
      "confirmed",
      "confirmed",
    ]);
    expect(rig.workspaceTasks()).toMatchObject([{ title: "Child, renamed again" }]);
  });

  it("wait even if they arrive later", async () => {
    const rig = await parentsRig();
    rig.put(parent);
    rig.sandbox.faults.add(refusal);
    await rig.drainAll();
    rig.put(child());
    rig.put(renamed("child@example.com", "Child, renamed"));
    rig.clock.advance({ minutes: 5 });
    expect(await rig.step()).toBe("idle");
    expect(rig.editActions.show(2)?.problem).toBe(
      "it waits for edit 1, which creates the task above it and is waiting for a decision",
    );
    expect(rig.editActions.show(3)?.problem).toBe("it waits for edit 2, which creates the item");
    rig.editActions.retry(1);
    expect(await rig.drainAll()).toEqual(["confirmed", "confirmed", "confirmed"]);
    expect(await rig.subtasksOf("parent@example.com")).toEqual(["Child, renamed"]);
  });

  it("stay parked if they are retried and refused themselves", async () => {
    const rig = await parkedFamily();
    rig.editActions.retry(3);
    rig.sandbox.faults.add(refusal);
    await rig.drainAll();
    expect(rig.states().slice(2)).toEqual(["parked: refused", "parked: failed", "parked: failed"]);
    rig.editActions.retry(1);
    await rig.drainAll();
    expect(rig.states().slice(0, 3)).toEqual(["confirmed", "confirmed", "parked: refused"]);
    rig.editActions.retry(3);
    await rig.drainAll();
    expect(rig.states().slice(2, 3)).toEqual(["confirmed"]);
  });
});

describe("to-dos below each other", () => {
  const family = [child("deep@example.com", "child@example.com"), child(), parent];

  it("become a task with subtasks from one file, in any order", async () => {
    for (const items of [family, family.toReversed()]) {
      const rig = await parentsRig();
      const plan = rig.send(calendar(...items));
      expect(plan.kind === "plan" && plan.summary).toMatchObject({ create: 3, refused: 0 });
      await rig.drainAll();
      expect(rig.workspaceTasks()).toMatchObject([{ title: "Parent" }]);
      expect((await rig.subtasksOf("parent@example.com")).toSorted()).toEqual([
        "child@example.com",
        "deep@example.com",
      ]);
    }
  });

  it("become a task with subtasks from one request each", async () => {
    const rig = await parentsRig();
    for (const item of family.toReversed())
      expect(rig.put(item)).toMatchObject({ summary: { create: 1 } });
    await rig.drainAll();
    expect((await rig.subtasksOf("parent@example.com")).toSorted()).toEqual([
      "child@example.com",
      "deep@example.com",
    ]);
    // Items below a subtask that already exists.
    rig.put(child("deeper@example.com", "child@example.com"));
    await rig.drainAll();
    expect(await rig.subtasksOf("parent@example.com")).toContain("deeper@example.com");
  });
});
