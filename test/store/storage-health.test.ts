import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrate } from "../../src/store/migrate.ts";
import { storeDatabase } from "../../src/store/steady-database.ts";
import {
  createStorageHealth,
  isStorageFault,
  storageProblemAtStart,
} from "../../src/store/storage-health.ts";
import { handClock, migrations, testDirectory } from "../support/test-store.ts";

function healthRig() {
  const file = join(testDirectory(), "dayferry.sqlite");
  const db = new Database(file, { timeout: 0 });
  onTestFinished(() => void db.close());
  db.pragma("journal_mode = WAL");
  migrate(db, migrations);
  const clock = handClock("2026-11-20T12:00:00Z");
  const health = createStorageHealth({ db: storeDatabase(db), clock, zone: "UTC" });
  const fill = db.prepare("INSERT INTO meta (name, value) VALUES (?, ?)");
  let filled = 0;
  const faultOf = (): unknown => {
    try {
      fill.run(`filler ${filled++}`, "x".repeat(100_000));
    } catch (error) {
      return error;
    }
    throw new Error("it was stored");
  };
  return { db, file, clock, health, faultOf };
}

describe("createStorageHealth()", () => {
  it("note() says full when SQLite has no room, until check() can store something", () => {
    const { db, clock, health, faultOf } = healthRig();
    // Migrations leave free pages.
    db.exec("VACUUM");
    db.pragma(`max_page_count = ${Number(db.pragma("page_count", { simple: true }))}`);
    expect(health.note(faultOf())).toBe(true);
    clock.advance({ seconds: 5 });
    expect(health.check()).toBe(false);
    expect(health.trouble()).toMatchObject({ kind: "full", failures: 2 });
    expect(health.trouble()?.problem).toContain("the disk of the data directory is full");
    expect(health.trouble()?.since.toString()).toBe("2026-11-20T12:00:00Z");
    db.pragma("max_page_count = 1000000");
    expect(health.check()).toBe(true);
    expect(health.trouble()).toBeNull();
  });

  it("note() reports a damaged page until the end, whatever else fails or can be stored", () => {
    const { db, health, faultOf } = healthRig();
    const damage = new Database.SqliteError("database disk image is malformed", "SQLITE_CORRUPT");
    expect(health.note(new Error("a feed cannot be built", { cause: damage }))).toBe(true);
    expect(health.trouble()).toMatchObject({ kind: "damaged" });
    expect(health.check()).toBe(false);
    db.pragma("query_only = ON");
    expect(health.note(faultOf())).toBe(true);
    expect(health.trouble()).toMatchObject({ kind: "damaged", failures: 1 });
    expect(storageProblemAtStart(damage, "/data")).toBeNull();
  });

  it("note() reports a database that is read-only, or held by another program", () => {
    const { db, file, health, faultOf } = healthRig();
    db.pragma("query_only = ON");
    health.note(faultOf());
    expect(health.trouble()?.kind).toBe("read-only");
    db.pragma("query_only = OFF");
    expect(health.check()).toBe(true);

    const other = new Database(file);
    onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    health.note(faultOf());
    expect(health.trouble()?.kind).toBe("busy");
    other.exec("ROLLBACK");
    expect(health.check()).toBe(true);
  });
});

describe("isStorageFault()", () => {
  const fromSystem = (code: string) => Object.assign(new Error(code), { code, syscall: "write" });
  it.each([
    [fromSystem("ENOSPC"), true],
    [fromSystem("EROFS"), true],
    [fromSystem("EDQUOT"), true],
    [new Error("wrapped", { cause: fromSystem("EIO") }), true],
    [fromSystem("ECONNREFUSED"), false],
    [new Error("SQLITE_FULL"), false],
    ["ENOSPC", false],
  ])("recognises %s", (error, isFault) => {
    expect(isStorageFault(error)).toBe(isFault);
  });
});
