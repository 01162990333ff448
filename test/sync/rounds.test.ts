import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../src/domain/ids.ts";
import { unreachable } from "../../src/domain/result.ts";
import type { Source } from "../../src/domain/source.ts";
import type { SourceState } from "../../src/store/rows/source-rows.ts";
import { isThorough } from "../support/effort.ts";
import { untilHung } from "../support/eventually.ts";
import { manyLists, roomy, runUntil, type Stage, stage } from "./support/stage.ts";
import { addTask, placeAt, viewInventory, workspaceInventory } from "./support/workspace.ts";

/** As fast as a larger one, and never more than five under way: a sweep is cut off near the intended source. */
const fewAtOnce = { requests: 5, perMs: 40 } as const;

/** Sweeps until so many sources are done, and is cut off with requests under way. Returns what was read by then. */
async function cutOff(here: Stage, at: number): Promise<ReadonlySet<string>> {
  const { sync, store } = here;
  const stop = new AbortController();
  const { failures } = await sync.sweep({
    signal: stop.signal,
    onProgress: ({ done }) => {
      if (done >= at) stop.abort();
    },
  });
  expect(failures).toEqual([]);
  expect(sync.ready).toBe(false);
  asked(here);
  const { round } = store.rounds.last() ?? {};
  const read = store.sources.all().filter((source) => source.round === round);
  expect(read.length).toBeGreaterThanOrEqual(at);
  return new Set(read.map(({ source }) => pathOf(source)));
}

/** Keeps the last of the eleven sources unread, so that the sweep is cut off however fast it goes. */
const holdLast = ({ sandbox }: Stage) =>
  sandbox.faults.add({ kind: "hang-before", path: /3003\/tasks$/, times: 9 });

/** The paths requested since the last call; requests under way when a sweep was cut off may appear twice. */
const asked = (stage: Stage): ReadonlySet<string> =>
  new Set(stage.asked().map((request) => request.replace("GET /api/v3/", "")));

function pathOf(source: Source): string {
  switch (source.kind) {
    case "todolists":
    case "events":
      return `projects/${source.projectId}/${source.kind}`;
    case "tasks":
      return `projects/${source.projectId}/todolists/${source.listId}/tasks`;
    case "subtasks":
      return `projects/${source.projectId}/todolists/${source.listId}/tasks/${source.taskId}/subtasks`;
    case "projects":
    case "people":
    case "labels":
      return source.kind;
    default:
      return unreachable(source);
  }
}

const every = ({ store }: Stage): ReadonlySet<string> =>
  new Set(store.sources.all().map(({ source }) => pathOf(source)));

describe("an interrupted sweep", () => {
  it("continues where it was, repeatedly, without asking twice", async () => {
    const here = await stage({ ...manyLists, quota: fewAtOnce });
    let read = await cutOff(here, 8);
    for (const at of [30, 45]) {
      const before = read;
      const next = here.again();
      read = await cutOff(next, at);
      expect(before.difference(read)).toEqual(new Set());
    }
    const last = here.again();
    await last.sweep();
    expect(last.sync.ready).toBe(true);
    expect(asked(here)).toEqual(every(here).difference(read));
    expect(viewInventory(last)).toEqual(workspaceInventory(last));
    expect(here.store.rounds.last()?.endedAt).not.toBeNull();
  });

  it.runIf(isThorough)(
    "repeats at most one request in fifty in a workspace of a thousand lists",
    async () => {
      const counts = { tasks: 1000, parents: 1 };
      const here = await stage({ size: "m", counts, quota: { requests: 25, perMs: 50 } });
      // Pages of all tasks would make it a fifth of that.
      here.sandbox.faults.add({ kind: "status", status: 404, path: /alltodo$/, times: 9 });
      const stop = new AbortController();
      await here.sync.sweep({
        signal: stop.signal,
        onProgress: ({ done }) => {
          if (done >= 600) stop.abort();
        },
      });
      const before = here.asked();
      const next = here.again();
      await next.sync.sweep({ signal: untilHung() });
      const all = [...before, ...here.asked()];
      expect(next.sync.ready).toBe(true);
      expect(all.length).toBeGreaterThan(1000);
      expect(all.length - new Set(all).size).toBeLessThanOrEqual(0.02 * all.length);
    },
  );

  it("restarts if it had ended, or is older than maxAge", async () => {
    let now = Temporal.Now.instant();
    const maxAge = Temporal.Duration.from({ minutes: 15 });
    const here = await stage({ ...manyLists, quota: fewAtOnce, maxAge, now: () => now });
    const first = await cutOff(here, 40);
    now = now.add({ minutes: 14 });
    const second = await cutOff(here.again(), 44);
    expect(first.difference(second)).toEqual(new Set());
    now = now.add({ minutes: 16 });
    for (const _ of ["left", "ended"]) {
      await here.again().sweep();
      expect(asked(here)).toEqual(every(here));
    }
  });

  it("restarts if the clock was set back before it", async () => {
    let now = Temporal.Now.instant();
    const here = await stage({ ...manyLists, quota: fewAtOnce, now: () => now });
    await cutOff(here, 40);
    now = now.subtract({ hours: 1 });
    await here.again().sweep();
    expect(asked(here)).toEqual(every(here));
  });

  it("reads a list again that moved to another project", async () => {
    const here = await stage({ quota: { requests: 2, perMs: 20 } });
    const { project, list } = placeAt(here, 0);
    const tasks = (of: number) =>
      ({ kind: "tasks", projectId: projectId(of), listId: listId(list) }) as const;
    holdLast(here);
    await cutOff(here, 10);
    here.sandbox.faults.clear();
    const round = () =>
      here.store.sources.all().find(({ name }) => name === `tasks:${list}`)?.round;
    here.store.sources.succeeded(tasks(project), { items: 0, gaps: null });
    expect(round()).toBe(here.store.rounds.last()?.round);
    here.store.sources.put([tasks(project + 1)]);
    expect(round()).toBeNull();
  });

  it("reads below what it has already read", async () => {
    const here = await stage({ quota: roomy });
    const place = placeAt(here, 0);
    const parents = Array.from({ length: 6 }, (_, at) => {
      const task = addTask(here, place, { title: `Parent ${at}` });
      here.sandbox.workspace.subtasks.create({ ...place, task }, { title: `Child ${at}` });
      return task;
    });
    const stop = new AbortController();
    await here.sync.sweep({
      signal: stop.signal,
      onProgress() {
        const source = here.store.sources.all().find(({ name }) => name === `tasks:${place.list}`);
        if (source?.succeededAt) stop.abort();
      },
    });
    const known = here.store.sources.all().filter(({ source }) => source.kind === "subtasks");
    expect(known).toHaveLength(parents.length);
    const next = here.again();
    await next.sweep();
    expect(viewInventory(next)).toEqual(workspaceInventory(next));
  });

  it("is ready before this process has read everything", async () => {
    const here = await stage({ ...manyLists, quota: fewAtOnce });
    await cutOff(here, 40);
    const next = here.again();
    await next.sweep();
    expect([next.sync.ready, next.sync.caughtUp]).toEqual([true, false]);
    await runUntil(next, () => next.sync.caughtUp);
  });

  it("continues with what failed, and reads nothing else again", async () => {
    const here = await stage({ ...manyLists, quota: roomy });
    const path = /\/projects\/2001\/events$/;
    here.sandbox.faults.add({ kind: "html", path, times: 99 });
    await here.sweep();
    expect(here.sync.ready).toBe(false);
    here.asked();
    await runUntil(here, () => here.sandbox.requests.entries().length > 3);
    here.sandbox.faults.clear();
    const attempts = () =>
      here.store.sources.all().map(({ name, attemptedAt }) => `${name} ${attemptedAt?.toString()}`);
    const before = new Set(attempts());
    const next = here.again();
    await next.sweep();
    expect(next.sync.ready).toBe(true);
    const tried = attempts().filter((attempt) => !before.has(attempt));
    expect(tried).toEqual([expect.stringMatching(/^events:2001 /)]);
  });

  it("is over if it failed after everything was read", async () => {
    const here = await stage({ quota: roomy });
    const { signal } = new AbortController();
    const swept = here.sync.sweep({
      signal,
      onProgress() {
        if (here.sync.ready) throw new Error("a full disk");
      },
    });
    await expect(swept).rejects.toThrow("a full disk");
    expect(here.store.rounds.last()?.endedAt).toBeNull();
    await runUntil(here, () => here.store.rounds.last()?.endedAt !== null);
  });

  it("follows comments of tasks that were read before", async () => {
    const side = { comments: true, history: false, files: false };
    const here = await stage({ quota: { requests: 2, perMs: 20 }, side });
    const place = placeAt(here, 0);
    const task = addTask(here, place, { title: "Discussed" });
    const { comments } = here.sandbox.workspace;
    comments.create({ ...place, task }, { description: "A word" });
    holdLast(here);
    const read = await cutOff(here, 10);
    here.sandbox.faults.clear();
    expect(read).toContain(`projects/${place.project}/todolists/${place.list}/tasks`);
    const next = here.again();
    const { signal } = new AbortController();
    await next.sync.sweep({ signal });
    await next.sync.readSide({ signal, most: 5 });
    expect(here.store.comments.count()).toBe(1);
  });

  it("checks what it missed before, and reads no list again", async () => {
    const here = await stage({ quota: { requests: 2, perMs: 50 } });
    const place = placeAt(here, 0);
    const task = addTask(here, place, { title: "Deleted" });
    await here.sweep();
    here.sandbox.workspace.tasks.remove({ ...place, task });
    const stop = new AbortController();
    const cut = here.again();
    const last = every(here).size - 1;
    await cut.sync.sweep({
      signal: stop.signal,
      onProgress({ done }) {
        if (done >= last) stop.abort();
      },
    });
    const [absence] = here.store.absences.all();
    if (!absence) throw new Error("nothing was missed");
    const { noticedAt } = absence;
    const isRead = ({ source, attemptedAt, round }: SourceState) =>
      source.kind === "tasks" &&
      round === here.store.rounds.last()?.round &&
      Temporal.Instant.compare(attemptedAt ?? noticedAt, noticedAt) > 0;
    const since = here.store.sources.all().filter(isRead);
    expect(since.length).toBeGreaterThan(0);
    const next = here.again();
    await next.sweep();
    expect(viewInventory(next)).toEqual(workspaceInventory(next));
    const now = new Map(here.store.sources.all().map((state) => [state.name, state.attemptedAt]));
    for (const { name, attemptedAt } of since) expect(now.get(name)).toEqual(attemptedAt);
  });
});
