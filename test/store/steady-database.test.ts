import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { steady, storeDatabase } from "../../src/store/steady-database.ts";
import { emptyDatabase, handClock, testStore } from "../support/test-store.ts";
import { statementsOfStore } from "./statements.ts";

describe("steady()", () => {
  it.each([
    ["SELECT 1 FROM t WHERE a = ? AND b=@b", "SELECT 1 FROM t WHERE a = +? AND b=+@b"],
    ["SELECT 1 FROM t ORDER BY a LIMIT ?", "SELECT 1 FROM t ORDER BY a LIMIT +?"],
    ["INSERT INTO t VALUES (?, @b)", "INSERT INTO t VALUES (?, @b)"],
    ["UPDATE t SET a = b WHERE c IS @c", "UPDATE t SET a = b WHERE c IS @c"],
  ])("result when it is %s", (sql, expected) => {
    expect(steady(sql)).toBe(expected);
  });

  it.each(["text", 7, 2.5, 2n ** 60n, Buffer.from("octets"), null])(
    "result when the value is %s: it is stored as it is, and found",
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
  it("result when a store is opened: no statement is parsed that it does not use at once", () => {
    // Made before, as the first one in a process runs all migrations.
    const file = emptyDatabase();
    const prepared = vi.spyOn(Database.prototype, "prepare");
    testStore(handClock("2026-11-20T12:00:00Z"), file);
    expect(prepared.mock.calls.length).toBeLessThan(30);
    prepared.mockRestore();
  });

  it("result when a statement is used: it can be parsed, and has the plan that it would have without the plus", () => {
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
