import { expect, test } from "vitest";
import type { TaskItem } from "../../src/domain/item.ts";
import type { Upstream } from "../../src/upstream/client.ts";
import type { TaskPageQuery } from "../../src/upstream/resources/task-page.ts";
import { edit, expectRefused, idOf, startPair, worked } from "./pair.ts";

test("lookups return projects, people, todolists and folders", async () => {
  const { upstream, sandbox, project, list, folder, owner } = await startPair();
  const projects = worked(await upstream.workspace.projects(edit));
  expect(projects.problems).toEqual([]);
  expect(projects.items.map((one) => one.id)).toContain(project);
  const [place] = sandbox.workspace.places();
  const single = worked(await upstream.workspace.project(project, edit));
  expect(single).toMatchObject({ id: project, title: place?.title, archived: false });
  expect(single.members.length).toBeGreaterThan(0);

  const people = worked(await upstream.workspace.people(edit));
  expect(people.problems).toEqual([]);
  const key = sandbox.keys[0];
  expect(people.items).toContainEqual({
    id: owner,
    name: key?.name,
    email: key?.email,
    timeZone: null,
    suspended: false,
  });
  expect(people.items.some((person) => person.suspended)).toBe(true);

  const lists = worked(await upstream.workspace.todolists({ projectId: project }, edit));
  expect(lists.problems).toEqual([]);
  expect(lists.items).toContainEqual(expect.objectContaining({ id: list, projectId: project }));
  const folders = worked(await upstream.workspace.folders({ projectId: project }, edit));
  expect(folders.problems).toEqual([]);
  expect(folders.items).toContainEqual(expect.objectContaining({ id: folder, projectId: project }));
});

test("lookups are ordinary refusals if the service has none", async () => {
  const { upstream, project } = await startPair({ sandbox: { discovery: false } });
  expectRefused(await upstream.workspace.projects(edit), 404);
  expectRefused(await upstream.workspace.people(edit), 404);
  expectRefused(await upstream.workspace.todolists({ projectId: project }, edit), 404);
  expectRefused(await upstream.workspace.allTasks({ start: 0, limit: 100 }, edit), 404);
});

test("lookups of another shape are unreadable", async () => {
  const { upstream, sandbox } = await startPair();
  sandbox.faults.add({ kind: "replace", body: { projects: [] } });
  sandbox.faults.add({ kind: "replace", body: { total_count: 1, todos: [{ id: 1, title: "x" }] } });
  const projects = await upstream.workspace.projects(edit);
  const page = await pageOf(upstream, { start: 0, limit: 100 });
  for (const result of [projects, page]) {
    expect(result).toMatchObject({ ok: false, failure: { kind: "unreadable" } });
  }
});

test("allTasks() returns the same tasks and subtasks as the lists", async () => {
  // Four pages.
  const counts = { tasks: 180, parents: 0.4 };
  const { upstream } = await startPair({ sandbox: { size: "s", counts } });
  const fast: TaskItem[] = [];
  for (let total = 1; fast.length < total; ) {
    const page = worked(await pageOf(upstream, { start: fast.length, limit: 100 }));
    expect(page.problems).toEqual([]);
    expect(page.received).toBeGreaterThan(0);
    fast.push(...page.items);
    total = page.total;
  }

  const slow: TaskItem[] = [];
  const projects = worked(await upstream.workspace.projects(edit)).items;
  for (const { id: projectId } of projects) {
    const lists = worked(await upstream.workspace.todolists({ projectId }, edit)).items;
    for (const { id: listId } of lists) {
      const tasks = worked(await upstream.tasks.list({ projectId, listId }, edit));
      expect(tasks.problems).toEqual([]);
      slow.push(...tasks.items);
      for (const task of tasks.items.filter((one) => one.subtaskCount > 0)) {
        const parent = { projectId, listId, taskId: idOf(task) };
        const subtasks = worked(await upstream.subtasks.list(parent, edit));
        expect(subtasks.received).toBe(task.subtaskCount);
        slow.push(...subtasks.items);
      }
    }
  }
  const sorted = (items: readonly TaskItem[]) =>
    items.map((item) => JSON.stringify(item)).toSorted();
  expect(slow.length).toBeGreaterThan(300);
  expect(sorted(fast)).toEqual(sorted(slow));
});

test("allTasks() filters by project, and leaves out subtasks and completed tasks on request", async () => {
  const { upstream, project, last } = await startPair({ sandbox: { size: "s" } });
  const query = {
    start: 0,
    limit: 100,
    projectIds: [project],
    includeSubtasks: false,
    includeCompleted: false,
  };
  const page = worked(await pageOf(upstream, query));
  expect(last().query).toBe(
    `start=0&limit=100&projects=${project}&include_subtasks=false&completed=false`,
  );
  expect(page.items.length).toBeGreaterThan(0);
  for (const task of page.items) {
    expect(task).toMatchObject({ kind: "task", projectId: project, completed: false });
  }
});

async function pageOf(upstream: Upstream, query: TaskPageQuery) {
  const answer = await upstream.workspace.allTasks(query, edit);
  return answer.ok ? answer.value.read() : answer;
}
