import { join } from "node:path";
import { expect, it } from "vitest";
import { listId, projectId } from "../../../src/domain/ids.ts";
import { beginNewLife } from "../../../src/store/copies/new-life.ts";
import { aTask } from "../../support/items.ts";
import { handClock, migrations, testDirectory, testStore } from "../../support/test-store.ts";

it("beginNewLife() lets edits go on of a task whose move waited in the backup", () => {
  const clock = handClock("2026-11-20T12:00:00Z");
  const file = join(testDirectory(), "dayferry.sqlite");
  const before = testStore(clock, file);
  before.mirror.put(aTask(601), "tasks:3001");
  const item = before.mirror.find("task", aTask(601).id);
  if (item === null) throw new Error("the task was not put");
  const base = aTask(601);
  const place = { projectId: projectId(2001), listId: listId(3003) };
  const by = { channel: "caldav", actor: null, newLabels: [], state: "pending" } as const;
  const move = before.journal.append({ ...by, item, action: "update", base, patch: { place } });
  before.close();
  const [madeAt, now] = [clock(), clock().add({ hours: 1 })];
  beginNewLife(file, { migrations, epoch: "next", now, madeAt, quota: 25, replaced: null });
  clock.advance({ hours: 1 });
  const store = testStore(clock, file);
  expect(store.journal.get(move)).toMatchObject({ state: "claimed", sentAt: madeAt });
  expect(store.unanswered.ofItem(item)).toEqual([]);
});

it("beginNewLife() knows each item under the number that it gives it, and under those before", () => {
  const clock = handClock("2026-11-20T12:00:00Z");
  const file = join(testDirectory(), "dayferry.sqlite");
  const before = testStore(clock, file);
  before.mirror.put(aTask(601, { title: "One" }), "tasks:3001");
  before.mirror.put(aTask(601, { title: "Two" }), "tasks:3001");
  before.close();
  const [madeAt, now] = [clock(), clock().add({ hours: 1 })];
  beginNewLife(file, { migrations, epoch: "next", now, madeAt, quota: 25, replaced: null });
  const store = testStore(clock, file);
  const item = store.mirror.find("task", aTask(601).id);
  if (item === null) throw new Error("the task is gone");
  const { sequence } = store.mirror.identity(item);
  const titles = [0, 1, sequence].map(
    (number) => store.view.shownAs(item, { sequence: number, modifiedAt: null }, null)?.title,
  );
  expect(titles).toEqual(["One", "Two", "Two"]);
});
