import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../src/domain/ids.ts";
import type { Source } from "../../src/domain/source.ts";
import type { Store } from "../../src/store/store.ts";
import { PollSchedule } from "../../src/sync/poll-schedule.ts";
import { SourceList } from "../../src/sync/source-list.ts";
import { aTask } from "../support/items.ts";
import { testStore } from "../support/test-store.ts";
import { roomy, runUntil, type Stage, stage } from "./support/stage.ts";
import { placeAt, viewInventory, workspaceInventory } from "./support/workspace.ts";

const begun = Temporal.Instant.from("2026-05-01T10:00:00Z");
const maxAge = Temporal.Duration.from({ minutes: 15 });
const lists = 300;

const list = (id: number): Source => ({
  kind: "tasks",
  projectId: projectId(1),
  listId: listId(id),
});

/** One process after the other on one store, with one poll per second and a clock advanced by hand. */
function machine() {
  let now = begun;
  const clock = () => now;
  const store = testStore(clock);
  return {
    store,
    clock,
    sleep: (length: Temporal.DurationLike) => {
      now = now.add(length);
    },
    process: () => start(store, clock),
  };
}

function start(store: Store, clock: () => Temporal.Instant) {
  const sources = new SourceList(store, clock);
  const deps = { store, sources, clock, maxAge, pace: () => 1, clockLead: () => null };
  return { sources, schedule: new PollSchedule(deps) };
}

type Machine = ReturnType<typeof machine>;
type Process = ReturnType<typeof start>;

/** So many polls, one per second, with the results of `changes`. */
function polls(
  { store, sleep }: Machine,
  { sources, schedule }: Process,
  {
    count,
    isChanged = () => false,
  }: { readonly count: number; readonly isChanged?: (name: string) => boolean },
): readonly string[] {
  const names: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    sleep({ seconds: 1 });
    let next = schedule.next();
    // Beliefs are restored in several steps.
    for (let step = 0; next.kind === "wait" && step < 10; step += 1) next = schedule.next();
    if (next.kind !== "source") continue;
    const begin = sources.begin(next.name);
    sources.save();
    const changes = isChanged(next.name) ? [begin.attemptedAt] : [];
    store.sources.attempted(begin.source, begin.attemptedAt);
    store.sources.succeeded(begin.source, { items: 1, gaps: null });
    schedule.read(next.name, { at: begin.attemptedAt, changes });
    sources.end(begin, { kind: "read", notBefore: null });
    names.push(next.name);
  }
  schedule.save({ isLast: true });
  return names;
}

const busy = ["tasks:3", "tasks:77", "tasks:211"];

/** A process that has learned for an hour where people work. */
function watched(): Machine {
  const here = machine();
  const first = here.process();
  for (let id = 1; id <= lists; id += 1) first.sources.put(list(id), null);
  polls(here, first, { count: lists });
  polls(here, first, { count: 3600, isChanged: (name) => busy.includes(name) });
  return here;
}

/** The next process, which takes up the beliefs of the one before. */
function resumed(here: Machine) {
  const next = here.process();
  next.schedule.resume();
  return next;
}

const timesBusy = (asked: readonly string[]): number =>
  asked.filter((name) => busy.includes(name)).length;

const ages = ({ store, clock }: Machine): readonly number[] =>
  store.sources.all().map(({ attemptedAt }) =>
    clock()
      .since(attemptedAt ?? begun)
      .total("seconds"),
  );

describe("a resumed schedule", () => {
  it("continues where changes are likely, after what was never read", () => {
    const here = watched();
    here.sleep({ seconds: 30 });
    const next = resumed(here);
    next.sources.put(list(9000), null);
    const asked = polls(here, next, { count: 40, isChanged: (name) => busy.includes(name) });
    expect(asked[0]).toBe("tasks:9000");
    expect(asked.slice(1, 5)).toEqual(expect.arrayContaining(busy));
    expect(asked.filter((name) => busy.includes(name)).length).toBeGreaterThan(8);
  });

  it("reads everything within the ceiling", () => {
    const here = watched();
    const next = resumed(here);
    const asked = polls(here, next, { count: 825, isChanged: (name) => busy.includes(name) });
    expect(new Set(asked).size).toBe(lists);
    expect(Math.max(...ages(here))).toBeLessThanOrEqual(900);
  });

  it.each([
    ["hours", { hours: 7 }],
    ["days", { hours: 80 }],
  ])("shares polls between the oldest and the likeliest after %s", (_, pause) => {
    const here = watched();
    here.sleep(pause);
    const next = resumed(here);
    const asked = polls(here, next, { count: 2 * lists, isChanged: (name) => busy.includes(name) });
    // It is not quiet merely because nothing was seen for so long; few requests are saved.
    expect(asked.length).toBeGreaterThan(1.95 * lists);
    expect(asked.slice(0, 8)).toEqual(expect.arrayContaining(busy));
    expect(new Set(asked).size).toBe(lists);
    expect(Math.max(...ages(here))).toBeLessThanOrEqual(900);
  });

  it("treats a list that moved as new", () => {
    const here = watched();
    const next = resumed(here);
    next.sources.put({ kind: "tasks", projectId: projectId(2), listId: listId(5) }, null);
    expect(polls(here, next, { count: 1 })).toEqual(["tasks:5"]);
  });

  it("reads everything in turn if all is to be reread", () => {
    const here = watched();
    const next = resumed(here);
    next.schedule.rereadAll();
    expect(new Set(polls(here, next, { count: lists })).size).toBe(lists);
  });

  it("is restored even if the clock was set back or the last poll failed", () => {
    const here = watched();
    here.store.sources.failed(list(77), "the service is away");
    here.sleep({ hours: -2 });
    const next = resumed(here);
    const asked = polls(here, next, { count: 2 * lists, isChanged: (name) => busy.includes(name) });
    expect(new Set(asked).size).toBe(lists);
    expect(asked.filter((name) => name === "tasks:77").length).toBeGreaterThan(10);
  });
});

describe("the schedule", () => {
  /** Lists of which a third were edited on the last day, and three in the last minutes. */
  function edited(): Machine {
    const here = machine();
    const put = (id: number, [of, seconds]: readonly [number, number]) => {
      const task = aTask(id, { listId: listId(of), updatedAt: begun.subtract({ seconds }) });
      here.store.mirror.put(task, `tasks:${of}`);
    };
    for (let id = 1; id <= lists; id += 1) put(id, [id, id % 3 === 0 ? 3600 + 240 * id : 400_000]);
    for (const [nth, name] of busy.entries()) {
      const of = Number(name.replace("tasks:", ""));
      for (let task = 1; task <= 8; task += 1) put(1000 * task + of, [of, 120 * task + nth]);
    }
    return here;
  }

  it("polls where people work after a first sync", () => {
    const here = edited();
    const process = here.process();
    for (let id = 1; id <= lists; id += 1) process.sources.put(list(id), null);
    polls(here, process, { count: lists });
    // Of three hundred lists, three have their turn every hundred polls.
    expect(timesBusy(polls(here, process, { count: 100 }))).toBeGreaterThan(5);
  });

  it("polls where people work after a start without beliefs", () => {
    const here = edited();
    const { sources } = here.process();
    for (let id = 1; id <= lists; id += 1) sources.put(list(id), null);
    sources.save();
    for (let id = 1; id <= lists; id += 1) {
      here.store.sources.attempted(list(id), begun);
      here.store.sources.succeeded(list(id), { items: 1, gaps: null });
    }
    const next = resumed(here);
    expect(timesBusy(polls(here, next, { count: 40 }))).toBeGreaterThan(8);
  });
});

/** A workspace that takes more than a minute to read, as far as the daemon knows. */
const slow = {
  size: "s",
  counts: { tasks: 90, parents: 0.8 },
  quota: roomy,
  pollQuota: { requests: 1, per: Temporal.Duration.from({ seconds: 1 }) },
} as const;

const isEqual = (it: Stage) =>
  JSON.stringify(viewInventory(it)) === JSON.stringify(workspaceInventory(it));

describe("a restart", () => {
  it("needs no sweep if everything had been read, and finds later changes", async () => {
    let ahead = 0;
    const now = () => Temporal.Now.instant().add({ seconds: ahead });
    const first = await stage({ ...slow, now });
    expect(first.sync.goesOn).toBe(false);
    await first.sweep();
    const place = placeAt(first, 1);
    const { tasks } = first.sandbox.workspace;
    const [task] = tasks.list(place);
    if (!task) throw new Error("the list is empty");
    tasks.update({ ...place, task: task.id }, { title: "Changed while it was down" });

    const next = first.again();
    expect([next.sync.goesOn, next.sync.whole, next.sync.ready]).toEqual([true, true, false]);
    next.asked();
    await runUntil(next, () => {
      // Time passes faster than polls, so that the ceiling is reached.
      ahead += 1;
      return isEqual(next);
    });
    expect(next.sync.caughtUp).toBe(true);
    await runUntil(next, () => {
      ahead += 1;
      return next.sync.ready;
    });
  });

  it("catches up at once after a short pause, and after a full read following a long one", async () => {
    let ahead = 0;
    const now = () => Temporal.Now.instant().add({ seconds: ahead });
    const first = await stage({ ...slow, now });
    await first.sweep();
    const soon = first.again();
    await runUntil(soon, () => soon.sandbox.requests.entries().length > 0);
    expect([soon.sync.caughtUp, soon.sync.ready]).toEqual([true, false]);
    ahead = 3600;
    const late = first.again();
    late.asked();
    await runUntil(late, () => late.sandbox.requests.entries().length > 5);
    expect(late.sync.caughtUp).toBe(false);
    await runUntil(late, () => late.sync.caughtUp);
    expect(late.sync.ready).toBe(true);
  });

  it("sweeps if a sweep is short, and if an earlier one was interrupted", async () => {
    const first = await stage({ size: "s", quota: roomy });
    await first.sweep();
    expect(first.again().sync.goesOn).toBe(false);
    const other = await stage(slow);
    const stop = new AbortController();
    await other.sync.sweep({ signal: stop.signal, onProgress: () => stop.abort() });
    expect(other.again().sync.goesOn).toBe(false);
  });
});
