import { describe, expect, test } from "vitest";
import { at, idOf, items, type Rig, startRig } from "./rig.ts";

const later = "2026-03-10T11:01:00+00:00";

function tasksOf(rig: Rig): string {
  const [place] = rig.sandbox.workspace.places();
  return `/projects/${place?.project}/todolists/${place?.lists[0]}/tasks`;
}

function fieldId(rig: Rig, type: string): number {
  const [place] = rig.sandbox.workspace.places();
  return place?.customFields.find((it) => it.type === type)?.id ?? 0;
}

async function made(rig: Rig, body: object): Promise<{ path: string; json: unknown }> {
  const answer = await rig.call(`POST ${tasksOf(rig)}`, { body });
  expect(answer.status).toBe(200);
  return { path: `${tasksOf(rig)}/${idOf(answer.json)}`, json: answer.json };
}

describe("TaskWork", () => {
  test("create() answers every documented field", async () => {
    const rig = await startRig();
    const label = idOf((await rig.call("POST /labels", { body: { name: "l" } })).json);
    const { json } = await made(rig, {
      title: "T",
      description: "D",
      start_date: "2026-03-11",
      due_date: "2026-03-12",
      estimated_hours: 2,
      estimated_mins: 30,
      assigned: [11, 99_999, 11],
      labels: [label],
      custom_fields: { [fieldId(rig, "Currency")]: { value: "12.50" } },
    });
    expect(json).toEqual({
      ticket: "101",
      id: 700_001,
      title: "T",
      description: "D",
      start_date: "2026-03-11",
      due_date: "2026-03-12",
      estimated_hours: 2,
      estimated_mins: 30,
      logged_hours: null,
      logged_mins: null,
      updated_at: "2026-03-10T11:00:00+00:00",
      created_at: "2026-03-10T11:00:00+00:00",
      completed: false,
      assigned: [11],
      labels: [label],
      sub_tasks: 0,
      rrule: null,
      task_history: null,
      percent_progress: 0,
      attachments: [],
      comments: 0,
      by_me: true,
      template: false,
      form_task: false,
      timesheet_id: null,
      user_stages: [],
      project: { id: 2001, name: "Blank project" },
      creator: { id: 11 },
      list: { id: 3001, name: "To do" },
      workflow: { id: 1, name: "Basic workflow" },
      stage: { id: 1, name: "To do" },
      custom_fields: [
        {
          id: 601,
          title: "Budget",
          description: "",
          type: "Currency",
          value: "12.50",
          extra_info: { currency: "EUR", customValue: "" },
        },
        { id: 602, title: "Go-live", description: "", type: "Date", value: "" },
      ],
    });
  });

  test("update() completes with completed_at, completed_by and 100 percent, and reopens without", async () => {
    const rig = await startRig();
    const { path, json } = await made(rig, { title: "T" });
    rig.clock.advance(60);
    const put = async (completed: boolean) =>
      (await rig.call(`PUT ${path}`, { body: { completed }, key: rig.key("Ben") })).json;
    expect(await put(true)).toMatchObject({
      completed: true,
      completed_at: later,
      completed_by: rig.person("Ben"),
      percent_progress: 100,
      updated_at: later,
      by_me: false,
    });
    const open = await put(false);
    expect(open).toMatchObject({ completed: false, percent_progress: 0 });
    expect(Object.keys(Object(open)).sort()).toEqual(Object.keys(Object(json)).sort());
  });

  test("update() unsets with null, and moves updated_at only on real changes", async () => {
    const rig = await startRig();
    const { path, json } = await made(rig, {
      title: "T",
      description: "D",
      due_date: "2026-03-12",
    });
    rig.clock.advance(60);
    expect((await rig.call(`PUT ${path}`, { body: { title: "T", stage: 3 } })).json).toEqual(json);
    const body = { description: null, due_date: null };
    const after = await rig.call(`PUT ${path}`, { body });
    expect(after.json).toMatchObject({ ...body, updated_at: later });
  });

  test.each([
    ["no title", {}, "title"],
    ["a date-time as due_date", { title: "T", due_date: "2026-03-12T00:00" }, "due_date"],
    ["a day that does not exist", { title: "T", due_date: "2026-02-30" }, "due_date"],
    [
      "a start after the due date",
      { title: "T", start_date: "2026-03-13", due_date: "2026-03-12" },
      "start_date",
    ],
    ["an unknown label", { title: "T", labels: [1] }, "labels"],
    ["labels as texts", { title: "T", labels: ["501"] }, "labels"],
    ["an unknown upload", { title: "T", attachments: [{ id: "1" }] }, "attachments"],
    [
      "an unknown custom field",
      { title: "T", custom_fields: { 1: { value: "x" } } },
      "custom_fields",
    ],
    ["an estimate that is no number", { title: "T", estimated_hrs: "two" }, "estimated_hrs"],
  ])("create() answers 400 naming the field for %s", async (_, body, field) => {
    const rig = await startRig();
    const answer = await rig.call(`POST ${tasksOf(rig)}`, { body });
    expect(answer.status).toBe(400);
    expect(at(answer.json, "message")).toContain(field);
    expect((await rig.call(`GET ${tasksOf(rig)}`)).json).toEqual([]);
  });

  test("update() answers 400 for a due date before the task's start", async () => {
    const rig = await startRig();
    const { path } = await made(rig, { title: "T", start_date: "2026-03-12" });
    expect((await rig.call(`PUT ${path}`, { body: { due_date: "2026-03-11" } })).status).toBe(400);
  });

  test("create() gives estimated_hrs as a text", async () => {
    const { json } = await made(await startRig(), { title: "T", estimated_hrs: "1.5" });
    expect(json).toMatchObject({ estimated_hours: 1, estimated_mins: 30 });
  });

  test("update() writes one history entry per change, with from and to", async () => {
    const rig = await startRig();
    const { path } = await made(rig, { title: "a < b", due_date: "2026-03-12" });
    await rig.call(`PUT ${path}`, { body: { title: "c", due_date: "2026-03-13" } });
    await rig.call(`PUT ${path}`, { body: { title: "c" } });
    const history = items((await rig.call(`GET ${path}/history`)).json);
    expect(history).toEqual([
      {
        id: 81_001,
        user_id: 11,
        activity: "2026-03-10T11:00:00+00:00",
        date: "2026-03-10",
        action: "Updated",
      },
    ]);
    const detail = (await rig.call(`GET ${path}/history/81001`)).json;
    expect(Object.keys(Object(detail))).toEqual(["content"]);
    expect(at(detail, "content")).toBe(
      "<p><b>Title</b>: <del>a &lt; b</del> &rarr; <ins>c</ins></p>" +
        "<p><b>Due date</b>: <del>2026-03-12</del> &rarr; <ins>2026-03-13</ins></p>",
    );
    expect(at((await rig.call(`GET ${path}`)).json, "task_history")).toContain("<b>Ana Reis</b>");
  });
});

const options = ["1", "2", "3"];

test.each([
  ["Currency", "12.50", "12,50"],
  ["Currency", "0", 12],
  ["Date", "2026-03-12", "12.03.2026"],
  ["Percentage", "60", "sixty"],
  ["Text", "anything", ["1"]],
  ["Textarea", "two\nlines", 2],
  ["Numbers", "14", "XIV"],
  ["Tags", ["1", "3"], "1"],
  ["Tags", options, ["9"]],
  ["Dropdown", ["2"], ["1", "2"]],
])("readCustomFields() %s accepts %j and answers 2033 for %j", async (type, good, bad) => {
  const rig = await startRig({ size: "s" });
  const id = fieldId(rig, type);
  const fill = (value: unknown) => ({ title: "T", custom_fields: { [id]: { value } } });
  const { path, json } = await made(rig, fill(good));
  const shownValue = (task: unknown) =>
    at(
      items(at(task, "custom_fields")).find((it) => idOf(it) === id),
      "value",
    );
  expect(shownValue(json)).toEqual(good);
  const count = items((await rig.call(`GET ${tasksOf(rig)}`)).json).length;

  for (const [method, where] of [
    ["POST", tasksOf(rig)],
    ["PUT", path],
  ] as const) {
    const body = { ...fill(bad), title: "changed" };
    const answer = await rig.call(`${method} ${where}`, { body });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ code: 2033, message: expect.stringContaining(String(id)) });
  }
  expect((await rig.call(`GET ${path}`)).json).toEqual(json);
  expect(items((await rig.call(`GET ${tasksOf(rig)}`)).json)).toHaveLength(count);
  expect(shownValue((await rig.call(`PUT ${path}`, { body: fill("") })).json)).toBe("");
});
