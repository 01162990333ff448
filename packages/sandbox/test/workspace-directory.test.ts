import { expect, test } from "vitest";
import { UnknownPersonError } from "../src/workspace-directory.ts";
import { at, idOf, items, type Rig, startRig } from "./rig.ts";

test("DirectoryWork gives projects, people, todolists and folders in their shapes", async () => {
  const rig = await startRig();
  const get = async (path: string) => (await rig.call(`GET ${path}`)).json;
  const stamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  const project = await get("/projects/2001");
  expect(project).toEqual({
    id: 2001,
    title: "Blank project",
    description: "",
    archived: false,
    color: "#428bca",
    start_date: "2025-11-10",
    end_date: "2026-06-08",
    assigned: [11, 12, 16],
    manager: { id: 11 },
    creator: { id: 11 },
    category: { id: 1 },
    template: false,
    created_at: stamp,
    modified_at: stamp,
  });
  expect(items(await get("/projects"))[0]).toEqual(project);
  expect(items(await get("/people"))[0]).toEqual({
    id: 11,
    first_name: "Ana",
    last_name: "Reis",
    title: "Studio lead",
    email: "ana@example.com",
    role: { id: 1 },
    timezone: 30,
    suspended: false,
    projects: [2001, 2002],
    created_at: stamp,
    updated_at: stamp,
  });
  expect(items(await get("/people")).filter((it) => at(it, "suspended") === true)).toHaveLength(1);
  const list = items(await get("/projects/2001/todolists"))[0];
  expect(list).toEqual({
    id: 3001,
    title: "To do",
    private: false,
    archived: false,
    completed_count: 0,
    remaining_count: 0,
    assigned: [],
    updated_at: stamp,
    created_at: stamp,
    by_me: true,
    project: { id: 2001 },
    milestone: { id: null },
    creator: { id: 11 },
  });
  expect(await get("/projects/2001/todolists/3001")).toMatchObject({
    ...Object(list),
    workflow: { id: 1 },
    custom_fields: [
      { id: 601, type: "Currency" },
      { id: 602, type: "Date" },
    ],
  });
  expect(await get("/projects/2001/folders")).toEqual([
    {
      id: 4001,
      name: "Blank project",
      level: 0,
      parent_id: "root",
      type: "folder",
      project: { id: 2001 },
      created_at: stamp,
      updated_at: stamp,
    },
  ]);
});

test("AllTasksWork.page() gives the same items as list after list", async () => {
  const rig = await startRig({ size: "s" });
  const slow = new Map<unknown, unknown>();
  for (const { project, lists } of rig.sandbox.workspace.places())
    for (const list of lists) {
      const path = `/projects/${project}/todolists/${list}/tasks`;
      for (const task of items((await rig.call(`GET ${path}`)).json)) {
        slow.set(at(task, "id"), task);
        if (at(task, "sub_tasks") === 0) continue;
        const parent = { id: idOf(task) };
        const subtasks = await rig.call(`GET ${path}/${parent.id}/subtasks`);
        for (const it of items(subtasks.json))
          slow.set(at(it, "id"), { ...Object(it), task: parent });
      }
    }
  const fast = await allPages(rig, "include_subtasks=true&completed=true");
  expect(fast.length).toBe(slow.size);
  expect(new Map(fast.map((it) => [at(it, "id"), it]))).toEqual(
    new Map([...slow].sort(([a], [b]) => Number(a) - Number(b))),
  );
});

test("AllTasksWork.page() filters, and never gives more than 100 a page", async () => {
  const rig = await startRig({ size: "s" });
  const page = async (query: string) => (await rig.call(`GET /alltodo?${query}`)).json;
  expect(items(at(await page("limit=1000&completed=true"), "todos"))).toHaveLength(100);
  expect(items(at(await page("start=290&completed=true"), "todos"))).toHaveLength(10);
  const open = items(at(await page("projects=2002"), "todos"));
  expect(open.length).toBeGreaterThan(0);
  for (const it of open) {
    expect(at(it, "completed")).toBe(false);
    expect(at(it, "project", "id")).toBe(2002);
  }
  expect(await page("projects=999")).toEqual({ total_count: 0, todos: [] });
  expect((await rig.call("GET /alltodo?start=-1")).status).toBe(400);
});

test("keys see the projects of their people, and access can end at run time", async () => {
  const rig = await startRig({ size: "s" });
  const seen = async (name: string) => {
    const answer = await rig.call("GET /projects", { key: rig.key(name) });
    return answer.status === 200 ? items(answer.json).map((it) => at(it, "id")) : answer.status;
  };
  expect(await seen("Ana")).toEqual([2001, 2002, 2003]);
  expect(await seen("Elif")).toEqual([2003]);
  expect(await seen("Farid")).toEqual([2001]);
  const { directory } = rig.sandbox.workspace;
  directory.changePerson(rig.person("Elif"), { projects: [] });
  expect(await seen("Elif")).toEqual([]);
  expect(
    (await rig.call("GET /projects/2003/events?view=all", { key: rig.key("Elif") })).status,
  ).toBe(403);
  directory.changePerson(rig.person("Ben"), { suspended: true });
  expect(await seen("Ben")).toBe(403);
  directory.changePerson(rig.person("Chiara"), { apiKey: "another" });
  expect(await seen("Chiara")).toBe(403);
  expect(() => directory.changePerson(1, { suspended: true })).toThrow(UnknownPersonError);
  const total = await rig.call("GET /alltodo?completed=true", { key: rig.key("Elif") });
  expect(total.json).toEqual({ total_count: 0, todos: [] });
});

async function allPages(rig: Rig, query: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (;;) {
    const { json } = await rig.call(`GET /alltodo?start=${found.length}&limit=100&${query}`);
    found.push(...items(at(json, "todos")));
    if (found.length >= Number(at(json, "total_count"))) return found;
  }
}

test("DirectoryWork shows the counts of a list, and moves its time with its tasks when configured", async () => {
  const rig = await startRig();
  const [place] = rig.sandbox.workspace.places();
  const [list] = place?.lists ?? [];
  const path = `/projects/${place?.project}/todolists`;
  const shown = async () =>
    items((await rig.call(`GET ${path}`)).json).find((it) => idOf(it) === list);
  const before = await shown();
  rig.clock.advance(60);
  const made = await rig.call(`POST ${path}/${list}/tasks`, { body: { title: "T" } });
  expect(await shown()).toEqual({
    ...Object(before),
    remaining_count: Number(at(before, "remaining_count")) + 1,
  });
  rig.sandbox.workspace.tasks.behave({ movesList: true });
  await rig.call(`PUT ${path}/${list}/tasks/${idOf(made.json)}`, { body: { completed: true } });
  expect(await shown()).toEqual({
    ...Object(before),
    completed_count: Number(at(before, "completed_count")) + 1,
    updated_at: "2026-03-10T11:01:00+00:00",
  });
});
