import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  damageBeforeOpening,
  damageIn,
  noteDatabase,
  remedyFor,
  rescueEdits,
} from "../../src/backups/damage.ts";
import { examineDatabase } from "../../src/store/copies/copy-database.ts";
import { aDataDirectory } from "./rig.ts";

const now = Temporal.Instant.from("2026-11-22T12:00:00Z");

function aPlace() {
  const place = aDataDirectory();
  const backups = { directory: join(place.folder, "backups") };
  return { ...place, backups, dataDir: place.folder };
}

/** Random octets over one page of a file. */
function spoil(file: string, page: number) {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(4096, "garbage "), 0, 4096, (page - 1) * 4096);
  closeSync(descriptor);
}

const pageOf = (place: ReturnType<typeof aPlace>, name: string): number => {
  const sql = `SELECT rootpage FROM sqlite_schema WHERE name = '${name}'`;
  const { rootpage }: { readonly rootpage?: number } = Object(place.rows(sql)[0]);
  return rootpage ?? 0;
};

/** Rows that fill many pages. */
const filled = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
  INSERT INTO meta (name, value) SELECT 'filler ' || i, hex(randomblob(300)) FROM n`;

describe("a check before opening the database", () => {
  it("passes a new installation and an intact database", () => {
    const place = aPlace();
    expect(damageBeforeOpening(place)).toBeNull();
    rmSync(place.file);
    expect(damageBeforeOpening(place)).toBeNull();
    // The first start ended before it wrote anything.
    writeFileSync(place.file, "");
    expect(damageBeforeOpening(place)).toBeNull();
  });

  it("finds a known database that is empty, a folder, or gone without its log", () => {
    const place = aPlace();
    noteDatabase(place.folder);
    truncateSync(place.file, 0);
    expect(damageBeforeOpening(place)).toContain("it is empty");
    rmSync(place.file);
    writeFileSync(`${place.file}-wal`, "frames");
    expect(damageBeforeOpening(place)).toContain("its log is there");
    mkdirSync(place.file);
    expect(damageBeforeOpening(place)).toContain("it is not a file");
  });
});

describe("an examination of the database", () => {
  it.each([
    ["the head", () => 1],
    ["the root of a table", (place) => pageOf(place, "meta")],
    [
      "an index",
      (place) => pageOf(place, "edits_state") || pageOf(place, "sqlite_autoindex_meta_1"),
    ],
    ["the last page", (place) => statSync(place.file).size / 4096],
  ] satisfies readonly [string, (place: ReturnType<typeof aPlace>) => number][])(
    "finds garbage in %s",
    (_name, page) => {
      const place = aPlace();
      place.sql(filled);
      spoil(place.file, page(place));
      expect(examineDatabase(place.file, "quick")).toMatchObject({
        ok: false,
        failure: { kind: "damaged" },
      });
    },
  );

  it("passes garbage in a free page, which nobody reads", () => {
    const place = aPlace();
    place.sql(`${filled}; DELETE FROM meta WHERE name LIKE 'filler%'`);
    const size = statSync(place.file).size / 4096;
    spoil(place.file, size);
    expect(examineDatabase(place.file, "quick").ok).toBe(true);
  });

  it.each([
    ["half", 0.5],
    ["one page", 0],
  ])("finds damage if %s is left", (_name, part) => {
    const place = aPlace();
    truncateSync(
      place.file,
      Math.max(4096, Math.floor((statSync(place.file).size * part) / 4096) * 4096),
    );
    expect(examineDatabase(place.file, "quick")).toMatchObject({
      failure: { kind: "damaged" },
    });
  });
});

describe("a damaged write-ahead log", () => {
  /** As a power cut leaves them: the database, and a log with three commits. */
  function afterCrash() {
    const place = aPlace();
    const db = new Database(place.file);
    onTestFinished(() => void db.close());
    db.pragma("wal_autocheckpoint = 0");
    for (const name of ["a", "b", "c"]) {
      db.prepare("INSERT INTO meta (name, value) VALUES (?, 'x')").run(`told ${name}`);
    }
    const file = join(place.folder, "crashed.sqlite");
    copyFileSync(place.file, file);
    copyFileSync(`${place.file}-wal`, `${file}-wal`);
    const told = () => {
      const crashed = new Database(file);
      try {
        expect(crashed.pragma("quick_check", { simple: true })).toBe("ok");
        return crashed.prepare("SELECT count(*) FROM meta WHERE name LIKE 'told %'").pluck().get();
      } finally {
        crashed.close();
      }
    };
    return { log: `${file}-wal`, told };
  }

  it("is used up to the point where it ends", () => {
    const { log, told } = afterCrash();
    truncateSync(log, statSync(log).size - 100);
    expect(told()).toBe(2);
  });

  it("is ignored from the first garbage on", () => {
    const { log, told } = afterCrash();
    const octets = readFileSync(log);
    writeFileSync(log, octets.fill("garbage ", octets.length / 2));
    expect(told()).toBeLessThan(3);
  });

  it("is created again if it is missing", () => {
    const { log, told } = afterCrash();
    rmSync(log);
    expect(told()).toBe(0);
  });

  it("is used completely without its index", () => {
    expect(afterCrash().told()).toBe(3);
  });
});

it("the remedy is one command, quoted for a shell", () => {
  const { dataDir, backups } = { dataDir: "/srv/o'clock data", backups: { directory: "/b" } };
  expect(remedyFor({ dataDir, backups }, { good: "/b/one two.tar.gz", now })).toContain(
    "`dayferry restore '/b/one two.tar.gz'`",
  );
  expect(remedyFor({ dataDir: "/data", backups }, { good: null, now })).toContain(
    "`mkdir /data/damaged-20261122T120000Z && mv /data/dayferry.sqlite* /data/damaged-20261122T120000Z`",
  );
  expect(remedyFor({ dataDir, backups }, { good: null, now })).toContain(
    String.raw`'/srv/o'\''clock data/dayferry.sqlite'*`,
  );
});

it("recognizes SQLite's errors about damaged files, and no others", () => {
  const place = aPlace();
  writeFileSync(place.file, "garbage ".repeat(2000));
  const error = (() => {
    try {
      place.rows("SELECT 1 FROM meta");
    } catch (caught) {
      return caught;
    }
    return null;
  })();
  expect(damageIn(new Error("it failed", { cause: error }), place)).toContain("is damaged");
  expect(damageIn(new Error("something else"), place)).toBeNull();
  expect(rescueEdits(place.folder)).toBeNull();
});

it("rescues edits from both ends up to a damaged leaf of the journal", () => {
  const place = aPlace();
  place.sql(`PRAGMA foreign_keys = OFF;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO edits (channel, item, action, base, patch, state, created_at, updated_at)
      SELECT 'upload', i, 'update', '{}', json_object('title', 'Title ' || i), 'pending', '2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z' FROM n`);
  const leaves = place.rows(
    "SELECT pageno FROM dbstat WHERE name = 'edits' AND pagetype = 'leaf' ORDER BY path",
  );
  const { pageno }: { readonly pageno?: number } = Object(leaves[Math.floor(leaves.length / 2)]);
  spoil(place.file, pageno ?? 0);
  const rescued = rescueEdits(place.folder);
  expect(rescued?.edits).toBeGreaterThan(500);
  expect(rescued?.edits).toBeLessThan(600);
  const file = rescued?.file ?? "";
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { edits }: { readonly edits?: readonly unknown[] } = JSON.parse(readFileSync(file, "utf8"));
  expect(JSON.stringify(edits?.[0])).toContain("Title 1");
  expect(JSON.stringify(edits)).toContain("Title 600");
});
