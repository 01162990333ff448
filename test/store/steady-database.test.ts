import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SteadyDatabase, steady } from "../../src/store/steady-database.ts";
import { handClock, testDirectory, testStore } from "../support/test-store.ts";

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
      const db = opened(SteadyDatabase);
      db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b)");
      db.prepare("INSERT INTO t VALUES (1, 'other')").run();
      db.prepare("UPDATE t SET b = ? WHERE a = ?").run(value, 1);
      const stored = db.prepare("SELECT b FROM t WHERE a = ?").pluck().safeIntegers().get(1);
      expect(stored).toEqual(value);
      const found = db.prepare("SELECT a FROM t WHERE b IS @b OR b = @b").pluck();
      expect(found.all({ b: value })).toEqual([1]);
    },
  );
});

describe("SteadyDatabase", () => {
  it("result when the store prepares its statements: each has the plan that it would have without it", () => {
    const prepared = vi.spyOn(Database.prototype, "prepare");
    const file = join(testDirectory(), "dayferry.sqlite");
    testStore(handClock("2026-11-20T12:00:00Z"), file);
    const all = new Set(prepared.mock.calls.map(([source]) => source));
    prepared.mockRestore();
    const db = opened(Database, file);
    const changed = [...all].filter((sql) => sql !== plain(sql));
    expect(changed.length).toBeGreaterThan(100);
    for (const sql of changed) expect(planOf(sql, db), sql).toEqual(planOf(plain(sql), db));
  });
});

const plain = (sql: string): string => sql.replaceAll(/(?<=(?:=|LIMIT)\s*)\+(?=[?@])/g, "");

function planOf(sql: string, db: Database.Database): readonly unknown[] {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, 5]);
  const nameless = sql.match(/\?/g)?.map(() => 5) ?? [];
  const values = names.length > 0 ? [Object.fromEntries(names)] : nameless;
  return db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
}

function opened(
  Kind: new (file: string) => Database.Database,
  file = ":memory:",
): Database.Database {
  const db = new Kind(file);
  onTestFinished(() => void db.close());
  return db;
}
