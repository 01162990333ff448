import { describe, expect, it } from "vitest";
import { labelId, listId, projectId } from "../../src/domain/ids.ts";
import { smallWorld } from "./support/small-world.ts";
import { roomy, runUntil, type Stage, stage } from "./support/stage.ts";
import { addTask, placeAt, viewInventory, workspaceInventory } from "./support/workspace.ts";

type Json = readonly { readonly id: number }[];

/** Changes every answer of a path until `clear`. */
const rewrite = (it: Stage, path: RegExp, change: (list: Json) => Json) =>
  it.sandbox.faults.add({
    kind: "transform",
    path,
    times: 1000,
    transform: (json) => (Array.isArray(json) ? change(json) : json),
  });
const deny = (it: Stage, path: RegExp, status: number) =>
  it.sandbox.faults.add({ kind: "status", status, path, times: 1000 });
const lists = (it: Stage) => it.store.directory.todolists().map(({ id }) => Number(id));
const projects = (it: Stage) => it.store.directory.projects().map(({ id }) => Number(id));
const gapsOf = (it: Stage, source: string) =>
  it.store.sources.all().find(({ name }) => name === source)?.failure ?? null;
const same = (it: Stage) => expect(viewInventory(it)).toEqual(workspaceInventory(it));

describe("the lists of a project", () => {
  it("stay, with a note, if the lookup names none but they respond", async () => {
    const { it, place } = await smallWorld();
    const before = lists(it);
    rewrite(it, new RegExp(`/projects/${place.project}/todolists$`), () => []);
    await it.sweep();
    expect(lists(it)).toEqual(before);
    expect(gapsOf(it, `todolists:${place.project}`)).toMatch(
      new RegExp(`list ${place.list} .* still exists; it stays`),
    );
    same(it);
    it.sandbox.faults.clear();
    await it.sweep();
    expect(gapsOf(it, `todolists:${place.project}`)).toBeNull();
  });

  it("go soon after one has responded from a cache", async () => {
    let now = Temporal.Now.instant();
    const it = await stage({ quota: roomy, now: () => now });
    const { project, list } = placeAt(it, 0);
    await it.sweep();
    rewrite(it, new RegExp(`/projects/${project}/todolists$`), (all) =>
      all.filter(({ id }) => id !== list),
    );
    await it.sweep();
    expect(lists(it)).toContain(list);
    deny(it, new RegExp(`/todolists/${list}(/|$)`), 404);
    now = now.add({ seconds: 16 });
    await it.sweep();
    expect(lists(it)).not.toContain(list);
  });

  it("stay if the service responds for no single list but their tasks exist", async () => {
    const { it, place } = await smallWorld();
    const before = lists(it);
    rewrite(it, new RegExp(`/projects/${place.project}/todolists$`), () => []);
    deny(it, new RegExp(`/todolists/${place.list}$`), 404);
    await it.sweep();
    expect(lists(it)).toEqual(before);
    same(it);
  });

  it("stay while an outage leaves it open whether they are gone", async () => {
    const { it, place } = await smallWorld();
    const before = lists(it);
    rewrite(it, new RegExp(`/projects/${place.project}/todolists$`), () => []);
    const path = new RegExp(`/todolists/${place.list}(/tasks)?$`);
    it.sandbox.faults.add({ kind: "html", path, times: 9 });
    await it.sweep();
    expect(lists(it)).toEqual(before);
    expect(gapsOf(it, `todolists:${place.project}`)).toContain(
      "until the service says whether it is gone",
    );
  });

  it.each([404, 403])("lose one that itself and its tasks report as gone (%i)", async (status) => {
    const { it, place } = await smallWorld();
    rewrite(it, new RegExp(`/projects/${place.project}/todolists$`), (named) =>
      named.filter(({ id }) => id !== place.list),
    );
    deny(it, new RegExp(`/todolists/${place.list}(/.*)?$`), status);
    await it.sweep();
    await it.sweep();
    expect(lists(it)).not.toContain(place.list);
  });

  it("follow single responses if the lookup hides archived lists", async () => {
    const { it, place } = await smallWorld();
    rewrite(it, new RegExp(`/projects/${place.project}/todolists$`), (named) =>
      named.filter(({ id }) => id !== place.list),
    );
    it.sandbox.faults.add({
      kind: "transform",
      path: new RegExp(`/todolists/${place.list}$`),
      transform: (json) => ({ ...Object(json), archived: true }),
    });
    await it.sweep();
    expect(it.store.directory.todolist(listId(place.list))).toMatchObject({ archived: true });
  });

  it("wait for a person if many tasks belong to those that are gone", async () => {
    const it = await stage({ quota: roomy });
    const place = placeAt(it, 0);
    for (let index = 0; index < 12; index += 1) addTask(it, place, { title: `T${index}` });
    await it.sweep();
    const source = `todolists:${place.project}`;
    rewrite(it, new RegExp(`/projects/${place.project}/todolists$`), (named) =>
      named.filter(({ id }) => id !== place.list),
    );
    deny(it, new RegExp(`/todolists/${place.list}(/.*)?$`), 404);
    await it.sweep();
    await it.sweep();
    expect(lists(it)).toContain(place.list);
    expect(viewInventory(it)).toHaveLength(12);
    expect(it.store.brakes.all()).toMatchObject([{ source, missing: 12, needsPerson: true }]);
    expect(gapsOf(it, source)).toContain("it stays until a person agrees");

    expect(it.store.brakes.release(source)).toBe(true);
    await it.sweep();
    await it.sweep();
    expect(lists(it)).not.toContain(place.list);
    expect(viewInventory(it)).toEqual([]);
    expect(it.store.brakes.all()).toEqual([]);
  });

  it("keep their known privacy if a response omits it", async () => {
    const { it, place } = await smallWorld();
    const path = new RegExp(`/projects/${place.project}/todolists$`);
    rewrite(it, path, (named) => named.map((list) => ({ ...list, private: true })));
    await it.sweep();
    it.sandbox.faults.clear();
    rewrite(it, path, (named) => named.map((list) => ({ ...list, private: null })));
    await it.sweep();
    expect(it.store.directory.todolist(listId(place.list))).toMatchObject({ private: true });
  });
});

describe("the projects", () => {
  it("keep one that the lookup omits while it responds", async () => {
    const { it, place } = await smallWorld();
    rewrite(it, /\/projects$/, (named) => named.filter(({ id }) => id !== place.project));
    await it.sweep();
    expect(projects(it)).toContain(place.project);
    expect(gapsOf(it, "projects")).toContain(`project ${place.project} `);
    same(it);
  });

  it("lose one that is denied as well, and keep its items", async () => {
    const { it, place } = await smallWorld();
    rewrite(it, /\/projects$/, (named) => named.filter(({ id }) => id !== place.project));
    deny(it, new RegExp(`/projects/${place.project}(/.*)?$`), 403);
    await it.sweep();
    expect(projects(it)).not.toContain(place.project);
    it.asked();
    await it.sweep();
    expect(it.asked().filter((path) => path.includes(`/projects/${place.project}/`))).toEqual([]);
    same(it);
    it.sandbox.faults.clear();
    await it.sweep();
    expect(projects(it)).toContain(place.project);
  });
});

describe("people and labels", () => {
  it("stay if the lookup names nobody at all", async () => {
    const { it } = await smallWorld();
    const before = it.store.directory.people();
    expect(before.length).toBeGreaterThan(0);
    rewrite(it, /\/people$/, () => []);
    await it.sweep();
    expect(it.store.directory.people()).toEqual(before);
    expect(gapsOf(it, "people")).toContain("no longer listed");
  });

  it("keep labels that respond or are in use, and the names of all others", async () => {
    const it = await stage({ quota: roomy });
    const { labels, tasks } = it.sandbox.workspace;
    const [kept, worn, gone] = ["kept", "worn", "gone"].map(
      (name) => labels.create({ by: it.by }, { name }).id,
    );
    const place = placeAt(it, 0);
    const task = addTask(it, place, { title: "Labelled", labels: [kept, worn] });
    await it.sweep();
    rewrite(it, /\/labels$/, () => []);
    deny(it, new RegExp(`/labels/(${worn}|${gone})$`), 404);
    await it.sweep();
    const named = () => it.store.directory.labels().map(({ name }) => name);
    expect(named()).toEqual(expect.arrayContaining(["kept", "worn"]));
    expect(named()).not.toContain("gone");
    expect(gapsOf(it, "labels")).toContain("(worn) is gone, but it stays while items have it");
    tasks.update({ ...place, task }, { labels: [kept] });
    await it.sweep();
    await it.sweep();
    expect(named()).not.toContain("worn");
    expect(it.store.directory.labelNames().get(labelId(worn ?? 1))).toBe("worn");
  });
});

describe("items with omitted fields", () => {
  const mangle = (it: Stage, change: (one: Json[number]) => object) =>
    it.sandbox.faults.add({
      kind: "transform",
      path: /\/(events|tasks)$/,
      times: 1000,
      transform: (json) => (Array.isArray(json) ? json.map(change) : json),
    });

  it("stay as they are known, private ones private", async () => {
    const { it, place, event, task } = await smallWorld();
    const { events, tasks } = it.sandbox.workspace;
    const words = { description: "in full", assigned: [it.by] };
    events.update({ ...place, event }, { ...words, private: true, reminder: 15 });
    tasks.update({ ...place, task }, words);
    await it.sweep();
    const revision = it.store.changes.latest();
    mangle(it, (one) => {
      const { id, title, start, end, all_day } = {
        start: 0,
        end: 0,
        title: "",
        all_day: 0,
        ...one,
      };
      return { id, title, start, end, all_day };
    });
    expect(await it.sweep()).toMatchObject({ changed: 0, buried: 0 });
    expect(it.store.changes.latest()).toBe(revision);
    expect(gapsOf(it, `events:${place.project}`)).toContain('"private" is missing in 1 of 1');
  });

  it("are unchanged if an empty description is spelled differently", async () => {
    const { it } = await smallWorld();
    const revision = it.store.changes.latest();
    for (const description of ["", null, " \n", "<p></p>", "<br>"]) {
      it.sandbox.faults.clear();
      mangle(it, (one) => ({ ...one, description }));
      expect(await it.sweep()).toMatchObject({ changed: 0 });
    }
    expect(it.store.changes.latest()).toBe(revision);
  });

  it("keep their titles, and nothing is deleted, while a list names none", async () => {
    const { it, place, other, tasks } = await smallWorld();
    tasks.remove({ ...place, task: other });
    mangle(it, (one) => ({ ...one, title: null }));
    expect(await it.sweep()).toMatchObject({ changed: 0, buried: 0 });
    expect(gapsOf(it, `tasks:${place.list}`)).toContain("title: null is not a title");
    it.sandbox.faults.clear();
    expect(await it.sweep()).toMatchObject({ buried: 1 });
    same(it);
  });
});

it("keeps reading a list that the lookup omits", async () => {
  const { it, place } = await smallWorld();
  rewrite(it, new RegExp(`/projects/${place.project}/todolists$`), () => []);
  const path = `GET /api/v3/projects/${place.project}/todolists/${place.list}/tasks`;
  let seen = 0;
  await runUntil(it, () => {
    seen += it.asked().filter((line) => line === path).length;
    return seen > 2;
  });
  expect(projects(it)).toContain(Number(projectId(place.project)));
  same(it);
});
