import { expect, it } from "vitest";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Source } from "../../src/domain/source.ts";
import { anEvent } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const rig = () => {
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
  return { clock, store, gauges: store.gauges() };
};

const subtasks = (task: number): Source => ({
  kind: "subtasks",
  projectId: projectId(2001),
  listId: listId(3001),
  taskId: serviceId(task),
});

it("lists() counts all lists in parts of ten thousand rows", () => {
  const { store, gauges, clock } = rig();
  const sources = Array.from({ length: 10_002 }, (_, index) => subtasks(index + 1));
  store.sources.put(sources);
  store.sources.attempted(subtasks(1), clock());
  store.sources.succeeded(subtasks(1), { items: 7, gaps: null });
  clock.advance({ minutes: 5 });
  store.sources.succeeded(subtasks(10_002), { items: 2, gaps: "odd" });
  const parts = [...gauges.lists()];
  expect(parts.map((part) => part.map(({ lists }) => lists))).toEqual([[10_000], [2]]);
  const [first, second] = parts.flat();
  expect(first).toMatchObject({ kind: "subtasks", items: 7, never: 9999, failing: 0 });
  expect(first?.oldest).toEqual(Temporal.Instant.from("2026-11-21T09:00:00Z"));
  expect(second).toMatchObject({ items: 2, never: 1, failing: 1 });
});

it("lists() is empty before anything was read", () => {
  expect([...rig().gauges.lists()]).toEqual([]);
});

it("openEdits() counts the edits in each state, with the time of the oldest", () => {
  const { store, gauges, clock } = rig();
  const add = (id: number, state: "pending" | "held") => {
    store.mirror.put(anEvent(id), "events:2001");
    const item = store.mirror.find("event", serviceId(id));
    if (item === null) throw new Error("the event is not mirrored");
    store.journal.append({
      channel: "upload",
      actor: null,
      newLabels: [],
      item,
      action: "update",
      base: anEvent(id),
      patch: { title: "Other" },
      state,
    });
  };
  add(1, "held");
  clock.advance({ minutes: 1 });
  add(2, "pending");
  clock.advance({ minutes: 1 });
  add(3, "pending");
  expect(gauges.acceptedEdits()).toBe(3);
  expect(gauges.openEdits()).toEqual([
    { state: "pending", edits: 2, oldestAt: Temporal.Instant.from("2026-11-21T09:01:00Z") },
    { state: "claimed", edits: 0, oldestAt: null },
    { state: "parked", edits: 0, oldestAt: null },
    { state: "held", edits: 1, oldestAt: Temporal.Instant.from("2026-11-21T09:00:00Z") },
  ]);
});

it("troubles() names the kinds of open troubles", () => {
  const { store, gauges } = rig();
  const trouble = { kind: "backup-failed", problem: "no room" } as const;
  store.troubles.observe({ present: [trouble], isUnsure: () => false });
  expect(gauges.troubles()).toEqual(["backup-failed"]);
  store.troubles.observe({ present: [], isUnsure: () => false });
  expect(gauges.troubles()).toEqual([]);
});

it("waitingMails() and acceptedEdits() are empty at first", () => {
  const { gauges } = rig();
  expect([gauges.waitingMails(), gauges.acceptedEdits()]).toEqual([0, 0]);
});
