import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { steady, storeDatabase } from "../../src/store/steady-database.ts";
import { emptyDatabase, handClock, testDirectory, testStore } from "../support/test-store.ts";
import { statementsOfStore } from "./statements.ts";

describe("steady()", () => {
  it.each([
    ["SELECT 1 FROM t WHERE a = ? AND b=@b", "SELECT 1 FROM t WHERE a = +? AND b=+@b"],
    ["SELECT 1 FROM t ORDER BY a LIMIT ?", "SELECT 1 FROM t ORDER BY a LIMIT +?"],
    ["INSERT INTO t VALUES (?, @b)", "INSERT INTO t VALUES (?, @b)"],
    ["UPDATE t SET a = b WHERE c IS @c", "UPDATE t SET a = b WHERE c IS @c"],
  ])("changes a query that is %s as needed", (sql, expected) => {
    expect(steady(sql)).toBe(expected);
  });

  it.each(["text", 7, 2.5, 2n ** 60n, Buffer.from("octets"), null])(
    "stores and finds the value %s unchanged",
    (value) => {
      const connection = opened();
      const db = storeDatabase(connection);
      db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b)");
      db.prepare("INSERT INTO t VALUES (1, 'other')").run();
      db.prepare("UPDATE t SET b = ? WHERE a = ?").run(value, 1);
      const stored = connection.prepare("SELECT b FROM t WHERE a = 1").pluck().safeIntegers().get();
      expect(stored).toEqual(value);
      const found = db.prepare("SELECT a FROM t WHERE b IS @b OR b = @b").pluck();
      expect(found.all({ b: value })).toEqual([1]);
    },
  );
});

describe("storeDatabase()", () => {
  it("parses only statements that it uses at once when it opens", () => {
    // Opened before, as the first store of a process runs all migrations.
    const file = emptyDatabase();
    const prepared = vi.spyOn(Database.prototype, "prepare");
    testStore(handClock("2026-11-20T12:00:00Z"), file);
    expect(prepared.mock.calls.length).toBeLessThan(30);
    prepared.mockRestore();
  });

  it("can parse each statement, with the same plan as without the plus", () => {
    const connection = opened(emptyDatabase());
    const statements = statementsOfStore(connection);
    for (const { sql } of statements) connection.prepare(sql);
    const changed = statements.filter(({ written, sql }) => sql !== written);
    expect(changed.length).toBeGreaterThan(100);
    for (const { written, sql } of changed) {
      expect(planOf(sql, connection), sql).toEqual(planOf(written, connection));
    }
  });
});

describe("remembered()", () => {
  const writes: Readonly<Record<string, (db: ReturnType<typeof storeDatabase>) => unknown>> = {
    "a statement": (db) => db.prepare("UPDATE t SET b = b + 1").run(),
    "a statement that returns rows": (db) => db.prepare("UPDATE t SET b = b + 1 RETURNING b").get(),
    "a statement whose rows are iterated": (db) => [
      ...db.prepare("UPDATE t SET b = b + 1 RETURNING b").pluck().iterate(),
    ],
    SQL: (db) => db.exec("UPDATE t SET b = b + 1"),
  };

  it.each(Object.entries(writes))("asks the database again after %s", (_name, write) => {
    const db = storeDatabase(opened());
    db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 10), (2, 20)");
    const found = db.remembered("SELECT b FROM t WHERE a = ?", (row) => row);
    const both = () => [found.get(1), found.get(2)];
    expect(both()).toEqual([{ b: 10 }, { b: 20 }]);
    write(db);
    expect(both()).toEqual([{ b: 11 }, { b: 21 }]);
    const undone = db.transaction(() => {
      write(db);
      expect(both()).toEqual([{ b: 12 }, { b: 22 }]);
      throw new Error("undone");
    });
    expect(() => undone()).toThrow("undone");
    expect(both()).toEqual([{ b: 11 }, { b: 21 }]);
  });

  it("answers repeated questions from memory, unless others may write", () => {
    const file = join(testDirectory(), "dayferry.sqlite");
    const writer = opened(file);
    writer.exec("CREATE TABLE meta (name TEXT, value TEXT)");
    const reader = new Database(file, { readonly: true });
    onTestFinished(() => void reader.close());
    const sql = "SELECT count(*) AS n FROM meta WHERE name = 'x'";
    const [own, other] = [writer, reader].map((one) =>
      storeDatabase(one).remembered(sql, (row) => row),
    );
    const counts = () => [own?.get(), other?.get()];
    expect(counts()).toEqual([{ n: 0 }, { n: 0 }]);
    writer.exec("INSERT INTO meta VALUES ('x', 'y')");
    expect(counts()).toEqual([{ n: 0 }, { n: 1 }]);
  });
});

function planOf(sql: string, db: Database.Database): readonly unknown[] {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 5]);
  const nameless = sql.match(/\?/g)?.map(() => 5) ?? [];
  const values = names.length > 0 ? [Object.fromEntries(names)] : nameless;
  return db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
}

function opened(file: string | Buffer = ":memory:"): Database.Database {
  const db = new Database(file);
  onTestFinished(() => void db.close());
  return db;
}
