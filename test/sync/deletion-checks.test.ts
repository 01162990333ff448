import { expect, it } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { pollByHand } from "./support/poll-by-hand.ts";
import { roomy, stage } from "./support/stage.ts";
import { addTask, placeAt } from "./support/workspace.ts";

it("waits again for every other list if an item is missing a second time", async () => {
  const it = await stage({ quota: roomy });
  const [first, second, third] = [placeAt(it, 0), placeAt(it, 0, 1), placeAt(it, 1)];
  const task = addTask(it, first, { title: "Travels" });
  await it.sweep();
  const { poll, deletionChecks } = pollByHand(it);
  const moved = (from: typeof first, to: typeof first) => {
    const body = { project: to.project, list_id: to.list, move_task: true };
    it.sandbox.workspace.tasks.update({ ...from, task }, body);
  };
  const { signal } = new AbortController();
  const key = it.store.mirror.find("task", serviceId(task));
  if (key === null) throw new Error("the task is not mirrored");

  for (const { list } of [first, second, third, placeAt(it, 1, 1)]) await poll(`tasks:${list}`);
  moved(first, second);
  await poll(`tasks:${first.list}`);
  await poll(`tasks:${second.list}`);
  expect(it.store.absences.all()).toEqual([]);

  for (const { list } of [first, third, placeAt(it, 1, 1)]) await poll(`tasks:${list}`);
  moved(second, third);
  await poll(`tasks:${second.list}`);
  await deletionChecks.ask(key, signal);
  const { bury, read } = deletionChecks.settle();
  expect(bury).toEqual([]);
  expect(read).toContain(`tasks:${third.list}`);
});

it("waits for a list that could not be read, up to a number of failures", async () => {
  const it = await stage({ quota: roomy });
  const [first, second, third] = [placeAt(it, 0), placeAt(it, 0, 1), placeAt(it, 1)];
  const task = addTask(it, first, { title: "Travels" });
  await it.sweep();
  const { poll, deletionChecks } = pollByHand(it);
  const { signal } = new AbortController();
  const key = it.store.mirror.find("task", serviceId(task));
  if (key === null) throw new Error("the task is not mirrored");
  const body = { project: second.project, list_id: second.list, move_task: true };
  it.sandbox.workspace.tasks.update({ ...first, task }, body);
  it.sandbox.faults.add({
    kind: "status",
    status: 500,
    path: new RegExp(`/${second.list}/tasks`),
    times: 100,
  });
  await poll(`tasks:${first.list}`);
  await deletionChecks.ask(key, signal);
  for (const { list } of [third, placeAt(it, 1, 1)]) await poll(`tasks:${list}`);
  for (let failures = 1; failures < 8; failures += 1) {
    await poll(`tasks:${second.list}`);
    expect(deletionChecks.settle()).toMatchObject({ bury: [] });
  }
  await poll(`tasks:${second.list}`);
  expect(deletionChecks.settle()).toMatchObject({ bury: [key] });
});

/**
 * A task that answered by itself while its list lacked it, as one created some seconds ago does, and the polls of the
 * list.
 */
async function lackedByItsList() {
  let now = Temporal.Now.instant();
  const it = await stage({ quota: roomy, now: () => now });
  const place = placeAt(it, 0);
  const task = addTask(it, place, { title: "Short-lived" });
  await it.sweep();
  const { poll, deletionChecks } = pollByHand(it, { clock: () => now });
  const key = it.store.mirror.find("task", serviceId(task));
  if (key === null) throw new Error("the task is not mirrored");
  const read = async (seconds: number) => {
    now = now.add({ seconds });
    await poll(`tasks:${place.list}`);
    for (const item of deletionChecks.next(9, null))
      await deletionChecks.ask(item, new AbortController().signal);
    for (const source of deletionChecks.settle().read) await poll(source);
    return deletionChecks.settle().bury.includes(key) || it.store.mirror.get(key) === null;
  };
  it.sandbox.faults.add({
    kind: "transform",
    path: new RegExp(`/${place.list}/tasks$`),
    transform: (json) => (Array.isArray(json) ? json.filter(({ id }) => id !== task) : json),
  });
  expect(await read(0)).toBe(false);
  const remove = () => it.sandbox.workspace.tasks.remove({ ...place, task });
  return { read, remove };
}

it("an item no longer counts as alive by itself once its list shows it", async () => {
  const { read, remove } = await lackedByItsList();
  expect(await read(1)).toBe(false);
  remove();
  expect(await read(1)).toBe(true);
});

it("asks again soon for an item that disappeared right after it responded", async () => {
  const { read, remove } = await lackedByItsList();
  remove();
  expect(await read(10)).toBe(false);
  expect(await read(15)).toBe(true);
});

/** A list that has lost all of its tasks, with a person's consent, and the checks of them. */
async function emptied(count: number) {
  // The clock stands still: rests continue however slow the machine is.
  const begun = Temporal.Now.instant();
  const it = await stage({ quota: roomy, now: () => begun });
  const place = placeAt(it, 0);
  for (let nth = 0; nth < count; nth += 1) addTask(it, place, { title: `Task ${nth}` });
  await it.sweep();
  const source = `tasks:${place.list}`;
  const { poll, deletionChecks } = pollByHand(it);
  const { tasks } = it.sandbox.workspace;
  for (const { id } of tasks.list(place)) tasks.remove({ ...place, task: id });
  await poll(source);
  it.store.brakes.release(source);
  return { it, source, poll, deletionChecks, missing: it.store.absences.all().length };
}

it("reaches checks behind many that rest, and returns to the first", async () => {
  const { it, deletionChecks, missing } = await emptied(60);
  it.sandbox.faults.add({ kind: "status", status: 500, path: /\/tasks\/\d+$/, times: Infinity });
  const { signal } = new AbortController();
  const asked = new Set<number>();
  for (let look = 0; look < missing + 5; look += 1) {
    for (const key of deletionChecks.next(1, null)) {
      expect(asked.has(key)).toBe(false);
      asked.add(key);
      await deletionChecks.ask(key, signal);
    }
  }
  expect(asked.size).toBe(missing);
  expect(deletionChecks.next(missing, new Set())).toHaveLength(missing);
});

it("buries the allowed number of items at once, and lifts the brake after the last one", async () => {
  const { it, source, poll, deletionChecks, missing } = await emptied(60);
  for (const { item } of it.store.absences.all()) it.store.absences.confirm(item);
  const { read } = deletionChecks.settle(25);
  for (const name of read) await poll(name);
  for (let left = missing; left > 0; ) {
    const { bury } = deletionChecks.settle(25);
    expect(bury).toHaveLength(Math.min(25, left));
    left -= bury.length;
    expect(it.store.absences.all()).toHaveLength(left);
    expect(it.store.brakes.get(source) === null).toBe(left === 0);
  }
});
