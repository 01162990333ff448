import type { AllTasksManner } from "@dayferry/sandbox";
import { describe, expect, it as test, vi } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { isThorough, rows } from "../support/effort.ts";
import { requestClock } from "./support/request-clock.ts";
import { roomy, type Stage, type StageOptions, stage, until } from "./support/stage.ts";
import { addTask, placeAt, viewInventory, workspaceInventory } from "./support/workspace.ts";

/** Two pages, and enough lists to be worth them; each comparison of everything takes as long as there are tasks. */
const counts = { tasks: 100, eventsPerProject: 2 } as const;
/** So many pages that a wrong order soon shows. */
const morePages = { counts: { ...counts, tasks: 200 } } as const;

/** A small workspace, completely read, with one clock for service and daemon that can be set forward. */
async function world(options: StageOptions = {}) {
  let ahead = 0;
  const now = () => Temporal.Now.instant().add({ milliseconds: ahead });
  const it = await stage({ size: "s", counts, quota: roomy, now, clock: now, ...options });
  await it.sweep();
  it.asked();
  const { allTasks, tasks, subtasks } = it.sandbox.workspace;
  return {
    it,
    tasks,
    subtasks,
    /** From now on the list of all tasks gets this answer. */
    behave: (manner: AllTasksManner) => allTasks.behave(manner),
    forward: (seconds: number) => {
      ahead += seconds * 1000;
    },
  };
}

const isEqual = (it: Stage) =>
  JSON.stringify(viewInventory(it)) === JSON.stringify(workspaceInventory(it));

/** Polls all the time while the steps are made. */
async function whilePolling({ sync }: Stage, steps: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const running = sync.run(stop.signal);
  try {
    await steps();
  } finally {
    stop.abort();
    await running;
  }
}

const isUsed = (it: Stage) => it.sync.fastPath.kind === "used";

/** Polls all the time while the steps are made, once the pages are used. */
const whileUsed = (it: Stage, steps: () => Promise<void>) =>
  whilePolling(it, () => until(() => isUsed(it)).then(steps));

const told = (it: Stage) =>
  it.events.flatMap((event) => (event.kind === "fast-path" ? [event.state] : []));

/** A task with subtasks, and one without. */
function someTasks({ it, tasks }: Awaited<ReturnType<typeof world>>) {
  const place = placeAt(it, 0);
  const shown = tasks.list(place);
  const parent = shown.find(({ sub_tasks }) => sub_tasks > 1);
  const single = shown.find(({ sub_tasks, completed }) => sub_tasks === 0 && !completed);
  if (!parent || !single) throw new Error("the workspace has no such tasks");
  return { place, parent: parent.id, single: single.id };
}

const dropped = ({ events }: Stage) =>
  events.flatMap((event) => (event.kind === "fast-path" && event.reason ? [event.reason] : []));

/** Lets others change something of each kind. */
function workOn(here: Awaited<ReturnType<typeof world>>): void {
  const { it, tasks, subtasks } = here;
  const { place, parent, single } = someTasks(here);
  const [first, second] = subtasks.list({ ...place, task: parent });
  tasks.update({ ...place, task: parent }, { title: "Changed" });
  subtasks.update({ ...place, task: parent, subtask: first?.id ?? 0 }, { title: "Below" });
  subtasks.remove({ ...place, task: parent, subtask: second?.id ?? 0 });
  tasks.remove({ ...place, task: single });
  addTask(it, placeAt(it, 1), { title: "Added" });
}

const isPage = (json: unknown): json is { readonly todos: readonly object[] } =>
  typeof json === "object" && json !== null && "todos" in json && Array.isArray(json.todos);

describe("pages of all tasks", () => {
  test("are used once they agree with all lists, which are then only audited", async () => {
    const clock = requestClock({ milliseconds: 400 });
    const { it } = await world({ ...morePages, now: clock.now, clock: clock.now });
    clock.follow(it);
    await whileUsed(it, async () => {
      it.asked();
      await until(() => it.sandbox.requests.entries().length > 120);
    });
    const asked = it.asked();
    const pages = asked.filter((path) => path.endsWith("/alltodo")).length;
    const lists = asked.filter((path) => /tasks$/.test(path)).length;
    expect(pages).toBeGreaterThan(45);
    expect(lists).toBeLessThan(15);
    expect(told(it)).toEqual(["used"]);
  });

  test("bring what others add, change, move and delete", async () => {
    const here = await world();
    const { it, tasks, subtasks, forward } = here;
    const { place, parent, single } = someTasks(here);
    const [first, second] = subtasks.list({ ...place, task: parent });
    await whileUsed(it, async () => {
      // The list must show changes within the same second as its reading.
      forward(10);
      tasks.update({ ...place, task: single }, { title: "Changed" });
      subtasks.update({ ...place, task: parent, subtask: first?.id ?? 0 }, { title: "Below" });
      await until(() => isEqual(it));
      const byPages = it.events.filter(
        (event) => event.kind === "polled" && event.source.startsWith("alltodo:"),
      );
      expect(byPages).not.toEqual([]);

      forward(10);
      addTask(it, place, { title: "Added" });
      subtasks.create({ ...place, task: single }, { title: "First child" });
      await until(() => isEqual(it));

      tasks.remove({ ...place, task: single });
      subtasks.remove({ ...place, task: parent, subtask: second?.id ?? 0 });
      await until(() => isEqual(it));

      const { list } = placeAt(it, 0, 1);
      tasks.update(
        { ...place, task: parent },
        { move_task: true, list_id: list, project: place.project },
      );
      await until(() => isEqual(it));
    });
    expect(told(it)).toEqual(["used"]);
  });
});

test("are not compared again if unchanged, unless a row was written or everything is reread", async () => {
  const here = await world();
  const { it, tasks, forward } = here;
  const { place, single } = someTasks(here);
  const stored = vi.spyOn(it.store.mirror, "stored");
  const anotherRound = async () => {
    let pages = 0;
    it.asked();
    await until(() => {
      pages += it.asked().filter((path) => path.endsWith("/alltodo")).length;
      return pages > 12;
    });
  };
  await whileUsed(it, async () => {
    await anotherRound();
    stored.mockClear();
    await anotherRound();
    expect(stored).not.toHaveBeenCalled();

    // Something other than the service's answer, as from a late answer.
    const key = it.store.mirror.find("task", serviceId(single));
    const mirrored = key === null ? null : it.store.mirror.get(key);
    if (!mirrored) throw new Error("the task is not mirrored");
    const id = serviceId(single);
    it.store.mirror.put({ ...mirrored.item, id, title: "Never so" }, mirrored.source);
    await until(() => isEqual(it));

    forward(10);
    tasks.update({ ...place, task: single }, { title: "Changed" });
    await until(() => isEqual(it));
    await anotherRound();
    stored.mockClear();
    await anotherRound();
    expect(stored).not.toHaveBeenCalled();
    it.sync.rereadAll();
    await anotherRound();
    expect(stored).toHaveBeenCalled();
  });
  expect(told(it)).toEqual(["used"]);
});

describe("untrustworthy pages", () => {
  const strange: readonly (readonly [string, AllTasksManner, RegExp])[] = [
    ["their order changes", { order: "unstable" }, /order changes/],
    ["start is ignored", { ignores: ["start"] }, /again/],
    ["limit is ignored", { ignores: ["limit"] }, /were expected/],
    ["completed tasks are left out", { leavesOut: "completed" }, /none of its pages/],
    ["subtasks are left out", { leavesOut: "subtasks" }, /none of its pages/],
    ["some tasks are hidden", { leavesOut: "some" }, /none of its pages/],
    ["the total is that of the page", { total: "page" }, /were expected|none of its pages|save/],
    ["the total is wrong", { total: "one-more" }, /were expected|counts/],
    ["elements come twice", { repeats: true }, /twice/],
  ];

  test.each(rows(strange, 9))("are not used at all if %s", async (_, manner, reason) => {
    const here = await world({ ...morePages, allTasks: manner });
    const { it } = here;
    await whilePolling(it, async () => {
      await until(() => it.sync.fastPath.kind === "off" && it.sync.fastPath.reason !== null);
      workOn(here);
      await until(() => isEqual(it));
    });
    expect(it.sync.fastPath).toEqual({ kind: "off", reason: expect.stringMatching(reason) });
    expect(told(it)).not.toContain("used");
  });

  test.each(rows(strange, 9))("are dropped if they were good and now %s", async (_, manner) => {
    const here = await world(morePages);
    const { it, forward } = here;
    await whileUsed(it, async () => {
      forward(10);
      here.behave(manner);
      workOn(here);
      await until(() => {
        forward(1);
        return it.sync.fastPath.kind === "off";
      });
      await until(() => isEqual(it));
    });
    expect(told(it)).toEqual(["used", "dropped"]);
    expect(dropped(it)).toHaveLength(1);
  });

  const useless = [
    ["404", { kind: "status", status: 404 }],
    ["403", { kind: "status", status: 403 }],
    ["a page of HTML", { kind: "html" }],
    ["another shape", { kind: "replace", body: [] }],
    ["tasks of another shape", { kind: "replace", body: { total_count: 1, todos: [{ id: 1 }] } }],
  ] as const;

  test.each(rows(useless, 5))("are asked for only once if %s answers", async (_, fault) => {
    const { it } = await world();
    it.sandbox.faults.add({ ...fault, path: /alltodo$/, times: 1000 });
    await whilePolling(it, () => until(() => it.sandbox.requests.entries().length > 60));
    expect(it.asked().filter((path) => path.endsWith("/alltodo"))).toHaveLength(1);
    expect(told(it)).toEqual([]);
    expect(it.sync.fastPath.kind).toBe("off");
  });

  test.runIf(isThorough)("are asked for again after a day", async () => {
    const { it, forward } = await world();
    it.sandbox.faults.add({ kind: "status", status: 404, path: /alltodo$/ });
    await whilePolling(it, async () => {
      await until(() => it.sync.fastPath.kind === "off" && it.sync.fastPath.reason !== null);
      forward(25 * 3600);
      await until(() => isUsed(it));
    });
  });

  test("are replaced by the lists while they fail", async () => {
    const here = await world();
    const { it, forward } = here;
    await whileUsed(it, async () => {
      it.sandbox.faults.add({ kind: "status", status: 500, path: /alltodo$/, times: 100_000 });
      workOn(here);
      await until(() => {
        forward(5);
        return it.sync.fastPath.kind === "off";
      });
      await until(() => isEqual(it));
    });
    expect(told(it)).toEqual(["used", "dropped"]);
  });

  test("never revert what a list or an edit has shown", async () => {
    const here = await world();
    const { it, tasks, forward } = here;
    const { place, single } = someTasks(here);
    const title = () =>
      it.store.mirror.ofSource(`tasks:${place.list}`).find(({ item }) => item.id === single)?.item
        .title;
    await whileUsed(it, async () => {
      here.behave({ cachedFor: Temporal.Duration.from({ seconds: 30 }) });
      it.asked();
      await until(() => it.sandbox.requests.entries().length > 20);
      forward(10);
      tasks.update({ ...place, task: single }, { title: "Newer" });
      it.sync.hurry(`tasks:${place.list}`);
      await until(() => title() === "Newer");
      const shown: (string | undefined)[] = [];
      it.asked();
      await until(() => {
        shown.push(title());
        return it.sandbox.requests.entries().length > 60;
      });
      expect(new Set(shown)).toEqual(new Set(["Newer"]));
      forward(21);
      await until(() => {
        forward(1);
        return isEqual(it);
      });
    });
    expect(told(it)).toEqual(["used"]);
  });

  test.runIf(isThorough)("are dropped if they stay behind", async () => {
    const here = await world();
    const { it, forward } = here;
    await whileUsed(it, async () => {
      here.behave({ cachedFor: Temporal.Duration.from({ hours: 100 }) });
      it.asked();
      await until(() => it.sandbox.requests.entries().length > 20);
      forward(10);
      workOn(here);
      // The audit would reach it by itself after some hundred polls.
      it.sync.hurry(`tasks:${placeAt(it, 0).list}`);
      await until(() => {
        forward(1);
        return it.sync.fastPath.kind === "off";
      });
      await until(() => isEqual(it));
    });
    expect(told(it)).toEqual(["used", "dropped"]);
  });

  test.runIf(isThorough)("are dropped if a list contradicts them", async () => {
    const here = await world();
    const { it, tasks, forward } = here;
    const { place, single } = someTasks(here);
    const later = Temporal.Now.instant().add({ hours: 1 }).toString();
    const lie = (task: object) =>
      "id" in task && task.id === single ? { ...task, title: "Never so", updated_at: later } : task;
    const transform = (json: unknown) =>
      isPage(json) ? { ...json, todos: json.todos.map(lie) } : json;
    await whileUsed(it, async () => {
      it.sandbox.faults.add({ kind: "transform", path: /alltodo$/, transform, times: 100_000 });
      // The audit may already have reached the list and corrected it.
      const isShown = () => viewInventory(it).some((line) => line.includes("Never so"));
      await until(() => !isUsed(it) || isShown());
      forward(10);
      it.sync.hurry(`tasks:${place.list}`);
      await until(() => it.sync.fastPath.kind === "off");
      tasks.update({ ...place, task: single }, { title: "So" });
      await until(() => isEqual(it));
    });
    expect(told(it)).toEqual(["used", "dropped"]);
  });

  test.runIf(isThorough)("are used in any order that is stable", async () => {
    const here = await world({ allTasks: { order: "recent-first" } });
    const { it, forward } = here;
    await whileUsed(it, async () => {
      forward(10);
      workOn(here);
      await until(() => isEqual(it));
    });
    expect(told(it)).toEqual(["used"]);
  });
});
