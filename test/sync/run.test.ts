import { describe, expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { requestClock } from "./support/request-clock.ts";
import { smallWorld } from "./support/small-world.ts";
import { roomy, runUntil, stage, until } from "./support/stage.ts";
import {
  addTask,
  placeAt,
  shownTitles,
  viewInventory,
  workspaceInventory,
} from "./support/workspace.ts";

describe("polling", () => {
  it("brings everything first, then every change", async () => {
    const world = await smallWorld();
    const it = world.it;
    const { place, task, other, children, event } = world;
    const equal = () =>
      JSON.stringify(viewInventory(it)) === JSON.stringify(workspaceInventory(it));
    await runUntil(it, equal);
    expect(it.sync.ready).toBe(true);

    addTask(it, placeAt(it, 1, 1), { title: "Added" });
    world.events.remove({ ...place, event });
    world.tasks.remove({ ...place, task: other });
    const subtask = children[0] ?? 0;
    world.subtasks.update({ ...place, task, subtask }, { title: "Changed below" });
    await runUntil(it, equal);
    expect(it.sandbox.requests.entries().filter(({ status }) => status === 429)).toEqual([]);
  });

  it("does not reread many sources before others were read once", async () => {
    const it = await stage({
      size: "s",
      counts: { tasks: 100, eventsPerProject: 2 },
      quota: roomy,
    });
    it.sandbox.faults.add({ kind: "hang-before", path: /\/subtasks$/, times: 1 });
    it.sandbox.faults.add({ kind: "delay", ms: 20, path: /./, times: 10_000 });
    const unanswered: number[] = [];
    await runUntil(it, () => {
      const requests = it.sandbox.requests.entries();
      const first = new Set(new Map(requests.toReversed().map((one) => [one.path, one])).values());
      const again = requests.filter((one) => !first.has(one));
      unanswered.push(again.filter(({ status }) => status === null).length);
      return again.length > 300;
    });
    expect(Math.max(...unanswered)).toBeLessThanOrEqual(6);
  });

  it("reads lookups rarely, labels less often, and leaves nobody out", async () => {
    const clock = requestClock({ milliseconds: 400 });
    const { now } = clock;
    // Recently changed sources would be requested more often.
    const { it } = await smallWorld({ now, clock: now }, () => clock.skip({ hours: 96 }));
    clock.follow(it);
    it.asked();
    const counts = new Map<string, number>();
    await runUntil(it, () => it.sandbox.requests.entries().length > 150);
    for (const path of it.asked()) counts.set(path, (counts.get(path) ?? 0) + 1);
    const lookUps = [...counts.keys()].filter((path) =>
      /\/(projects|people|todolists)$/.test(path),
    );
    expect(lookUps).toEqual([]);
    expect(counts.size).toBe(1 + 2 + 4 + 1);
    const labels = counts.get("GET /api/v3/labels") ?? 0;
    counts.delete("GET /api/v3/labels");
    const polls = [...counts.values()];
    expect(labels).toBeLessThan(Math.max(...polls));
    expect(Math.max(...polls)).toBeLessThan(2 * Math.min(...polls));
  });

  it("reads lookups three times within maxAge", async () => {
    // Each request takes as long as the service's quota allows.
    const clock = requestClock({ milliseconds: 400 });
    const { now } = clock;
    const it = await stage({ quota: roomy, maxAge: Temporal.Duration.from({ seconds: 90 }), now });
    await it.sweep();
    clock.follow(it);
    it.asked();
    await runUntil(it, () => it.sandbox.requests.entries().length >= 225);
    const people = it.asked().filter((path) => path.endsWith("/people")).length;
    expect(people).toBeGreaterThanOrEqual(2);
    expect(people).toBeLessThanOrEqual(4);
  });

  it("reads a hurried source at once, and again if it was being read", async () => {
    const it = await stage({ size: "s" });
    await it.sweep();
    const { project } = placeAt(it, 0);
    it.asked();
    it.sync.hurry(`events:${project}`);
    it.sync.hurry("events:404404");
    await runUntil(it, () => it.sandbox.requests.entries().length > 10);
    const position = it.asked().findIndex((path) => path.endsWith(`/${project}/events`));
    expect(position).toBeGreaterThanOrEqual(0);
    expect(position).toBeLessThan(6);
  });

  it("reads an unknown person named by an item, at most once a minute", async () => {
    let tasks = 0;
    let ahead = Temporal.Duration.from({ seconds: 0 });
    const it = await stage({ quota: roomy, now: () => Temporal.Now.instant().add(ahead) });
    const place = placeAt(it, 0);
    await it.sweep();
    for (const [minutes, looked] of [
      [0, 0],
      [2, 1],
      [2, 0],
    ] as const) {
      ahead = Temporal.Duration.from({ minutes });
      it.asked();
      const title = `Task ${++tasks}`;
      addTask(it, place, { title });
      const path = new RegExp(`/${place.list}/tasks$`);
      const transform = (json: unknown) =>
        Array.isArray(json) ? json.map((one) => ({ ...one, assigned: [909_090] })) : json;
      it.sandbox.faults.add({ kind: "transform", path, transform, times: 1000 });
      const shown = () => shownTitles(it, projectId(place.project)).includes(title);
      await runUntil(it, () => shown() && it.sandbox.requests.entries().length > 60);
      expect(it.asked().filter((asked) => asked.endsWith("/people"))).toHaveLength(looked);
    }
  });

  it("waits without requests if everything rests, and ends at once on request", async () => {
    const it = await stage({ size: "empty", discovery: false });
    it.sandbox.faults.add({ kind: "status", status: 403, path: /labels/, times: 99 });
    const stop = new AbortController();
    const running = it.sync.run(stop.signal);
    await until(() => it.sandbox.requests.entries().length >= 3);
    stop.abort();
    await running;
    expect(it.asked()).toHaveLength(3);
    expect(it.sync.ready).toBe(false);
  });
});
