import { describe, expect, it } from "vitest";
import type { Edit, EditAction } from "../../src/domain/edit.ts";
import { editId, itemKey, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item, TaskItem } from "../../src/domain/item.ts";
import { isOutdated } from "../../src/sync/outdated.ts";
import { worked } from "../contract/pair.ts";
import { untouched } from "../support/edits.ts";
import { aTask } from "../support/items.ts";
import { roomy, type Stage, stage } from "./support/stage.ts";
import { addTask, placeAt, shownTitles } from "./support/workspace.ts";

const second = (count: number) =>
  Temporal.Instant.from("2026-05-01T10:00:00Z").add({ seconds: count });
const task = (
  title: string,
  updatedAt: Temporal.Instant | null,
  more: Partial<TaskItem> = {},
): Item => aTask(1, { title, updatedAt, ...more });

const edit = (more: Partial<Edit>): Edit => ({
  ...untouched,
  id: editId(1),
  channel: "caldav",
  actor: null,
  program: null,
  item: itemKey(1),
  action: "update",
  base: task("Old", second(0)),
  patch: { title: "New" },
  state: "confirmed",
  createdAt: second(5),
  updatedAt: second(5),
  attempts: 1,
  before: task("Old", second(0)),
  answer: task("New", second(5)),
  ...more,
});

describe("isOutdated()", () => {
  const renamed = edit({});
  const again = edit({
    before: task("New", second(5)),
    answer: task("Newer", second(9)),
  });
  const deleted = edit({ action: "delete", answer: null });
  it.each<[string, Item, readonly Edit[], boolean, boolean]>([
    ["the former value", task("Old", second(0)), [renamed], true, true],
    ["the former value, while stamps stand still", task("Old", second(5)), [renamed], true, true],
    ["the former value without a stamp", task("Old", null), [renamed], true, true],
    ["the former value, stamped later", task("Old", second(6)), [renamed], true, false],
    ["a value that is neither", task("Another", second(0)), [renamed], true, false],
    ["what the edit has set", task("New", second(5)), [renamed], true, false],
    [
      "the value before the last edit but one",
      task("Old", second(0)),
      [again, renamed],
      true,
      true,
    ],
    [
      "another field that nobody here has changed",
      task("New", second(5), { description: "x" }),
      [renamed],
      true,
      false,
    ],
    ["an item that was deleted", task("Old", second(0)), [deleted], false, true],
    ["an item that was deleted and made again", task("Old", second(0)), [deleted], true, false],
    ["an item without edits", task("Old", second(0)), [], true, false],
  ])("an outdated item: %s", (_what, listed, edits, isKnown, expected) => {
    expect(isOutdated(listed, { edits, isKnown })).toBe(expected);
  });
});

/** A task that an edit renamed or deleted, and the body of its list from before. */
async function carriedOut(
  action: EditAction,
  { stampedAt }: { stampedAt?: Temporal.Instant } = {},
) {
  let ahead = 0;
  const it = await stage({
    quota: roomy,
    now: () => Temporal.Now.instant().add({ seconds: ahead }),
  });
  const forward = (seconds: number) => {
    ahead += seconds;
  };
  const place = placeAt(it, 0);
  const task = addTask(it, place, { title: "Old" });
  addTask(it, place, { title: "Other" });
  let lists: unknown = null;
  const path = new RegExp(`/${place.list}/tasks$`);
  it.sandbox.faults.add({
    kind: "transform",
    path,
    transform(json) {
      lists = json;
      return json;
    },
  });
  await it.sweep();
  const { store, upstream } = it;
  const key = store.mirror.find("task", serviceId(task));
  const item = key && store.mirror.get(key)?.item;
  if (!key || !item) throw new Error(`task ${task} is not mirrored`);
  const rest = { channel: "cli", actor: null, newLabels: [], state: "pending" } as const;
  const patch = action === "delete" ? {} : { title: "New" };
  store.journal.append({ ...rest, action, item: key, base: item, patch });
  const edit = store.journal.claimNext();
  if (!edit) throw new Error("nothing to claim");
  store.journal.replacing(edit.id, item);
  const { tasks } = it.sandbox.workspace;
  if (action === "delete") {
    tasks.remove({ ...place, task });
    store.journal.confirm(edit, null);
  } else {
    tasks.update({ ...place, task }, { title: "New" });
    const at = {
      projectId: projectId(place.project),
      listId: item.kind === "event" ? null : item.listId,
    };
    if (at.listId === null) throw new Error("a task has a list");
    const call = { priority: "sweep" } as const;
    const answer = worked(
      await upstream.tasks.get({ ...at, listId: at.listId, id: serviceId(task) }, call),
    );
    store.journal.confirm(edit, { ...answer, updatedAt: stampedAt ?? answer.updatedAt });
  }
  it.sandbox.requests.clear();
  const lag = (times = 1) => it.sandbox.faults.add({ kind: "replace", body: lists, path, times });
  return {
    it,
    place,
    task,
    lag,
    forward,
    /** The titles after a sweep. */
    swept: () => it.sweep().then(() => titlesOf(it)),
    asked: () => askedFor(it, task),
  };
}

const titlesOf = (it: Stage) => shownTitles(it, projectId(placeAt(it, 0).project));

const askedFor = ({ sandbox }: Stage, task: number): number =>
  sandbox.requests.entries().filter(({ path }) => path.endsWith(`/tasks/${task}`)).length;

describe("a list older than an edit", () => {
  it("does not revert the edit; the item is read instead", async () => {
    const { it, lag, swept, asked } = await carriedOut("update");
    lag(2);
    expect(await swept()).toEqual(["New", "Other"]);
    expect(asked()).toBe(1);
    await it.sweep();
    expect(await swept()).toEqual(["New", "Other"]);
    expect(asked()).toBe(2);
  });

  it("does not restore what was deleted", async () => {
    const { lag, swept, asked } = await carriedOut("delete");
    lag();
    expect(await swept()).toEqual(["Other"]);
    expect(asked()).toBe(1);
    expect(await swept()).toEqual(["Other"]);
  });

  it("changes nothing while the item cannot be read", async () => {
    const { it, task, lag, swept } = await carriedOut("update");
    lag();
    const path = new RegExp(`/tasks/${task}$`);
    it.sandbox.faults.add({ kind: "status", status: 503, path, times: 9 });
    expect(await swept()).toEqual(["New", "Other"]);
    it.sandbox.faults.clear();
    expect(await swept()).toEqual(["New", "Other"]);
  });

  it("is used for everything else it shows", async () => {
    const { it, place, lag, swept } = await carriedOut("update");
    lag();
    addTask(it, place, { title: "Third" });
    await it.sweep();
    expect(await swept()).toEqual(["New", "Other", "Third"]);
  });
});

it("a reverted value is accepted after seconds if stamps do not decide", async () => {
  const stampedAt = Temporal.Now.instant().add({ hours: 1 });
  const { it, place, task, swept, forward } = await carriedOut("update", { stampedAt });
  it.sandbox.workspace.tasks.update({ ...place, task }, { title: "Old" });
  expect(await swept()).toEqual(["New", "Other"]);
  forward(20);
  expect(await swept()).toEqual(["Old", "Other"]);
});

it("a reverted value is accepted at once if stamps decide", async () => {
  const { it, place, task, swept } = await carriedOut("update", {
    stampedAt: Temporal.Now.instant().subtract({ hours: 1 }),
  });
  it.sandbox.workspace.tasks.update({ ...place, task }, { title: "Old" });
  expect(await swept()).toEqual(["Old", "Other"]);
});

describe("a service that lags behind its own confirmations", () => {
  it("does not revert an edit, although the item responds as before", async () => {
    const { it, task, lag, swept, forward } = await carriedOut("update");
    lag();
    const path = new RegExp(`/tasks/${task}$`);
    const transform = (json: unknown) => ({ ...Object(json), title: "Old" });
    it.sandbox.faults.add({ kind: "transform", path, transform });
    expect(await swept()).toEqual(["New", "Other"]);
    forward(20);
    expect(await swept()).toEqual(["New", "Other"]);
  });

  it("does not remove a new item, although neither list nor item shows it", async () => {
    const { it, task, swept, forward } = await carriedOut("update");
    const list = { kind: "transform", path: /\/tasks$/, times: 9 } as const;
    const transform = (json: unknown) =>
      Array.isArray(json) ? json.filter((one) => Object(one).id !== task) : json;
    it.sandbox.faults.add({ ...list, transform });
    const path = new RegExp(`/tasks/${task}$`);
    it.sandbox.faults.add({ kind: "status", status: 404, path, times: 9 });
    await it.sweep();
    expect(await swept()).toEqual(["New", "Other"]);
    it.sandbox.faults.clear();
    forward(20);
    expect(await swept()).toEqual(["New", "Other"]);
  });
});
