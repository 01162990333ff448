import { describe, expect, it } from "vitest";
import { type ListId, listId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { TaskItem } from "../../src/domain/item.ts";
import { sourceOf } from "../../src/domain/source.ts";
import { applyPage } from "../../src/sync/apply-page.ts";
import { SourceList } from "../../src/sync/source-list.ts";
import { leaveCreating } from "../support/edits.ts";
import { aTask } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

type Task = TaskItem & { readonly id: NonNullable<TaskItem["id"]> };

const read = Temporal.Instant.from("2026-11-20T12:00:00Z");
const before = read.subtract({ hours: 1 });
const after = read.add({ seconds: 30 });
const mine = { projectId: projectId(2001), listId: listId(3001) };
const other = listId(3002);

/** Two lists that were read at `read`, with these items. */
function rig(items: readonly Task[]) {
  const clock = handClock(read.toString());
  const store = testStore(clock);
  const sources = new SourceList(store, clock);
  sources.put({ kind: "tasks", ...mine }, null);
  sources.put({ kind: "tasks", ...mine, listId: other }, null);
  sources.put({ kind: "subtasks", ...mine, taskId: serviceId(1) }, null);
  for (const { name } of sources.all()) {
    sources.end(sources.begin(name), { kind: "read", notBefore: null });
  }
  for (const item of items) store.mirror.put(item, sourceOf(item));
  clock.advance({ minutes: 1 });
  const apply = (
    shown: readonly Task[],
    given: { readonly partial?: readonly Task[]; readonly isTrusted?: boolean } = {},
  ) =>
    store.together(() =>
      applyPage(store, {
        page: { items: shown, partial: new Set(given.partial) },
        sources,
        isTrusted: given.isTrusted ?? true,
        clockLead: null,
        today: Temporal.PlainDate.from("2026-11-20"),
      }),
    );
  const title = (id: number, kind: TaskItem["kind"] = "task") => {
    const key = store.mirror.find(kind, serviceId(id));
    return key === null ? null : (store.mirror.get(key)?.item.title ?? null);
  };
  return { store, sources, apply, title, clock };
}

const task = (id: number, fields: Partial<TaskItem> = {}): Task =>
  aTask(id, { updatedAt: before, ...fields });

const told = ({ mismatches }: ReturnType<typeof applyPage>) =>
  mismatches.map(({ item, source, isHint }) => [item.id, source, isHint]);

describe("a page of all tasks", () => {
  it("applies what was changed or created since its list was read", () => {
    const { apply, title } = rig([task(1), task(2)]);
    const applied = apply([
      task(1, { title: "Changed", updatedAt: after }),
      task(2),
      task(3, { title: "New", updatedAt: after }),
      task(4, { title: "Below", kind: "subtask", parentId: serviceId(1), updatedAt: after }),
    ]);
    expect([title(1), title(3), title(4, "subtask")]).toEqual(["Changed", "New", "Below"]);
    expect(applied.changes.map(({ act }) => act).toSorted()).toEqual(["added", "added", "changed"]);
    expect(applied.changedAt).toEqual([after, after, after]);
    expect(told(applied)).toEqual([]);
    expect(applied.same.map(({ id }) => id)).toEqual([2]);
  });

  it.each([
    ["older than the row", { title: "Old", updatedAt: before.subtract({ hours: 1 }) }],
    ["as old as the row", { title: "Other", updatedAt: before }],
    [
      "changed before its list was read",
      { title: "Other", updatedAt: read.subtract({ minutes: 1 }) },
    ],
    ["changed while its list was read", { title: "Other", updatedAt: read.add({ seconds: 1 }) }],
    ["without a time", { title: "Other", updatedAt: null }],
  ])("leaves to the list what is %s", (_, fields) => {
    const { apply, title } = rig([task(1)]);
    const applied = apply([task(1, fields)]);
    expect(title(1)).toBe("Task 1");
    expect(told(applied)).toEqual([[1, "tasks:3001", false]]);
  });

  it("leaves everything to the lists if it is not trusted", () => {
    const { apply, title } = rig([task(1)]);
    const applied = apply([task(1, { title: "Changed", updatedAt: after })], { isTrusted: false });
    expect(title(1)).toBe("Task 1");
    expect(told(applied)).toEqual([[1, "tasks:3001", false]]);
  });

  it("does not restore what was buried", () => {
    const { store, apply, title } = rig([task(1)]);
    const key = store.mirror.find("task", serviceId(1));
    if (key === null) throw new Error("the task has no key");
    store.mirror.bury(key);
    const applied = apply([task(1, { updatedAt: after })]);
    expect(title(1)).toBeNull();
    expect(told(applied)).toEqual([[1, "tasks:3001", false]]);
  });

  it("is only a hint if it is newer but incomplete", () => {
    const { apply, title } = rig([task(1), task(2)]);
    const [same, newer, changed] = [
      task(1),
      task(2, { updatedAt: after }),
      task(3, { updatedAt: after }),
    ];
    const applied = apply([same, newer, changed], { partial: [same, newer, changed] });
    expect(told(applied)).toEqual([
      [2, "tasks:3001", true],
      [3, "tasks:3001", false],
    ]);
    expect(title(3)).toBeNull();
  });

  it("moves a task, and its subtasks are read at the new place", () => {
    const { store, sources, apply } = rig([task(1, { subtaskCount: 2 })]);
    apply([task(1, { listId: other, subtaskCount: 2, updatedAt: after })]);
    expect(store.mirror.ofSource("tasks:3002").map(({ item }) => item.id)).toEqual([1]);
    expect(sources.get("subtasks:1")?.source).toMatchObject({ listId: other });
  });

  it("makes the list read subtasks of a parent that had none", () => {
    const { apply } = rig([task(1), task(2)]);
    const child = task(9, { kind: "subtask", parentId: serviceId(2), updatedAt: after });
    expect(told(apply([child]))).toEqual([[9, "tasks:3001", false]]);
  });

  it.each<[string, ListId, readonly unknown[]]>([
    ["ignores new items in a list that is not polled", listId(9), []],
  ])("%s", (_, list, expected) => {
    const { apply, title } = rig([]);
    expect(told(apply([task(1, { listId: list, updatedAt: after })]))).toEqual(expected);
    expect(title(1)).toBeNull();
  });

  it("makes the old list of a task be read if its new one is not polled", () => {
    const { apply } = rig([task(1)]);
    const applied = apply([task(1, { listId: listId(9), updatedAt: after })]);
    expect(told(applied)).toEqual([[1, "tasks:3001", false]]);
  });

  it("leaves items that an open creation may have made", () => {
    const { store, apply, title } = rig([]);
    const item = store.mirror.createIdentity("task", "made-here");
    const wish = task(99, { title: "Wished" });
    const edit = store.journal.append({
      channel: "caldav",
      actor: null,
      item,
      action: "create",
      base: { ...wish, id: null },
      patch: { title: "Wished", dueOn: wish.dueOn },
      newLabels: [],
      state: "pending",
    });
    store.journal.claimNext();
    leaveCreating(store, edit);
    const applied = apply([
      task(5, { title: "Wished", byMe: true, createdAt: after, updatedAt: after }),
    ]);
    expect(applied.heldBack).toBe(1);
    expect(title(5)).toBeNull();
  });
});
