import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { databasePart, keysPart, readManifest, writeArchive } from "../../src/backups/archive.ts";
import {
  finishRestore,
  restoreKeys,
  unpack,
  verifyBackup,
} from "../../src/backups/restore-backup.ts";
import { keyFiles } from "../../src/backups/sealed-keys.ts";
import { rows } from "../support/effort.ts";
import { canFillDisk, fullDisk } from "../support/full-disk.ts";
import { aDataDirectory, good, noon, passphrase } from "./rig.ts";

describe("making a backup", () => {
  it("writes one private file that common tools open, and nothing beside it", async () => {
    const place = aDataDirectory();
    const { file, octets, manifest } = good(await place.backup({ passphrase }));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).size).toBe(octets);
    expect(manifest).toMatchObject({ madeAt: noon, keys: "sealed", program: "1.2.3", version: 1 });
    const listed = execFileSync("tar", ["-tzf", file], { encoding: "utf8" });
    expect(listed.trim().split("\n")).toEqual(["manifest.json", "dayferry.sqlite", "keys.json"]);
    expect(readdirSync(place.folder).filter((name) => name.startsWith("."))).toEqual([]);
    expect(await verifyBackup(file, passphrase)).toMatchObject({ ok: true });
  });

  it("reports its progress, as do restoring and verifying", async () => {
    const place = aDataDirectory();
    const shares: number[] = [];
    const onBytes = (done: number, total: number) => void shares.push(done / total);
    const { file } = good(await place.backup({ passphrase }, onBytes));
    expect(shares.length).toBeGreaterThan(3);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.filter((share) => share > 1 / 3).length).toBeGreaterThan(0);
    expect(shares.at(-1)).toBeCloseTo(1, 1);
    shares.length = 0;
    await verifyBackup(file, null, onBytes);
    expect(shares).toContain(1);
    shares.length = 0;
    await place.restore({ onBytes });
    expect(shares).toContain(1);
  });

  it("leaves keys out on request", async () => {
    const place = aDataDirectory();
    const { file, manifest } = good(await place.backup({ passphrase: null }));
    expect(manifest.keys).toBe("left out");
    const content = gunzipSync(readFileSync(file));
    for (const name of ["admin-token", "feed-key", "link-key", "mail-key"]) {
      expect(content.includes(place.key(name).trim())).toBe(false);
    }
  });

  it("seals keys, so that none is readable in the file", async () => {
    const place = aDataDirectory();
    const content = gunzipSync(readFileSync(good(await place.backup({ passphrase })).file));
    expect(content.includes(place.key("feed-key").trim())).toBe(false);
  });

  it("captures one moment of a database that is written all the time", async () => {
    const place = aDataDirectory();
    place.sql("CREATE TABLE pairs (id INTEGER PRIMARY KEY, twin INTEGER NOT NULL, filler BLOB)");
    const db = new Database(place.file);
    const write = db.transaction((id: number) => {
      db.prepare("INSERT INTO pairs VALUES (?, ?, randomblob(3000))").run(2 * id, id);
      db.prepare("INSERT INTO pairs VALUES (?, ?, randomblob(3000))").run(2 * id + 1, id);
    });
    db.transaction(() => {
      for (let id = 1; id <= 400; id += 1) write(id);
    })();
    let id = 400;
    let isDone = false;
    const writing = (async () => {
      while (!isDone) {
        id += 1;
        write(id);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const made = await place.backup();
    isDone = true;
    await writing;
    db.close();
    execFileSync("tar", ["-xzf", good(made).file, "-C", place.folder, "--one-top-level=out"]);
    const copy = join(place.folder, "out/dayferry.sqlite");
    expect(
      place.rows("SELECT count(*) AS odd FROM pairs GROUP BY twin HAVING odd <> 2", copy),
    ).toEqual([]);
    expect(place.rows("PRAGMA integrity_check", copy)).toEqual([{ integrity_check: "ok" }]);
    expect(id).toBeGreaterThan(400);
  });

  it("fails if the database is damaged, and keeps the last backup", async () => {
    const place = aDataDirectory();
    const before = readFileSync(good(await place.backup()).file);
    damage(place.file);
    expect(await place.backup()).toMatchObject({ ok: false, failure: { kind: "damaged" } });
    expect(readFileSync(join(place.folder, "one.tar.gz"))).toEqual(before);
  });

  it.skipIf(!canFillDisk())("fails if the disk is full, and keeps the last backup", async () => {
    const place = aDataDirectory();
    const { file } = good(await place.backup());
    const before = readFileSync(file);
    const disk = fullDisk();
    disk.fill();
    const made = await place.backup();
    disk.makeRoom();
    expect(made).toMatchObject({ ok: false, failure: { kind: "failed" } });
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(place.folder).filter((name) => name.startsWith(".dayferry"))).toEqual([]);
  });
});

describe("verifying a backup", () => {
  it("finds a changed octet, and a missing end", async () => {
    const place = aDataDirectory();
    const { file } = good(await place.backup());
    const whole = readFileSync(file);
    const content = gunzipSync(whole);
    for (const at of [600, 20_000, content.byteLength - 2500]) {
      const hurt = Buffer.from(content);
      hurt.writeUInt8(hurt.readUInt8(at) ^ 0x55, at);
      writeFileSync(file, gzipSync(hurt));
      expect(await verifyBackup(file, null), String(at)).toMatchObject({ ok: false });
    }
    for (const length of [0, 10, 5000, whole.byteLength - 1]) {
      writeFileSync(file, whole.subarray(0, length));
      expect(await verifyBackup(file, null), String(length)).toMatchObject({ ok: false });
    }
  });

  it.each([databasePart, keysPart])(
    "refuses an empty %s, even with the right hash",
    async (part) => {
      const place = aDataDirectory();
      const { file } = good(await place.backup({ passphrase }));
      const told = await readManifest(file);
      if (!told.ok) throw new Error(told.failure);
      const folder = join(place.folder, "parts");
      mkdirSync(folder);
      expect((await unpack(file, folder)).ok).toBe(true);
      writeFileSync(join(folder, part), "");
      const parts = told.value.parts.map(({ name }) => {
        const octets = readFileSync(join(folder, name));
        const sha256 = createHash("sha256").update(octets).digest("hex");
        const content = async function* () {
          yield octets;
        };
        return { name, octets: octets.byteLength, sha256, content };
      });
      const descriptor = openSync(file, "w");
      await writeArchive(descriptor, { manifest: { ...told.value, parts }, parts });
      closeSync(descriptor);
      expect(await verifyBackup(file, passphrase)).toMatchObject({ ok: false });
      const before = readFileSync(place.file);
      expect(await place.restore({ file })).toMatchObject({ ok: false });
      expect(readFileSync(place.file)).toEqual(before);
    },
  );

  it("needs the right passphrase", async () => {
    const place = aDataDirectory();
    const { file } = good(await place.backup({ passphrase }));
    const checked = await verifyBackup(file, "another one");
    expect(checked).toMatchObject({ ok: false });
    expect(JSON.stringify(checked)).toContain("passphrase");
  });
});

describe("restoring a backup", () => {
  it("restores database and keys, and sets the previous ones aside", async () => {
    const place = aDataDirectory();
    const { file } = good(await place.backup({ passphrase }));
    place.sql("INSERT INTO labels (id, name) VALUES (7, 'made later')");
    writeFileSync(join(place.folder, "feed-key"), "y".repeat(40));
    const restored = good(await place.restore({ file }));
    expect(place.rows("SELECT * FROM labels")).toEqual([]);
    expect(place.key("feed-key")).toContain("feed-key-");
    const aside = restored.aside ?? "";
    expect(place.rows("SELECT name FROM labels", join(aside, "dayferry.sqlite"))).toEqual([
      { name: "made later" },
    ]);
    expect(readFileSync(join(aside, "feed-key"), "utf8")).toBe("y".repeat(40));
    expect(place.rows("SELECT value FROM meta WHERE name = 'epoch'")).toEqual([
      { value: "the next epoch" },
    ]);
    expect(restored.lost).toEqual([]);
    place.open().close();
  });

  it.each(rows(["admin-token", "feed-key", "link-key", "mail-key"], 4))(
    "restores a lost %s, and without the passphrase says what its loss invalidates",
    async (name) => {
      const place = aDataDirectory();
      const before = place.key(name);
      const { file } = good(await place.backup({ passphrase }));
      rmSync(join(place.folder, name));
      expect(good(await place.restore({ file, passphrase: null })).lost).toHaveLength(1);
      expect(good(await place.restore({ file })).lost).toEqual([]);
      expect(place.key(name)).toBe(before);
    },
  );

  it("without the passphrase does not count a key as lost that never existed", async () => {
    const place = aDataDirectory();
    rmSync(join(place.folder, "link-key"));
    const { file } = good(await place.backup({ passphrase }));
    const elsewhere = aDataDirectory();
    for (const name of ["feed-key", "link-key"]) rmSync(join(elsewhere.folder, name));
    const { lost } = good(await elsewhere.restore({ file, passphrase: null }));
    expect(lost).toEqual(["every feed has a new address and must be subscribed to again"]);
  });

  it("with a wrong passphrase changes nothing", async () => {
    const place = aDataDirectory();
    good(await place.backup({ passphrase }));
    const before = readFileSync(place.file);
    const restored = await place.restore({ passphrase: "wrong" });
    expect(restored.ok).toBe(false);
    expect(readFileSync(place.file)).toEqual(before);
    expect(readdirSync(place.folder).some((name) => name.startsWith("replaced"))).toBe(false);
  });

  it("refuses a backup of a newer version", async () => {
    const place = aDataDirectory();
    place.sql(
      "INSERT INTO schema_migration VALUES (9999, 'of_the_future', 'x', '2030-01-01T00:00:00Z')",
    );
    const { file } = good(await place.backup());
    const restored = await place.restore({ file });
    expect(JSON.stringify(restored)).toContain("newer Dayferry");
    expect((await readManifest(file)).ok).toBe(true);
  });

  it("explains that a file is no backup", async () => {
    const place = aDataDirectory();
    const { file } = good(await place.backup());
    const other = join(place.folder, "other");
    const reasonOf = async () => String(Object(await readManifest(other)).failure);
    expect(await reasonOf()).toBe(
      `${other} is not a complete backup: there is no such file or folder`,
    );
    writeFileSync(other, "{}");
    expect(await reasonOf()).toContain("it is damaged, or not a backup");
    writeFileSync(other, readFileSync(file).subarray(0, 40));
    expect(await reasonOf()).toContain("it is truncated");
  });

  it("works over a database damaged beyond reading, and over none", async () => {
    const place = aDataDirectory();
    const { file } = good(await place.backup());
    writeFileSync(place.file, randomBytes(50_000));
    expect(good(await place.restore({ file })).knowsSince).toBe(false);
    rmSync(place.file);
    expect(good(await place.restore({ file })).aside).toBe(null);
    place.open().close();
  });

  it("is finished after an interruption at any point", async () => {
    const place = aDataDirectory();
    place.sql("INSERT INTO labels (id, name) VALUES (1, 'old')");
    const { file } = good(await place.backup());
    place.sql("UPDATE labels SET name = 'present'");
    // Puts the files moved by a decided restore back into each state that an interruption could leave.
    const stage = join(place.folder, ".restoring-abc");
    mkdirSync(stage);
    execFileSync("tar", ["-xzf", file, "-C", stage, "dayferry.sqlite"]);
    writeFileSync(join(stage, "feed-key"), "k".repeat(40));
    const steps: readonly ((folder: string) => void)[] = [
      () => undefined,
      (folder) =>
        cpSync(join(folder, "dayferry.sqlite"), join(folder, "replaced-x/dayferry.sqlite")),
      (folder) => {
        cpSync(join(folder, "dayferry.sqlite"), join(folder, "replaced-x/dayferry.sqlite"));
        rmSync(join(folder, "dayferry.sqlite"));
      },
      (folder) => {
        cpSync(join(folder, "dayferry.sqlite"), join(folder, "replaced-x/dayferry.sqlite"));
        cpSync(join(folder, ".restoring-abc/dayferry.sqlite"), join(folder, "dayferry.sqlite"));
        rmSync(join(folder, ".restoring-abc/dayferry.sqlite"));
      },
      (folder) => {
        cpSync(join(folder, ".restoring-abc/dayferry.sqlite"), join(folder, "dayferry.sqlite"));
        rmSync(join(folder, ".restoring-abc"), { recursive: true });
      },
    ];
    for (const [number, step] of steps.entries()) {
      const folder = `${place.folder}-case-${number}`;
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      cpSync(place.folder, folder, { recursive: true });
      writeFileSync(
        join(folder, "restore.json"),
        JSON.stringify({ stage: ".restoring-abc", aside: "replaced-x" }),
      );
      step(folder);
      expect(finishRestore(folder)).toBe(true);
      expect(finishRestore(folder)).toBe(false);
      const names = place.rows("SELECT name FROM labels", join(folder, "dayferry.sqlite"));
      expect(names, String(number)).toEqual([{ name: "old" }]);
      expect(existsSync(join(folder, ".restoring-abc"))).toBe(false);
    }
  });
});

describe("restoring keys", () => {
  const now = Temporal.Instant.from("2026-11-22T12:00:00Z");

  it("restores lost and truncated keys, and leaves the database and the others alone", async () => {
    const place = aDataDirectory();
    const { folder: dataDir } = place;
    const before = keyFiles.map(({ name }) => place.key(name));
    const { file } = good(await place.backup({ passphrase }));
    place.sql("INSERT INTO labels (id, name) VALUES (7, 'made later')");
    const database = readFileSync(place.file);
    rmSync(join(dataDir, "link-key"));
    writeFileSync(join(dataDir, "feed-key"), "cut");
    const restored = await restoreKeys({ file, dataDir, passphrase, now });
    const aside = join(dataDir, "replaced-20261122T120000Z");
    expect(restored).toMatchObject({ value: { keys: ["feed-key", "link-key"], aside } });
    expect(keyFiles.map(({ name }) => place.key(name))).toEqual(before);
    expect(readFileSync(join(aside, "feed-key"), "utf8")).toBe("cut");
    expect(readFileSync(place.file)).toEqual(database);
    const again = await restoreKeys({ file, dataDir, passphrase, now });
    expect(again).toMatchObject({ value: { keys: [], aside: null } });
    expect(readdirSync(dataDir).filter((name) => name.startsWith(".restoring"))).toEqual([]);
  });

  it("is refused without keys, without their passphrase, and for another installation", async () => {
    const place = aDataDirectory();
    const { folder: dataDir } = place;
    const { file } = good(await place.backup({ passphrase }));
    const closed = good(
      await place.backup({ passphrase: null, file: join(dataDir, "no-keys.tar.gz") }),
    );
    rmSync(join(dataDir, "feed-key"));
    const refused = async (changes: Partial<Parameters<typeof restoreKeys>[0]>) =>
      JSON.stringify(await restoreKeys({ file, dataDir, passphrase, now, ...changes }));
    expect(await refused({ file: closed.file })).toContain("holds no keys");
    expect(await refused({ passphrase: null })).toContain("enter their passphrase");
    expect(await refused({ passphrase: "wrong" })).toContain("cannot be decrypted");
    place.sql("UPDATE meta SET value = 'another.dayferry' WHERE name = 'installation'");
    expect(await refused({})).toContain("is of another installation");
    expect(existsSync(join(dataDir, "feed-key"))).toBe(false);
  });
});

/** Writes garbage over pages in the middle. */
function damage(file: string): void {
  const size = statSync(file).size;
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, randomBytes(8192), 0, 8192, Math.floor(size / 2 / 4096) * 4096);
  truncateSync(file, size);
}
