import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import { eventually, untilHung } from "../support/eventually.ts";
import { manyLists, roomy, type Stage, stage } from "./support/stage.ts";
import {
  addEvent,
  addTask,
  placeAt,
  viewInventory,
  workspaceInventory,
} from "./support/workspace.ts";

/** Requests of a sweep that wastes none: three for the account, two per project, one per list and per parent. */
function fewest({ sandbox: { workspace }, by }: Stage): number {
  const places = workspace.places();
  const lists = places.flatMap(({ project, lists }) =>
    lists.map((list) => workspace.tasks.list({ by, project, list })),
  );
  const parents = lists.flat().filter(({ sub_tasks }) => sub_tasks > 0);
  return 3 + 2 * places.length + lists.length + parents.length;
}

describe("a sweep", () => {
  it("makes the mirror equal to the workspace, with the fewest requests and no 429", async () => {
    const it = await stage({ size: "s" });
    expect(it.sync.ready).toBe(false);
    const summary = await it.sweep();
    const requests = it.sandbox.requests.entries();
    expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
    expect(requests).toHaveLength(fewest(it));
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
    const { added, changed, buried, held, failures } = summary;
    expect({ added, changed, buried, held, failures }).toEqual({
      added: workspaceInventory(it).length,
      changed: 0,
      buried: 0,
      held: 0,
      failures: [],
    });
    expect(summary.requests).toBe(requests.length);
    expect(it.sync.ready).toBe(true);
    expect(it.store.directory.people().length).toBeGreaterThan(3);
    expect(it.store.directory.labels()).toHaveLength(5);
  });

  it("reads everything after the call, including what another sweep had read before it", async () => {
    const here = await stage({ size: "empty", quota: roomy });
    here.sandbox.faults.add({ kind: "delay", ms: 300, path: /\/tasks$/ });
    const first = here.sweep();
    const { requests } = here.sandbox;
    await eventually("events were read, and a list is still awaited", () => {
      const paths = requests.entries().filter(({ status }) => status !== null);
      return paths.filter(({ path }) => path.endsWith("/events")).length >= 2 ? true : null;
    });
    const event = addEvent(here, placeAt(here, 0), { title: "Entered meanwhile" });
    await here.sweep();
    await first;
    expect(here.store.mirror.find("event", serviceId(event))).not.toBeNull();
  });

  it("reads a source again whose poll began before the call", async () => {
    const here = await stage({ size: "empty", quota: roomy });
    await here.sweep();
    here.asked();
    const { project } = placeAt(here, 0);
    here.sandbox.faults.add({ kind: "delay", ms: 300, path: new RegExp(`/${project}/events$`) });
    const stop = new AbortController();
    const running = here.sync.run(stop.signal);
    await eventually("the events are being read", () => {
      const entries = here.sandbox.requests.entries();
      return entries.some(({ path }) => path.endsWith(`/${project}/events`)) ? true : null;
    });
    const event = addEvent(here, placeAt(here, 0), { title: "Entered meanwhile" });
    await here.sweep();
    expect(here.store.mirror.find("event", serviceId(event))).not.toBeNull();
    stop.abort();
    await running;
  });

  it("reads lookups, labels, events and tasks before subtasks if nothing is known", async () => {
    const it = await stage({ size: "s" });
    await it.sweep();
    const paths = it.asked();
    const first = (pattern: RegExp) => paths.findIndex((path) => pattern.test(path));
    expect(first(/\/projects$/)).toBe(0);
    expect(first(/\/labels$/)).toBeLessThan(first(/\/events$/));
    // Simultaneous requests may arrive in any order.
    expect(paths.findLastIndex((path) => path.endsWith("/events"))).toBeLessThan(25);
    expect(paths.findLastIndex((path) => path.endsWith("/tasks"))).toBeLessThan(25);
    expect(first(/\/subtasks$/)).toBeGreaterThan(first(/\/tasks$/));
  });

  it("writes no rows if nothing has changed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sync-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "dayferry.sqlite");
    const it = await stage({ size: "s", file });
    await it.sweep();
    // The second one records, permanently, that everything was read.
    await it.sweep();
    const audit = watchWrites(file, ["rounds", "sources", "beliefs", "common_beliefs"]);
    it.asked();
    const summary = await it.sweep();
    expect(summary).toMatchObject({ added: 0, changed: 0, buried: 0 });
    expect(summary.unchanged).toBe(workspaceInventory(it).length);
    expect(it.asked()).toHaveLength(fewest(it));
    expect(audit()).toEqual([]);
  });

  it("reports its progress", async () => {
    const it = await stage(manyLists);
    const seen: { done: number; total: number; remaining: number }[] = [];
    await it.sync.sweep({
      signal: untilHung(),
      onProgress: ({ done, total, remaining }) =>
        void seen.push({ done, total, remaining: remaining.total("seconds") }),
    });
    expect(seen).toHaveLength(fewest(it));
    expect(seen.map(({ done }) => done)).toEqual(seen.map((_, index) => index + 1));
    expect(seen.at(-1)).toEqual({ done: fewest(it), total: fewest(it), remaining: 0 });
    expect(Math.max(...seen.map(({ remaining }) => remaining))).toBeGreaterThanOrEqual(10);
  });
});

describe("a configured scope", () => {
  const scopeOf = (it: Stage, name: string | null) => {
    const { project, list } = placeAt(it, 0);
    return {
      projects: [{ id: projectId(project), name, todolists: [listId(list)] }],
      people: [{ id: personId(9001), name: "Ana", email: null, timeZone: null, suspended: false }],
      discoverPeople: false,
    };
  };

  it("needs no lookup if the service has none", async () => {
    const base = await stage({ size: "empty", discovery: false });
    const place = placeAt(base, 0);
    addEvent(base, place);
    addTask(base, place, { title: "Alone" });
    const it = base.again({ scope: scopeOf(base, "Website") });
    const summary = await it.sweep();
    expect(summary).toMatchObject({ added: 2, failures: [] });
    expect(it.asked().toSorted()).toEqual([
      "GET /api/v3/labels",
      `GET /api/v3/projects/${place.project}/events`,
      `GET /api/v3/projects/${place.project}/todolists/${place.list}/tasks`,
    ]);
    expect(it.sync.ready).toBe(true);
    expect(it.store.directory.projects().map(({ title }) => title)).toEqual(["Website"]);
    expect(it.store.directory.todolists().map(({ title }) => title)).toEqual([
      `List ${place.list}`,
    ]);
    expect(it.store.directory.people().map(({ name }) => name)).toEqual(["Ana"]);
  });

  it("takes names from the service, or a placeholder if there are none", async () => {
    for (const discovery of [true, false]) {
      const base = await stage({ size: "empty", discovery });
      const it = base.again({ scope: scopeOf(base, null) });
      expect((await it.sweep()).failures).toEqual([]);
      const title = it.store.directory.projects()[0]?.title;
      expect(title).toBe(discovery ? "Blank project" : `Project ${placeAt(it, 0).project}`);
      expect(it.store.directory.projects()).toHaveLength(1);
      expect(it.sync.ready).toBe(true);
    }
  });

  it("overrides discovered people by ID, and keeps names that a list omits", async () => {
    const base = await stage({ size: "empty" });
    const [ana, ben] = base.sandbox.workspace.people();
    if (!ana || !ben) throw new Error("the sandbox has no people");
    const listed = (id: number, name: string, email: string | null) => {
      return { id: personId(id), name, email, timeZone: "Asia/Tokyo", suspended: false };
    };
    const people = [listed(ana.id, `Person ${ana.id}`, null), listed(ben.id, "B.", "b@x.example")];
    const it = base.again({ scope: { projects: "discover", people, discoverPeople: true } });
    await it.sweep();
    const named = new Map(it.store.directory.people().map((person) => [Number(person.id), person]));
    expect(named.size).toBe(base.sandbox.workspace.people().length);
    expect(named.get(ana.id)).toMatchObject({
      name: `${ana.firstName} ${ana.lastName}`,
      email: ana.email,
      timeZone: "Asia/Tokyo",
    });
    expect(named.get(ben.id)).toMatchObject({ name: "B.", email: "b@x.example" });
  });

  it("names the setting to add if discovery is impossible", async () => {
    const it = await stage({ size: "empty", discovery: false });
    const summary = await it.sweep();
    expect(summary.failures).toHaveLength(1);
    expect(summary.failures[0]?.problem).toContain('"projects"');
    const refusals = it.events.filter(({ kind }) => kind === "look-up-refused");
    expect(refusals).toHaveLength(2);
    expect(refusals).toContainEqual(
      expect.objectContaining({ source: "projects", setting: "projects", needed: true }),
    );
    await it.sweep();
    expect(it.events.filter(({ kind }) => kind === "look-up-refused")).toHaveLength(2);
  });

  it("keeps what the mirror knows if lookups are refused later", async () => {
    const it = await stage({ size: "s" });
    await it.sweep();
    it.sandbox.faults.add({
      kind: "status",
      status: 403,
      path: /\/(projects|todolists|people)$/,
      times: 99,
    });
    it.asked();
    const summary = await it.again().sweep();
    expect(summary).toMatchObject({ added: 0, changed: 0, buried: 0 });
    expect(it.asked()).toHaveLength(fewest(it));
    expect(viewInventory(it)).toEqual(workspaceInventory(it));
  });

  it("is not ready with a wrong key that is refused everywhere", async () => {
    const it = await stage({ size: "s" });
    it.sandbox.faults.add({ kind: "status", status: 403, times: 99 });
    await it.sweep();
    expect(it.sync.ready).toBe(false);
  });
});

/** Shows which tables of a database file another connection has written to since. */
function watchWrites(file: string, except: readonly string[]): () => readonly string[] {
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.exec("CREATE TABLE audit (table_name TEXT)");
  const tables = db
    .prepare<[], { name: string }>("SELECT name FROM pragma_table_list WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("sqlite_") && name !== "audit" && !except.includes(name));
  for (const table of tables) {
    for (const act of ["INSERT", "UPDATE", "DELETE"]) {
      db.exec(
        `CREATE TRIGGER audit_${table}_${act} AFTER ${act} ON ${table} BEGIN INSERT INTO audit VALUES ('${table}'); END`,
      );
    }
  }
  return () =>
    db
      .prepare<[], { table_name: string }>("SELECT DISTINCT table_name FROM audit")
      .all()
      .map((row) => row.table_name);
}
