import { describe, expect, test } from "vitest";
import { at, idOf, items, type Rig, startRig } from "./rig.ts";

const timed = {
  title: "Call",
  start: "2026-04-20T15:30:00-05:00",
  end: "2026-04-20T16:00:59-05:00",
  all_day: false,
};
const days = { title: "Fair", start: "2026-04-20", end: "2026-04-22", all_day: true };
const milestone = { title: "Launch", start: "2026-04-21", milestone: true };

function eventsOf(rig: Rig): string {
  return `/projects/${rig.sandbox.workspace.places()[0]?.project}/events`;
}

async function made(rig: Rig, body: object): Promise<{ path: string; json: unknown }> {
  const answer = await rig.call(`POST ${eventsOf(rig)}`, { body });
  expect(answer.status).toBe(201);
  return { path: `${eventsOf(rig)}/${idOf(answer.json)}`, json: answer.json };
}

describe("EventWork.create()", () => {
  test("answers wall-clock times of the account's zone, without seconds", async () => {
    const { json } = await made(await startRig(), {
      ...timed,
      reminder: 0,
      assigned: [11, 99_999],
    });
    expect(json).toEqual({
      id: 700_001,
      title: "Call",
      start: "2026-04-20 22:30",
      end: "2026-04-20 23:00",
      all_day: false,
      reminder: 0,
      milestone: false,
      private: false,
      completed: false,
      assigned: [11],
      description: null,
      updated_at: "2026-03-10T11:00:00+00:00",
      created_at: "2026-03-10T11:00:00+00:00",
      by_me: true,
      creator: { id: 11 },
      project: { id: 2001, name: "Blank project" },
    });
  });

  test.each([
    ["several whole days", days, "2026-04-20 00:00", "2026-04-22 23:59"],
    [
      "one whole day",
      { title: "Day", start: "2026-04-20", all_day: true },
      "2026-04-20 00:00",
      "2026-04-20 23:59",
    ],
    ["a milestone", milestone, "2026-04-21 00:00", "2026-04-21 23:59"],
    [
      "no end",
      { title: "x", start: "2026-04-20T08:00:00Z" },
      "2026-04-20 10:00",
      "2026-04-20 10:00",
    ],
    [
      "the first pass of an autumn night",
      { title: "x", start: "2026-10-25T02:30:00+02:00" },
      "2026-10-25 02:30",
      "2026-10-25 02:30",
    ],
    [
      "the second pass of an autumn night",
      { title: "x", start: "2026-10-25T02:30:00+01:00" },
      "2026-10-25 02:30",
      "2026-10-25 02:30",
    ],
  ])("gives inclusive ends for %s", async (_, body, start, end) => {
    expect((await made(await startRig(), body)).json).toMatchObject({ start, end });
  });

  test.each([
    ["no title", { start: "2026-04-20", all_day: true }, "title"],
    ["a blank title", { ...days, title: " " }, "title"],
    ["no start", { title: "x" }, "start"],
    ["a null start", { title: "x", start: null }, "start"],
    ["a date for a timed event", { title: "x", start: "2026-04-20" }, "start"],
    ["a time without offset", { title: "x", start: "2026-04-20T10:00:00" }, "start"],
    [
      "a time with a zone name",
      { title: "x", start: "2026-04-20T10:00:00+02:00[Europe/Berlin]" },
      "start",
    ],
    ["a date-time for whole days", { ...days, start: timed.start }, "start"],
    ["a date-time for a milestone", { ...milestone, start: timed.start }, "start"],
    ["a day that does not exist", { ...days, start: "2026-02-30" }, "start"],
    ["an end before the start", { ...days, end: "2026-04-19" }, "end"],
    ["a date as end of a timed event", { ...timed, end: "2026-04-21" }, "end"],
    ["a negative reminder", { ...days, reminder: -1 }, "reminder"],
    ["a half reminder", { ...days, reminder: 1.5 }, "reminder"],
    ["assigned as a number", { ...days, assigned: 11 }, "assigned"],
    ["all_day as a text", { ...days, all_day: "true" }, "all_day"],
  ])("answers 400 naming the field for %s", async (_, body, field) => {
    const rig = await startRig();
    const answer = await rig.call(`POST ${eventsOf(rig)}`, { body });
    expect(answer.status).toBe(400);
    expect(at(answer.json, "message")).toContain(field);
    expect((await rig.call(`GET ${eventsOf(rig)}?view=all`)).json).toEqual([]);
  });
});

describe("EventWork.update()", () => {
  test("changes only named fields, and unsets by null", async () => {
    const rig = await startRig();
    const { path, json } = await made(rig, {
      ...timed,
      reminder: 5,
      description: "d",
      assigned: [11],
    });
    rig.clock.advance(60);
    const body = { reminder: null, description: null };
    const after = (await rig.call(`PUT ${path}`, { body })).json;
    expect(after).toEqual({ ...Object(json), ...body, updated_at: "2026-03-10T11:01:00+00:00" });
  });

  test("keeps updated_at when nothing changes", async () => {
    const rig = await startRig();
    const { path, json } = await made(rig, timed);
    rig.clock.advance(60);
    expect((await rig.call(`PUT ${path}`, { body: timed })).json).toEqual(json);
  });

  test.each([
    [
      "start alone keeps the end",
      timed,
      { start: "2026-04-20T14:00:00-05:00" },
      "2026-04-20 21:00",
      "2026-04-20 23:00",
    ],
    [
      "start alone moves an event without end",
      { title: "x", start: timed.start },
      { start: "2026-04-22T10:00:00+02:00" },
      "2026-04-22 10:00",
      "2026-04-22 10:00",
    ],
    [
      "start alone moves a milestone",
      milestone,
      { start: "2026-04-25" },
      "2026-04-25 00:00",
      "2026-04-25 23:59",
    ],
    ["end alone", days, { end: "2026-04-24" }, "2026-04-20 00:00", "2026-04-24 23:59"],
    ["a null end", days, { end: null }, "2026-04-20 00:00", "2026-04-20 23:59"],
    [
      "all_day with start drops the old end",
      timed,
      { all_day: true, start: "2026-04-21" },
      "2026-04-21 00:00",
      "2026-04-21 23:59",
    ],
  ])("%s", async (_, body, change, start, end) => {
    const rig = await startRig();
    const { path } = await made(rig, body);
    const answer = await rig.call(`PUT ${path}`, { body: change });
    expect(answer.json).toMatchObject({ start, end });
  });

  test.each([
    ["a start after the kept end", timed, { start: "2026-04-21T14:00:00-05:00" }],
    ["another all_day without start", timed, { all_day: true }],
    ["a milestone made of a timed event without start", timed, { milestone: true }],
    ["a null start", timed, { start: null }],
    ["a null title", timed, { title: null }],
    ["completed on what is no milestone", timed, { completed: true }],
    ["an end of the wrong form", days, { end: timed.end }],
  ])("answers 400 for %s, and changes nothing", async (_, body, change) => {
    const rig = await startRig();
    const { path, json } = await made(rig, body);
    expect((await rig.call(`PUT ${path}`, { body: change })).status).toBe(400);
    expect((await rig.call(`GET ${path}`)).json).toEqual(json);
  });

  test("completes and reopens a milestone, and clears completion when it stops being one", async () => {
    const rig = await startRig();
    const { path } = await made(rig, milestone);
    const put = async (body: object) =>
      at((await rig.call(`PUT ${path}`, { body })).json, "completed");
    expect(await put({ completed: true })).toBe(true);
    expect(await put({ completed: false })).toBe(false);
    await put({ completed: true });
    expect(await put({ milestone: false })).toBe(false);
  });
});

describe("EventWork.list()", () => {
  test.each([
    ["view=all", ["Call", "Fair", "Launch"]],
    ["view=events", ["Call", "Fair"]],
    ["view=milestones", ["Launch"]],
    ["view=all&startDate=2026-04-22", ["Fair"]],
    ["view=all&endDate=2026-04-19", []],
    ["view=all&startDate=2026-04-21&endDate=2026-04-21", ["Fair", "Launch"]],
    ["view=all&unknown=1", ["Call", "Fair", "Launch"]],
  ])("%s", async (query, titles) => {
    const rig = await startRig();
    for (const body of [timed, days, milestone]) await made(rig, body);
    const answer = await rig.call(`GET ${eventsOf(rig)}?${query}`);
    expect(items(answer.json).map((it) => at(it, "title"))).toEqual(titles);
  });

  test.each(["", "?view=some", "?view=all&startDate=20-04-2026", "?view=all&endDate=2026-02-30"])(
    "answers 400 for %s",
    async (query) => {
      const rig = await startRig();
      expect((await rig.call(`GET ${eventsOf(rig)}${query}`)).status).toBe(400);
    },
  );
});

test("EventWork shows private events only to creator, assigned people and owner", async () => {
  const rig = await startRig();
  const key = rig.key("Ben");
  const event = { ...days, private: true };
  const id = idOf((await rig.call(`POST ${eventsOf(rig)}`, { body: event, key })).json);
  const path = `${eventsOf(rig)}/${id}`;
  const seenBy = async (name: string) => {
    const list = await rig.call(`GET ${eventsOf(rig)}?view=all`, { key: rig.key(name) });
    return [
      items(list.json).length,
      (await rig.call(`GET ${path}`, { key: rig.key(name) })).status,
    ];
  };
  expect(await seenBy("Ben")).toEqual([1, 200]);
  expect(await seenBy("Ana")).toEqual([1, 200]);
  expect(await seenBy("Farid")).toEqual([0, 403]);
  await rig.call(`PUT ${path}`, { body: { assigned: [rig.person("Farid")] } });
  expect(await seenBy("Farid")).toEqual([1, 200]);
});
