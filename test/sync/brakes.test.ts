import { describe, expect, it } from "vitest";
import { roomy, runUntil, type Stage, stage } from "./support/stage.ts";
import { addTask, placeAt, viewInventory } from "./support/workspace.ts";

/** A list of so many tasks, all mirrored. */
async function listOf(count: number) {
  const it = await stage({ quota: roomy });
  const place = placeAt(it, 0);
  const ids = Array.from({ length: count }, (_, index) =>
    addTask(it, place, { title: `T${index}` }),
  );
  await it.sweep();
  const source = `tasks:${place.list}`;
  const remove = (count: number) => {
    for (const task of ids.splice(0, count)) {
      it.sandbox.workspace.tasks.remove({ ...place, task });
    }
  };
  /** Cuts so many of the remaining tasks out of every answer of the list, or restores them. */
  const hide = (hidden: number) => {
    it.sandbox.faults.clear();
    it.sandbox.faults.add({
      kind: "transform",
      path: new RegExp(`/${place.list}/tasks$`),
      times: 1000,
      transform: (json) => (Array.isArray(json) ? json.slice(hidden) : json),
    });
  };
  return { it, place, source, ids, remove, hide };
}

const shown = (it: Stage) => viewInventory(it).length;

describe("a list that loses many items", () => {
  it.each([
    [10, 10],
    [10, 12],
    [11, 55],
  ])("is not held if %i of %i were deleted", async (gone, total) => {
    const { it, remove } = await listOf(total);
    remove(gone);
    expect(await it.sweep()).toMatchObject({ buried: gone, held: 0 });
    expect(shown(it)).toBe(total - gone);
    expect(it.events.some(({ kind }) => kind === "braked")).toBe(false);
  });

  it("is held until all are checked if more than a fifth were deleted", async () => {
    const { it, source, ids, place, remove } = await listOf(40);
    const first = ids[0];
    remove(12);
    // One of the twelve does not respond.
    it.sandbox.faults.add({ kind: "html", path: new RegExp(`/tasks/${first}$`) });
    expect(await it.sweep()).toMatchObject({ buried: 0, held: 12 });
    expect(shown(it)).toBe(40);
    const [brake] = it.store.brakes.all();
    expect(brake).toMatchObject({ source, missing: 12, total: 40, needsPerson: false });
    it.asked();
    expect(await it.sweep()).toMatchObject({ buried: 12, held: 0 });
    expect(it.asked().filter((path) => /\/tasks\/\d+$/.test(path))).toEqual([
      `GET /api/v3/projects/${place.project}/todolists/${place.list}/tasks/${first}`,
    ]);
    expect(shown(it)).toBe(28);
    expect(it.store.brakes.all()).toEqual([]);
    expect(it.events.map(({ kind }) => kind)).toContain("brake-lifted");
  });

  it("is held until a person agrees if more than half were deleted, even across a restart", async () => {
    const { it, source, remove } = await listOf(20);
    remove(12);
    expect(await it.sweep()).toMatchObject({ buried: 0, held: 12 });
    expect(it.store.absences.all().every(({ confirmedAt }) => confirmedAt)).toBe(true);
    const next = it.again();
    expect(await next.sweep()).toMatchObject({ buried: 0, held: 12 });
    expect(shown(it)).toBe(20);

    expect(it.store.brakes.release(source)).toBe(true);
    expect(await next.sweep()).toMatchObject({ buried: 12, held: 0 });
    expect(shown(it)).toBe(8);
    expect(it.store.brakes.all()).toEqual([]);
  });

  it("asks the person again if more vanish than was agreed to", async () => {
    const { it, source, remove, hide, ids } = await listOf(30);
    remove(16);
    await it.sweep();
    it.store.brakes.release(source);
    remove(5);
    expect(await it.sweep()).toMatchObject({ buried: 0, held: 21 });
    expect(it.store.brakes.all()).toMatchObject([
      { missing: 21, needsPerson: true, releasedAt: null },
    ]);
    expect(ids).toHaveLength(9);
    hide(0);
    it.store.brakes.release(source);
    expect(await it.sweep()).toMatchObject({ buried: 21 });
  });

  it("is free again if everything comes back", async () => {
    const { it, hide } = await listOf(30);
    hide(30);
    it.sandbox.faults.add({ kind: "html", path: /\/tasks\/\d+$/, times: 30 });
    expect(await it.sweep()).toMatchObject({ buried: 0, held: 30 });
    hide(0);
    expect(await it.sweep()).toMatchObject({ buried: 0, held: 0, changed: 0 });
    expect(it.store.brakes.all()).toEqual([]);
    expect(it.store.absences.all()).toEqual([]);
  });

  it("buries nothing if it was only truncated, and finds each item individually", async () => {
    const { it, hide } = await listOf(50);
    hide(30);
    expect(await it.sweep()).toMatchObject({ buried: 0, held: 0 });
    expect(shown(it)).toBe(50);
    expect(it.store.brakes.all()).toEqual([]);
    it.asked();
    await it.sweep();
    expect(it.asked().filter((path) => /\/tasks\/\d+$/.test(path))).toEqual([]);
  });

  it("does not delay other reading while its items are checked one by one", async () => {
    const { it, remove } = await listOf(60);
    remove(20);
    it.asked();
    await runUntil(it, () => shown(it) === 40);
    const asked = it.asked();
    const singles = asked.filter((path) => /\/tasks\/\d+$/.test(path)).length;
    const lastSingle = asked.findLastIndex((path) => /\/tasks\/\d+$/.test(path));
    const polls = asked.slice(0, lastSingle).filter((path) => !/\/tasks\/\d+$/.test(path)).length;
    expect(singles).toBe(20);
    expect(polls).toBeGreaterThanOrEqual(15);
  });
});
