import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { migrate } from "../../src/store/migrate.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { zone } from "./items.ts";

/** A clock that only tests advance. */
export interface HandClock {
  (): Temporal.Instant;
  set(instant: string): void;
  advance(length: Temporal.DurationLike): void;
}

export function handClock(start: string): HandClock {
  let now = Temporal.Instant.from(start);
  return Object.assign(() => now, {
    set(instant: string) {
      now = Temporal.Instant.from(instant);
    },
    advance(length: Temporal.DurationLike) {
      now = now.add(length);
    },
  });
}

export const migrations = join(import.meta.dirname, "../../migrations");

let migrated: Buffer | null = null;

/** The octets of a database without rows at the newest migration: all migrations take 20 times as long as a copy. */
export function emptyDatabase(): Buffer {
  if (!migrated) {
    const db = new Database(":memory:");
    migrate(db, migrations);
    migrated = db.serialize();
    db.close();
  }
  return migrated;
}

/** Puts an empty database into a data directory without one: not every test needs to try a first start. */
export function layDatabase(folder: string): void {
  mkdirSync(folder, { recursive: true });
  layFile(join(folder, "dayferry.sqlite"));
}

function layFile(file: string): void {
  if (!existsSync(file)) writeFileSync(file, emptyDatabase(), { mode: 0o600 });
}

/** A store that is closed when the test ends; by default in memory, else in a file, which is made if it is missing. */
export function testStore(
  clock: () => Temporal.Instant,
  file: string | Buffer = emptyDatabase(),
): Store {
  if (typeof file === "string") layFile(file);
  let made = 0;
  const store = openStore({ file, migrations, zone, clock, randomId: () => `id-${++made}` });
  onTestFinished(() => store.close());
  return store;
}

/** A directory that is removed when the test ends. */
export function testDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "dayferry-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
