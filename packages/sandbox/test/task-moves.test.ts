import { expect, test } from "vitest";
import { at, idOf, items, type Rig, startRig } from "./rig.ts";

interface Walk {
  readonly rig: Rig;
  readonly path: string;
  readonly task: unknown;
  readonly base: (project: number, list: number) => string;
  readonly lists: readonly number[];
  readonly other: { readonly project: number; readonly list: number };
}

/** A task with all fields set. */
async function prepare(): Promise<Walk> {
  const rig = await startRig();
  const [own, second] = rig.sandbox.workspace.places();
  const base = (project: number, list: number) => `/projects/${project}/todolists/${list}/tasks`;
  const lists = own?.lists ?? [];
  const tasks = base(own?.project ?? 0, lists[0] ?? 0);
  const label = idOf((await rig.call("POST /labels", { body: { name: "l" } })).json);
  const field = own?.customFields[0]?.id ?? 0;
  const body = {
    title: "T",
    description: "D",
    start_date: "2026-03-11",
    due_date: "2026-03-12",
    assigned: [11],
    labels: [label],
    custom_fields: { [field]: { value: "5" } },
  };
  const path = `${tasks}/${idOf((await rig.call(`POST ${tasks}`, { body })).json)}`;
  await rig.call(`POST ${path}/subtasks`, { body: { title: "S" } });
  await rig.call(`POST ${path}/comments`, { body: { description: "C" } });
  await rig.call(`PUT ${path}`, { body: { description: "E" } });
  const task = (await rig.call(`GET ${path}`)).json;
  const other = { project: second?.project ?? 0, list: second?.lists[0] ?? 0 };
  return { rig, path, task, base, lists, other };
}

test("update() moves to another todolist with everything, and answers 404 at the old path", async () => {
  const { rig, path, task, base, lists } = await prepare();
  const answer = await rig.call(`PUT ${path}`, { body: { list_id: lists[1], move_task: true } });
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({
    id: idOf(task),
    list: { id: lists[1], name: "Later" },
    assigned: [11],
    due_date: "2026-03-12",
    comments: 1,
    sub_tasks: 1,
    custom_fields: at(task, "custom_fields"),
  });
  expect((await rig.call(`GET ${path}`)).status).toBe(404);
  expect((await rig.call(`GET ${path}/subtasks`)).status).toBe(404);
  const moved = `${base(2001, lists[1] ?? 0)}/${idOf(task)}`;
  const subtasks = (await rig.call(`GET ${moved}/subtasks`)).json;
  expect(subtasks).toMatchObject([{ title: "S", list: { id: lists[1], name: "Later" } }]);
  expect((await rig.call(`GET ${moved}/comments`)).json).toMatchObject([
    { list: { id: lists[1] } },
  ]);
  expect(items((await rig.call(`GET ${moved}/history`)).json)).toHaveLength(2);
});

test("update() moves to another project, without its custom fields and what the flags deny", async () => {
  const { rig, path, task, other } = await prepare();
  const body = {
    project: other.project,
    list_id: other.list,
    move_people: false,
    move_dates: false,
    stage: 2,
    title: "U",
  };
  const answer = await rig.call(`PUT ${path}`, { body });
  expect(answer.json).toMatchObject({
    id: idOf(task),
    title: "U",
    project: { id: other.project },
    list: { id: other.list },
    stage: { id: 2 },
    assigned: [],
    start_date: null,
    due_date: null,
    labels: at(task, "labels"),
  });
  expect(items(at(answer.json, "custom_fields")).map((it) => at(it, "value"))).toEqual(["", ""]);
});

test("copy() without flags copies title and description only", async () => {
  const { rig, path, task } = await prepare();
  const copy = (await rig.call(`POST ${path}`, { body: {} })).json;
  expect(idOf(copy)).not.toBe(idOf(task));
  expect(copy).toMatchObject({
    title: "T",
    description: "E",
    assigned: [],
    labels: [],
    start_date: null,
    due_date: null,
    comments: 0,
    sub_tasks: 0,
    list: at(task, "list"),
  });
  expect((await rig.call(`GET ${path}`)).json).toEqual(task);
});

test("copy() with flags copies people, dates, custom fields and comments", async () => {
  const { rig, path, task, lists } = await prepare();
  const flags = {
    copy_assignees: true,
    copy_custom_fields: true,
    copy_dates: true,
    copy_comments: true,
  };
  const body = { ...flags, title: "Copy", list_id: lists[1], stage: 3, copy_task: idOf(task) };
  expect((await rig.call(`POST ${path}`, { body })).json).toMatchObject({
    title: "Copy",
    assigned: [11],
    start_date: "2026-03-11",
    due_date: "2026-03-12",
    comments: 1,
    sub_tasks: 0,
    stage: { id: 3 },
    list: { id: lists[1] },
    custom_fields: at(task, "custom_fields"),
  });
});

test("copy() and move reach another project", async () => {
  const { rig, path, other } = await prepare();
  const body = { project: other.project, list_id: other.list, assigned: [12] };
  const copy = await rig.call(`POST ${path}`, { body });
  expect(copy.json).toMatchObject({ project: { id: other.project }, assigned: [12] });
});

test.each([
  ["an unknown todolist", { list_id: 999 }, 400],
  ["a project without its todolist", { project: 2002 }, 400],
  ["a todolist of another project than named", { project: 2001, list_id: 3003 }, 400],
  ["an unknown stage", { list_id: 3002, stage: 9 }, 400],
  ["a todolist id as text", { list_id: "3002" }, 400],
  ["a flag that is no flag", { list_id: 3002, move_dates: "yes" }, 400],
])("move with %s", async (_, body, status) => {
  const { rig, path, task } = await prepare();
  expect((await rig.call(`PUT ${path}`, { body })).status).toBe(status);
  expect((await rig.call(`GET ${path}`)).json).toEqual(task);
});

test("copy and move answer 403 into a project the person is not on", async () => {
  const { rig, path, other } = await prepare();
  rig.sandbox.workspace.directory.changePerson(rig.person("Ben"), { projects: [2001] });
  const options = { body: { project: other.project, list_id: other.list }, key: rig.key("Ben") };
  expect((await rig.call(`PUT ${path}`, options)).status).toBe(403);
  expect((await rig.call(`POST ${path}`, options)).status).toBe(403);
});
