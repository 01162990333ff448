import { expect, test } from "vitest";
import { idOf, startRigWithTask } from "./rig.ts";

test("SubtaskWork omits the fields that the document omits", async () => {
  const rig = await startRigWithTask();
  const { path, task } = rig;
  const body = { title: "S", due_date: "2026-03-12", assigned: [12], estimated_hrs: "2" };
  const made = await rig.call(`POST ${path}/subtasks`, { body });
  expect(made.status).toBe(200);
  const absent = [
    "ticket",
    "sub_tasks",
    "rrule",
    "form_task",
    "timesheet_id",
    "user_stages",
    "workflow",
    "stage",
    "custom_fields",
  ];
  const expected = Object.keys(Object(task)).filter((it) => !absent.includes(it));
  expect(Object.keys(Object(made.json)).sort()).toEqual(expected.sort());
  expect(made.json).toMatchObject({ list: { id: 3001, name: "To do" }, estimated_hours: 2 });
  expect(idOf(made.json)).toBe(idOf(task) + 1);
});

test("SubtaskWork completes, reopens and deletes without touching the parent's updated_at", async () => {
  const rig = await startRigWithTask();
  const { path, task } = rig;
  rig.clock.advance(60);
  const made = await rig.call(`POST ${path}/subtasks`, { body: { title: "S" } });
  const one = `${path}/subtasks/${idOf(made.json)}`;
  const put = async (body: object) => (await rig.call(`PUT ${one}`, { body })).json;
  expect(await put({ completed: true })).toMatchObject({
    completed: true,
    percent_progress: 100,
    completed_by: 11,
    completed_at: "2026-03-10T11:01:00+00:00",
  });
  expect((await rig.call(`GET ${path}`)).json).toEqual({ ...Object(task), sub_tasks: 1 });
  const open = await put({ completed: false, due_date: "2026-03-12" });
  expect(open).not.toHaveProperty("completed_at");
  expect(open).not.toHaveProperty("completed_by");
  for (const body of [
    { title: "" },
    { due_date: "soon" },
    { start_date: "2026-03-13" },
    { labels: [1] },
  ])
    expect((await rig.call(`PUT ${one}`, { body })).status).toBe(400);
  expect((await rig.call(`DELETE ${one}`)).status).toBe(204);
  expect((await rig.call(`GET ${path}/subtasks`)).json).toEqual([]);
});

test("TaskWork.remove() removes subtasks, comments and history too", async () => {
  const rig = await startRigWithTask();
  const { path } = rig;
  await rig.call(`POST ${path}/subtasks`, { body: { title: "S" } });
  await rig.call(`DELETE ${path}`);
  for (const child of ["subtasks", "comments", "history"])
    expect((await rig.call(`GET ${path}/${child}`)).status).toBe(404);
  const all = await rig.call("GET /alltodo?include_subtasks=true&completed=true");
  expect(all.json).toEqual({ total_count: 0, todos: [] });
});

test("SubtaskWork moves the parent's time and progress when configured", async () => {
  const rig = await startRigWithTask();
  const { path, task } = rig;
  const parent = async () => (await rig.call(`GET ${path}`)).json;
  const made = await rig.call(`POST ${path}/subtasks`, { body: { title: "S" } });
  const one = `${path}/subtasks/${idOf(made.json)}`;
  const { subtasks } = rig.sandbox.workspace;
  rig.clock.advance(60);
  subtasks.behave({ movesProgress: true });
  await rig.call(`PUT ${one}`, { body: { completed: true } });
  expect(await parent()).toEqual({ ...Object(task), sub_tasks: 1, percent_progress: 100 });
  subtasks.behave({ movesTime: true });
  await rig.call(`PUT ${one}`, { body: { title: "Other" } });
  expect(await parent()).toMatchObject({
    updated_at: "2026-03-10T11:01:00+00:00",
    percent_progress: 100,
  });
});
