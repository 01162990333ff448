import type { Fault } from "@dayferry/sandbox";
import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { rows } from "../support/effort.ts";
import { roomy, runUntil, type Stage, stage, until } from "./support/stage.ts";
import { addEvent, addTask, placeAt, shownTitles, viewInventory } from "./support/workspace.ts";

async function filled() {
  const it = await stage({ quota: roomy });
  const place = placeAt(it, 0);
  for (let index = 0; index < 4; index += 1) {
    addEvent(it, place, { title: `Event ${index}` });
    addTask(it, place, { title: `Task ${index}` });
  }
  const parent = addTask(it, place, { title: "Parent" });
  const below = { ...place, task: parent };
  it.sandbox.workspace.subtasks.create(below, { title: "Below" });
  await it.sweep();
  return { it, place, parent };
}

const lists = /\/(events|tasks|subtasks)$/;
const lookUps = /\/(projects|people|todolists|labels)$/;
const withNull = (json: unknown) => (Array.isArray(json) ? [null, ...json.slice(2)] : json);
const withoutDates = (json: unknown) =>
  Array.isArray(json) ? json.map((one) => ({ ...one, start: "soon", due_date: "soon" })) : json;

const faults: readonly (readonly [string, Fault])[] = [
  ["is empty", { kind: "replace", body: [] }],
  ["is an object", { kind: "replace", body: {} }],
  ["is null", { kind: "replace", body: null }],
  ["is a refusal with status 200", { kind: "replace", body: { code: 2033, message: "no" } }],
  ["has a hole", { kind: "transform", transform: withNull }],
  ["has unreadable dates", { kind: "transform", transform: withoutDates }],
  ["is an HTML page", { kind: "html" }],
  ["is cut", { kind: "cut" }],
  ["is cut and looks whole", { kind: "cut", plain: true }],
  ["is 401", { kind: "status", status: 401 }],
  ["is 403", { kind: "status", status: 403 }],
  ["is 404", { kind: "status", status: 404 }],
  ["is 500", { kind: "status", status: 500 }],
  ["never comes", { kind: "drop-before" }],
];

describe("a sweep with faults", () => {
  it.each(rows(faults, 3))("buries nothing if every list %s", async (_what, fault) => {
    const { it } = await filled();
    const before = viewInventory(it);
    it.sandbox.faults.add({ ...fault, path: lists, times: 1000 });
    const summary = await it.sweep();
    expect(summary).toMatchObject({ buried: 0, added: 0, changed: 0 });
    expect(viewInventory(it)).toEqual(before);

    it.sandbox.faults.clear();
    expect(await it.sweep()).toMatchObject({ buried: 0, added: 0, changed: 0, failures: [] });
    expect(viewInventory(it)).toEqual(before);
    expect(it.store.absences.all()).toEqual([]);
  });

  it.each(rows(faults, 3))("buries nothing if every lookup %s", async (_what, fault) => {
    const { it } = await filled();
    const before = viewInventory(it);
    it.sandbox.faults.add({ ...fault, path: lookUps, times: 1000 });
    expect(await it.sweep()).toMatchObject({ buried: 0 });
    expect(viewInventory(it)).toEqual(before);

    it.sandbox.faults.clear();
    expect(await it.sweep()).toMatchObject({ buried: 0, failures: [] });
    expect(viewInventory(it)).toEqual(before);
    expect(it.store.directory.projects()).toHaveLength(2);
    expect(it.store.directory.todolists()).toHaveLength(4);
  });

  it("applies the readable rest of a list with a gap", async () => {
    const { it, place } = await filled();
    addEvent(it, place, { title: "New" });
    it.sandbox.faults.add({ kind: "transform", path: /\/events$/, times: 9, transform: withNull });
    const summary = await it.sweep();
    expect(summary.added).toBe(1);
    expect(summary.failures[0]?.problem).toContain("event");
    expect(shownTitles(it, projectId(place.project))).toContain("New");
  });

  it("reads all others if one source fails, and names it", async () => {
    const { it, place } = await filled();
    const elsewhere = placeAt(it, 1);
    addTask(it, elsewhere, { title: "Elsewhere" });
    const path = new RegExp(`/projects/${place.project}/events$`);
    it.sandbox.faults.add({ kind: "status", status: 500, path, times: 9 });
    const summary = await it.sweep();
    expect(summary.added).toBe(1);
    expect(summary.failures.map(({ source }) => source)).toEqual([`events:${place.project}`]);
    expect(summary.failures[0]?.problem).toContain("(500)");
    const state = it.store.sources.all().find(({ name }) => name === `events:${place.project}`);
    expect(state).toMatchObject({ failures: 1, failure: summary.failures[0]?.problem });
  });

  it("keeps a missing item if the single GET does not confirm that it is gone", async () => {
    const { it, place, parent } = await filled();
    const before = viewInventory(it);
    const single = new RegExp(`/tasks/${parent}$`);
    for (const fault of [
      { kind: "status", status: 500 },
      { kind: "status", status: 401 },
      { kind: "html" },
      { kind: "transform", transform: (json: unknown) => ({ ...Object(json), id: 5 }) },
    ] as const) {
      const path = new RegExp(`/${place.list}/tasks$`);
      it.sandbox.faults.add({ kind: "transform", path, transform: without(parent) });
      it.sandbox.faults.add({ ...fault, path: single, times: 4 });
      expect(await it.sweep()).toMatchObject({ buried: 0 });
      expect(it.store.absences.all()).toMatchObject([{ confirmedAt: null }]);
      expect(viewInventory(it)).toEqual(before);
      it.sandbox.faults.clear();
    }
    await it.sweep();
    expect(it.store.absences.all()).toEqual([]);
  });

  it("treats 403 as gone if the list around the item can be read", async () => {
    const { it, place, parent } = await filled();
    const path = new RegExp(`/${place.list}/tasks$`);
    it.sandbox.faults.add({ kind: "transform", path, times: 9, transform: without(parent) });
    const item = new RegExp(`/tasks/${parent}$`);
    it.sandbox.faults.add({ kind: "status", status: 403, path: item, times: 9 });
    expect(await it.sweep()).toMatchObject({ buried: 2 });
  });

  it("buries nothing on a 403 if the list is forbidden as well", async () => {
    const { it, place, parent } = await filled();
    const list = new RegExp(`/${place.list}/tasks$`);
    const item = new RegExp(`/tasks/${parent}$`);
    it.sandbox.faults.add({ kind: "transform", path: list, transform: without(parent) });
    it.sandbox.faults.add({ kind: "status", status: 500, path: item, times: 1000 });
    await it.sweep();
    expect(it.store.absences.all()).toHaveLength(1);
    it.sandbox.faults.clear();
    const path = new RegExp(`/${place.list}/tasks`);
    it.sandbox.faults.add({ kind: "status", status: 403, path, times: 1000 });
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      expect(await it.sweep()).toMatchObject({ buried: 0 });
    }
  });

  it("keeps items missing from a truncated list up to date, with one request per item and maxAge", async () => {
    const { it, place, parent } = await filled();
    const path = new RegExp(`/${place.list}/tasks$`);
    it.sandbox.faults.add({ kind: "transform", path, times: 1000, transform: without(parent) });
    it.sandbox.workspace.tasks.update({ ...place, task: parent }, { title: "Renamed" });
    it.asked();
    expect(await it.sweep()).toMatchObject({ buried: 0, changed: 1 });
    expect(shownTitles(it, projectId(place.project))).toContain("Renamed");
    await it.sweep();
    await it.sweep();
    expect(it.asked().filter((asked) => asked.endsWith(`/tasks/${parent}`))).toHaveLength(1);
    expect(it.events).toContainEqual(expect.objectContaining({ kind: "found", title: "Renamed" }));
  });
});

describe("polling with faults", () => {
  const quick = { maxAge: Temporal.Duration.from({ milliseconds: 640 }) };

  it("continues with the others while one source fails, and returns to it", async () => {
    const { it: first, place } = await filled();
    const it = first.again(quick);
    const path = new RegExp(`/projects/${place.project}/events$`);
    it.sandbox.faults.add({ kind: "status", status: 403, path, times: 5 });
    const failed = () => it.events.filter(({ kind }) => kind === "failed");
    it.asked();
    await runUntil(it, () => it.events.some(({ kind }) => kind === "recovered"));
    expect(failed()).toHaveLength(5);
    const asked = it.asked();
    const polls = asked.flatMap((request, nth) => (path.test(request) ? nth : []));
    expect(polls.length).toBeGreaterThanOrEqual(6);
    expect(asked.slice(polls[0], polls[5])).toContainEqual(expect.stringMatching(/\/labels$/));
    expect(it.sync.ready).toBe(true);
  });

  it("asks again for a missing item after a failure, and buries it once confirmed", async () => {
    const { it: first, place, parent } = await filled();
    const it = first.again(quick);
    it.sandbox.workspace.tasks.remove({ ...place, task: parent });
    it.sandbox.faults.add({ kind: "html", path: new RegExp(`/tasks/${parent}$`), times: 2 });
    const titles = () => shownTitles(it, projectId(place.project));
    await runUntil(it, () => !titles().includes("Parent"));
    expect(titles()).not.toContain("Below");
    expect(it.events.filter(({ kind }) => kind === "unanswered")).toHaveLength(2);
  });

  it("reads the lookups if a list responds that it does not exist", async () => {
    let ahead = Temporal.Duration.from({ seconds: 0 });
    const now = () => Temporal.Now.instant().add(ahead);
    const it = await stage({ now });
    const place = placeAt(it, 0);
    await it.sweep();
    ahead = Temporal.Duration.from({ minutes: 2 });
    it.asked();
    const path = new RegExp(`/todolists/${place.list}/tasks$`);
    it.sandbox.faults.add({ kind: "status", status: 404, path });
    const asked = countOf(it, new RegExp(`/projects/${place.project}/todolists$`));
    await runUntil(it, () => asked() > 0);
    expect(countOf(it, /\/people$/)()).toBe(0);
  });

  it("finds new lists soon after a time in which everything was refused", async () => {
    const it = await stage({ quota: roomy, maxAge: Temporal.Duration.from({ seconds: 2 }) });
    const place = placeAt(it, 0);
    const path = new RegExp(`/projects/${place.project}/todolists$`);
    const without = (json: unknown) =>
      Array.isArray(json) ? json.filter(({ id }) => id !== place.list) : json;
    it.sandbox.faults.add({ kind: "transform", path, transform: without });
    await it.sweep();
    const isKnown = () => it.store.directory.todolists().some(({ id }) => id === place.list);
    expect(isKnown()).toBe(false);
    it.sandbox.faults.add({ kind: "status", status: 403, times: 1_000_000 });
    const refused = countOf(it, path);
    await runUntil(it, () => refused() > 3);
    it.sandbox.faults.clear();
    await runUntil(it, isKnown);
    expect(isKnown()).toBe(true);
  });

  it("reports an internal error and continues if the store rejects a response", async () => {
    const { it } = await filled();
    const { mirror } = it.store;
    const broken = {
      ...it.store,
      mirror: {
        ...mirror,
        keysInParts: (source: string) => {
          if (source.startsWith("events:")) throw new Error("the disk is full");
          return mirror.keysInParts(source);
        },
      },
    };
    const other = it.again({ store: broken });
    const summary = await other.sweep();
    expect(summary.failures.map(({ problem }) => problem)).toEqual(
      Array(2).fill("fault: Error: the disk is full"),
    );
    expect(other.events.filter(({ kind }) => kind === "fault")).toHaveLength(2);
    expect(other.sync.ready).toBe(false);
    const stop = new AbortController();
    const running = other.sync.run(stop.signal);
    const labels = countOf(other, /\/labels$/);
    const before = labels();
    await until(() => labels() > before + 3);
    stop.abort();
    await running;
  });
});

it("a check stays open if the store rejects the response, and is settled later", async () => {
  const { it, place, parent } = await filled();
  it.sandbox.workspace.tasks.remove({ ...place, task: parent });
  const { absences } = it.store;
  let faults = 1;
  const confirm: typeof absences.confirm = (item) => {
    faults -= 1;
    if (faults >= 0) throw new Error("the disk is full");
    absences.confirm(item);
  };
  const other = it.again({ store: { ...it.store, absences: { ...absences, confirm } } });
  expect(await other.sweep()).toMatchObject({ buried: 0 });
  expect(other.events).toContainEqual(expect.objectContaining({ kind: "fault" }));
  expect(await other.sweep()).toMatchObject({ buried: 2, failures: [] });
});

function countOf({ sandbox }: Stage, path: RegExp): () => number {
  return () => sandbox.requests.entries().filter((entry) => path.test(entry.path)).length;
}

const without = (id: number) => (json: unknown) =>
  Array.isArray(json) ? json.filter((one) => one.id !== id) : json;
