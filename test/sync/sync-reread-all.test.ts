import { describe, expect, it } from "vitest";
import { smallWorld } from "./support/small-world.ts";
import { runUntil } from "./support/stage.ts";
import { shownTitles } from "./support/workspace.ts";

describe("rereading everything", () => {
  it("is complete once every source was read, including those that rest", async () => {
    const { it } = await smallWorld();
    expect(it.sync.ready).toBe(true);
    it.asked();
    const isRead = it.sync.rereadAll();
    expect(isRead()).toBe(false);
    await runUntil(it, isRead);
    const asked = new Set(it.asked());
    for (const path of ["projects", "people", "labels"])
      expect(asked).toContain(`GET /api/v3/${path}`);
    expect([...asked].filter((path) => path.endsWith("/todolists"))).toHaveLength(2);
    expect([...asked].filter((path) => path.endsWith("/events"))).toHaveLength(2);
    expect([...asked].filter((path) => path.endsWith("/tasks"))).toHaveLength(4);
    expect([...asked].filter((path) => path.endsWith("/subtasks"))).toHaveLength(1);
  });

  it("removes everything that is gone or completed in the service", async () => {
    const { it, place, other, event, task, tasks, events } = await smallWorld();
    tasks.remove({ ...place, task: other });
    events.remove({ ...place, event });
    tasks.update({ ...place, task }, { title: "Renamed" });
    const isRead = it.sync.rereadAll();
    await runUntil(it, isRead);
    const [project] = it.store.directory
      .projects()
      .filter(({ id }) => Number(id) === place.project);
    expect(project && shownTitles(it, project.id)).toEqual(["First", "Renamed", "Second"]);
  });

  it("is incomplete until every list has responded", async () => {
    const { it, place } = await smallWorld();
    const path = new RegExp(`/todolists/${place.list}/tasks$`);
    it.sandbox.faults.add({ kind: "status", status: 503, path, times: 1000 });
    const isRead = it.sync.rereadAll();
    await it.sweep();
    expect(isRead()).toBe(false);
    it.sandbox.faults.clear();
    await it.sweep();
    expect(isRead()).toBe(true);
  });

  it("is incomplete if the key is refused everywhere", async () => {
    const { it } = await smallWorld();
    it.sandbox.faults.add({ kind: "status", status: 403, path: /./, times: 1000 });
    const isRead = it.sync.rereadAll();
    await it.sweep();
    expect(isRead()).toBe(false);
  });

  it("is complete although a source is gone, or refused as before", async () => {
    const { it, place, task } = await smallWorld();
    it.sandbox.faults.add({ kind: "status", status: 404, path: /\/people$/, times: 1000 });
    await it.sweep();
    const isRead = it.sync.rereadAll();
    it.sandbox.workspace.tasks.remove({ ...place, task });
    await it.sweep();
    await it.sweep();
    expect(isRead()).toBe(true);
  });
});
