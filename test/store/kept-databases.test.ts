// Databases written by earlier versions of Dayferry, by scripts/keep-database.ts, each with people at work in the
// service, edits in every state, and from 0012 on an object of a calendar program. An upgrade from every migration
// keeps their contents.
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { projectId } from "../../src/domain/ids.ts";
import { migrate } from "../../src/store/migrate.ts";
import { rows } from "../support/effort.ts";
import { handClock, migrations, testDirectory, testStore } from "../support/test-store.ts";

const folder = join(import.meta.dirname, "kept-databases");
const kept = readdirSync(folder)
  .toSorted()
  .map((file) => ({ version: Number(file.slice(0, 4)), file: join(folder, file) }));
const files = readdirSync(migrations).toSorted();

/** What an upgrade drops on purpose: it could be made again, or had to be. */
const left = {
  // Cookies are stored by session since 0030; everybody logs in once more, so that no ended session opens anything.
  tables: ["ended_sessions"].concat(["unanswered", "requests"]),
  // Summaries of an object, read again from its octets since 0026. Requests are in the attempts since 0052, which the
  // test of version 51 compares.
  columns: ["objects.fingerprint", "objects.said", "objects.drifted", "objects.laid"]
    .concat(["held_objects.said", "held_objects.drifted"])
    .concat(
      ["sent_at", "resent_at", "lands_until", "left_at", "sent_after"].map((it) => `edits.${it}`),
    ),
};

function database(octets: Buffer): Database.Database {
  const db = new Database(octets);
  onTestFinished(() => void db.close());
  return db;
}

const settled =
  "state, message_id, address, attempts, not_before, problem, code, claimed_at, settled_at FROM outbox";
const reminders = "kind IN ('reminder', 'lead', 'overdue', 'digest')";
const mails = `SELECT kind, subject AS item, occasion AS occurrence, lead, person, ${settled} WHERE ${reminders}`;
const notices = `SELECT subject AS edit, occasion AS parked_at, ${settled} WHERE kind = 'notice'`;

/** Tables that are parts of others today. */
const moved = {
  mails: `${mails} AND way = 'mail'`,
  webhook_mails: `${mails} AND way = 'webhook'`,
  notices: `${notices} AND way = 'mail'`,
  webhook_notices: `${notices} AND way = 'webhook'`,
  login_mails: `SELECT subject AS link, ${settled} WHERE kind = 'log-in'`,
  operator_messages: `SELECT subject AS trouble, occasion AS phase, way, ${settled} WHERE kind = 'trouble'`,
};

/** The octets of a database that stopped at a migration: the newest kept one up to there, brought to it. */
function stoppedAt(version: number): Buffer {
  const newest = kept.findLast((it) => it.version <= version);
  if (!newest) throw new Error(`nothing is kept of migration ${version} or before`);
  const octets = gunzipSync(readFileSync(newest.file));
  if (newest.version === version) return octets;
  const some = testDirectory();
  for (const file of files.slice(0, version)) cpSync(join(migrations, file), join(some, file));
  const db = database(octets);
  migrate(db, some);
  return db.serialize();
}

const tablesOf = (db: Database.Database) =>
  db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_migration', 'sqlite_sequence')",
    )
    .pluck()
    .all()
    .map(String);

const columnsOf = (db: Database.Database, table: string) =>
  db.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table).map(String);

/** Rows that only one database has, by the columns of both; and what has no place there. */
function lost(before: Database.Database, after: Database.Database): readonly string[] {
  const tables = new Set(tablesOf(after));
  for (const [table, rows] of Object.entries(moved)) {
    if (tables.has("outbox") && !tables.has(table)) {
      after.exec(`CREATE TEMP VIEW ${table} AS ${rows}`);
      tables.add(table);
    }
  }
  return tablesOf(before).flatMap((table) => {
    if (!tables.has(table)) return left.tables.includes(table) ? [] : [`the table ${table}`];
    const now = new Set(columnsOf(after, table));
    const columns = columnsOf(before, table);
    const both = columns.filter((column) => now.has(column));
    const rows = (db: Database.Database) =>
      db
        .prepare(`SELECT ${both.map((column) => `"${column}"`).join()} FROM "${table}"`)
        .raw()
        .all()
        .map((row) => JSON.stringify(row));
    const there = new Set(rows(after));
    return [
      ...columns
        .filter((column) => !now.has(column) && !left.columns.includes(`${table}.${column}`))
        .map((column) => `the column ${table}.${column}`),
      ...rows(before)
        .filter((row) => !there.has(row))
        .map((row) => `${table}: ${row}`),
    ];
  });
}

const clock = handClock("2026-11-24T08:00:00Z");

describe("a kept database of an earlier version", () => {
  it("exists for the first migration, and for the newest or one of the nine before it", () => {
    expect(kept[0]?.version).toBe(1);
    expect(kept.at(-1)?.version).toBeGreaterThan(files.length - 10);
  });

  it.each(rows(files.map((file, nth) => [file, nth + 1] as const).toReversed(), 4))(
    "loses no row when it stopped at %s",
    (_file, version) => {
      const octets = stoppedAt(version);
      const after = database(octets);
      migrate(after, migrations);
      expect(lost(database(octets), after)).toEqual([]);
      expect(after.pragma("integrity_check", { simple: true })).toBe("ok");
      expect(after.pragma("foreign_key_check")).toEqual([]);
    },
  );

  it("regains the times that version 50 stored as revisions", () => {
    const octets = stoppedAt(50);
    const before = database(octets);
    const moments = (db: Database.Database) =>
      // The change of a version was logged in the same transaction, perhaps a millisecond before.
      db.prepare("SELECT substr(at, 1, 19) FROM versions ORDER BY item, revision").pluck().all();
    const expected = moments(before);
    before.prepare("UPDATE versions SET at = revision WHERE revision % 2 = 0").run();
    expect(moments(before)).not.toEqual(expected);
    migrate(before, migrations);
    expect(moments(before)).toEqual(expected);
  });

  it("has each request of version 51 as an attempt", () => {
    const db = database(stoppedAt(51));
    const [first, second] = db
      .prepare("SELECT id FROM edits WHERE sent_at IS NOT NULL ORDER BY id LIMIT 2")
      .pluck()
      .all();
    const later = "2026-12-24T07:00:00.000Z";
    db.prepare(
      "UPDATE edits SET state = 'claimed', resent_at = @later, lands_until = @later, sent_after = 3 WHERE id = @second",
    ).run({ second, later });
    db.prepare(
      `INSERT INTO unanswered (edit, item, act, service_id, patch, before, under_way, lost_at, lands_until, next_look)
       SELECT id, item, 'change', 7, patch, base, 0, @later, @later, @later FROM edits WHERE id = @first`,
    ).run({ first, later });
    db.prepare("INSERT INTO requests VALUES ('label:new', '[4]', @later, @later, 1)").run({
      later,
    });
    const sent = (table: string) =>
      db
        .prepare(`SELECT id, sent_at, resent_at, lands_until, sent_after FROM ${table} ORDER BY id`)
        .all();
    const before = sent("edits");
    const leftAt = db.prepare("SELECT id, left_at FROM edits WHERE left_at IS NOT NULL").all();
    migrate(db, migrations);
    expect(sent("journal")).toEqual(before);
    expect(leftAt.length).toBeGreaterThan(2);
    for (const { id, left_at: at } of leftAt as { id: number; left_at: string }[]) {
      const last = db.prepare(
        "SELECT max(sent_at) FROM attempts WHERE edit = ? AND landed_at IS NULL AND service_id IS NULL",
      );
      if (id !== second) expect(last.pluck().get(id), `edit ${id}`).toBe(at);
    }
    expect(
      db
        .prepare(
          "SELECT edit, act, what, known, ended_at FROM attempts WHERE service_id = 7 OR what IS NOT NULL",
        )
        .all(),
    ).toEqual([
      { edit: first, act: "change", what: null, known: "[]", ended_at: later },
      { edit: null, act: "label", what: "label:new", known: "[4]", ended_at: null },
    ]);
  });

  it.each(kept.map(({ version }) => [version]))(
    "means the same after migration from %i",
    (version) => {
      const octets = stoppedAt(version);
      const raw = database(octets);
      const store = testStore(clock, octets);
      const text = (sql: string) => raw.prepare(sql).pluck().all().map(String);

      expect(store.meta.installation).toBe(
        text("SELECT value FROM meta WHERE name = 'installation'")[0],
      );
      const [project = 0] = raw
        .prepare("SELECT project_id FROM view_items WHERE kind = 'event'")
        .pluck()
        .all();
      const shown = store.view
        .ofProject(projectId(Number(project)))
        .map(({ item }) => item.title)
        .toSorted();
      const byProgram = text("SELECT uid FROM identities").includes("by-program@kept.example");
      expect(shown.filter((title) => !title.includes("task"))).toEqual([
        ...(byProgram ? ["Kept by a program"] : []),
        "Kept day",
        "Kept milestone",
        "Kept one, changed",
        "Kept two, changed",
        "Kept waiting",
      ]);
      expect(shown.filter((title) => title.includes("task"))).toHaveLength(4);

      const states = store.journal.list({ limit: 100 }).map(({ state }) => state);
      expect(states.toSorted()).toEqual(text("SELECT state FROM edits ORDER BY state"));
      expect(store.journal.counts()).toMatchObject({ pending: 2, parked: 1, held: 1 });
      const waiting = store.journal.list({ state: "pending", limit: 10 });
      expect(waiting.map(({ action, patch }) => `${action} ${patch.title}`).toSorted()).toEqual([
        "create Kept waiting",
        "update Kept two, changed",
      ]);
      for (const uid of text("SELECT uid FROM identities WHERE uid LIKE '%kept.example'")) {
        const edited = store.view.findUid(uid);
        const open = !/gone|parked|held/.test(uid);
        expect(edited === null, uid).toBe(!open);
      }
      expect(store.feeds.all().map(({ id }) => String(id))).toEqual(
        text("SELECT id FROM feeds ORDER BY id"),
      );
      expect(String(store.changes.latest())).toBe(text("SELECT max(revision) FROM changes")[0]);
    },
  );
});
