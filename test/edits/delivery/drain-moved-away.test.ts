import { expect, it } from "vitest";
import { type ListId, serviceId } from "../../../src/domain/ids.ts";
import type { Source } from "../../../src/domain/source.ts";
import { worked } from "../../contract/pair.ts";
import { calendar, vtodo } from "../rig.ts";
import { drainRig, withTask } from "./drain-rig.ts";

/** A task that somebody moved to a list of another project, and an edit of it that was accepted before. */
async function movedAway(...lines: readonly string[]) {
  const { rig, id, uid } = await withTask(drainRig());
  const near: Source = { kind: "tasks", projectId: rig.project, listId: rig.list };
  const far: Source = { kind: "tasks", projectId: rig.otherProject, listId: rig.farList };
  rig.store.sources.put([far, near]);
  rig.send(calendar(vtodo(uid, ...lines)));
  const move = () =>
    rig.sandbox.workspace.tasks.update(
      { ...rig.by, list: rig.list, task: id },
      { project: rig.otherProject, list_id: rig.farList, move_task: true },
    );
  /** Reads a list as a sweep does. */
  const sweep = async (source: Source & { kind: "tasks" }) => {
    rig.clock.advance({ seconds: 1 });
    rig.store.sources.attempted(source, rig.clock());
    const place = { projectId: source.projectId, listId: source.listId };
    const { items } = worked(await rig.upstream.tasks.list(place, { priority: "sweep" }));
    for (const item of items) {
      if (item.id) rig.store.mirror.put({ ...item, id: item.id }, `tasks:${source.listId}`);
    }
    rig.store.sources.succeeded(source, { items: items.length, gaps: null });
  };
  /** Reads a list that the service refuses, as a sweep does. */
  const refuse = (source: Source) => {
    rig.clock.advance({ seconds: 1 });
    rig.store.sources.attempted(source, rig.clock());
    rig.store.sources.refused(source, "the service refused it (403)");
  };
  const remove = () => rig.sandbox.workspace.tasks.remove({ ...rig.by, list: rig.list, task: id });
  const there = (list: ListId = rig.farList) =>
    rig.sandbox.workspace.tasks
      .list({ by: rig.owner, project: rig.otherProject, list })
      .find((task) => task.id === id);
  const wait = async () => {
    rig.clock.advance({ minutes: 15 });
    await rig.step();
  };
  return { rig, id: serviceId(id), near, far, move, sweep, refuse, remove, there, wait };
}

it("a deletion is not confirmed before the lists were read", async () => {
  const { rig, move, there, wait } = await movedAway("STATUS:CANCELLED");
  move();
  await rig.step();
  await wait();
  await wait();
  expect(rig.states()).toEqual(["pending"]);
  expect(there()).toMatchObject({ completed: false });
  expect(rig.edit().problem).toContain("2 of 2 lists");
});

it("a deletion is sent where a list shows the task", async () => {
  const { rig, near, far, move, sweep, there, wait } = await movedAway("STATUS:CANCELLED");
  move();
  await rig.step();
  await sweep(near);
  await wait();
  expect(rig.edit().problem).toContain("1 of 2 lists");
  await sweep(far);
  await wait();
  // Someone else has moved it since its editor saw it.
  expect(rig.states()).toEqual(["parked: conflict"]);
  rig.keepMine();
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(there()).toBeUndefined();
});

it("a change is sent where a list shows the task", async () => {
  const { rig, near, far, move, sweep, there, wait } = await movedAway("SUMMARY:Written");
  move();
  await rig.step();
  await sweep(near);
  await sweep(far);
  await wait();
  expect(rig.states()).toEqual(["confirmed"]);
  expect(there()).toMatchObject({ title: "Written" });
});

it("asks for the lists of the same project first, then for all others", async () => {
  const { rig, near, move, sweep, wait } = await movedAway("SUMMARY:Written");
  move();
  await rig.step();
  expect(rig.hurried).toEqual([[`tasks:${rig.list}`, `tasks:${rig.farList}`]]);
  await sweep(near);
  await wait();
  expect(rig.hurried[1]).toEqual([`tasks:${rig.farList}`]);
});

it("a task counts as gone once every list was read completely", async () => {
  const { rig, near, far, remove, sweep, wait } = await movedAway("STATUS:CANCELLED");
  remove();
  await sweep(near);
  await sweep(far);
  rig.clock.advance({ seconds: 1 });
  await rig.step();
  await wait();
  expect(rig.states()).toEqual(["pending"]);
  await sweep(near);
  await sweep(far);
  await wait();
  expect(rig.states()).toEqual(["confirmed"]);
  expect(rig.requests("DELETE")).toHaveLength(1);
});

it.each([
  ["cannot be read", "failure"],
  ["cannot be understood as a whole", "gaps"],
  ["is being read for the first time since", "under way"],
] as const)("a task does not count as gone while a list %s", async (_what, how) => {
  const { rig, near, far, remove, sweep, wait } = await movedAway("STATUS:CANCELLED");
  remove();
  await rig.step();
  rig.clock.advance({ seconds: 1 });
  await sweep(near);
  await sweep(far);
  if (how === "failure") rig.store.sources.failed(far, "down");
  if (how === "gaps") rig.store.sources.succeeded(far, { items: 1, gaps: "cut" });
  rig.clock.advance({ seconds: 1 });
  if (how === "under way") rig.store.sources.attempted(far, rig.clock());
  await wait();
  expect(rig.states()).toEqual(["pending"]);
});

it.each([
  ["a deletion", "DELETE", "STATUS:CANCELLED"],
  ["a change", "PUT", "SUMMARY:Written"],
])("searches for a task that was moved right before %s", async (_what, method, line) => {
  const { rig, near, far, move, sweep, there, wait } = await movedAway(line);
  rig.sandbox.faults.add({ kind: "status", status: 404, method });
  await rig.step();
  move();
  await wait();
  expect(rig.states()).toEqual(["pending"]);
  expect(there()).toMatchObject({ title: "Write" });
  await sweep(near);
  await sweep(far);
  await rig.drainAll();
  if (method === "DELETE") rig.keepMine();
  expect(await rig.drainAll()).toEqual(["confirmed"]);
  expect(there()?.title).toBe(method === "DELETE" ? undefined : "Written");
});

it("waits for a person if the lists cannot be read for a day", async () => {
  const { rig, remove } = await movedAway("STATUS:CANCELLED");
  remove();
  expect(await rig.drainAll({ most: 2000 })).toEqual(["parked: failed"]);
  expect(rig.edit().problem).toContain("2 of 2 lists");
  expect(rig.requests("DELETE")).toEqual([]);
});

it.each(["STATUS:CANCELLED", "SUMMARY:Written"])(
  "waits for a person once every remaining list was refused twice: %s",
  async (line) => {
    const { rig, near, far, remove, sweep, refuse, wait } = await movedAway(line);
    refuse(near);
    remove();
    await rig.step();
    await wait();
    expect(rig.states()).toEqual(["pending"]);
    await sweep(far);
    await wait();
    expect(rig.states()).toEqual(["pending"]);
    refuse(near);
    await wait();
    expect(rig.states()).toEqual(["parked: refused"]);
    expect(rig.edit().problem).toMatch(
      new RegExp(`rejects ${`tasks:${rig.list}`}.*it is unknown whether it was moved`),
    );
    expect(rig.requests("DELETE")).toEqual([]);
    // Whoever corrected it tries again, and the search begins again.
    rig.keepMine();
    await rig.step();
    expect(rig.states()).toEqual(["pending"]);
    await sweep(near);
    await sweep(far);
    await wait();
    expect(rig.states()).toEqual([line.startsWith("STATUS") ? "confirmed" : "parked: refused"]);
  },
);

it.each([
  ["refused once", ["refused"], true],
  ["failing", ["failed", "failed"], true],
  ["failing after a refusal", ["refused", "failed"], true],
  ["refused as everything is", ["refused", "refused"], false],
])("keeps waiting while a list is %s", async (_what, looks, isFarRead) => {
  const { rig, near, far, remove, sweep, refuse, wait } = await movedAway("STATUS:CANCELLED");
  remove();
  await rig.step();
  if (isFarRead) await sweep(far);
  for (const look of looks) {
    if (look === "refused") refuse(near);
    else rig.store.sources.failed(near, "503");
    if (!isFarRead) refuse(far);
    await wait();
  }
  expect(rig.states()).toEqual(["pending"]);
});

it("searches again if the task was found in between", async () => {
  const { rig, near, far, move, sweep, wait } = await movedAway("SUMMARY:Written");
  rig.sandbox.faults.add({ kind: "status", status: 404, method: "GET", times: 2 });
  await rig.step();
  rig.clock.advance({ seconds: 1 });
  await sweep(near);
  await sweep(far);
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", times: 4 });
  await wait();
  expect(rig.edit()).toMatchObject({ state: "pending", missedAt: null });
  move();
  await wait();
  expect(rig.states()).toEqual(["pending"]);
  expect(rig.edit().missedAt).not.toBeNull();
});
