import { expect, test } from "vitest";
import type { AllTasksManner } from "../src/workspace-all-tasks.ts";
import { at, items, type Rig, startRig } from "./rig.ts";

const pageOf = async (rig: Rig, query: string) => {
  const { json } = await rig.call(
    `GET /alltodo?include_subtasks=true&completed=true&limit=100&${query}`,
  );
  const todos = items(at(json, "todos"));
  return { total: Number(at(json, "total_count")), todos, ids: todos.map((it) => at(it, "id")) };
};

const strange = async (allTasks: AllTasksManner) => {
  const rig = await startRig({ size: "s", allTasks });
  const page = (query = "") => pageOf(rig, query);
  const plain = async (query = "") => {
    rig.sandbox.workspace.allTasks.behave({});
    const answer = await pageOf(rig, query);
    rig.sandbox.workspace.allTasks.behave(allTasks);
    return answer;
  };
  return { rig, page, plain };
};

test("AllTasksWork.page() shows the latest change first when configured", async () => {
  const { page, plain } = await strange({ order: "recent-first" });
  const { ids, todos } = await page();
  expect(ids).not.toEqual((await plain()).ids);
  const stamps = todos.map((it) => String(at(it, "updated_at")));
  expect(stamps).toEqual(stamps.toSorted().toReversed());
});

test("AllTasksWork.page() changes its order with each request when configured", async () => {
  const { page } = await strange({ order: "unstable" });
  expect((await page()).ids).not.toEqual((await page()).ids);
});

test("AllTasksWork.page() ignores parts of the query when configured", async () => {
  const start = await strange({ ignores: ["start"] });
  expect((await start.page("start=100")).ids).toEqual((await start.plain()).ids);
  const limit = await strange({ ignores: ["limit"] });
  const { ids, total } = await limit.page();
  expect(ids).toHaveLength(total);
  const projects = await strange({ ignores: ["projects"] });
  const { total: few } = await projects.plain("projects=2002");
  expect((await projects.page("projects=2002")).total).toBeGreaterThan(few);
});

test("AllTasksWork.page() omits what it is configured to omit", async () => {
  const completed = await strange({ leavesOut: "completed" });
  expect((await completed.page()).todos.some((it) => at(it, "completed"))).toBe(false);
  const subtasks = await strange({ leavesOut: "subtasks" });
  expect((await subtasks.page()).todos.some((it) => at(it, "task") !== undefined)).toBe(false);
  const some = await strange({ leavesOut: "some" });
  expect((await some.page()).ids.some((id) => Number(id) % 7 === 0)).toBe(false);
});

test("AllTasksWork.page() counts in another way when configured", async () => {
  const page = await strange({ total: "page" });
  expect((await page.page()).total).toBe(100);
  const wrong = await strange({ total: "one-more" });
  expect((await wrong.page()).total).toBe((await wrong.plain()).total + 1);
});

test("AllTasksWork.page() gives its first element twice when configured", async () => {
  const { ids } = await (await strange({ repeats: true })).page();
  expect(ids).toHaveLength(101);
  expect(ids.at(-1)).toBe(ids[0]);
});

test("AllTasksWork.page() stays unchanged for the time of its caches", async () => {
  const rig = await startRig({ size: "s" });
  const { allTasks, tasks } = rig.sandbox.workspace;
  const [place] = rig.sandbox.workspace.places();
  const add = () =>
    tasks.create(
      { by: rig.person("Ana"), project: place?.project ?? 0, list: place?.lists[0] ?? 0 },
      { title: "Added" },
    );
  const length = Temporal.Duration.from({ seconds: 30 });
  const before = await pageOf(rig, "start=400");

  allTasks.behave({ cachedFor: length });
  await pageOf(rig, "");
  add();
  expect(await pageOf(rig, "start=400")).toEqual(before);
  rig.clock.advance(30);
  expect((await pageOf(rig, "start=400")).total).toBe(before.total + 1);

  allTasks.behave({ totalCachedFor: length });
  await pageOf(rig, "");
  add();
  const late = await pageOf(rig, "start=400");
  expect([late.total, late.ids.length]).toEqual([before.total + 1, before.ids.length + 2]);
});
