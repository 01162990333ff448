import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprint } from "../../src/domain/fingerprint.ts";
import { folderId, projectId, serviceId } from "../../src/domain/ids.ts";
import { sideName } from "../../src/domain/source.ts";
import { contentText } from "../../src/store/rows/item-rows.ts";
import type { Store } from "../../src/store/store.ts";
import { type DueTask, DueTasks } from "../../src/sync/due-tasks.ts";
import { type DueRead, SideQueue } from "../../src/sync/side-queue.ts";
import { aTask } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const start = "2026-11-20T12:00:00Z";
const moment = (minute: number) => Temporal.Instant.from(start).add({ minutes: minute });
const hour = Temporal.Duration.from({ hours: 1 });

function rig() {
  const now = handClock(start);
  const store = testStore(now);
  const open = (options = {}) =>
    new SideQueue({
      store,
      clock: now,
      options: { comments: true, history: true, files: true, ...options },
    });
  return { now, store, open };
}

/** A task as its list shows it, changed at this minute. */
const shown = (id: number, minute: number, fields: Parameters<typeof aTask>[1] = {}) =>
  aTask(id, { updatedAt: moment(minute), ...fields });

/** What is due, in the order of reading, when each succeeds. */
function readAll(queue: SideQueue, store?: Store): readonly string[] {
  const names: string[] = [];
  for (let due = queue.next(); due; due = queue.next()) {
    names.push(sideName(due.source));
    store?.sideSources.succeeded(due.source, { seen: due.seen, items: 0 });
    queue.done(due);
  }
  return names;
}

const nextOf = (queue: SideQueue): DueRead => {
  const due = queue.next();
  if (!due) throw new Error("nothing is due");
  return due;
};

describe("the queue of details", () => {
  it("takes comments first, then folders, files and history, newest tasks first", () => {
    const queue = rig().open();
    queue.follow([
      shown(1, 1, { commentCount: 1 }),
      shown(2, 3, { commentCount: 2 }),
      shown(3, 2),
      shown(4, 2, { updatedAt: null }),
    ]);
    const place = { projectId: projectId(2001) };
    queue.refresh({ kind: "files", ...place, folderId: folderId(4001) }, hour);
    queue.refresh({ kind: "folders", ...place }, hour);
    expect(readAll(queue).join(" ")).toBe(
      "comments:2 comments:1 folders:2001 files:4001 history:2 history:3 history:1 history:4",
    );
  });

  it("waits after a failure, and retries with its failures counted", () => {
    const { now, open } = rig();
    const queue = open({ comments: false });
    queue.follow([shown(1, 1), shown(2, 2)]);
    queue.postpone(nextOf(queue), moment(10));
    // What its list shows meanwhile counts after the rest, and does not end it.
    queue.follow([shown(2, 5)]);
    expect(nextOf(queue)).toMatchObject({ source: { taskId: 1 }, failures: 0 });
    queue.done(nextOf(queue));
    expect(queue.next()).toBeNull();
    now.advance({ minutes: 10 });
    expect(nextOf(queue)).toMatchObject({ source: { taskId: 2 }, failures: 1 });
    queue.postpone(nextOf(queue), moment(20));
    now.advance({ minutes: 10 });
    expect(nextOf(queue)).toMatchObject({ failures: 2 });
    queue.done(nextOf(queue));
    queue.follow([shown(2, 5)]);
    expect(queue.next()).toBeNull();
    queue.follow([shown(2, 21)]);
    expect(nextOf(queue)).toMatchObject({ failures: 0 });
  });

  it("forgets a failed task that is unchanged again", () => {
    const { now, open } = rig();
    const queue = open({ comments: false });
    queue.follow([shown(1, 1)]);
    queue.done(nextOf(queue));
    queue.follow([shown(1, 2)]);
    queue.postpone(nextOf(queue), moment(10));
    queue.follow([shown(1, 1)]);
    now.advance({ hours: 1 });
    expect(queue.next()).toBeNull();
  });
});

it("keeps what changed while it was read", () => {
  const queue = rig().open({ comments: false });
  queue.follow([shown(1, 1)]);
  const reading = nextOf(queue);
  queue.follow([shown(1, 2)]);
  queue.done(reading);
  queue.done(nextOf(queue));
  expect(queue.next()).toBeNull();
});

describe("after a restart, the queue", () => {
  const talked = shown(1, 1, { commentCount: 2 });

  it("continues from what was read before", () => {
    const { store, open } = rig();
    store.mirror.put(talked, "tasks:3001");
    const before = open();
    before.follow([talked]);
    expect(readAll(before, store)).toEqual(["comments:1", "history:1"]);
    const after = open();
    after.follow([talked]);
    expect(after.next()).toBeNull();
    after.follow([shown(1, 1, { commentCount: 3 })]);
    expect(readAll(after)).toEqual(["comments:1", "history:1"]);
  });

  it("reads what earlier versions have stored", () => {
    const { store, open } = rig();
    store.mirror.put(talked, "tasks:3001");
    const updatedAt = moment(1).toString();
    const noted = (kind: "comments" | "history", seen: string) =>
      store.sideSources.succeeded({ kind, taskId: serviceId(1) }, { seen, items: 0 });
    noted("comments", `2 ${updatedAt}`);
    noted("history", fingerprint(`${updatedAt} ${contentText(talked)}`));
    const queue = open();
    queue.follow([talked]);
    expect(queue.next()).toBeNull();
    noted("comments", `1 ${updatedAt}`);
    const another = open();
    another.follow([talked]);
    expect(readAll(another)).toEqual(["comments:1"]);
    // No more of them: one more reading, to see that they are gone.
    another.follow([shown(1, 1, { commentCount: 0 })]);
    expect(readAll(another)).toEqual(["comments:1", "history:1"]);
  });
});

it("always gives the task that changed last", () => {
  const step = fc.record({
    task: fc.integer({ min: 1, max: 12 }),
    changedAt: fc.integer({ min: 0, max: 20 }),
    goes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const due = new DueTasks();
      const model = new Map<number, DueTask>();
      for (const [mark, { task, changedAt, goes }] of steps.entries()) {
        const one = { task: serviceId(task), changedAt, mark };
        if (goes) {
          due.delete(one.task);
          model.delete(task);
        } else {
          due.put(one);
          model.set(task, one);
        }
        expect(due.get(one.task)).toEqual(model.get(task) ?? null);
        const latest = Math.max(...[...model.values()].map((left) => left.changedAt));
        expect(due.first()?.changedAt ?? Number.NEGATIVE_INFINITY).toBe(latest);
      }
      for (let left = due.first(); left; left = due.first()) {
        expect(left).toEqual(model.get(left.task));
        due.delete(left.task);
        model.delete(left.task);
      }
      expect(model.size).toBe(0);
    }),
  );
});
