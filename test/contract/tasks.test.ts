import { expect, test } from "vitest";
import { serviceId } from "../../src/domain/ids.ts";
import { edit, expectRefused, idOf, newTask, startPair, worked } from "./pair.ts";

const day = (text: string) => Temporal.PlainDate.from(text);

test("tasks.create() sends every field and reads it back", async () => {
  const { upstream, sandbox, project, list, owner, person, last } = await startPair();
  const label = worked(await upstream.labels.create({ name: "Urgent" }, edit));
  const patch = {
    title: "Draft",
    description: "First text",
    startOn: day("2026-12-01"),
    dueOn: day("2026-12-05"),
    estimated: Temporal.Duration.from({ minutes: 165 }),
    assigned: [person("member")],
    labels: [label.id],
  };
  const task = worked(
    await upstream.tasks.create({ projectId: project, listId: list, patch }, edit),
  );
  expect(last()).toEqual({
    method: "POST",
    path: `/projects/${project}/todolists/${list}/tasks`,
    query: "",
    status: 200,
    body: {
      title: "Draft",
      description: "First text",
      start_date: "2026-12-01",
      due_date: "2026-12-05",
      estimated_hours: 2,
      estimated_mins: 45,
      assigned: [person("member")],
      labels: [label.id],
    },
  });
  expect(task).toMatchObject({
    kind: "task",
    projectId: project,
    listId: list,
    parentId: null,
    title: "Draft",
    description: "First text",
    completed: false,
    percent: 0,
    assigned: [person("member")],
    labels: [label.id],
    creatorId: owner,
    byMe: true,
    stage: "To do",
  });
  expect([task.startOn, task.dueOn, task.estimated].map(String)).toEqual([
    "2026-12-01",
    "2026-12-05",
    "PT2H45M",
  ]);
  expect(task.ticket).toMatch(/^\d+$/);
  const held = sandbox.workspace.tasks.get({ by: owner, project, list, task: idOf(task) });
  expect(held).toMatchObject({ due_date: "2026-12-05", estimated_mins: 45 });
});

test("tasks.update() sends only changes, and null clears", async () => {
  const { upstream, project, list, last } = await startPair();
  const patch = {
    dueOn: day("2026-12-05"),
    description: "x",
    estimated: Temporal.Duration.from({ hours: 1 }),
  };
  const id = await newTask(upstream, { projectId: project, listId: list, patch });
  const place = { projectId: project, listId: list, id };
  const later = worked(
    await upstream.tasks.update({ ...place, patch: { dueOn: day("2026-12-09") } }, edit),
  );
  expect(last()).toMatchObject({ method: "PUT", status: 200, body: { due_date: "2026-12-09" } });
  expect(later.dueOn?.toString()).toBe("2026-12-09");
  expect(later.description).toBe("x");

  const unset = { dueOn: null, description: null, estimated: null };
  const bare = worked(await upstream.tasks.update({ ...place, patch: unset }, edit));
  expect(bare).toMatchObject({ dueOn: null, description: null, estimated: null, title: "Parent" });
});

test("tasks.complete() completes and reopens", async () => {
  const { upstream, project, list, owner } = await startPair();
  const place = { projectId: project, listId: list };
  const id = await newTask(upstream, place);
  const done = worked(await upstream.tasks.complete({ ...place, id, completed: true }, edit));
  expect(done).toMatchObject({ completed: true, percent: 100, completedBy: owner });
  expect(done.completedAt).not.toBeNull();
  const open = worked(await upstream.tasks.complete({ ...place, id, completed: false }, edit));
  expect(open).toMatchObject({ completed: false, completedAt: null, completedBy: null });
});

test("tasks.list(), get() and delete()", async () => {
  const { upstream, project, list, last } = await startPair();
  const place = { projectId: project, listId: list };
  const [a, b] = [await newTask(upstream, place), await newTask(upstream, place)];
  const snapshot = worked(await upstream.tasks.list(place, edit));
  expect(snapshot).toMatchObject({ problems: [], received: 2 });
  expect(snapshot.items.map((item) => item.id)).toEqual(expect.arrayContaining([a, b]));
  expect(worked(await upstream.tasks.get({ ...place, id: a }, edit)).id).toBe(a);
  expect(await upstream.tasks.delete({ ...place, id: a }, edit)).toEqual({ ok: true, value: null });
  expect(last()).toMatchObject({ method: "DELETE", status: 204 });
  expectRefused(await upstream.tasks.get({ ...place, id: a }, edit), 404);
});

test("custom fields are set by ID; a value of the wrong type is code 2033", async () => {
  const { upstream, project, list, customFields } = await startPair();
  const money = customFields.find((field) => field.type === "Currency");
  const date = customFields.find((field) => field.type === "Date");
  if (!money || !date) throw new Error("the sandbox has no custom fields of these types");
  const place = { projectId: project, listId: list, patch: { title: "With fields" } };
  const task = worked(
    await upstream.tasks.create(
      { ...place, customFields: [{ id: serviceId(money.id), value: "99.50" }] },
      edit,
    ),
  );
  expect(task.customFields).toContainEqual(
    expect.objectContaining({ id: money.id, type: "Currency", value: "99.50" }),
  );

  const wrong = [{ id: serviceId(date.id), value: "not a date" }];
  const created = await upstream.tasks.create({ ...place, customFields: wrong }, edit);
  expect(created).toMatchObject({ ok: false, failure: { kind: "service-refused", code: 2033 } });
  const updated = await upstream.tasks.update(
    { projectId: project, listId: list, id: idOf(task), patch: {}, customFields: wrong },
    edit,
  );
  expect(updated).toMatchObject({ ok: false, failure: { kind: "service-refused", code: 2033 } });
  const snapshot = worked(await upstream.tasks.list(place, edit));
  expect(snapshot.received).toBe(1);
});

test("tasks.copy() includes what its flags name", async () => {
  const { upstream, project, list, otherList, person, last } = await startPair();
  const patch = { dueOn: day("2026-12-05"), assigned: [person("member")] };
  const id = await newTask(upstream, { projectId: project, listId: list, patch });
  const source = { projectId: project, listId: list, id };
  const bare = worked(await upstream.tasks.copy({ ...source, targetListId: otherList }, edit));
  expect(last()).toMatchObject({
    method: "POST",
    path: `/projects/${project}/todolists/${list}/tasks/${id}`,
    status: 200,
    body: { project, list_id: otherList, copy_task: id },
  });
  expect(bare).toMatchObject({ listId: otherList, dueOn: null, assigned: [] });
  const full = worked(
    await upstream.tasks.copy(
      { ...source, title: "Twin", copyDates: true, copyAssignees: true, copyComments: true },
      edit,
    ),
  );
  expect(full).toMatchObject({ title: "Twin", listId: list, assigned: [person("member")] });
  expect(full.dueOn?.toString()).toBe("2026-12-05");
  expect(full.id).not.toBe(id);
});

test("tasks.move() keeps the ID, and the old path is gone", async () => {
  const { upstream, project, list, otherProject, farList, last } = await startPair();
  const patch = { dueOn: day("2026-12-05") };
  const id = await newTask(upstream, { projectId: project, listId: list, patch });
  const source = { projectId: project, listId: list, id };
  const target = { targetProjectId: otherProject, targetListId: farList };
  const moved = worked(await upstream.tasks.move({ ...source, ...target, moveDates: true }, edit));
  expect(last()).toMatchObject({
    method: "PUT",
    status: 200,
    body: { project: otherProject, list_id: farList, move_task: true, move_dates: true, id },
  });
  expect(moved).toMatchObject({ id, projectId: otherProject, listId: farList });
  expect(moved.dueOn?.toString()).toBe("2026-12-05");
  expectRefused(await upstream.tasks.get(source, edit), 404);
  const there = { projectId: otherProject, listId: farList, id };
  expect(worked(await upstream.tasks.get(there, edit))).toEqual(moved);
});

test("a move with a lost response ends as unknown, since a repeated request finds the old path gone", async () => {
  const { upstream, sandbox, project, list, otherList } = await startPair();
  const id = await newTask(upstream, { projectId: project, listId: list });
  sandbox.faults.add({ kind: "drop-after", method: "PUT" });
  const moved = await upstream.tasks.move(
    { projectId: project, listId: list, id, targetListId: otherList },
    edit,
  );
  expect(moved).toMatchObject({ ok: false, failure: { kind: "unknown-outcome" } });
  expect(
    worked(await upstream.tasks.get({ projectId: project, listId: otherList, id }, edit)).id,
  ).toBe(id);
});

test("subtasks are created, listed, read, changed, completed and deleted below their task", async () => {
  const { upstream, project, list, owner, last } = await startPair();
  const taskId = await newTask(upstream, { projectId: project, listId: list });
  const parent = { projectId: project, listId: list, taskId };
  const base = `/projects/${project}/todolists/${list}/tasks/${taskId}/subtasks`;
  const patch = {
    title: "Part",
    startOn: day("2026-12-01"),
    dueOn: day("2026-12-02"),
    estimated: Temporal.Duration.from({ minutes: 30 }),
  };
  const subtask = worked(await upstream.subtasks.create({ ...parent, patch }, edit));
  expect(last()).toMatchObject({ method: "POST", path: base, status: 200 });
  expect(subtask).toMatchObject({
    kind: "subtask",
    parentId: taskId,
    projectId: project,
    listId: list,
    title: "Part",
    ticket: null,
    customFields: [],
    creatorId: owner,
  });
  expect(subtask.estimated?.total("minutes")).toBe(30);
  const place = { ...parent, id: idOf(subtask) };
  const snapshot = worked(await upstream.subtasks.list(parent, edit));
  expect(snapshot).toEqual({ items: [subtask], problems: [], received: 1 });
  expect(worked(await upstream.subtasks.get(place, edit))).toEqual(subtask);
  expect(worked(await upstream.tasks.get({ ...parent, id: taskId }, edit)).subtaskCount).toBe(1);

  const changed = worked(
    await upstream.subtasks.update({ ...place, patch: { dueOn: null } }, edit),
  );
  expect(last()).toMatchObject({ method: "PUT", status: 200, body: { due_date: null } });
  expect(changed.dueOn).toBeNull();
  const done = worked(await upstream.subtasks.complete({ ...place, completed: true }, edit));
  expect(done).toMatchObject({ completed: true, percent: 100, completedBy: owner });
  const open = worked(await upstream.subtasks.complete({ ...place, completed: false }, edit));
  expect(open.completed).toBe(false);
  expect(await upstream.subtasks.delete(place, edit)).toEqual({ ok: true, value: null });
  expect(last()).toMatchObject({ method: "DELETE", status: 204 });
  expectRefused(await upstream.subtasks.get(place, edit), 404);
});

test("a read-only person is refused with 403 on writing", async () => {
  const { upstream, project, list, person } = await startPair();
  const asClient = { ...edit, person: person("client") };
  const create = { projectId: project, listId: list, patch: { title: "x" } };
  expectRefused(await upstream.tasks.create(create, asClient), 403);
});
