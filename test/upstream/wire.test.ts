import { expect, test } from "vitest";
import { labelId, listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { EventItem, Item } from "../../src/domain/item.ts";
import type { Call } from "../../src/upstream/client.ts";
import { readEvent } from "../../src/upstream/resources/events.ts";
import { readTask } from "../../src/upstream/resources/task-shape.ts";
import { collect, type KnownValues, nothingKnown } from "../../src/upstream/wire.ts";
import { clientOf, json, startLoopback } from "./loopback.ts";

const event = {
  id: 501,
  title: "Review",
  start: "2026-07-01 00:00",
  end: "2026-07-02 23:59",
  all_day: true,
  reminder: 15,
  milestone: false,
  private: true,
  completed: false,
  assigned: [11, 12],
  description: "<p>Bring notes</p>",
  creator: { id: 11 },
  created_at: "2026-05-01T08:00:00+02:00",
};
const task = {
  id: 601,
  title: "Write",
  description: "in full",
  start_date: "2026-07-01",
  due_date: "2026-07-03",
  estimated_hours: 2,
  estimated_mins: 30,
  percent_progress: 40,
  completed: false,
  assigned: [11],
  labels: [3],
  sub_tasks: 2,
  creator: { id: 11 },
};
const [project, list] = [projectId(7), listId(9)];
const zone = { projectId: project, timeZone: "Europe/Berlin" };
const place = { projectId: project, listId: list, parentId: null };

function known<Value>(read: { readonly ok: boolean; readonly value?: Value }): Value {
  if (read.value === undefined) throw new Error("the fixture cannot be read");
  return read.value;
}
const knownEvent: EventItem = known(readEvent(event, zone));
const knownTask = known(readTask(task, place));
const knowing = (item: Item): KnownValues => ({
  ...nothingKnown,
  item: (kind, id) => (kind === item.kind && id === item.id ? item : null),
});
const without = (raw: object, ...fields: readonly string[]) =>
  Object.fromEntries(Object.entries(raw).filter(([name]) => !fields.includes(name)));
const call: Call = { priority: "edit" };

test.each([
  ["missing", without(event, "private")],
  ["null", { ...event, private: null }],
  ["neither yes nor no", { ...event, private: "perhaps" }],
])(
  "readEvent() keeps a known event private when `private` is %s, and makes a new one so",
  (_, raw) => {
    const read = (value: EventItem | null) =>
      known(readEvent(raw, { ...zone, knownOf: () => value })).private;
    expect(read(knownEvent)).toBe(true);
    expect(read({ ...knownEvent, private: false })).toBe(false);
    expect(read(null)).toBe(true);
  },
);

test("readEvent() keeps what is known when the answer has only the times", () => {
  const raw = { id: 501, start: event.start, end: event.end };
  const read = readEvent(raw, { ...zone, knownOf: () => knownEvent });
  expect(read).toEqual({ ok: true, value: { ...knownEvent, updatedAt: null } });
});

test("readEvent() empties what the answer empties", () => {
  const raw = { ...event, reminder: null, description: null, assigned: [], private: false };
  expect(readEvent(raw, { ...zone, knownOf: () => knownEvent })).toMatchObject({
    value: { reminder: null, description: null, assigned: [], private: false },
  });
});

test("readEvent() keeps the creator, who may see private events, when the answer names none", () => {
  const raw = { ...event, creator: null };
  expect(readEvent(raw, { ...zone, knownOf: () => knownEvent })).toMatchObject({
    value: { creatorId: 11 },
  });
});

test("readTask() keeps what is known when the answer has only its id", () => {
  expect(readTask({ id: 601 }, { ...place, known: knowing(knownTask) })).toEqual({
    ok: true,
    value: knownTask,
  });
});

test("readTask() empties what the answer empties", () => {
  const raw = { ...task, due_date: null, start_date: null, labels: null, description: "" };
  expect(readTask(raw, { ...place, known: knowing(knownTask) })).toMatchObject({
    value: { dueOn: null, startOn: null, labels: [], description: null },
  });
});

test("readTask() keeps nothing of another state when the completion changes", () => {
  const raw = { id: 601, title: "Write", completed: true };
  expect(readTask(raw, { ...place, known: knowing(knownTask) })).toMatchObject({
    value: { completed: true, percent: 100, dueOn: knownTask.dueOn },
  });
});

test.each([["", "  ", null, undefined]].flat())(
  "readEvent() keeps the known title when it is %j, with a gap",
  (title) => {
    const list = collect([{ ...event, title }], {
      where: "project 7",
      kind: "event",
      read: (raw, issues) => readEvent(raw, { ...zone, knownOf: () => knownEvent, issues }),
      keyOf: ({ id }) => id ?? 0,
    });
    expect(list).toMatchObject({
      value: {
        items: [{ title: "Review" }],
        problems: [expect.stringMatching(/^project 7, event 501: title: .* is not a title/)],
      },
    });
  },
);

test("collect() names the omitted fields in one sentence, and stays complete", () => {
  const events = [without(event, "private", "reminder"), { ...without(event, "private"), id: 502 }];
  const list = collect(events, {
    where: "project 7",
    kind: "event",
    read: (raw, issues) => readEvent(raw, { ...zone, knownOf: () => knownEvent, issues }),
    keyOf: ({ id }) => id ?? 0,
  });
  expect(list).toMatchObject({
    value: {
      problems: [],
      remarks: [
        'project 7: "private" is missing in 2 of 2 events; the known value is kept',
        'project 7: "reminder" is missing in 1 of 2 events; the known value is kept',
      ],
    },
  });
});

test("the answer to a write keeps fields it omits as the write set them", async () => {
  const server = await startLoopback((_, response) =>
    json(response, { id: 501, title: "Moved", start: event.start, end: event.end }),
  );
  const { upstream } = clientOf(server.baseUrl, { known: knowing(knownEvent) });
  const place = { projectId: project, id: serviceId(501) };
  const patch = { title: "Moved", assigned: [personId(12)] };
  expect(await upstream.events.update({ ...place, patch }, call)).toMatchObject({
    value: { title: "Moved", private: true, assigned: [12], description: event.description },
  });
  expect(await upstream.events.get(place, call)).toMatchObject({
    value: { title: "Moved", private: true, assigned: [11, 12] },
  });
});

test("the nearly empty answer to a creation means the creation as sent", async () => {
  const server = await startLoopback((_, response) => json(response, { id: 700 }));
  const { upstream } = clientOf(server.baseUrl, {});
  const patch = {
    title: "New",
    labels: [labelId(3)],
    dueOn: Temporal.PlainDate.from("2026-07-03"),
  };
  expect(
    await upstream.tasks.create({ projectId: project, listId: list, patch }, call),
  ).toMatchObject({ value: { id: 700, title: "New", labels: [3], assigned: [] } });
});

test.each([
  ["nothing", ""],
  ["blanks", " \n\t"],
  ["an empty paragraph", "<p></p>"],
  ["a break", "<br>"],
  ["empty markup", '<div class="x"><p>&nbsp;<br/></p></div>'],
])("readEvent() finds no description in %s", (_, description) => {
  expect(readEvent({ ...event, description }, zone)).toMatchObject({
    value: { description: null },
  });
});

test.each(["<img src=x>", "<p>a</p>", "<b></b>", "<p"])(
  "readEvent() keeps the description %j",
  (description) => {
    expect(readEvent({ ...event, description }, zone)).toMatchObject({ value: { description } });
  },
);

test("readEvent() handles a long description of open brackets", () => {
  const description = "<p ".repeat(100_000);
  expect(readEvent({ ...event, description }, zone)).toMatchObject({ value: { description } });
});
