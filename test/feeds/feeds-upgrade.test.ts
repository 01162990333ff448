import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { aProject, zone } from "../support/items.ts";
import { handClock, migrations, testDirectory } from "../support/test-store.ts";

/** A database from before feeds could be chosen, with feeds, their contents and their publications. */
function olderDatabase(): string {
  const folder = testDirectory();
  const older = join(folder, "migrations");
  mkdirSync(older);
  const files = readdirSync(migrations).toSorted();
  for (const file of files.slice(
    0,
    files.findIndex((name) => name.endsWith("_feeds.sql") && name !== "0011_feed_names.sql"),
  ))
    cpSync(join(migrations, file), join(older, file));
  const file = join(folder, "dayferry.sqlite");
  const db = new Database(file);
  db.pragma("foreign_keys = ON");
  migrate(db, older);
  db.exec(`
    INSERT INTO feeds (kind, project_id, name, given_name, version, created_at, revoked_at, fetched_at, fetched_by) VALUES
      ('project', 2001, 'Ours', 'Ours', 3, '2026-01-01T00:00:00Z', NULL, '2026-10-01T00:00:00Z', 'curl/8'),
      ('project', 2002, 'Trade fair', NULL, 1, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', NULL, NULL),
      ('project', 2002, 'Trade fair', NULL, 1, '2026-02-02T00:00:00Z', NULL, NULL, NULL);
    INSERT INTO feed_states VALUES (1, '5 rest', '"etag"', '2026-10-01T00:00:00Z', 1, 900);
    INSERT INTO identities (item, uid, kind, service_id, sequence, modified_at, created_at)
      VALUES (1, 'event-1@x', 'event', 1, 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
    INSERT INTO fragments (feed, item, field, inputs, sequence, body) VALUES (1, 1, 0, 'i', 0, 'octets');
  `);
  db.close();
  return file;
}

it("a database of the previous version keeps its feeds with address, name and contents, and accepts new ones", () => {
  const clock = handClock("2026-11-20T12:00:00Z");
  const store = openStore({
    file: olderDatabase(),
    migrations,
    zone,
    clock,
    randomId: () => "x",
  });
  const { feeds } = store;
  expect(feeds.all()).toMatchObject([
    {
      id: 1,
      kind: "project",
      isAutomatic: true,
      projectId: 2001,
      personId: null,
      filter: null,
      colour: null,
      name: "Ours",
      givenName: "Ours",
      version: 3,
      fetchedBy: "curl/8",
    },
    { id: 2, name: "Trade fair", revokedAt: Temporal.Instant.from("2026-02-01T00:00:00Z") },
    { id: 3, isAutomatic: true, version: 1, revokedAt: null },
  ]);
  const [first] = feeds.all();
  if (!first) throw new Error("there is no feed");
  expect(feeds.state(first.id)).toMatchObject({ inputs: "5 rest", etag: '"etag"', bytes: 900 });
  expect(feeds.fragments(first.id)).toMatchObject([{ body: "octets" }]);
  expect(feeds.ensure(projectId(2001), "Website")?.id).toBe(1);
  expect(feeds.ensure(projectId(2002), "Trade fair")?.id).toBe(3);
  store.directory.putProjects([aProject(2001, "Website")], true);
  const added = feeds.add({
    kind: "project",
    projectId: projectId(2001),
    personId: null,
    filter: null,
    colour: null,
    name: "Second",
    givenName: "Second",
  });
  expect(added.id).toBe(4);
  store.close();
});
