import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lockDataDirectory } from "../../src/store/data-lock.ts";
import { closeFolder, keepFolderPrivate, openPlacesIn } from "../../src/store/private-files.ts";
import { openStore } from "../../src/store/store.ts";
import { handClock, migrations, testDirectory } from "../support/test-store.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

/** As in many shells and service managers. */
function wideMask() {
  const before = process.umask(0o000);
  onTestFinished(() => void process.umask(before));
}

it("openStore() makes the database, its log and its index private, whatever the mask is", () => {
  wideMask();
  const folder = join(testDirectory(), "data");
  mkdirSync(folder, { mode: 0o777 });
  const store = openStore({
    file: join(folder, "dayferry.sqlite"),
    migrations,
    zone: "UTC",
    clock: handClock("2026-11-21T09:00:00Z"),
    randomId: () => "id",
  });
  onTestFinished(() => store.close());
  store.logIns.begin({
    digest: "x",
    person: null,
    way: "token",
    proxied: null,
    agent: "",
    until: Temporal.Instant.from("2026-12-01T00:00:00Z"),
  });
  const lock = lockDataDirectory(folder);
  onTestFinished(() => lock?.release());
  const names = readdirSync(folder);
  expect(names).toEqual(
    expect.arrayContaining(["dayferry.sqlite", "dayferry.sqlite-wal", "dayferry.sqlite-shm"]),
  );
  for (const name of names) expect([name, modeOf(join(folder, name))]).toEqual([name, "600"]);
});

it("lockDataDirectory() is held by the first of two requests in one process", () => {
  const folder = testDirectory();
  const lock = lockDataDirectory(folder);
  expect(lockDataDirectory(folder)).toBeNull();
  expect(lockDataDirectory(folder)).toBeNull();
  lock?.release();
});

describe("keepFolderPrivate()", () => {
  it("keepFolderPrivate() closes open files, also of an earlier version, and follows no link", () => {
    wideMask();
    const place = testDirectory();
    const folder = join(place, "data");
    mkdirSync(join(folder, "mail"), { recursive: true });
    const outside = join(place, "outside");
    writeFileSync(outside, "x", { mode: 0o644 });
    for (const name of ["feed-key", "dayferry.sqlite-wal", "config.json"]) {
      writeFileSync(join(folder, name), "x", { mode: 0o666 });
    }
    symlinkSync(outside, join(folder, "link"));
    expect(openPlacesIn(folder)).toHaveLength(5);
    keepFolderPrivate(folder);
    expect(openPlacesIn(folder)).toEqual([]);
    expect([
      modeOf(folder),
      modeOf(join(folder, "mail")),
      modeOf(join(folder, "feed-key")),
    ]).toEqual(["700", "700", "600"]);
    expect(modeOf(outside)).toBe("644");
  });

  it("keepFolderPrivate() makes a missing folder, and leaves a shared one alone", () => {
    wideMask();
    const place = testDirectory();
    keepFolderPrivate(join(place, "deep", "new"));
    expect(modeOf(join(place, "deep", "new"))).toBe("700");
    chmodSync(place, 0o1777);
    keepFolderPrivate(place);
    expect(modeOf(place)).toBe("1777");
  });

  it("closeFolder() does nothing without a folder", () => {
    const missing = join(testDirectory(), "none");
    closeFolder(missing);
    expect(openPlacesIn(missing)).toEqual([]);
  });
});
