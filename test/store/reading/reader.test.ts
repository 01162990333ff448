import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openQuery, sqlProblem } from "../../../src/store/reading/query.ts";
import { openReader, type ReportDatabase } from "../../../src/store/reading/reader.ts";
import { insistOk } from "../../reports/insist.ts";
import { anEvent } from "../../support/items.ts";
import { handClock, testDirectory, testStore } from "../../support/test-store.ts";

const clock = handClock("2026-11-21T12:00:00Z");

function aDatabase() {
  const folder = testDirectory();
  const file = join(folder, "dayferry.sqlite");
  const store = testStore(clock, file);
  store.mirror.put(anEvent(1, { title: "Kept" }), "events:2001");
  return { folder, file, store };
}

const titles = (reader: ReportDatabase): readonly string[] =>
  reader
    .view({
      ...{ view: "report_items", columns: "title", where: {} },
      at: {
        now: clock(),
        today: Temporal.PlainDate.from("2026-11-21"),
        zone: "UTC",
        asOf: null,
        viewerId: null,
      },
    })
    .map(({ title }) => title);
const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

describe("openReader()", () => {
  it("reads without waiting while a daemon holds and writes the database", () => {
    const { file, store } = aDatabase();
    const reader = insistOk(openReader(file));
    expect(titles(reader)).toEqual(["Kept"]);
    store.together(() => {
      store.mirror.put(anEvent(2, { title: "Half" }), "events:2001");
      expect(titles(reader)).toEqual(["Kept"]);
    });
    expect(titles(reader)).toEqual(["Kept", "Half"]);
    reader.once(() => {
      titles(reader);
      store.mirror.put(anEvent(3, { title: "Meanwhile" }), "events:2001");
      expect(titles(reader)).toHaveLength(2);
    });
    reader.close();
  });

  it("changes no octet of the file when no daemon runs", () => {
    const { file, store } = aDatabase();
    store.close();
    const before = digest(file);
    const reader = insistOk(openReader(file));
    expect(titles(reader)).toEqual(["Kept"]);
    reader.close();
    expect(digest(file)).toBe(before);
  });

  it("reads a read-only medium, also with a log left behind", () => {
    const { folder, file, store } = aDatabase();
    const medium = testDirectory();
    chmodSync(medium, 0o755);
    for (const name of readdirSync(folder)) {
      if (!name.endsWith("-shm")) copyFileSync(join(folder, name), join(medium, name));
    }
    store.close();
    copyFileSync(file, join(medium, "clean.sqlite"));
    const names = readdirSync(medium);
    for (const name of names) chmodSync(join(medium, name), 0o444);
    chmodSync(medium, 0o555);
    const root = new URL("../../../src/store/reading/reader.ts", import.meta.url).href;
    const script = `import { openReader } from ${JSON.stringify(root)};
      for (const name of ["dayferry.sqlite", "clean.sqlite"]) {
        const opened = openReader(${JSON.stringify(medium)} + "/" + name);
        if (!opened.ok) throw new Error(opened.failure);
        console.log(opened.value.latestRevision());
        opened.value.close();
      }`;
    // Root may write everywhere, so the process becomes another user for this.
    const isRoot = process.getuid?.() === 0;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      cwd: "/",
      ...(isRoot && { uid: 65_534, gid: 65_534 }),
    });
    chmodSync(medium, 0o755);
    expect([stdout, stderr]).toEqual(["1\n1\n", ""]);
    expect(readdirSync(medium)).toEqual(names);
  });

  it("explains in a sentence a missing database, or one of another kind or build", () => {
    const { folder, file, store } = aDatabase();
    store.close();
    const failureOf = (path: string) => {
      const opened = openReader(path);
      if (opened.ok) opened.value.close();
      return opened.ok ? null : opened.failure;
    };
    expect(failureOf(join(folder, "none.sqlite"))).toContain("there is no database at");
    expect(failureOf(folder)).toBe(`${folder} is no file: name the database itself`);
    writeFileSync(join(folder, "text"), "x".repeat(5000));
    expect(failureOf(join(folder, "text"))).toContain("file is not a database");
    new Database(join(folder, "other.sqlite")).exec("CREATE TABLE t (a)").close();
    expect(failureOf(join(folder, "other.sqlite"))).toContain("no database of Dayferry");
    const change = (sql: string) => new Database(file).exec(sql).close();
    change("INSERT INTO schema_migration VALUES (99, 'later', 'x', 'now')");
    expect(failureOf(file)).toContain("newer than this build");
    change("DELETE FROM schema_migration WHERE version >= 8");
    expect(failureOf(file)).toMatch(/of an older build \(migration 7 of \d+\); start the daemon/);
    change("UPDATE schema_migration SET sha256 = 'x' WHERE version = 2");
    expect(failureOf(file)).toContain("other migrations");
  });
});

describe("openQuery()", () => {
  const rowsOf = (file: string, sql: string) => {
    const query = insistOk(openQuery(file, sql));
    try {
      return { columns: query.columns, rows: [...query.rows()] };
    } finally {
      query.close();
    }
  };

  it("gives columns and rows, large numbers exactly, and unique names", () => {
    const { file } = aDatabase();
    expect(
      rowsOf(file, "-- all\nSELECT title, 1 AS title, 9007199254740993 AS big FROM report_items"),
    ).toEqual({
      columns: ["title", "title_2", "big"],
      rows: [["Kept", 1n, 9007199254740993n]],
    });
    const named = (sql: string) => rowsOf(file, sql).columns;
    expect(named("SELECT 1 AS a, 2 AS a_2, 3 AS a")).toEqual(["a", "a_2", "a_3"]);
    expect(named("SELECT 1 AS a, 2 AS a, 3 AS a_2")).toEqual(["a", "a_3", "a_2"]);
    expect(rowsOf(file, "PRAGMA table_info(meta)").rows).toHaveLength(2);
    expect(rowsOf(file, "EXPLAIN QUERY PLAN SELECT 1").rows.length).toBeGreaterThan(0);
  });

  it.each([
    ["DELETE FROM view_items", "only queries that read"],
    ["WITH x AS (SELECT 1) DELETE FROM view_items", "only queries that read"],
    ["INSERT INTO meta VALUES ('a', 'b') RETURNING name", "only queries that read"],
    [
      "WITH x AS (SELECT 1) INSERT INTO meta SELECT 'a', 'b' RETURNING name",
      "only queries that read",
    ],
    ["ATTACH '/tmp/x' AS y", "only queries that read"],
    ["VACUUM INTO '/tmp/x'", "only queries that read"],
    ["BEGIN", "only queries that read"],
    ["PRAGMA query_only = OFF", "only pragmas that describe"],
    ["PRAGMA journal_mode = DELETE", "only pragmas that describe"],
    ["PRAGMA user_version", "only pragmas that describe"],
    ["EXPLAIN PRAGMA writable_schema = ON", "only queries that read"],
    ["EXPLAIN QUERY PLAN PRAGMA temp_store = 2", "only queries that read"],
    ["EXPLAIN ATTACH '/tmp/x' AS y", "only queries that read"],
    ["SELECT 1; SELECT 2", "one query is run at a time"],
    ["  -- nothing\n", "there is no query"],
    ["SELECT missing FROM view_items", "no such column: missing (line 1, column 8)"],
    ["SELECT 1\nFORM view_items", 'near "view_items": syntax error (line 2, column 6)'],
  ])("refuses a query that is %s", (sql, reason) => {
    const { file } = aDatabase();
    const before = digest(file);
    const query = openQuery(file, sql);
    if (query.ok) query.value.close();
    expect(query).toMatchObject({ failure: expect.stringContaining(reason) });
    expect(digest(file)).toBe(before);
  });

  it("refuses to load an extension", () => {
    const { file } = aDatabase();
    const sql = "SELECT load_extension('/tmp/x')";
    expect(() => rowsOf(file, sql)).toThrow("not authorized");
    expect(sqlProblem(new TypeError("odd"), sql)).toBe("odd");
  });
});
