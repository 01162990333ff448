import { expect, test } from "vitest";
import { labelId, listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Patch } from "../../src/domain/patch.ts";
import { readTaskPage } from "../../src/upstream/resources/task-page.ts";
import { readTask, writeTask } from "../../src/upstream/resources/task-shape.ts";
import { collect, nothingKnown } from "../../src/upstream/wire.ts";
import { aTask } from "../support/items.ts";

const origin = { projectId: projectId(7), listId: listId(9), parentId: null };
const raw = {
  ticket: "42",
  id: 801,
  title: "Draft",
  description: null,
  start_date: "2026-07-01",
  due_date: "2026-07-03",
  estimated_hours: 2,
  estimated_mins: 45,
  logged_hours: "0",
  logged_mins: "90",
  updated_at: "2026-06-01T08:00:00+00:00",
  created_at: "2026-06-01T08:00:00+00:00",
  completed: true,
  completed_at: "2026-06-02T08:00:00+00:00",
  completed_by: 12,
  assigned: [11],
  labels: [3, "4"],
  sub_tasks: 2,
  rrule: null,
  percent_progress: 100,
  comments: "5",
  by_me: false,
  project: { id: 7, name: "Website" },
  creator: { id: 11 },
  list: { id: 9, name: "Sprint" },
  workflow: { id: 1, name: "Flow" },
  stage: { id: 2, name: "Doing" },
  custom_fields: [
    { id: 61, title: "Budget", type: "Currency", value: "100", extra_info: { currency: "EUR" } },
    { id: 62, title: "Tags", type: "Tags", value: ["1", 2, { id: 3 }] },
    { title: "no id" },
  ],
};

const read = (change: object) => readTask({ ...raw, ...change }, origin);

test("readTask() reads every field", () => {
  const result = readTask(raw, origin);
  expect(result.ok && JSON.parse(JSON.stringify(result.value))).toEqual({
    kind: "task",
    id: 801,
    projectId: 7,
    listId: 9,
    parentId: null,
    title: "Draft",
    description: null,
    startOn: "2026-07-01",
    dueOn: "2026-07-03",
    estimated: "PT2H45M",
    logged: "PT1H30M",
    percent: 100,
    completed: true,
    completedAt: "2026-06-02T08:00:00Z",
    completedBy: 12,
    assigned: [11],
    labels: [3, 4],
    subtaskCount: 2,
    commentCount: 5,
    rrule: null,
    ticket: "42",
    stage: "Doing",
    customFields: [
      { id: 61, title: "Budget", type: "Currency", value: "100" },
      { id: 62, title: "Tags", type: "Tags", value: ["1", "2", "3"] },
    ],
    creatorId: 11,
    byMe: false,
    createdAt: "2026-06-01T08:00:00Z",
    updatedAt: "2026-06-01T08:00:00Z",
  });
});

const lenient: readonly (readonly [string, object, object])[] = [
  ["no dates", { start_date: null, due_date: "" }, { startOn: null, dueOn: null }],
  [
    "a subtask's fewer fields",
    { ticket: undefined, stage: undefined, custom_fields: undefined },
    { ticket: null, stage: null, customFields: [] },
  ],
  ["no estimate", { estimated_hours: null, estimated_mins: null }, { estimated: null }],
  ["an estimate of nothing", { estimated_hours: 0, estimated_mins: "0" }, { estimated: null }],
  [
    "an open task that kept its completion",
    { completed: false },
    { completedAt: null, completedBy: null },
  ],
  ["no progress", { percent_progress: null, completed: false }, { percent: 0 }],
  ["no progress of a completed one", { percent_progress: undefined }, { percent: 100 }],
  ["a recurrence as text", { rrule: "FREQ=DAILY" }, { rrule: "FREQ=DAILY" }],
  ["a recurrence as an object", { rrule: { freq: "daily" } }, { rrule: '{"freq":"daily"}' }],
  ["a ticket that is a number", { ticket: 42 }, { ticket: "42" }],
  [
    "list and project that it was moved to",
    { list: { id: 10 }, project: { id: 8 } },
    { listId: 10, projectId: 8 },
  ],
  ["null for list and project", { list: null, project: null }, { listId: 9, projectId: 7 }],
];
test.each(lenient)("readTask() accepts %s", (_, change, expected) => {
  expect(read(change)).toMatchObject({ ok: true, value: expected });
});

test("readTask() reads a fractional estimate to the minute", () => {
  const result = read({ estimated_hours: "1.5", estimated_mins: null });
  expect(result.ok && result.value.estimated?.toString()).toBe("PT1H30M");
});

test.each([
  [
    "a due date that no calendar has",
    { due_date: "2026-02-30" },
    /^due_date: "2026-02-30" is not a date/,
  ],
  ["a start date with a time", { start_date: "2026-02-03 10:00" }, /^start_date: /],
  ["a due date that is a number", { due_date: 20260203 }, /^due_date: 20260203 /],
  ["no id", { id: null }, /^id: null is not an id/],
])("readTask() refuses %s", (_, change, message) => {
  expect(read(change)).toMatchObject({ ok: false, failure: expect.stringMatching(message) });
});

const writes: readonly (readonly [string, "create" | "update", Patch, object])[] = [
  [
    "all fields",
    "create",
    {
      title: "Draft",
      description: "x",
      startOn: Temporal.PlainDate.from("2026-07-01"),
      dueOn: Temporal.PlainDate.from("2026-07-03"),
      estimated: Temporal.Duration.from({ minutes: 165 }),
      assigned: [personId(11)],
      labels: [labelId(3)],
    },
    {
      title: "Draft",
      description: "x",
      start_date: "2026-07-01",
      due_date: "2026-07-03",
      estimated_hours: 2,
      estimated_mins: 45,
      assigned: [11],
      labels: [3],
    },
  ],
  ["unset fields", "create", { title: "x", dueOn: null, estimated: null }, { title: "x" }],
  [
    "unset fields",
    "update",
    { description: null, startOn: null, dueOn: null, estimated: null, labels: [] },
    {
      description: null,
      start_date: null,
      due_date: null,
      estimated_hours: null,
      estimated_mins: null,
      labels: [],
    },
  ],
  [
    "one field only",
    "update",
    { dueOn: Temporal.PlainDate.from("2026-07-04") },
    { due_date: "2026-07-04" },
  ],
  [
    "no completion and no event fields",
    "update",
    { completed: true, private: true, title: "x" },
    { title: "x" },
  ],
];
test.each(writes)("writeTask() writes %s in %s", (_, mode, patch, body) => {
  expect(writeTask(patch, mode)).toEqual(body);
});

test("collect() omits what cannot be read, keeps the last of two and names both", () => {
  const list = [
    raw,
    { ...raw, id: 802, due_date: "soon" },
    { title: "no id" },
    { ...raw, title: "Later" },
  ];
  const result = collect(list, {
    where: "project 7, list 9",
    kind: "task",
    read: (element) => readTask(element, origin),
    keyOf: (task) => task.id ?? 0,
  });
  expect(result.ok && result.value.received).toBe(4);
  expect(result.ok && result.value.items.map((task) => task.title)).toEqual(["Later"]);
  expect(result.ok && result.value.problems).toEqual([
    'project 7, list 9, task 802: due_date: "soon" is not a date YYYY-MM-DD',
    "project 7, list 9, task at place 3 without an id: id: nothing is not an id",
    "project 7, list 9, task 801: the id occurs twice in one list",
  ]);
});

const subtask = (({ ticket: _t, sub_tasks: _s, ...rest }) => rest)(raw);

test("readTaskPage() reads tasks and subtasks with their places and the total", () => {
  const page = readTaskPage({
    total_count: "240",
    todos: [raw, { ...subtask, task: { id: 801 } }, { ...subtask, id: 5, parent_id: "801" }],
  });
  expect(page).toMatchObject({
    ok: true,
    value: {
      total: 240,
      problems: [],
      items: [
        { kind: "task", id: 801, parentId: null },
        { kind: "subtask", id: 801, parentId: serviceId(801) },
        { kind: "subtask", id: 5, parentId: serviceId(801) },
      ],
    },
  });
});

test.each([
  ["no total", { todos: [raw] }],
  ["no array", { total_count: 1, todos: null }],
  ["an element without due_date", { total_count: 1, todos: [{ id: 1, list: { id: 2 } }] }],
  ["an element without list", { total_count: 1, todos: [{ id: 1, due_date: null, list: null }] }],
  ["a bare array", [raw]],
])("readTaskPage() refuses %s", (_, page) => {
  expect(readTaskPage(page)).toMatchObject({ ok: false });
});

test("readTaskPage() reports a subtask that names no parent", () => {
  const page = readTaskPage({ total_count: 1, todos: [subtask] });
  expect(page).toMatchObject({ ok: true, value: { items: [], received: 1 } });
  expect(page.ok && page.value.problems[0]).toMatch(/without its parent/);
});

test("readTaskPage() names incomplete elements, and keeps what is known of them", () => {
  const { description: _, ...short } = raw;
  const { by_me: _b, ...anonymous } = raw;
  const page = readTaskPage(
    {
      total_count: 4,
      todos: [raw, { ...short, id: 5 }, { ...anonymous, id: 6 }, { ...raw, id: 7, updated_at: "" }],
    },
    { ...nothingKnown, item: (_kind, id) => aTask(id, { description: "As it was" }) },
  );
  if (!page.ok) throw new Error(page.failure);
  expect([...page.value.partial].map(({ id }) => id)).toEqual([5, 6, 7]);
  expect(page.value.items[1]).toMatchObject({ id: 5, description: "As it was" });
});
