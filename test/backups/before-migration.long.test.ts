import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifyBackup } from "../../src/backups/restore-backup.ts";
import { loadConfig } from "../../src/config/load.ts";
import { createLog } from "../../src/log.ts";
import { openModules } from "../../src/modules/open-modules.ts";
import { readMigrations } from "../../src/store/migrate.ts";
import { install } from "../support/dayferry.ts";
import { command } from "../support/in-process.ts";
import { testSandbox } from "../support/sandbox.ts";

const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));

describe("a start with pending migrations", () => {
  it.each([1, 12])(
    "backs up a database with %i migrations first, and refuses if it cannot",
    async (count) => {
      const { place, open, backups } = await anInstallation();
      firstVersion(join(place.dataDir, "dayferry.sqlite"), count);
      // A file in place of the folder.
      writeFileSync(backups, "");
      expect(open).toThrow("cannot be backed up first");
      expect(versionOf(join(place.dataDir, "dayferry.sqlite"))).toBe(count);
      rmSync(backups);
      const modules = open();
      await modules.close();
      expect(readdirSync(backups).map((name) => name.replace(/\d{8}T\d{6}/, "NOW"))).toEqual([
        "dayferry-NOWZ-before-migration.tar.gz",
      ]);
      expect(versionOf(join(place.dataDir, "dayferry.sqlite"))).toBe(
        readMigrations(migrations).length,
      );
      await open().close();
      expect(readdirSync(backups)).toHaveLength(1);
    },
  );

  it("keeps the backup of a start that was just interrupted, beside the new one", async () => {
    const { place, open, backups } = await anInstallation();
    const file = join(place.dataDir, "dayferry.sqlite");
    for (const count of [1, 12]) {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
      firstVersion(file, count);
      await open().close();
    }
    const kept = readdirSync(backups).map((name) => verifyBackup(join(backups, name), null));
    const whole = await Promise.all(kept);
    expect(new Set(whole.map((one) => one.ok && one.value.migration))).toEqual(new Set([1, 12]));
  });

  it("makes one backup for repeated failures, and another once the database changed", async () => {
    const { place, open, backups } = await anInstallation();
    const file = join(place.dataDir, "dayferry.sqlite");
    firstVersion(file, 13);
    // The next start makes it.
    const db = new Database(file);
    db.exec("CREATE TABLE unanswered (something TEXT)");
    db.close();
    const fail = () => expect(open).toThrow("unanswered");
    for (let start = 0; start < 3; start += 1) fail();
    const kept = readdirSync(backups);
    expect(kept).toHaveLength(1);
    truncateSync(join(backups, kept[0] ?? ""), 1000);
    fail();
    expect(readdirSync(backups)).toHaveLength(2);
    expect(versionOf(file)).toBe(13);
  });

  it("refuses a database of a newer version, and changes nothing", async () => {
    const { place, open, backups } = await anInstallation();
    const file = join(place.dataDir, "dayferry.sqlite");
    const build = readMigrations(migrations).length;
    await open().close();
    const db = new Database(file);
    db.prepare("INSERT INTO schema_migration VALUES (?, 'later', '', '')").run(build + 1);
    db.close();
    const outcome = command(["edits", "list"], { installation: place });
    expect(await outcome).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        new RegExp(
          `newer than this build: it has migration ${build + 1} .*restore the backup.*\n$`,
        ),
      ),
    });
    expect(versionOf(file)).toBe(build + 1);
    expect(() => readdirSync(backups)).toThrow("ENOENT");
  });
});

async function anInstallation() {
  const sandbox = await testSandbox();
  onTestFinished(() => sandbox.close());
  const place = install(sandbox);
  onTestFinished(place.dispose);
  mkdirSync(place.dataDir, { mode: 0o700 });
  const { configFile, folder } = place;
  return {
    place,
    backups: join(place.dataDir, "backups"),
    open: () => {
      const config = loadConfig({ file: configFile, env: {}, cwd: folder });
      if (!config.ok) throw new Error("the configuration is not read");
      const opened = openModules(config.value, {
        clock: () => Temporal.Instant.from("2026-11-21T12:00:00Z"),
        monotonic: () => performance.now(),
        random: () => 0.5,
        log: createLog({ level: "silent" }),
      });
      if (!opened.ok) throw new Error(opened.failure);
      return opened.value;
    },
  };
}

/** A database as an earlier build left it. */
function firstVersion(file: string, count: number): void {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.exec(
    "CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT",
  );
  for (const { version, name, sql, sha256 } of readMigrations(migrations).slice(0, count)) {
    db.exec(sql);
    db.prepare("INSERT INTO schema_migration VALUES (?, ?, ?, '2026-01-01T00:00:00Z')").run(
      version,
      name,
      sha256,
    );
  }
  db.close();
}

function versionOf(file: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare("SELECT max(version) FROM schema_migration").pluck().get();
  } finally {
    db.close();
  }
}
