import { insist } from "@dayferry/sandbox";
import { describe, expect, it } from "vitest";
import { smallWorld } from "./support/small-world.ts";
import { runUntil } from "./support/stage.ts";
import { shownTitles } from "./support/workspace.ts";

describe("rereadAll()", () => {
  it("result when every source was read since, those that rest included", async () => {
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

  it("result when the service has changed: nothing that is gone or done is shown any more", async () => {
    const { it, place, other, event, task, tasks, events } = await smallWorld();
    insist(tasks.remove({ ...place, task: other }));
    insist(events.remove({ ...place, event }));
    insist(tasks.update({ ...place, task }, { title: "Renamed" }));
    const isRead = it.sync.rereadAll();
    await runUntil(it, isRead);
    const [project] = it.store.directory
      .projects()
      .filter(({ id }) => Number(id) === place.project);
    expect(project && shownTitles(it, project.id)).toEqual(["First", "Renamed", "Second"]);
  });

  it("result when a list does not respond: false until it does", async () => {
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

  it("result when the key is refused everywhere: false", async () => {
    const { it } = await smallWorld();
    it.sandbox.faults.add({ kind: "status", status: 403, path: /./, times: 1000 });
    const isRead = it.sync.rereadAll();
    await it.sweep();
    expect(isRead()).toBe(false);
  });

  it("result when a source is gone since, or was refused as ever: true", async () => {
    const { it, place, task } = await smallWorld();
    it.sandbox.faults.add({ kind: "status", status: 404, path: /\/people$/, times: 1000 });
    await it.sweep();
    const isRead = it.sync.rereadAll();
    insist(it.sandbox.workspace.tasks.remove({ ...place, task }));
    await it.sweep();
    await it.sweep();
    expect(isRead()).toBe(true);
  });
});
