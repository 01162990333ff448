import { expect, it } from "vitest";
import type { Edit } from "../../src/domain/edit.ts";
import { editId, itemKey, listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item, TaskItem } from "../../src/domain/item.ts";
import { toPlain } from "../../src/domain/plain-item.ts";
import { type Contents, missingFrom, planSnapshot } from "../../src/sync/plan-snapshot.ts";
import { untouched } from "../support/edits.ts";
import { anEvent, aTask, days } from "../support/items.ts";

const sentAt = Temporal.Instant.from("2026-05-01T10:00:00.700Z");

const task = (id: number | null, more: Partial<TaskItem> = {}): TaskItem => ({
  ...aTask(id ?? 1, { projectId: projectId(1), listId: listId(2), byMe: true, createdAt: sentAt }),
  title: `Task ${id}`,
  updatedAt: null,
  dueOn: Temporal.PlainDate.from("2026-05-20"),
  ...more,
  ...(id === null && { id }),
});

const contents = (...items: readonly Item[]): Contents =>
  new Map(
    items.map((item) => [
      serviceId(item.id ?? 0),
      { key: itemKey(1000 + (item.id ?? 0)), content: JSON.stringify(toPlain(item)) },
    ]),
  );

const plan = (
  known: Contents,
  items: readonly Item[],
  { overtaken = new Set(), ...more }: Partial<Parameters<typeof planSnapshot>[0]> = {},
) => ({
  missing: missingFrom({
    rows: new Map([...known].map(([id, { key }]) => [id, key])),
    seen: new Set(items.flatMap(({ id }) => (id === null ? [] : [serviceId(id)]))),
    overtaken,
  }),
  ...planSnapshot({
    known,
    overtaken,
    items,
    isOutdated: () => false,
    handleOf: () => null,
    creations: () => [],
    givenUp: () => [],
    isRuledOut: () => false,
    moves: () => [],
    clockLead: null,
    ...more,
  }),
});

const creation = (base: Item, more: Partial<Edit> = {}): Edit => ({
  ...untouched,
  id: editId(1),
  channel: "upload",
  actor: null,
  program: null,
  item: itemKey(9),
  action: "create",
  base,
  patch: {},
  state: "claimed",
  attempts: 1,
  sentAt,
  createdAt: sentAt,
  updatedAt: sentAt,
  ...more,
});

it("applies new and changed items, and asks for no open creations if all are known", () => {
  const changed = task(2, { title: "Other" });
  const known = contents(task(1), task(2));
  const creations = () => {
    throw new Error("asked");
  };
  const result = plan(known, [task(1), changed], { creations });
  expect(result).toMatchObject({ put: [changed], unchanged: 1, missing: [], heldBack: [] });
  expect(plan(known, [task(1), task(2), task(3)]).put).toEqual([task(3)]);
});

it("ignores updatedAt and the order of people", () => {
  const [ana, ben] = [personId(1), personId(2)];
  const known = contents(task(1, { assigned: [ana, ben] }));
  const moved = task(1, { assigned: [ben, ana], updatedAt: sentAt, byMe: false });
  expect(plan(known, [moved])).toMatchObject({ put: [], unchanged: 1 });
});

it("uses the service's clock to recognize a lost creation", () => {
  const createdAt = sentAt.subtract({ hours: 1 });
  const creations = () => [
    creation(task(null, { title: "A & B" }), { state: "pending", sentAfter: itemKey(50) }),
  ];
  const item = task(7, { title: "A, as the service writes it", createdAt, updatedAt: createdAt });
  const of = (clockLead: Temporal.Duration | null) =>
    plan(contents(), [item], { creations, clockLead }).candidates.length;
  expect([of(null), of(Temporal.Duration.from({ hours: 1 }))]).toEqual([0, 1]);
});

it("names missing items only if the snapshot is complete", () => {
  const known = contents(task(1), task(2));
  expect(plan(known, [task(1)]).missing).toEqual([itemKey(1002)]);
  expect(plan(known, []).missing).toHaveLength(2);
});

it("skips an item whose row was written after the request", () => {
  const overtaken = new Set([1, 2, 4].map(serviceId));
  const written = task(1, { title: "Confirmed meanwhile" });
  const created = task(4);
  // Task 2 was deleted and task 4 created during the request.
  const known = contents(written, task(3), created);
  const result = plan(known, [task(1), task(2), task(3)], { overtaken });
  expect(result).toMatchObject({ put: [], unchanged: 1, missing: [] });
});

it("holds back an unknown item that looks like a pending creation", () => {
  const creations = () => [creation(task(null, { title: "New" }))];
  const result = plan(contents(), [task(7, { title: "New" }), task(8)], { creations });
  expect(result.heldBack.map(({ id }) => id)).toEqual([7]);
  expect(result.put.map(({ id }) => id)).toEqual([8]);
});

const lost = { state: "pending", attempts: 1, sentAfter: itemKey(50) } as const;
const parked = { ...lost, state: "parked", parkReason: "refused" } as const;
const made = task(7, { title: "New" });

it.each<[string, Partial<Edit>, Item, number | null, boolean]>([
  ["what a lost creation has made and somebody has renamed", lost, task(7), null, true],
  ["a merely similar item while an answer is awaited", { attempts: 1 }, task(7), null, false],
  ["an item known before the request was sent", lost, made, 50, false],
  ["what a sweep has shown since", lost, made, 51, true],
  ["an existing item once the creation waits for a person", parked, made, null, false],
  ["what someone else has made", lost, task(7, { title: "New", byMe: false }), null, false],
  ["what differs in all", lost, task(7, { dueOn: null }), null, false],
  ["a similar item before anything was sent", { ...lost, sentAt: null }, made, null, false],
])("holds back or shows %s", (_what, more, item, handle, isHeld) => {
  const creations = () => [creation(task(null, { title: "New" }), more)];
  const handleOf = () => (handle === null ? null : itemKey(handle));
  const result = plan(contents(), [item], { creations, handleOf });
  expect(result.heldBack).toEqual(isHeld ? [item] : []);
  expect(result.put).toEqual(isHeld ? [] : [item]);
});

it("assigns possible results to a creation, even if it waits for a person", () => {
  const edit = creation(task(null, { title: "New" }), parked);
  const result = plan(contents(), [made], { creations: () => [edit] });
  expect(result).toMatchObject({ candidates: [{ edit: { id: edit.id }, item: { id: 7 } }] });
});

it("names what a discarded creation has made, if unchanged", () => {
  const givenUp = () => [creation(task(null, { title: "New" }), { ...lost, state: "discarded" })];
  const result = plan(contents(), [made, task(8)], { givenUp });
  expect(result.lateCreations.map(({ item }) => item.id)).toEqual([7]);
  expect(result.put).toHaveLength(2);
});

it.each([
  ["with its new date", {}, true, true],
  ["after someone has changed its date", { when: days("2026-06-30") }, true, false],
  ["of another title and date", { title: "Other", when: days("2026-06-30") }, false, false],
])(
  "recognizes the event that an unanswered move has created: %s",
  (_, changed, isNoted, isHeldBack) => {
    const byUs = { byMe: true, createdAt: sentAt, updatedAt: sentAt.add({ seconds: 9 }) };
    const old = anEvent(1, { title: "Call", when: days("2026-05-20"), ...byUs });
    const move = {
      ...creation(old, { action: "update" }),
      patch: { place: { projectId: projectId(2002), listId: null } },
    };
    const made = { ...old, id: serviceId(2), projectId: move.patch.place.projectId };
    const item = { ...made, ...changed };
    const { candidates, heldBack, put } = plan(contents(), [item], { moves: () => [move] });
    expect(candidates.map(({ edit }) => edit.id)).toEqual(isNoted ? [move.id] : []);
    expect(heldBack).toEqual(isHeldBack ? [item] : []);
    expect(put).toEqual(isHeldBack ? [] : [item]);
  },
);
