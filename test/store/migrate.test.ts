import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { MigrationError, migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { zone } from "../support/items.ts";
import { handClock, migrations, testDirectory } from "../support/test-store.ts";

function folder(files: Readonly<Record<string, string>>): string {
  const made = testDirectory();
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(made, name), sql);
  return made;
}

function database(): Database.Database {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  return db;
}

const tables = (db: Database.Database) =>
  db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all();

const first = "CREATE TABLE one (id INTEGER PRIMARY KEY) STRICT;";
const second = "CREATE TABLE two (id INTEGER PRIMARY KEY REFERENCES one (id)) STRICT;";

describe("migrate()", () => {
  it("applies new files once", () => {
    const db = database();
    migrate(db, folder({ "0001_one.sql": first }));
    const both = folder({ "0001_one.sql": first, "0002_two.sql": second });
    migrate(db, both);
    migrate(db, both);
    expect(tables(db)).toEqual(["one", "schema_migration", "two"]);
    expect(db.prepare("SELECT version FROM schema_migration").pluck().all()).toEqual([1, 2]);
  });

  it.each([
    [
      "a number is missing",
      { "0001_one.sql": first, "0003_two.sql": second },
      "migration 2 is missing: found 0003_two.sql",
    ],
    [
      "a name has another form",
      { "0001_one.sql": first, "2_two.sql": second },
      "2_two.sql is not named NNNN_name.sql",
    ],
  ])("refuses %s", (_name, files, message) => {
    const db = database();
    expect(() => migrate(db, folder(files))).toThrow(MigrationError);
    expect(() => migrate(db, folder(files))).toThrow(message);
    expect(tables(db)).toEqual(["schema_migration"]);
  });

  it("refuses a changed file that was applied", () => {
    const db = database();
    migrate(db, folder({ "0001_one.sql": first }));
    const changed = folder({ "0001_one.sql": `${first} `, "0002_two.sql": second });
    expect(() => migrate(db, changed)).toThrow(
      "migration 1 (one) was changed after it was applied",
    );
    expect(tables(db)).toEqual(["one", "schema_migration"]);
  });

  it("refuses a newer database", () => {
    const db = database();
    migrate(db, folder({ "0001_one.sql": first, "0002_two.sql": second }));
    expect(() => migrate(db, folder({ "0001_one.sql": first }))).toThrow(
      "it has migration 2 (two), the build ends at 1",
    );
  });

  it.each([
    [
      "fails in its last statement",
      "CREATE TABLE three (id INTEGER) STRICT; INSERT INTO one VALUES (1); CREATE TABLE broken (;",
      Database.SqliteError,
    ],
    [
      "leaves a broken reference",
      "PRAGMA defer_foreign_keys = ON; INSERT INTO two VALUES (9);",
      MigrationError,
    ],
  ])("keeps nothing of a file that %s, and everything before it", (_name, sql, error) => {
    const db = database();
    const files = { "0001_one.sql": first, "0002_two.sql": second, "0003_three.sql": sql };
    expect(() => migrate(db, folder(files))).toThrow(error);
    expect(tables(db)).toEqual(["one", "schema_migration", "two"]);
    expect(db.prepare("SELECT count(*) FROM one").pluck().get()).toBe(0);
    expect(db.prepare("SELECT max(version) FROM schema_migration").pluck().get()).toBe(2);
  });
});

describe("the migrations of this build", () => {
  const files = readdirSync(migrations).filter((file) => file.endsWith(".sql"));

  it.each(files)("%s: every table is STRICT and has a comment above it", (file) => {
    const lines = readFileSync(join(migrations, file), "utf8").split("\n");
    const created = lines.flatMap((line, at) => (line.startsWith("CREATE TABLE") ? [at] : []));
    const bare = created.filter((at) => !lines[at - 1]?.startsWith("-- "));
    expect(bare.map((at) => lines[at])).toEqual([]);
    const statements = readFileSync(join(migrations, file), "utf8").match(/CREATE TABLE[\s\S]*?;/g);
    expect(statements?.filter((text) => !/\) STRICT(, WITHOUT ROWID)?;$/.test(text)) ?? []).toEqual(
      [],
    );
  });

  it("make a new database with every repository, which opens again", () => {
    const file = join(testDirectory(), "new.sqlite");
    const clock = handClock("2026-11-20T12:00:00Z");
    const open = (randomId: () => string) => openStore({ file, migrations, zone, clock, randomId });
    const store = open(() => "0123-4567-89ab-cdef-0123");
    const { meta } = store;
    expect(meta).toMatchObject({
      installation: "0123456789abcdef.dayferry",
      epoch: "0123-4567-89ab-cdef-0123",
    });
    store.close();
    clock.advance({ hours: 1 });
    const again = open(() => "another");
    expect(again.meta).toEqual(meta);
    again.close();
  });

  it("refuse and close a database that does not fit", () => {
    const directory = testDirectory();
    const file = join(directory, "newer.sqlite");
    const newer = join(directory, "migrations");
    cpSync(migrations, newer, { recursive: true });
    const next = String(files.length + 1).padStart(4, "0");
    writeFileSync(
      join(newer, `${next}_later.sql`),
      "-- Later.\nCREATE TABLE later (id INTEGER) STRICT;",
    );
    const options = { file, zone, clock: handClock("2026-11-20T12:00:00Z"), randomId: () => "id" };
    openStore({ ...options, migrations: newer }).close();
    expect(() => openStore({ ...options, migrations })).toThrow(MigrationError);
    const db = new Database(file);
    db.exec("BEGIN EXCLUSIVE; COMMIT");
    db.close();
  });

  it("keep all octets in 0026_object_columns", () => {
    const db = database();
    const before = testDirectory();
    for (const file of files.slice(0, 25)) cpSync(join(migrations, file), join(before, file));
    migrate(db, before);
    db.exec(`
      INSERT INTO identities (item, kind, uid, modified_at, created_at)
        VALUES (1, 'event', 'u', '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z');
      INSERT INTO edits (id, channel, item, action, base, patch, state, created_at, updated_at)
        VALUES (1, 'caldav', 1, 'update', '{}', '{}', 'held', '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z');
      INSERT INTO objects (item, component, channel, uid, raw, body, said, drifted, laid, actor, agent, at)
        VALUES (1, 'VEVENT', 'caldav', 'u', 'raw', x'01', 'text', 1, 'more', 3, 'program', '2026-11-20T12:00:00Z');
      INSERT INTO held_objects (edit, name, component, uid, raw, body, said, drifted, agent, at)
        VALUES (1, 'a.ics', 'VEVENT', 'u', 'raw', x'02', 'text', 0, 'program', '2026-11-20T12:00:00Z');
    `);
    migrate(db, migrations);
    const kept = { component: "VEVENT", uid: "u", raw: "raw", rendered: "text", agent: "program" };
    expect(db.prepare("SELECT * FROM objects").get()).toEqual({
      ...kept,
      item: 1,
      channel: "caldav",
      body: Buffer.from([1]),
      stale: 1,
      overlaid: "more",
      actor: 3,
      at: "2026-11-20T12:00:00Z",
    });
    expect(db.prepare("SELECT * FROM held_objects").get()).toEqual({
      ...kept,
      edit: 1,
      name: "a.ics",
      body: Buffer.from([2]),
      stale: 0,
      at: "2026-11-20T12:00:00Z",
    });
  });
});
