import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { folderId, listId, personId, projectId, serviceId } from "../../../src/domain/ids.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { aTask } from "../../support/items.ts";
import { handClock, migrations, testStore } from "../../support/test-store.ts";

const place = { projectId: projectId(2001), listId: listId(3001), taskId: serviceId(1) };
const comment = (id: number, description: string) => ({
  ...place,
  id: serviceId(id),
  description,
  creatorId: personId(11),
  byMe: false,
  createdAt: Temporal.Instant.from(`2026-11-20T12:00:0${id}Z`),
});

it("comments.putAll() marks those missing from a complete list as gone, and none otherwise", () => {
  const { comments } = testStore(handClock("2026-11-20T12:00:00Z"));
  const [first, second] = [comment(1, "First"), comment(2, "Second")];
  expect(comments.putAll(place.taskId, { comments: [second, first], complete: true })).toBe(2);
  expect(comments.ofTask(place.taskId)).toEqual([first, second]);
  expect(comments.putAll(place.taskId, { comments: [second], complete: false })).toBe(0);
  expect(comments.putAll(place.taskId, { comments: [second], complete: true })).toBe(1);
  expect(comments.ofTask(place.taskId)).toEqual([second]);
  // What comes back exists again.
  comments.put(first);
  expect(comments.count()).toBe(2);
});

it("history.add() keeps each entry once, with its detail", () => {
  const { history } = testStore(handClock("2026-11-20T12:00:00Z"));
  const entry = {
    ...place,
    id: serviceId(5),
    personId: null,
    action: "Updated",
    activityAt: Temporal.Instant.from("2026-11-20T11:00:00Z"),
    on: Temporal.PlainDate.from("2026-11-20"),
  };
  expect([history.add([entry]), history.add([entry])]).toEqual([1, 0]);
  expect(history.undetailed(place.taskId)).toMatchObject([entry]);
  history.detail(entry, "<b>x</b>");
  expect(history.undetailed(place.taskId)).toEqual([]);
  expect(history.ofTask(place.taskId)).toMatchObject([{ ...entry, content: "<b>x</b>" }]);
});

it("sideSources keep successes and failures apart from the items' sources, and forget gone tasks", () => {
  const store = testStore(handClock("2026-11-20T12:00:00Z"));
  const { sideSources, sources, mirror } = store;
  mirror.put(aTask(1), "tasks:3001");
  const kept = { kind: "comments", taskId: serviceId(1) } as const;
  const gone = { kind: "history", taskId: serviceId(2) } as const;
  const files = {
    kind: "files",
    projectId: projectId(2001),
    folderId: folderId(4001),
  } as const;
  sideSources.succeeded(kept, { seen: "2 now", items: 2 });
  sideSources.failed(gone, "no");
  sideSources.succeeded(files, { seen: null, items: 0 });
  expect(sources.all()).toEqual([]);
  sideSources.succeeded(gone, { seen: "then", items: 1 });
  const tasks = () => [...sideSources.ofTasks()];
  expect(tasks()).toEqual([
    { kind: "comments", task: 1, seen: "2 now" },
    { kind: "history", task: 2, seen: "then" },
  ]);
  sideSources.prune();
  expect(tasks()).toEqual([{ kind: "comments", task: 1, seen: "2 now" }]);
  expect(sideSources.ofProjects()).toMatchObject([
    { name: "files:4001", source: files, items: 0, failure: null },
  ]);
  sideSources.drop(kept);
  expect(tasks()).toEqual([]);
  expect(sideSources.ofProjects()).toHaveLength(1);
});

it("migration 4 keeps the sources and the published components of an older database", () => {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const copy = (from: number, to: number) => {
    for (const file of readdirSync(migrations).toSorted().slice(from, to)) {
      copyFileSync(join(migrations, file), join(folder, file));
    }
  };
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  db.pragma("foreign_keys = ON");
  copy(0, 3);
  migrate(db, folder);
  db.exec(`
      INSERT INTO sources (name, kind, project_id, items, succeeded_at) VALUES ('events:1', 'events', 1, 7, 'x');
      INSERT INTO identities (kind, service_id, uid, modified_at, created_at) VALUES ('task', 1, 'u', 'x', 'x');
      INSERT INTO feeds (kind, project_id, name, created_at) VALUES ('project', 1, 'F', 'x');
      INSERT INTO fragments (feed, item, inputs, sequence, body) VALUES (1, 1, 'i', 3, 'text');`);
  copy(3, 4);
  migrate(db, folder);
  expect(db.prepare("SELECT name, items, succeeded_at, seen FROM sources").all()).toEqual([
    { name: "events:1", items: 7, succeeded_at: "x", seen: null },
  ]);
  expect(db.prepare("SELECT item, field, sequence, body FROM fragments").all()).toEqual([
    { item: 1, field: 0, sequence: 3, body: "text" },
  ]);
});
