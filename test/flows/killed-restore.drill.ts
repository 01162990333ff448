import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Sandbox } from "@dayferry/sandbox";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dayEvent } from "../support/day-event.ts";
import { dayferry, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

// A restore and a backup that are killed at each of their disk operations. After an interrupted restore the next start
// has either all of the old state or all of the restored one; after a backup the last one is unchanged.

const preload = fileURLToPath(new URL("../support/death-preload.ts", import.meta.url));
const passphrase = { DAYFERRY_BACKUP_PASSPHRASE: "open sesame" };
const titles = ["Before the backup", "After the backup"];

interface Master {
  readonly sandbox: Sandbox;
  readonly place: Installation;
  readonly backup: string;
  /** Path of a feed with both events. */
  readonly feed: string;
  readonly events: () => readonly string[];
}

const made: Master[] = [];

beforeAll(async () => {
  const sandbox = await testSandbox();
  const place = install(sandbox);
  const daemon = await serve(place);
  const project = sandbox.workspace.places()[0]?.project ?? 0;
  const events = () =>
    sandbox.workspace.events
      .list({ by: ownerOf(sandbox), project }, { view: "all" })
      .map(({ title }) => title);
  const edit = async (title: string) => {
    const body = dayEvent(title);
    const sent = await daemon.ask(`/api/edits?project=${project}`, { method: "POST", body });
    expect(sent.status).toBe(202);
    await eventually(`${title} arrives`, () => (events().includes(title) ? true : null));
  };
  const backup = join(place.folder, "backup.tar.gz");
  for (const title of titles) {
    await edit(title);
    if (existsSync(backup)) continue;
    const args = ["backup", backup, "--config", place.configFile];
    expect(await dayferry(args, { env: passphrase })).toMatchObject({ code: 0 });
  }
  const { feeds } = Object(await (await daemon.ask("/api/feeds")).json());
  const { pathname: feed } = new URL(feeds[0].url);
  await eventually("the feed has both", async () => {
    const text = await (await fetch(`${daemon.url}${feed}`)).text();
    return titles.every((title) => text.includes(title)) ? true : null;
  });
  // The last writes are only in the log.
  await daemon.stop("SIGKILL");
  made.push({ sandbox, place, backup, feed, events });
}, 120_000);

afterAll(async () => {
  for (const { sandbox, place } of made) {
    place.dispose();
    await sandbox.close();
  }
});

function theMaster(): Master {
  const [master] = made;
  if (!master) throw new Error("there is nothing to copy");
  return master;
}

/** A copy of the first data directory, changed by `change`. */
function aCopy(change: (dataDir: string) => void): Installation {
  const { sandbox, place } = theMaster();
  const copy = install(sandbox);
  cpSync(place.dataDir, copy.dataDir, { recursive: true });
  change(copy.dataDir);
  return copy;
}

/** Runs a command that dies at a step, or to its end without one. Returns its disk operations. */
async function killedAt(step: number | null, args: readonly [string, ...string[]]) {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-death-"));
  const notes = join(folder, "notes");
  const env = {
    ...passphrase,
    NODE_OPTIONS: `--import ${preload}`,
    DEATH_IN: ` ${args[0]} `,
    DEATH_NOTES: notes,
    ...(step !== null && { DEATH_AT: String(step) }),
  };
  try {
    const { code, stderr } = await dayferry(args, { env });
    return { code, stderr, steps: readFileSync(notes, "utf8").trim().split("\n") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * One of several keys stands for all, and of many writes or statements the first, one in the middle and the last ones.
 */
function worthDying(steps: readonly string[]): readonly number[] {
  const kept = new Set(steps.filter((step) => !/admin-token|mail-key/.test(step)));
  for (const many of [" writeSync ", " exec "]) {
    const those = [...kept].filter((step) => step.includes(many));
    for (const step of those.slice(1, -2)) {
      if (step !== those[Math.floor(those.length / 2)]) kept.delete(step);
    }
  }
  return steps.flatMap((step, at) => (kept.has(step) ? [at + 1] : []));
}

/** Does something for each, three at a time. */
async function forEach<Value>(values: readonly Value[], act: (value: Value) => Promise<void>) {
  const left = values.values();
  const hand = async () => {
    for (const value of left) await act(value);
  };
  await Promise.all([hand(), hand(), hand()]);
}

const leftovers = (dataDir: string) =>
  readdirSync(dataDir).filter((name) =>
    /^\.restoring|^restore\.json|^\.dayferry-backup/.test(name),
  );

function epochOf(file: string): string {
  const db = new Database(file, { readonly: true });
  try {
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    return String(db.prepare("SELECT value FROM meta WHERE name = 'epoch'").pluck().get());
  } finally {
    db.close();
  }
}

const keys = ["admin-token", "feed-key", "mail-key"];
const keysIn = (dataDir: string) => keys.map((name) => readFileSync(join(dataDir, name), "utf8"));

it.each([
  { over: "a whole database", change: () => undefined, isWhole: true },
  {
    over: "an empty one with its log",
    change: (dataDir: string) => writeFileSync(join(dataDir, "dayferry.sqlite"), ""),
    isWhole: false,
  },
])(
  "kill -9 during a restore over $over leaves the old state or the restored one",
  async ({ change, isWhole }) => {
    const { place: master, backup, feed, events } = theMaster();
    const command = (place: Installation) =>
      ["restore", backup, "--config", place.configFile] as const;
    const whole = aCopy(change);
    const { code, steps } = await killedAt(null, command(whole));
    expect(code).toBe(0);
    whole.dispose();
    const old = epochOf(join(master.dataDir, "dayferry.sqlite"));
    const endings = new Set<string>();
    // For an empty database only the replacement of it and its log matters.
    const worth = worthDying(steps).filter(
      (step) => isWhole || /restore\.json|replaced|data\/dayferry/.test(steps[step - 1] ?? ""),
    );
    await forEach(worth, async (step) => {
      const place = aCopy(change);
      const database = join(place.dataDir, "dayferry.sqlite");
      const doing = `killed at ${steps[step - 1]}`;
      try {
        const killed = await killedAt(step, command(place));
        expect([doing, killed.code]).toEqual([doing, null]);
        const isDecided = existsSync(join(place.dataDir, "restore.json"));
        const daemon = await serve(place, { ready: false });
        try {
          const health = await (await fetch(`${daemon.url}/healthz`)).text();
          if (health.includes("damaged")) {
            expect([doing, isWhole, isDecided]).toEqual([doing, false, false]);
            endings.add("damaged as before");
            return;
          }
          await eventually(`${doing}: both are in the feed`, async () => {
            const text = await (await fetch(`${daemon.url}${feed}`)).text();
            return titles.every((title) => text.includes(title)) ? true : null;
          });
        } finally {
          await daemon.stop();
        }
        endings.add(epochOf(database) === old ? "old" : "restored");
        if (isDecided) expect([doing, epochOf(database)]).not.toEqual([doing, old]);
        expect([doing, leftovers(place.dataDir)]).toEqual([doing, []]);
        expect([doing, keysIn(place.dataDir)]).toEqual([doing, keysIn(master.dataDir)]);
      } finally {
        place.dispose();
      }
    });
    expect(endings).toEqual(new Set([isWhole ? "old" : "damaged as before", "restored"]));
    expect(events()).toEqual(titles);
  },
);

it("kill -9 during a backup leaves the previous backup or the new one, and no leftovers", async () => {
  const place = aCopy(() => undefined);
  try {
    const folder = join(place.folder, "elsewhere");
    const file = join(folder, "backup.tar.gz");
    const args = ["backup", file, "--config", place.configFile] as const;
    const { code, steps } = await killedAt(null, args);
    expect(code).toBe(0);
    for (const step of worthDying(steps)) {
      const killed = await killedAt(step, args);
      expect([steps[step - 1], killed.code]).toEqual([steps[step - 1], null]);
      const verified = await dayferry(["backup", file, "--verify"], { env: passphrase });
      expect([steps[step - 1], verified]).toMatchObject([steps[step - 1], { code: 0 }]);
    }
    expect(await dayferry(args, { env: passphrase })).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual(["backup.tar.gz"]);
  } finally {
    place.dispose();
  }
});

describe("kill -9 during the first start of a new version", () => {
  const kept = fileURLToPath(new URL("../store/kept-databases", import.meta.url));
  const build = readdirSync(fileURLToPath(new URL("../../migrations", import.meta.url))).length;
  const [earliest = ""] = readdirSync(kept).toSorted();

  /** A data directory left by an earlier version. */
  function anEarlierOne(): Installation {
    const place = install(theMaster().sandbox, { backups: { enabled: false } });
    mkdirSync(place.dataDir, { mode: 0o700 });
    const database = gunzipSync(readFileSync(join(kept, earliest)));
    writeFileSync(join(place.dataDir, "dayferry.sqlite"), database);
    return place;
  }

  const look = ({ dataDir }: Installation) => {
    const db = new Database(join(dataDir, "dayferry.sqlite"), { readonly: true });
    try {
      const one = (sql: string) => Number(db.prepare(sql).pluck().get());
      expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
      return {
        migration: one("SELECT max(version) FROM schema_migration"),
        edits: one("SELECT count(*) FROM edits"),
      };
    } finally {
      db.close();
    }
  };

  it.each([
    { what: "of the daemon", dies: " serve ", code: null },
    { what: "of the process that makes the backup", dies: "backup-child", code: 1 },
  ])(
    "$what: nothing is changed before the backup exists, and the next start continues",
    async ({ dies, code }) => {
      const first = anEarlierOne();
      const before = look(first);
      const notes = join(first.folder, "notes");
      const env = { NODE_OPTIONS: `--import ${preload}`, DEATH_IN: dies };
      const daemon = await serve(first, { ready: false, env: { ...env, DEATH_NOTES: notes } });
      const steps = readFileSync(notes, "utf8").trim().split("\n");
      await daemon.stop();
      first.dispose();
      await forEach(worthDying(steps), async (step) => {
        const place = anEarlierOne();
        const doing = `killed at ${steps[step - 1]}`;
        try {
          const args = ["serve", "--config", place.configFile];
          const killed = await dayferry(args, { env: { ...env, DEATH_AT: String(step) } });
          expect([doing, killed.code]).toEqual([doing, code]);
          if (code !== null) expect(killed.stderr).toContain("cannot be backed up first");
          const folder = join(place.dataDir, "backups");
          const backups = () =>
            existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".gz")) : [];
          if (look(place).migration !== before.migration) expect(backups()).toHaveLength(1);
          const again = await serve(place, { ready: false });
          expect([doing, (await fetch(`${again.url}/healthz`)).status]).toEqual([doing, 200]);
          await again.stop();
          expect([doing, look(place)]).toEqual([doing, { ...before, migration: build }]);
          // A run killed between two migrations is backed up once more, in its present state.
          const migrations: unknown[] = [];
          for (const backup of backups()) {
            const args = ["backup", join(folder, backup), "--verify", "--json"] as const;
            migrations.push(JSON.parse((await dayferry(args)).stdout).migration);
          }
          expect([doing, migrations]).toEqual([doing, expect.arrayContaining([before.migration])]);
          expect([doing, readdirSync(folder).toSorted()]).toEqual([doing, backups().toSorted()]);
        } finally {
          place.dispose();
        }
      });
    },
  );
});
