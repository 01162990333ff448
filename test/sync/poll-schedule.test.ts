import { describe, expect, it, onTestFinished } from "vitest";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Source } from "../../src/domain/source.ts";
import { replaceRuntime } from "../../src/runtime.ts";
import { timesOf } from "../../src/sync/poll-clock.ts";
import { type JobOutcome, PollSchedule } from "../../src/sync/poll-schedule.ts";
import { SourceList } from "../../src/sync/source-list.ts";
import { testStore } from "../support/test-store.ts";

const begun = Temporal.Instant.from("2026-05-01T10:00:00Z");
const never = new AbortController().signal;

const list = (id: number): Source => ({
  kind: "tasks",
  projectId: projectId(1),
  listId: listId(id),
});

/** A schedule of `lists` lists, with one poll per second and a clock advanced by hand. */
function rig(lists: number, { pace = 1, maxAge = 900 } = {}) {
  let now = begun;
  const clock = () => now;
  const store = testStore(clock);
  const sources = new SourceList(store, clock);
  const scheduleOf = (known: SourceList) =>
    new PollSchedule({
      store,
      sources: known,
      clock,
      maxAge: Temporal.Duration.from({ seconds: maxAge }),
      pace: () => pace,
      clockLead: () => null,
    });
  const schedule = scheduleOf(sources);
  for (let id = 1; id <= lists; id += 1) sources.put(list(id), null);
  const changes = new Map<string, Temporal.Instant[]>();
  const sleep = (seconds: number): void => {
    now = now.add({ milliseconds: Math.round(1000 * seconds) });
  };
  /** Begins and ends the next poll; null when there is none. */
  const poll = (): string | null => {
    const next = schedule.next();
    if (next.kind !== "source") return null;
    const begin = sources.begin(next.name);
    schedule.read(next.name, { at: begin.attemptedAt, changes: changes.get(next.name) ?? [] });
    changes.delete(next.name);
    sources.end(begin, { kind: "read", notBefore: null });
    return next.name;
  };
  /** So many polls, at the pace. */
  const polls = (count: number): readonly (string | null)[] =>
    Array.from({ length: count }, () => {
      sleep(1 / pace);
      return poll();
    });
  /** The schedule of the next process. */
  const restarted = (): PollSchedule => {
    schedule.save({ isLast: true });
    return scheduleOf(new SourceList(store, clock));
  };
  return { sources, schedule, changes, clock, sleep, poll, polls, restarted };
}

const counted = (names: readonly (string | null)[]) => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name ?? "", (counts.get(name ?? "") ?? 0) + 1);
  return counts;
};

describe("the next source", () => {
  it("comes in the order of a first sync until each was tried", () => {
    const { sources, poll } = rig(2);
    const below = (id: number): Source => {
      return {
        kind: "subtasks",
        projectId: projectId(1),
        listId: listId(1),
        taskId: serviceId(id),
      };
    };
    sources.put(below(11), 30);
    sources.put(below(12), 2);
    sources.put({ kind: "labels" }, null);
    sources.put({ kind: "people" }, null);
    const order = Array.from({ length: 6 }, poll);
    expect(order.join(" ")).toBe("people labels tasks:1 tasks:2 subtasks:12 subtasks:11");
  });

  it.each([
    ["a poll", "an hour", 3600],
    ["a poll", "ten years", 315_360_000],
    ["a page", "an hour", 3600],
    ["a page", "ten years", 315_360_000],
  ])(
    "is found while the response of %s is pending and the clock is set back by %s",
    (what, _, back) => {
      const { sources, schedule, polls, changes, sleep, poll, clock } = rig(10);
      polls(10);
      for (let round = 0; round < 300; round += 1) {
        sleep(1);
        if (round % 3 === 0) changes.set("tasks:3", [clock()]);
        poll();
      }
      const asked = clock();
      if (what === "a page") {
        sources.put(list(11), null);
        sleep(-back);
        schedule.next();
        schedule.took("tasks:11", asked);
      } else {
        sleep(1);
        const begin = sources.begin("tasks:3");
        sleep(-back);
        poll();
        schedule.read("tasks:3", { at: begin.attemptedAt, changes: [asked] });
        sources.end(begin, { kind: "read", notBefore: null });
      }
      const names = polls(200);
      expect(names).not.toContain(null);
      expect(new Set(names).size).toBe(sources.all().length);
    },
  );

  it("is one that changes more often, without leaving any out", () => {
    const { polls, changes, sleep, poll, clock } = rig(10);
    polls(10);
    for (let round = 0; round < 300; round += 1) {
      sleep(1);
      if (round % 20 === 0) changes.set("tasks:3", [clock()]);
      poll();
    }
    const counts = counted(polls(120));
    expect(counts.get("tasks:3")).toBe(Math.max(...counts.values()));
    expect(counts.size).toBe(10);
  });

  it("is one that an edit hurried, every second time", () => {
    const { polls, sources, poll } = rig(10);
    polls(20);
    for (const name of ["tasks:4", "tasks:5", "tasks:6"]) sources.hurry(name);
    const order = Array.from({ length: 6 }, poll);
    expect(order.filter((_, at) => at % 2 === 0)).toEqual(["tasks:4", "tasks:5", "tasks:6"]);
  });

  it("is not one that rests after a failure, until its rest has ended", () => {
    const { polls, sources, schedule, sleep, clock } = rig(3);
    polls(3);
    sleep(1);
    const next = schedule.next();
    if (next.kind !== "source") throw new Error("nothing to poll");
    const failing = sources.begin(next.name);
    sources.end(failing, { kind: "failed", notBefore: clock().add({ seconds: 60 }) });
    const others = counted(polls(50));
    expect(others.has(next.name)).toBe(false);
    expect(counted(polls(60)).has(next.name)).toBe(true);
  });

  it("is one that failed, as soon as the service is back", () => {
    const { polls, sources, schedule, sleep, clock } = rig(3);
    polls(3);
    sleep(1);
    const next = schedule.next();
    if (next.kind !== "source") throw new Error("nothing to poll");
    const failing = sources.begin(next.name);
    sources.end(failing, { kind: "failed", notBefore: clock().add({ hours: 1 }) });
    sources.recover();
    expect(counted(polls(9)).has(next.name)).toBe(true);
  });

  it("includes those whose poll could not be stored", () => {
    const { polls, sources, schedule, clock } = rig(3);
    polls(3);
    sources.put(list(4), null);
    const restore = replaceRuntime({
      databaseStep() {
        throw new Error("the disk is full");
      },
    });
    onTestFinished(restore);
    const next = schedule.next();
    if (next.kind !== "source") throw new Error("nothing to poll");
    const begin = sources.begin(next.name);
    expect(() => sources.save()).toThrow("the disk is full");
    restore();
    sources.end(begin, { kind: "failed", notBefore: clock() });
    expect(counted(polls(9)).has(next.name)).toBe(true);
  });

  it("stays within the ceiling of age if the clock allows it", () => {
    const { polls, changes, sleep, poll, clock } = rig(30, { maxAge: 120 });
    // The last of them let the scheduler learn from the first readings.
    polls(40);
    const last = new Map<string, number>();
    let oldest = 0;
    for (let second = 0; second < 900; second += 1) {
      sleep(1);
      changes.set("tasks:1", [clock()]);
      const name = poll() ?? "";
      oldest = Math.max(oldest, second - (last.get(name) ?? second));
      last.set(name, second);
    }
    expect(last.size).toBe(30);
    expect(oldest).toBeLessThanOrEqual(120);
  });

  it("is found when the clock is set back", () => {
    const { polls, sleep } = rig(5);
    polls(20);
    sleep(-7200);
    expect(counted(polls(30)).size).toBe(5);
  });

  it("comes in turn when everything is to be reread", () => {
    const { polls, schedule } = rig(6);
    polls(40);
    schedule.rereadAll();
    expect(new Set(polls(6)).size).toBe(6);
  });

  it("is delayed when nothing has happened for hours, with the time", () => {
    const { polls, schedule, sleep } = rig(8);
    polls(8 + 4 * 3600);
    const idle = polls(3600).filter((name) => name === null).length;
    expect(idle).toBeGreaterThan(0.5 * 3600);
    let next = schedule.next();
    while (next.kind !== "wait") {
      sleep(1);
      next = schedule.next();
    }
    expect(next.until).not.toBeNull();
  });
});

it("lookups whose rests end together are read at an even pace", () => {
  const { sources, polls, sleep, clock } = rig(20);
  const lookUps = Array.from({ length: 40 }, (_, nth): Source => {
    return { kind: "todolists", projectId: projectId(nth + 1) };
  });
  for (const source of lookUps) sources.put(source, null);
  polls(70);
  for (const name of sources.ofKind("todolists").map((one) => one.name)) {
    const begin = sources.begin(name);
    sources.end(begin, { kind: "read", notBefore: clock().add({ seconds: 100 }) });
  }
  sleep(100);
  const asked = polls(320);
  const places = asked.flatMap((name, nth) => (name?.startsWith("todolists") ? [nth] : []));
  expect(places).toHaveLength(40);
  for (const [nth, place] of places.entries()) expect(place).toBeGreaterThanOrEqual(8 * nth);
});

it("a hint makes a source worth polling soon", () => {
  const { polls, schedule } = rig(200);
  polls(600);
  const quiet = polls(5);
  const name = quiet[0] ?? "";
  schedule.hint(name, 1);
  expect(polls(3)).toContain(name);
  schedule.hint("tasks:404", 1);
  expect(polls(3)).not.toContain("tasks:404");
});

describe("a new job", () => {
  it("is polled once at once, and again when it is worth it", async () => {
    const { polls, schedule } = rig(4);
    polls(4);
    const ran: string[] = [];
    const outcome: JobOutcome = { kind: "read", revealed: { at: begun, changes: [], shown: [] } };
    const run = () => {
      ran.push("page");
      return Promise.resolve(outcome);
    };
    schedule.putJob({ key: "page", weight: 1, cost: 1, run });
    const next = schedule.next();
    if (next.kind !== "job") throw new Error("the job is not asked");
    await next.run(never);
    expect(ran).toEqual(["page"]);
    // A poll of a missing source is null here, and lasts for ever.
    expect(counted(polls(30)).get("")).toBe(1);
    schedule.dropJob("page");
    expect(polls(20)).not.toContain(null);
  });

  it.each(["was dropped and is back", "is the next process"])(
    "keeps its beliefs where it %s",
    async (which) => {
      const { schedule, sleep, clock, restarted } = rig(0);
      const names = Array.from({ length: 10 }, (_, nth) => `page ${nth}`);
      /** The sources that a schedule polls; of a busy one only the first page changes. */
      const asked = async (by: PollSchedule, count: number, isBusy: boolean) => {
        const order: string[] = [];
        let due: Temporal.Instant[] = [];
        for (const key of names) {
          const run = (): Promise<JobOutcome> => {
            order.push(key);
            const changes = key === names[0] ? due : [];
            if (key === names[0]) due = [];
            return Promise.resolve({ kind: "read", revealed: { at: clock(), changes, shown: [] } });
          };
          by.putJob({ key, weight: 1, cost: 1, run });
        }
        while (order.length < count) {
          sleep(1);
          if (isBusy && order.length % 150 === 0) due = [clock()];
          const next = by.next();
          if (next.kind === "job") await next.run(never);
        }
        for (const key of names) by.dropJob(key);
        return order;
      };
      await asked(schedule, 7200, true);
      const later = await asked(
        which === "is the next process" ? restarted() : schedule,
        100,
        false,
      );
      expect(new Set(later.slice(0, 10)).size).toBe(10);
      expect(later.slice(10).filter((key) => key === names[0]).length).toBeGreaterThan(10);
    },
  );

  it("is tried again after a rest if it failed", async () => {
    const { polls, schedule, sleep, clock } = rig(2);
    polls(2);
    let tries = 0;
    const run = () => {
      tries += 1;
      return Promise.resolve<JobOutcome>({
        kind: "failed",
        notBefore: clock().add({ seconds: 30 }),
      });
    };
    schedule.putJob({ key: "page", weight: 1, cost: 1, run });
    for (let second = 0; second < 100; second += 1) {
      const next = schedule.next();
      if (next.kind === "job") await next.run(never);
      sleep(1);
    }
    expect(tries).toBe(4);
  });
});

it("an audited list gets one poll of 16, in turn", async () => {
  const { schedule, sources, polls, sleep, clock } = rig(120);
  polls(120);
  schedule.putJob({
    key: "pages",
    weight: 1,
    cost: 1,
    run: () => Promise.resolve({ kind: "read", revealed: { at: clock(), changes: [], shown: [] } }),
  });
  const mixed = async (count: number): Promise<readonly string[]> => {
    const names: string[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      sleep(1);
      const next = schedule.next();
      if (next.kind === "job") await next.run(never);
      if (next.kind !== "source") continue;
      const begin = sources.begin(next.name);
      schedule.read(next.name, { at: begin.attemptedAt, changes: [] });
      sources.end(begin, { kind: "read", notBefore: null });
      names.push(next.name);
    }
    return names;
  };
  schedule.leaveToAudit(true);
  await mixed(20);
  const left = await mixed(160);
  expect(left).toHaveLength(10);
  expect(new Set(left).size).toBe(10);

  sources.hurry("tasks:7");
  expect(await mixed(2)).toContain("tasks:7");
  schedule.dropJob("pages");
  schedule.leaveToAudit(false);
  const again = await mixed(300);
  expect(again).toHaveLength(300);
  expect(new Set(again).size).toBe(120);
});

describe("timesOf()", () => {
  const at = (seconds: number) => begun.add({ seconds });
  const from = begun.epochMilliseconds / 1000;
  const told = [at(70), at(20), at(-300), null];

  it.each([
    ["agree", 0, [20, 62.5, 70, 87.5]],
    ["are a minute apart", 60, [12.5, 62.5, 80, 87.5]],
  ])("keeps times right when both clocks %s", (_name, lead, expected) => {
    const times = timesOf(told, { from, to: from + 100, lead });
    expect(times.map((time) => time - from)).toEqual(expected);
  });
});
