import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { dayferry, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { testSandbox } from "../support/sandbox.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";

// The daemon makes the nightly backup by a separate process, which is killed or whose disk fills up: the daemon
// continues and reports it, the last whole backup stays, there is no half one, and the next one is made.

const preload = fileURLToPath(new URL("../support/death-preload.ts", import.meta.url));

/** An installation some days old with one backup, to which last night's is to be added. */
async function begin(directory: (folder: string) => string) {
  const sandbox = await testSandbox();
  onTestFinished(() => sandbox.close());
  const first = install(sandbox, { backups: { enabled: false } });
  onTestFinished(first.dispose);
  const daemon = await serve(first);
  await daemon.stop();
  const db = new Database(join(first.dataDir, "dayferry.sqlite"));
  db.prepare("UPDATE meta SET value = '2026-01-01T00:00:00Z' WHERE name = 'installed_at'").run();
  db.close();
  const backups = directory(first.folder);
  const second = install(sandbox, { dataDir: first.dataDir, backups: { directory: backups } });
  onTestFinished(second.dispose);
  const last = "dayferry-20260102T030000Z-daily.tar.gz";
  const args = ["backup", join(backups, last), "--config", second.configFile] as const;
  expect(await dayferry(args)).toMatchObject({ code: 0 });
  return { place: { ...second, dataDir: first.dataDir }, backups, last };
}

const wholeIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".gz"));

/** Runs the daemon until it has a new backup, or reports that it cannot have one. Returns which. */
async function night(place: Installation, env: Readonly<Record<string, string>> = {}) {
  const daemon = await serve(place, { ready: false, env });
  try {
    return await eventually(
      "a backup, or word of none",
      () => /"backup (made|failed)"/.exec(daemon.log())?.[1] ?? null,
    );
  } finally {
    const health = await fetch(`${daemon.url}/healthz`);
    const status = await (await daemon.ask("/api/status")).text();
    await daemon.stop();
    expect(health.status).toBe(200);
    expect(status.includes("backup-failed")).toBe(daemon.log().includes("backup failed"));
  }
}

/** The numbers of the first, a middle and the last of each kind of disk operation of the process. */
function worthEnding(notes: string): readonly number[] {
  const steps = readFileSync(notes, "utf8").trim().split("\n");
  const kinds = Map.groupBy(steps.keys(), (at) => steps[at]?.split(" ")[1]);
  const some = [...kinds.values()].flatMap((those) => [
    those.at(0),
    those.at(those.length / 2),
    those.at(-1),
  ]);
  return [...new Set(some)].map((at = 0) => at + 1);
}

async function endNights(
  { place, backups, last }: Awaited<ReturnType<typeof begin>>,
  about: { readonly filler: string; readonly between: () => void },
) {
  const env = { NODE_OPTIONS: `--import ${preload}`, DEATH_IN: "backup-child" };
  const forget = () => {
    for (const name of wholeIn(backups)) if (name !== last) rmSync(join(backups, name));
  };
  const notes = join(place.folder, "notes");
  expect(await night(place, { ...env, DEATH_NOTES: notes })).toBe("made");
  forget();
  const ends = new Set<string>();
  for (const step of worthEnding(notes)) {
    const at = { DEATH_AT: String(step), DEATH_FILL: about.filler };
    const end = await night(place, { ...env, ...at });
    ends.add(end);
    about.between();
    for (const name of wholeIn(backups)) {
      const verified = await dayferry(["backup", join(backups, name), "--verify"]);
      expect([step, name, verified.stderr, verified.code]).toEqual([step, name, "", 0]);
    }
    expect([step, existsSync(join(backups, last))]).toEqual([step, true]);
    if (end === "made") expect([step, wholeIn(backups).length]).toEqual([step, 2]);
    forget();
  }
  expect(ends).toContain("failed");
  expect(await night(place)).toBe("made");
  expect(readdirSync(backups).toSorted()).toEqual(wholeIn(backups).toSorted());
}

describe("the nightly backup", () => {
  it("keeps the previous one and reports it if killed, and is made after the next start", async () => {
    const begun = await begin((folder) => join(folder, "backups"));
    await endNights(begun, { filler: "", between: () => undefined });
  }, 180_000);

  it.skipIf(!canMount())(
    "keeps the previous one and reports it if the disk is full, and is made once there is room",
    async () => {
      const disk = smallDisk(48);
      const begun = await begin(() => join(disk.folder, "backups"));
      const filler = join(disk.folder, "filler");
      await endNights(begun, { filler, between: disk.makeRoom });
    },
    180_000,
  );
});
