import { describe, expect, it } from "vitest";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import { sourceName } from "../../src/domain/source.ts";
import { worked } from "../contract/pair.ts";
import { smallWorld } from "./support/small-world.ts";
import { type Stage, until } from "./support/stage.ts";
import {
  addEvent,
  placeAt,
  shownTitles,
  viewInventory,
  workspaceInventory,
} from "./support/workspace.ts";

const uidsByTitle = ({ store, sandbox }: Stage): ReadonlyMap<string, string> =>
  new Map(
    sandbox.workspace
      .places()
      .flatMap(({ project }) => store.view.ofProject(projectId(project)))
      .map(({ item, uid }) => [item.title, uid]),
  );

const same = (it: Stage) => expect(viewInventory(it)).toEqual(workspaceInventory(it));

describe("changes by others", () => {
  it("are applied and published", async () => {
    const world = await smallWorld();
    const { it, place, task } = world;
    world.tasks.update({ ...place, task }, { title: "Renamed" });
    addEvent(it, placeAt(it, 1), { title: "Elsewhere" });
    const summary = await it.sweep();
    same(it);
    expect(summary).toMatchObject({ added: 1, changed: 1, buried: 0, unchanged: 4 });
    expect(summary.changes).toHaveLength(2);
    expect(summary.changes).toContainEqual({ kind: "task", title: "Renamed", act: "changed" });
    expect(summary.changes).toContainEqual({ kind: "event", title: "Elsewhere", act: "added" });
  });

  it("bury a deleted item once a single GET has confirmed it", async () => {
    const world = await smallWorld();
    const { it, place, event, other } = world;
    world.events.remove({ ...place, event });
    world.tasks.remove({ ...place, task: other });
    it.asked();
    const summary = await it.sweep();
    same(it);
    expect(summary).toMatchObject({ added: 0, changed: 0, buried: 2, held: 0 });
    const asked = it.asked();
    expect(asked.filter((path) => path.endsWith(`/events/${event}`))).toHaveLength(1);
    expect(asked.filter((path) => path.endsWith(`/tasks/${other}`))).toHaveLength(1);
    expect(it.store.absences.all()).toEqual([]);
  });

  it("bury subtasks with their parent, without asking for each", async () => {
    const world = await smallWorld();
    const { it, place, task } = world;
    world.tasks.remove({ ...place, task });
    it.asked();
    expect(await it.sweep()).toMatchObject({ buried: 3, failures: [] });
    same(it);
    expect(it.asked().filter((path) => /subtasks\/\d+$/.test(path))).toEqual([]);
    it.asked();
    await it.sweep();
    expect(it.asked().filter((path) => path.includes("subtasks"))).toEqual([]);
  });

  it("bury a deleted subtask, and end polling when the last one is gone", async () => {
    const world = await smallWorld();
    const { it, place, task, children } = world;
    for (const subtask of children) world.subtasks.remove({ ...place, task, subtask });
    expect(await it.sweep()).toMatchObject({ buried: 2, changed: 1 });
    same(it);
    await it.sweep();
    it.asked();
    await it.sweep();
    expect(it.asked().filter((path) => path.includes("subtasks"))).toEqual([]);
  });

  it("bury a deleted subtask that no list has ever shown", async () => {
    const world = await smallWorld();
    const { it, place, other } = world;
    const below = { ...place, task: other };
    const { id } = world.subtasks.create(below, { title: "Made here" });
    const at = { projectId: projectId(place.project), listId: listId(place.list) };
    const taskId = serviceId(other);
    const call = { priority: "interactive" } as const;
    const answer = await it.upstream.subtasks.get({ ...at, taskId, id: serviceId(id) }, call);
    it.store.mirror.put(
      { ...worked(answer), id: serviceId(id) },
      sourceName({ kind: "subtasks", ...at, taskId }),
    );
    world.subtasks.remove({ ...below, subtask: id });
    expect(await it.sweep()).toMatchObject({ buried: 1, failures: [] });
    same(it);
  });

  it.each([
    ["another list", 0, 1],
    ["another project", 1, 0],
  ] as const)(
    "keep the UIDs of a task and its subtasks that moved to %s",
    async (_where, project, list) => {
      const world = await smallWorld();
      const { it, place, task } = world;
      const before = uidsByTitle(it);
      const target = placeAt(it, project, list);
      const body = { project: target.project, list_id: target.list, move_task: true };
      world.tasks.update({ ...place, task }, body);
      const summary = await it.sweep();
      same(it);
      expect(summary.buried).toBe(0);
      expect(uidsByTitle(it)).toEqual(before);
      expect(it.store.absences.all()).toEqual([]);
    },
  );

  it("never show a moved task twice or not at all", async () => {
    const world = await smallWorld();
    const { it, place, task } = world;
    const counts = new Set<number>();
    const count = () =>
      it.sandbox.workspace
        .places()
        .flatMap(({ project }) => shownTitles(it, projectId(project)))
        .filter((title) => title === "Parent").length;
    const stop = new AbortController();
    const running = it.sync.run(stop.signal);
    const watch = setInterval(() => counts.add(count()), 1);
    try {
      let from = place;
      for (const [project, list] of [
        [0, 1],
        [1, 0],
        [1, 1],
        [0, 0],
      ] as const) {
        const target = placeAt(it, project, list);
        const body = { project: target.project, list_id: target.list, move_task: true };
        world.tasks.update({ ...from, task }, body);
        from = target;
        await until(
          () => JSON.stringify(viewInventory(it)) === JSON.stringify(workspaceInventory(it)),
        );
      }
    } finally {
      clearInterval(watch);
      stop.abort();
      await running;
    }
    expect([...counts]).toEqual([1]);
  });

  it("restore an item under its old UID if it is deleted and returns", async () => {
    const world = await smallWorld();
    const { it, place, event } = world;
    const before = uidsByTitle(it).get("Meeting");
    it.sandbox.faults.add({ kind: "replace", body: [], path: /\/events$/, times: 2 });
    it.sandbox.faults.add({
      kind: "status",
      status: 404,
      path: new RegExp(`/events/${event}$`),
      times: 9,
    });
    expect(await it.sweep()).toMatchObject({ buried: 1 });
    expect(shownTitles(it, projectId(place.project))).not.toContain("Meeting");
    expect(await it.sweep()).toMatchObject({ added: 1 });
    expect(uidsByTitle(it).get("Meeting")).toBe(before);
  });

  it("bury the tasks of a deleted list once each is confirmed", async () => {
    const world = await smallWorld();
    const { it, place, task, other } = world;
    const { list } = place;
    it.sandbox.faults.add({
      kind: "transform",
      path: new RegExp(`/projects/${place.project}/todolists$`),
      times: 9,
      transform: (json) => (Array.isArray(json) ? json.filter(({ id }) => id !== list) : json),
    });
    // The list itself is gone, and its tasks with it, except for the answers of each.
    it.sandbox.faults.add({
      kind: "status",
      status: 404,
      path: new RegExp(`/todolists/${list}(/tasks)?$`),
      times: 9,
    });
    it.asked();
    expect(await it.sweep()).toMatchObject({ buried: 0, held: 0 });
    const asked = it.asked();
    for (const id of [task, other]) {
      expect(asked.filter((path) => path.endsWith(`${list}/tasks/${id}`))).toHaveLength(1);
    }
    same(it);

    // They may have answered from a cache, and no list is read any more that would show them gone.
    for (const id of [task, other]) world.tasks.remove({ ...place, task: id });
    const later = it.again();
    await later.sweep();
    expect(shownTitles(later, projectId(place.project))).toEqual(["Meeting"]);

    const next = it.again();
    it.sandbox.faults.clear();
    await next.sweep();
    expect(viewInventory(next)).toEqual(workspaceInventory(next));
  });

  it("never mean that there are no projects anymore", async () => {
    const { it } = await smallWorld();
    it.sandbox.faults.add({ kind: "replace", body: [], path: /\/projects$/ });
    await it.sweep();
    same(it);
    expect(it.store.directory.projects()).toHaveLength(2);
    expect(it.events).toContainEqual(
      expect.objectContaining({ kind: "incomplete", source: "projects" }),
    );
  });

  it("leave archived projects and lists alone", async () => {
    const world = await smallWorld();
    const { it, place } = world;
    const archive = (path: RegExp, wanted: number) =>
      it.sandbox.faults.add({
        kind: "transform",
        path,
        times: 9,
        transform: (json) =>
          Array.isArray(json)
            ? json.map((one) => (one.id === wanted ? { ...one, archived: true } : one))
            : json,
      });
    archive(new RegExp(`/projects/${place.project}/todolists$`), place.list);
    await it.sweep();
    it.asked();
    await it.sweep();
    expect(it.asked().filter((path) => path.includes(`todolists/${place.list}/`))).toEqual([]);
    it.sandbox.faults.clear();
    archive(/\/projects$/, place.project);
    await it.sweep();
    it.asked();
    await it.sweep();
    expect(it.asked().filter((path) => path.includes(`/projects/${place.project}/`))).toEqual([]);
    same(it);
  });
});
