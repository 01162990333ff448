import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { TaskRecord } from "../src/records.ts";
import { WorkspaceStore, WorkspaceStoreError } from "../src/workspace-store.ts";
import { at, idOf, items, startRig } from "./rig.ts";

function freshFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "sandbox-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "workspace.sqlite");
}

const aTask: TaskRecord = {
  id: 1,
  project: 2001,
  list: 3001,
  title: "Task",
  description: null,
  startOn: null,
  dueOn: null,
  estimatedHours: null,
  estimatedMins: null,
  loggedHours: null,
  loggedMins: null,
  assigned: [],
  labels: [],
  attachments: [],
  percentProgress: 0,
  taskHistory: null,
  completedAt: null,
  completedBy: null,
  createdBy: 11,
  createdAt: "2026-11-20T08:00:00Z",
  updatedAt: "2026-11-20T08:00:00Z",
  ticket: "A-1",
  rrule: null,
  stage: 1,
  customFields: {},
};

test("startSandbox() keeps ids, keys, changes and bytes of a reopened file, whatever the seed", async () => {
  const data = freshFile();
  const first = await startRig({ data, size: "s" });
  const tasks = "/projects/2001/todolists/3001/tasks";
  const made = await first.call(`POST ${tasks}`, { body: { title: "Kept" } });
  const upload = await first.call(`POST ${first.sandbox.uploadUrl}?project_id=2001&name=a.txt`, {
    bytes: Buffer.from("bytes"),
    headers: { "content-type": "text/plain" },
  });
  const body = { attachments: [idOf(upload.json)] };
  const folder = `/projects/2001/folders/${first.sandbox.workspace.places()[0]?.folders[0]}/files`;
  const [file] = items((await first.call(`POST ${folder}`, { body })).json);
  const before = (await first.call(`GET ${tasks}`)).json;
  await first.sandbox.close();

  const second = await startRig({ data, size: "m", seed: 99 });
  expect(second.sandbox.keys).toEqual(first.sandbox.keys);
  expect((await second.call(`GET ${tasks}`)).json).toEqual(before);
  const next = await second.call(`POST ${tasks}`, { body: { title: "Next" } });
  expect(idOf(next.json)).toBe(idOf(made.json) + 1);
  const url = items((await second.call(`GET ${folder}`)).json)
    .filter((it) => idOf(it) === idOf(file))
    .map((it) => String(at(it, "url")));
  expect((await second.call(`GET ${url[0] ?? ""}`)).text).toBe("bytes");
});

test("WorkspaceStore throws for a file of another version", () => {
  const data = freshFile();
  new WorkspaceStore(data).close();
  const database = new Database(data);
  database.exec("update facts set value = '99' where name = 'schema'");
  database.close();
  expect(() => new WorkspaceStore(data)).toThrow(WorkspaceStoreError);
});

test("startSandbox() rejects when the port is taken", async () => {
  const { sandbox } = await startRig();
  const port = Number(new URL(sandbox.baseUrl).port);
  await expect(startRig({ port })).rejects.toThrow("EADDRINUSE");
});

test("WorkspaceStore.workPage() shows what exists now, whoever wrote it", () => {
  const data = freshFile();
  const store = new WorkspaceStore(data);
  const other = new WorkspaceStore(data);
  const task = (id: number, completedAt: string | null = null) => ({ ...aTask, id, completedAt });
  const page = (start = 0) => {
    const wanted = { projects: [2001], completed: false, subtasks: true, start, limit: 2 };
    const { total, rows } = store.workPage(wanted);
    return { total, ids: rows.map(({ id }) => id) };
  };
  expect(page()).toEqual({ total: 0, ids: [] });
  for (const id of [1, 2, 3]) store.tasks.put(task(id));
  expect(page()).toEqual({ total: 3, ids: [1, 2] });
  expect(page(2)).toEqual({ total: 3, ids: [3] });
  other.subtasks.put({ ...task(4), task: 1 });
  expect(page(2)).toEqual({ total: 4, ids: [3, 4] });
  store.tasks.put(task(1, "2026-11-20T09:00:00Z"));
  store.tasks.remove(2);
  expect(page()).toEqual({ total: 2, ids: [3, 4] });
  store.close();
  other.close();
});
