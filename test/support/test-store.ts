import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore, type Store } from "../../src/store/store.ts";
import { zone } from "./items.ts";

/** A clock that only tests move. */
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

/** A store that is closed when the test ends; in memory unless a file is named. */
export function testStore(clock: () => Temporal.Instant, file = ":memory:"): Store {
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
