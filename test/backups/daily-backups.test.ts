import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BackupProcesses, createBackupProcesses } from "../../src/backups/backup-processes.ts";
import { type BackupEvent, createDailyBackups } from "../../src/backups/daily-backups.ts";
import { makeBackup } from "../../src/backups/make-backup.ts";
import { verifyBackup } from "../../src/backups/restore-backup.ts";
import {
  listSnapshots,
  makeScratch,
  snapshotName,
  superfluous,
} from "../../src/backups/snapshots.ts";
import type { Trouble } from "../../src/domain/trouble-kinds.ts";
import { randomBytes } from "../../src/runtime.ts";
import { examineDatabase } from "../../src/store/copies/copy-database.ts";
import { eventually } from "../support/eventually.ts";
import { aDataDirectory } from "./rig.ts";

const zone = "Europe/Berlin";
const signal = new AbortController().signal;

/** Does in this process what separate processes do: starting one takes longer than a backup. */
const inThisProcess: BackupProcesses = {
  backup: (task) => makeBackup(task, randomBytes),
  examine: async (file) => examineDatabase(file, "quick"),
};

describe("daily backups", () => {
  it("are made at their time, once a day, and later if missed", async () => {
    const rig = aRig("2026-11-21T12:00:00Z");
    await rig.step();
    expect(rig.names()).toEqual([]);
    rig.set("2026-11-22T02:29:00Z");
    await rig.step();
    expect(rig.names()).toEqual([]);
    rig.set("2026-11-22T02:30:00Z");
    await rig.step();
    await rig.step();
    expect(rig.names()).toEqual(["dayferry-20261122T023000Z-daily.tar.gz"]);
    // The machine was off for two nights.
    rig.set("2026-11-25T09:00:00Z");
    await rig.step();
    expect(rig.names()).toHaveLength(2);
    const newest = listSnapshots(rig.directory)[0]?.file ?? "";
    expect(await verifyBackup(newest, null)).toMatchObject({ ok: true });
    expect(rig.troubles).toEqual(new Map());
  });

  it("report a problem if they fail, and are tried again an hour later", async () => {
    const rig = aRig("2026-11-21T12:00:00Z");
    // A file in place of the folder.
    writeFileSync(rig.directory, "");
    rig.set("2026-11-22T03:00:00Z");
    await rig.step();
    expect(rig.troubles.get("backup-failed")).toMatchObject({ kind: "backup-failed" });
    await rig.step();
    expect(rig.events).toHaveLength(1);
    rig.set("2026-11-22T04:00:00Z");
    await rig.step();
    expect(rig.events).toHaveLength(2);
  });

  it("of the same second are both kept, the later one being newer", async () => {
    const rig = aRig("2026-11-21T12:00:00Z");
    const asked = "dayferry-20261121T120000Z-asked";
    for (const name of [`${asked}.tar.gz`, `${asked}-2.tar.gz`, `${asked}-3.tar.gz`]) {
      const made = await rig.backups.make(signal);
      expect(made).toMatchObject({ value: { file: join(rig.directory, name) } });
    }
    expect(rig.backups.list().map(({ name, reason }) => [name, reason])).toEqual([
      [`${asked}-3.tar.gz`, "asked"],
      [`${asked}-2.tar.gz`, "asked"],
      [`${asked}.tar.gz`, "asked"],
    ]);
    for (const { file } of rig.backups.list()) {
      expect(await verifyBackup(file, null)).toMatchObject({ ok: true });
    }
  });

  it("report a damaged database with the newest backup", async () => {
    const rig = aRig("2026-11-21T12:00:00Z");
    const made = await rig.backups.make(signal);
    expect(made.ok).toBe(true);
    writeFileSync(rig.file, "garbage ".repeat(2000));
    rig.set("2026-11-22T03:00:00Z");
    await rig.step();
    const trouble = rig.troubles.get("database-damaged");
    expect(JSON.stringify(trouble)).toContain(`dayferry restore ${rig.directory}`);
    expect(rig.names()).toHaveLength(1);
  });

  it("find damage even if they are switched off", async () => {
    const rig = aRig("2026-11-21T12:00:00Z", { enabled: false });
    rig.set("2026-11-22T03:00:00Z");
    await rig.step();
    expect(rig.troubles).toEqual(new Map());
    writeFileSync(rig.file, "garbage ".repeat(2000));
    rig.set("2026-11-23T03:00:00Z");
    await rig.step();
    expect([...rig.troubles.keys()]).toEqual(["database-damaged"]);
    expect(existsSync(rig.directory)).toBe(false);
  });
});

it("ignore backups with a future date, and report the newest that is not of the future", async () => {
  const rig = aRig("2026-11-21T12:00:00Z");
  for (const day of ["2027-11-10", "2026-11-22", "2026-11-23"]) {
    rig.set(`${day}T03:00:00Z`);
    await rig.step();
  }
  expect(rig.names()).toEqual(
    expect.arrayContaining([
      "dayferry-20261122T030000Z-daily.tar.gz",
      "dayferry-20261123T030000Z-daily.tar.gz",
    ]),
  );
  expect(rig.backups.list()[0]?.name).toBe("dayferry-20261123T030000Z-daily.tar.gz");
  writeFileSync(rig.file, "garbage ".repeat(2000));
  rig.set("2026-11-24T03:00:00Z");
  await rig.step();
  expect(JSON.stringify(rig.troubles.get("database-damaged"))).toContain("20261123T030000Z");
});

describe("leftovers of interrupted backups", () => {
  const leftIn = (folder: string) =>
    readdirSync(folder).filter((name) => name.startsWith(".dayferry-backup-"));

  it("are removed by the next backup of the same data directory, unless their process is running", async () => {
    const rig = aRig("2026-11-21T12:00:00Z", { processes: createBackupProcesses() });
    await rig.backups.make(signal);
    const owner = makeScratch(rig.directory, rig.folder);
    const ended = spawnSync(process.execPath, ["--version"]).pid;
    for (const pid of [ended, process.ppid]) {
      mkdirSync(owner.replace(`-${process.pid}-`, `-${pid}-`));
    }
    rmSync(owner, { recursive: true });
    makeScratch(rig.directory, "/another/data/directory");
    expect(leftIn(rig.directory)).toHaveLength(3);
    await rig.backups.make(signal);
    const left = leftIn(rig.directory);
    expect(left).toHaveLength(2);
    expect(left.filter((name) => name.includes(`-${ended}-`))).toEqual([]);
  });

  it("are removed at once if the daemon itself ends the process", async () => {
    const rig = aRig("2026-11-21T12:00:00Z", { processes: createBackupProcesses() });
    const stop = new AbortController();
    const made = rig.backups.make(stop.signal);
    await eventually("it has begun", () => (rig.names().length > 0 ? true : null));
    stop.abort();
    await made;
    expect(leftIn(rig.directory)).toEqual([]);
  });
});

describe("backups to remove", () => {
  const now = Temporal.Instant.from("2026-12-31T00:00:00Z");

  it("exclude the newest of each of the last days, weeks and months", () => {
    const start = Temporal.Instant.from("2026-01-01T02:30:00Z");
    const all = Array.from({ length: 200 }, (_, day) => {
      const madeAt = start.add({ hours: 24 * day });
      const name = snapshotName(madeAt, "daily");
      return { name, file: name, reason: "daily" as const, madeAt, octets: 1 };
    }).toReversed();
    const gone = new Set(
      superfluous(all, { keep: { daily: 3, weekly: 2, monthly: 4 }, zone, now }),
    );
    const kept = all
      .filter((one) => !gone.has(one))
      .map(({ madeAt }) => madeAt.toString().slice(0, 10));
    expect(kept).toEqual([
      "2026-07-19",
      "2026-07-18",
      "2026-07-17",
      "2026-07-12",
      "2026-06-30",
      "2026-05-31",
      "2026-04-30",
    ]);
  });

  it("exclude none because of backups with a future date", () => {
    const madeAt = Temporal.Instant.from("2026-12-30T02:30:00Z");
    const at = (moment: Temporal.Instant) => {
      const name = snapshotName(moment, "daily");
      return { name, file: name, reason: "daily" as const, madeAt: moment, octets: 1 };
    };
    const ahead = Array.from({ length: 30 }, (_, day) =>
      at(madeAt.add({ hours: 24 * (60 + day) })),
    );
    const all = [...ahead.toReversed(), at(madeAt)];
    const gone = superfluous(all, { keep: { daily: 1, weekly: 0, monthly: 0 }, zone, now });
    expect(gone).toEqual(all.slice(5, 30));
  });

  it("exclude the newest one even if none is to be kept", () => {
    const madeAt = Temporal.Instant.from("2026-01-01T02:30:00Z");
    const one = { name: "", file: "", reason: "daily" as const, madeAt, octets: 1 };
    expect(superfluous([one], { keep: { daily: 0, weekly: 0, monthly: 0 }, zone, now })).toEqual(
      [],
    );
  });
});

function aRig(start: string, { enabled = true, processes = inThisProcess } = {}) {
  const place = aDataDirectory();
  const directory = join(place.folder, "backups");
  let now = Temporal.Instant.from(start);
  const events: BackupEvent[] = [];
  const troubles = new Map<string, Trouble>();
  const backups = createDailyBackups({
    rules: {
      enabled,
      at: Temporal.PlainTime.from("03:30"),
      keep: { daily: 7, weekly: 4, monthly: 6 },
      directory,
      passphrase: null,
    },
    zone,
    dataDir: place.folder,
    program: "1.2.3",
    installedAt: now,
    processes,
    troubles: {
      report: (trouble) => void troubles.set(trouble.kind, trouble),
      withdraw: (identity) => void troubles.delete(identity),
    },
    clock: () => now,
    onEvent: (event) => void events.push(event),
  });
  return {
    directory,
    folder: place.folder,
    file: place.file,
    backups,
    events,
    troubles,
    names: () => (existsSync(directory) ? readdirSync(directory) : []),
    set(moment: string) {
      now = Temporal.Instant.from(moment);
    },
    step: () => backups.step(signal),
  };
}
