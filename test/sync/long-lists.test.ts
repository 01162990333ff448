import { describe, expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { pollByHand } from "./support/poll-by-hand.ts";
import { shortBudget } from "./support/short-budget.ts";
import { roomy, stage } from "./support/stage.ts";
import { addTask, placeAt, viewInventory, workspaceInventory } from "./support/workspace.ts";

const size = 230;

/** An unread list that takes several transactions. */
async function longList() {
  const it = await stage({ quota: roomy });
  const place = placeAt(it, 0);
  await it.sweep();
  const ids = Array.from({ length: size }, (_, n) => addTask(it, place, { title: `Task ${n}` }));
  const name = `tasks:${place.list}`;
  const rows = () => it.store.mirror.contents(name).size;
  const state = () => it.store.sources.all().find((source) => source.name === name);
  return { it, place, ids, name, rows, state, tasks: it.sandbox.workspace.tasks };
}

describe("a long list", () => {
  it("is applied in several transactions, with others in between", async () => {
    const { it, name, rows, state } = await longList();
    const seen: number[] = [];
    const eventLoop = shortBudget(() => void seen.push(rows()));
    await pollByHand(it, { eventLoop }).poll(name);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
    expect(seen[0]).toBeLessThan(size);
    expect(rows()).toBe(size);
    expect(state()).toMatchObject({ items: size, failure: null });
  });

  it("counts as read only once all of it is applied", async () => {
    const { it, name, rows, state } = await longList();
    const { sources } = it.store;
    let isFull = true;
    const succeeded: typeof sources.succeeded = (source, read) => {
      if (isFull) throw new Error("the disk is full");
      sources.succeeded(source, read);
    };
    const store: Store = { ...it.store, sources: { ...sources, succeeded } };
    const eventLoop = shortBudget(() => undefined);
    const { poll } = pollByHand(it, { store, eventLoop });
    await poll(name);
    expect(rows()).toBe(size);
    expect(state()?.items).toBe(0);
    isFull = false;
    await poll(name);
    expect(state()?.items).toBe(size);
  });

  it("does not overwrite what an edit writes meanwhile", async () => {
    const { it, ids, name, tasks, place } = await longList();
    const last = serviceId(ids.at(-1) ?? 0);
    const { store } = it;
    const by = pollByHand(it);
    await by.poll(name);
    for (const task of ids) tasks.update({ ...place, task }, { title: "Renamed" });
    const key = store.mirror.find("task", last);
    let isWritten = false;
    const eventLoop = shortBudget(() => {
      const row = key === null ? null : store.mirror.get(key);
      if (isWritten || !row) return;
      isWritten = true;
      store.mirror.put({ ...row.item, id: last, title: "By an edit" }, name);
    });
    const other = pollByHand(it, { eventLoop });
    await other.poll(name);
    const title = () => key !== null && store.mirror.get(key)?.item.title;
    expect(title()).toBe("By an edit");
    // What was skipped is read once more.
    await other.poll(name);
    expect(title()).toBe("Renamed");
  });

  it("checks missing items once all of it is applied", async () => {
    const { it, ids, name, tasks, place } = await longList();
    const { poll } = pollByHand(it);
    await poll(name);
    const gone = ids.slice(0, 3);
    for (const task of gone) tasks.remove({ ...place, task });
    await poll(name);
    const missing = it.store.absences
      .all()
      .map(({ item }) => it.store.mirror.identity(item).serviceId);
    expect(missing).toEqual(gone);
  });

  it("stops being applied on shutdown", async () => {
    const { it, name, rows, state } = await longList();
    const end = new AbortController();
    const eventLoop = shortBudget(() => {
      if (rows() > 0) end.abort();
    });
    const { poller } = pollByHand(it, { eventLoop });
    await poller.poll(name, end.signal);
    expect(rows()).toBeGreaterThan(0);
    expect(rows()).toBeLessThan(size);
    expect(state()?.items).toBe(0);
  });

  it("is read completely by the next process if one ended in between", async () => {
    const { it, ids, name, rows, tasks, place } = await longList();
    await pollByHand(it).poll(name);
    for (const task of ids) tasks.update({ ...place, task }, { title: "Renamed" });
    for (const task of ids.slice(-3)) tasks.remove({ ...place, task });
    const end = new AbortController();
    let turns = 0;
    const { poller } = pollByHand(it, {
      eventLoop: shortBudget(() => {
        turns += 1;
        if (turns === 20) end.abort();
      }),
    });
    await poller.poll(name, end.signal);
    const titles = it.store.mirror.ofSource(name).map(({ item }) => item.title);
    const renamed = titles.filter((title) => title === "Renamed").length;
    expect(renamed).toBeGreaterThan(0);
    expect(renamed).toBeLessThan(size - 3);
    expect(rows()).toBe(size);
    expect(it.store.absences.all()).toEqual([]);
    const next = it.again();
    await next.sweep();
    expect(rows()).toBe(size - 3);
    expect(viewInventory(next)).toEqual(workspaceInventory(next));
  });
});
