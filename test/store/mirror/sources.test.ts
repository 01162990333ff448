import { describe, expect, it } from "vitest";
import { listId, projectId, serviceId } from "../../../src/domain/ids.ts";
import type { Source } from "../../../src/domain/source.ts";
import { anEvent, aProject, aTask } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

const project = projectId(2001);
const tasks = (list: number): Source => ({
  kind: "tasks",
  projectId: project,
  listId: listId(list),
});
const subtasks: Source = {
  kind: "subtasks",
  projectId: project,
  listId: listId(3001),
  taskId: serviceId(5),
};

describe("sources", () => {
  it("put() keeps the history of sources that stay", () => {
    const { store, clock } = storeRig();
    const { sources } = store;
    sources.put([tasks(3001), tasks(3002)]);
    sources.put([{ kind: "events", projectId: project }, { kind: "projects" }, subtasks]);
    sources.attempted(tasks(3001), clock());
    sources.succeeded(tasks(3001), { items: 7, gaps: null });
    sources.put([tasks(3001), tasks(3003)]);
    sources.drop(["tasks:3002", "tasks:3999"]);
    expect(
      sources
        .all()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["events:2001", "projects", "subtasks:5", "tasks:3001", "tasks:3003"]);
    const [kept] = sources.all().filter(({ name }) => name === "tasks:3001");
    expect(kept).toEqual({
      name: "tasks:3001",
      source: tasks(3001),
      attemptedAt: clock(),
      succeededAt: clock(),
      failure: null,
      failures: 0,
      items: 7,
      refusedAt: null,
      round: null,
    });
    expect(sources.all().find(({ name }) => name === "subtasks:5")?.source).toEqual(subtasks);
  });

  it("ages() and failing() tell read and refused sources apart", () => {
    const { store, clock } = storeRig();
    const { sources } = store;
    sources.put([tasks(3001), tasks(3002), tasks(3003), { kind: "events", projectId: project }]);
    const first = clock();
    sources.succeeded(tasks(3001), { items: 7, gaps: null });
    clock.advance({ minutes: 5 });
    sources.succeeded(tasks(3002), { items: 7, gaps: null });
    sources.failed({ kind: "events", projectId: project }, "403");
    const ages = Object.fromEntries(sources.ages().map(({ kind, ...rest }) => [kind, rest]));
    expect(ages).toEqual({
      events: { sources: 1, never: 1, newest: null, oldest: null },
      tasks: { sources: 3, never: 1, newest: clock(), oldest: first },
    });
    expect(sources.failing()).toMatchObject([
      { name: "events:2001", kind: "events", failure: "403" },
    ]);
    expect(sources.projectsNeverRead()).toBe(1);
    store.directory.putProjects([aProject(project, "Website")], true);
    store.rounds.projectRead(project);
    expect(sources.projectsNeverRead()).toBe(0);
  });

  it("failed() counts failed polls until one succeeds", () => {
    const { store } = storeRig();
    const { sources } = store;
    sources.put([tasks(3001)]);
    sources.failed(tasks(3001), "403");
    sources.failed(tasks(3001), "500");
    expect(sources.all()).toMatchObject([{ failure: "500", failures: 2, succeededAt: null }]);
    sources.succeeded(tasks(3001), { items: 0, gaps: null });
    expect(sources.all()).toMatchObject([{ failure: null, failures: 0 }]);
  });

  it("refused() notes since when polls are refused, until one ends otherwise", () => {
    const { store, clock } = storeRig();
    const { sources } = store;
    sources.put([tasks(3001)]);
    const since = clock();
    sources.refused(tasks(3001), "403");
    clock.advance({ minutes: 1 });
    sources.refused(tasks(3001), "404");
    expect(sources.all()).toMatchObject([{ failure: "404", failures: 2, refusedAt: since }]);
    sources.failed(tasks(3001), "503");
    expect(sources.all()).toMatchObject([{ failure: "503", failures: 3, refusedAt: null }]);
    sources.refused(tasks(3001), "403");
    expect(sources.all()).toMatchObject([{ refusedAt: clock() }]);
    sources.succeeded(tasks(3001), { items: 0, gaps: null });
    expect(sources.all()).toMatchObject([{ failure: null, refusedAt: null }]);
  });
});

describe("absences", () => {
  it("notice() follows items missed twice, confirmed or withdrawn", () => {
    const { store, put, clock } = storeRig();
    const [a, b] = [put(aTask(1)), put(aTask(2))];
    const noticedAt = clock();
    store.absences.notice(a, "tasks:3001");
    store.absences.notice(b, "tasks:3001");
    clock.advance({ minutes: 1 });
    store.absences.notice(a, "tasks:3001");
    store.absences.confirm(a);
    expect(store.absences.all()).toEqual([
      { item: a, source: "tasks:3001", noticedAt, confirmedAt: clock() },
      { item: b, source: "tasks:3001", noticedAt, confirmedAt: null },
    ]);
    store.absences.withdraw([b]);
    expect(store.absences.all().map(({ item }) => item)).toEqual([a]);
  });

  it("put() and bury() settle the question when a missing item is seen again, or is gone", () => {
    const { store, put } = storeRig();
    const [a, b] = [put(aTask(1)), put(aTask(2))];
    store.absences.notice(a, "tasks:3001");
    store.absences.notice(b, "tasks:3001");
    put(aTask(1));
    store.mirror.bury(b);
    expect(store.absences.all()).toEqual([]);
  });
});

it("brakes.set() keeps a person's question a single one", () => {
  const { store, clock } = storeRig();
  const { brakes } = store;
  brakes.set("events:2001", { missing: 60, total: 100, needsPerson: true });
  brakes.set("events:2001", { missing: 30, total: 100, needsPerson: false });
  expect(brakes.all()).toEqual([
    {
      source: "events:2001",
      heldAt: clock(),
      missing: 30,
      total: 100,
      needsPerson: true,
      releasedAt: null,
    },
  ]);
  expect(brakes.release("events:2001")).toBe(true);
  expect(brakes.release("events:2001")).toBe(false);
  expect(brakes.release("events:9")).toBe(false);
  expect(brakes.all()[0]?.releasedAt).toEqual(clock());
  brakes.lift("events:2001");
  expect(brakes.all()).toEqual([]);
});

describe("mirror", () => {
  it("contents() and ofSource() give the items of each source", () => {
    const { store, put } = storeRig();
    const event = put(anEvent(1));
    put(aTask(1));
    put(aTask(2, { kind: "subtask", parentId: serviceId(1) }));
    expect(store.mirror.counts()).toEqual({ event: 1, task: 1, subtask: 1 });
    expect([...store.mirror.contents("events:2001").keys()]).toEqual([1]);
    expect(store.mirror.contents("events:2001").get(serviceId(1))?.key).toBe(event);
    expect(store.mirror.ofSource("subtasks:1").map(({ item }) => item.title)).toEqual(["Task 2"]);
    expect(store.mirror.ofSource("events:2001")).toMatchObject([
      { key: event, source: "events:2001", item: anEvent(1) },
    ]);
  });

  it("put() moves an item that appears in another source with the same content", () => {
    const { store, put } = storeRig();
    const key = put(anEvent(1));
    const latest = store.changes.latest();
    expect(store.mirror.put(anEvent(1), "elsewhere")).toBe("changed");
    expect(store.mirror.get(key)?.source).toBe("elsewhere");
    expect(store.changes.latest()).toBe(latest);
  });

  it("find…() give nothing when nothing is known", () => {
    const { store } = storeRig();
    expect(store.mirror.find("event", serviceId(1))).toBeNull();
    expect(store.mirror.findUid("x")).toBeNull();
  });

  it("adopt() does nothing when the item already has the id", () => {
    const { store, put } = storeRig();
    const key = put(anEvent(1));
    const latest = store.changes.latest();
    store.mirror.adopt(key, serviceId(1));
    expect(store.changes.latest()).toBe(latest);
    expect(store.mirror.findUid(store.mirror.identity(key).uid)?.item).toBe(key);
  });

  it("findUid() finds the item that took over a UID, also after that item has moved on", () => {
    const { store, put } = storeRig();
    const made = store.mirror.createIdentity("event", "party@example.com");
    const uids = [5, 6].map((id) => {
      const seen = put(anEvent(id));
      const { uid } = store.mirror.identity(seen);
      store.mirror.adopt(made, serviceId(id));
      return uid;
    });
    store.mirror.adopt(made, serviceId(7));
    for (const uid of uids) expect(store.mirror.findUid(uid)?.item).toBe(made);
    const back = put(anEvent(5));
    expect(store.mirror.findUid(uids[0] ?? "")?.item).toBe(back);
  });
});
