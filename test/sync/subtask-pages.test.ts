import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AllTasksManner } from "@dayferry/sandbox";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/store/store.ts";
import { install, serve } from "../support/dayferry.ts";
import { isThorough, rows } from "../support/effort.ts";
import { eventually } from "../support/eventually.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";
import { shortBudget } from "./support/short-budget.ts";
import { roomy, runUntil, type Stage, type StageOptions, stage } from "./support/stage.ts";
import { viewInventory, workspaceInventory } from "./support/workspace.ts";

/** Just large enough for pages to be worth it: some 150 tasks have subtasks. */
const counts = {
  ...{ projects: 4, todolists: 28, tasks: 185, eventsPerProject: 1 },
  parents: 0.85,
} as const;

/** Pages come one after the other. */
const slow = { requests: 10, perMs: 250 } as const;

const world = (options: StageOptions = {}) =>
  stage({ size: "s", counts, quota: roomy, ...options });

const pagesIn = (asked: readonly string[]) => asked.filter((path) => path.endsWith("/alltodo"));
/** Each once: on a busy machine a request may time out and be repeated. */
const belowTasks = (asked: readonly string[]) => [
  ...new Set(asked.filter((path) => path.endsWith("/subtasks"))),
];

const parents = ({ store }: Stage) =>
  store.sources.all().filter(({ source }) => source.kind === "subtasks");

type Row = Readonly<Record<string, unknown>>;

/** Changes what pages show of some elements. */
function lie(it: Stage, change: (row: Row) => Row): void {
  const transform = (json: unknown) =>
    typeof json === "object" && json !== null && "todos" in json && Array.isArray(json.todos)
      ? { ...json, todos: json.todos.map(change) }
      : json;
  it.sandbox.faults.add({ kind: "transform", path: /alltodo$/, transform, times: 1000 });
}

const isSubtask = (row: Row) => !("sub_tasks" in row);

describe("a first sync from pages", () => {
  it("reads few lists of subtasks, and knows everything", async () => {
    const it = await world();
    const { failures, added } = await it.sweep();
    const asked = it.asked();
    expect(failures).toEqual([]);
    expect(added).toBe(workspaceInventory(it).length);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
    // Those of the first lists, read before the number of lists was known, and twelve to compare.
    expect(belowTasks(asked).length).toBeLessThan(40);
    expect(pagesIn(asked).length).toBeLessThan(13);
    expect(it.sync.ready).toBe(true);
    expect(parents(it).length).toBeGreaterThan(100);
    expect(parents(it).filter(({ succeededAt }) => succeededAt === null)).toEqual([]);
  });

  it.runIf(isThorough)("applies one task at a time if others wait", async () => {
    const known: number[] = [];
    const it = await world({
      eventLoop: shortBudget(() => void known.push(it.store.mirror.counts().subtask)),
    });
    await it.sweep();
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
    // Of some 130 tasks; thirty at once would be seen five times.
    expect(new Set(known).size).toBeGreaterThan(parents(it).length / 2);
  });

  it.runIf(isThorough)("continues with polling, which reads the lists as usual", async () => {
    const it = await world({ allTasks: {} });
    await it.sweep();
    it.asked();
    it.sandbox.faults.add({ kind: "status", status: 404, path: /alltodo$/, times: 1000 });
    const read = () => new Set(belowTasks(it.sandbox.requests.entries().map(({ path }) => path)));
    await runUntil(it, () => read().size === parents(it).length);
    expect(it.sync.caughtUp).toBe(true);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  const strange: readonly (readonly [string, AllTasksManner])[] = [
    ["their order changes", { order: "unstable" }],
    ["start is ignored", { ignores: ["start"] }],
    ["some tasks are hidden", { leavesOut: "some" }],
    ["the total is that of the page", { total: "page" }],
    ["elements come twice", { repeats: true }],
  ];

  it.runIf(isThorough).each(strange)(
    "knows everything, and nothing else, if %s",
    async (_, allTasks) => {
      const it = await world({ allTasks });
      const { failures } = await it.sweep();
      expect(failures).toEqual([]);
      expect(viewInventory(it)).toEqual(workspaceInventory(it));
      expect(it.sync.ready).toBe(true);
    },
  );

  it.runIf(isThorough).each([
    ["titles are others", (row: Row) => (isSubtask(row) ? { ...row, title: "Never so" } : row)],
    ["tasks are in other states", (row: Row) => (isSubtask(row) ? row : { ...row, title: "No" })],
    [
      "dates are left out",
      (row: Row) => ({ ...row, start_date: undefined, description: undefined }),
    ],
    [
      "they belong below another task",
      (row: Row) => ("task" in row ? { ...row, task: { id: 1 } } : row),
    ],
  ])("ignores the pages if %s there", async (_, change) => {
    const it = await world();
    lie(it, change);
    await it.sweep();
    expect(belowTasks(it.asked())).toHaveLength(parents(it).length);
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it.each(
    rows(
      [
        ["404", { kind: "status", status: 404 }],
        ["a page of HTML", { kind: "html" }],
      ] as const,
      2,
    ),
  )("asks for one page only if %s answers", async (_, fault) => {
    const it = await world();
    it.sandbox.faults.add({ ...fault, path: /alltodo$/, times: 1000 });
    await it.sweep();
    const asked = it.asked();
    expect(pagesIn(asked)).toHaveLength(1);
    expect(belowTasks(asked)).toHaveLength(parents(it).length);
  });

  it("reads the lists of what changed between lists and pages", async () => {
    const it = await world();
    const { tasks, subtasks } = it.sandbox.workspace;
    let isChanged = false;
    const transform = (json: unknown) => {
      // The first page is answered; what follows shows the further course.
      if (isChanged) return json;
      isChanged = true;
      for (const { project, lists } of it.sandbox.workspace.places()) {
        const list = lists[0] ?? 0;
        const place = { by: it.by, project, list };
        const some = tasks.list(place).filter(({ sub_tasks }) => sub_tasks > 1);
        for (const { id } of some.slice(0, 2)) {
          const [child] = subtasks.list({ ...place, task: id });
          subtasks.remove({ ...place, task: id, subtask: child?.id ?? 0 });
          subtasks.create({ ...place, task: id }, { title: "A child of late" });
        }
      }
      return json;
    };
    it.sandbox.faults.add({ kind: "transform", path: /alltodo$/, transform, times: 1 });
    await it.sweep();
    expect(viewInventory(it).filter((line) => line.includes("A child of late"))).not.toEqual([]);
    await it.sweep();
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });
});

/** Pages by their request, each as often as it was requested and answered. */
const answeredPages = ({ sandbox }: Stage) =>
  sandbox.requests
    .entries()
    .filter(({ path, status }) => path.endsWith("/alltodo") && status === 200)
    .map(({ query }) => query);

/** Sweeps until so many pages were kept, or so many lists of subtasks were taken from them, and is cut off there. */
async function cut(
  it: Stage,
  { at, what }: { readonly at: number; readonly what: "page" | "list" },
) {
  const stop = new AbortController();
  const { store } = it;
  let seen = 0;
  const see = () => {
    seen += 1;
    if (seen === at) stop.abort();
  };
  const watched: Store = {
    ...store,
    pageReadings: {
      ...store.pageReadings,
      putPage(page) {
        store.pageReadings.putPage(page);
        if (what === "page") see();
      },
    },
    sources: {
      ...store.sources,
      succeeded(source, read) {
        store.sources.succeeded(source, read);
        const isTaken = source.kind === "subtasks" && answeredPages(it).length > 0;
        if (what === "list" && isTaken) see();
      },
    },
  };
  const here = it.again({ store: watched });
  await here.sync.sweep({ signal: stop.signal });
  expect(here.sync.ready).toBe(false);
}

describe("an interrupted first sync", () => {
  it.each(
    rows(
      [
        { what: "page", at: 1 },
        { what: "page", at: 6 },
        { what: "list", at: 40 },
      ] as const,
      3,
    ),
  )("at $what $at continues with the pages it has", async (point) => {
    const it = await world();
    await cut(it, point);
    const kept = it.store.pageReadings.numbers().length;
    expect(kept).toBeGreaterThanOrEqual(point.what === "page" ? point.at : 6);
    const before = new Set(it.asked().filter((path) => !path.endsWith("/alltodo")));
    const next = it.again();
    await next.sweep();
    const pages = answeredPages(it);
    const asked = it.asked();
    const count = Math.ceil(totalOf(it) / 100);
    // One is requested for the total when none is left.
    expect(pages).toHaveLength(Math.max(1, count - kept));
    expect(asked.filter((path) => before.has(path))).toEqual([]);
    expect(belowTasks(asked).length).toBeLessThan(5);
    expect(viewInventory(next)).toEqual(workspaceInventory(next));
    expect(next.sync.ready).toBe(true);
    expect(it.store.pageReadings.get()).toBeNull();
  });

  it.runIf(isThorough)(
    "at many points never repeats a page, except one for the total",
    async () => {
      const it = await world();
      let kept: readonly number[] = [];
      const noneAgain = () => {
        const asked = answeredPages(it).map((query) =>
          Math.floor(Number(new URLSearchParams(query).get("start")) / 100),
        );
        const isTotalLeft = kept.length === Math.ceil(totalOf(it) / 100);
        const again = asked.filter((page) => kept.includes(page));
        expect(again).toHaveLength(isTotalLeft ? 1 : 0);
        kept = it.store.pageReadings.numbers();
        it.asked();
      };
      const points = [
        { what: "page", at: 1 },
        { what: "page", at: 1 },
        { what: "page", at: 3 },
        { what: "list", at: 1 },
        { what: "list", at: 31 },
      ] as const;
      for (const point of points) {
        await cut(it, point);
        noneAgain();
      }
      const next = it.again();
      await next.sweep();
      noneAgain();
      expect(viewInventory(next)).toEqual(workspaceInventory(next));
    },
  );

  it.each(
    rows(
      [
        ["something went", "remove"],
        ["one went and another came", "both"],
      ] as const,
      2,
    ),
  )("knows everything, and nothing else, if %s meanwhile", async (_, change) => {
    const it = await world();
    await cut(it, { what: "page", at: 4 });
    const { tasks, subtasks } = it.sandbox.workspace;
    for (const { project, lists } of it.sandbox.workspace.places()) {
      const place = { by: it.by, project, list: lists[0] ?? 0 };
      const some = tasks.list(place).filter(({ sub_tasks }) => sub_tasks > 1);
      for (const { id } of some.slice(0, 2)) {
        const [child] = subtasks.list({ ...place, task: id });
        subtasks.remove({ ...place, task: id, subtask: child?.id ?? 0 });
        if (change !== "remove")
          subtasks.create({ ...place, task: id }, { title: "A child of late" });
      }
    }
    const next = it.again();
    await next.sweep();
    expect(next.sync.ready).toBe(true);
    // As after earlier readings of lists: the next reading shows changes since.
    const { failures } = await next.sweep();
    expect(failures).toEqual([]);
    expect(viewInventory(next)).toEqual(workspaceInventory(next));
  });

  it.runIf(isThorough)("reads pages again if the kept ones are damaged", async () => {
    const it = await world();
    await cut(it, { what: "page", at: 4 });
    const { pageReadings } = it.store;
    const broken: Store = { ...it.store, pageReadings: { ...pageReadings, page: () => null } };
    const next = it.again({ store: broken });
    await next.sweep();
    expect(viewInventory(next)).toEqual(workspaceInventory(next));
    expect(belowTasks(it.asked()).length).toBeLessThan(45);
  });

  it.runIf(isThorough)("by SIGKILL continues in the next process", async () => {
    const sandbox = await testSandbox({ size: "s", seed: 7, counts, quota: slow });
    onTestFinished(() => sandbox.close());
    const per = `PT${slow.perMs / 1000}S`;
    const place = install(sandbox, { service: { quota: { requests: slow.requests, per } } });
    onTestFinished(place.dispose);
    const pages = () =>
      sandbox.requests.entries().filter(({ path }) => path.endsWith("/alltodo")).length;
    const first = await serve(place, { ready: false });
    await eventually("some pages were read", () => (pages() > 3 ? true : null));
    await first.stop("SIGKILL");
    const next = await serve(place);
    const asked = sandbox.requests.entries().map(({ path }) => path);
    await next.stop();
    const store = openStore({
      file: join(place.dataDir, "dayferry.sqlite"),
      migrations: "migrations",
      zone: "Europe/Berlin",
      clock: () => Temporal.Now.instant(),
      randomId: randomUUID,
    });
    onTestFinished(() => store.close());
    const by = ownerOf(sandbox);
    expect(viewInventory({ store, sandbox })).toEqual(workspaceInventory({ sandbox, by }));
    expect(belowTasks(asked).length).toBeLessThan(45);
  });
});

/** How many tasks and subtasks there are. */
const totalOf = (it: Stage): number =>
  workspaceInventory(it).filter((line) => !line.startsWith("event ")).length;
