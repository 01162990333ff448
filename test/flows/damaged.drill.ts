import {
  closeSync,
  cpSync,
  existsSync,
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
import type { Sandbox } from "@dayferry/sandbox";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { TroubleReport } from "../../src/domain/trouble.ts";
import { type Daemon, dayferry, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { mailsIn } from "../support/mails-in.ts";
import { testSandbox } from "../support/sandbox.ts";

// A daemon whose database is damaged, at its start or while it runs, continues with feeds as in the newest good backup.
// Real processes and real files; one database is read from the service once, and copied for each kind of damage.

interface Master {
  readonly sandbox: Sandbox;
  readonly place: Installation;
  /** Path and former content of a feed. */
  readonly feed: string;
  readonly body: string;
}

const made: Master[] = [];
const settings = {
  service: { quota: { requests: 500, per: "PT1S" } },
  log: { level: "debug" },
  mail: { from: "dayferry@example.com", directory: "./mail" },
  operator: { mail: ["ops@example.com"] },
};

beforeAll(async () => {
  const sandbox = await testSandbox({ size: "s", quota: { requests: 500, perMs: 1000 } });
  const place = install(sandbox, settings);
  const daemon = await serve(place);
  const project = sandbox.workspace.places()[0]?.project ?? 0;
  await daemon.ask(`/api/edits?project=${project}`, { method: "POST", body: anEvent });
  await eventually("an edit has arrived", async () =>
    Object(await (await daemon.ask("/api/edits/1")).json()).state === "confirmed" ? true : null,
  );
  const { feeds } = JSON.parse(await (await daemon.ask("/api/feeds")).text());
  const url: string = feeds[0].url;
  const body = await (await fetch(url)).text();
  const answer = await daemon.ask("/api/backups", { method: "POST" });
  expect(answer.ok).toBe(true);
  await daemon.stop();
  made.push({ sandbox, place, feed: new URL(url).pathname, body });
}, 120_000);

afterAll(async () => {
  for (const { sandbox, place } of made) {
    place.dispose();
    await sandbox.close();
  }
});

/** A copy of the first data directory. */
function aCopy(): Master & { readonly file: string } {
  const [master] = made;
  if (!master) throw new Error("nothing was made to copy");
  const place = install(master.sandbox, settings);
  onTestFinished(place.dispose);
  cpSync(master.place.dataDir, place.dataDir, { recursive: true });
  return { ...master, place, file: join(place.dataDir, "dayferry.sqlite") };
}

async function start(place: Installation): Promise<Daemon> {
  const daemon = await serve(place, { ready: false });
  onTestFinished(() => daemon.stop().then(() => undefined));
  return daemon;
}

/** Random octets at one place of a file. */
function spoil(
  file: string,
  { at, octets = 4096 }: { readonly at: number; readonly octets?: number },
) {
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(octets, "garbage "), 0, octets, at);
  closeSync(descriptor);
}

/** Where the first page of a table or an index begins. */
function rootOf(file: string, name: string): number {
  const db = new Database(file, { readonly: true });
  try {
    const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name);
    const size = db.pragma("page_size", { simple: true });
    return (Number(page) - 1) * Number(size);
  } finally {
    db.close();
  }
}

const anEvent = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//t//EN",
  "BEGIN:VEVENT",
  "UID:one@example.com",
  "DTSTAMP:20260101T000000Z",
  "SUMMARY:One",
  "DTSTART;VALUE=DATE:20261224",
  "END:VEVENT",
  "END:VCALENDAR",
  "",
].join("\r\n");

const withCalendars = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//t//EN",
  "END:VCALENDAR",
  "",
].join("\r\n");

describe("a start on a damaged database", () => {
  it.each([
    { damage: "its head is garbage", spoiled: (file: string) => spoil(file, { at: 0 }) },
    {
      damage: "half of it is missing",
      spoiled: (file: string) => truncateSync(file, statSync(file).size / 2),
    },
    { damage: "it is empty", spoiled: (file: string) => truncateSync(file, 0) },
    {
      damage: "a folder lies in its place",
      spoiled(file: string) {
        rmSync(file);
        mkdirSync(file);
      },
    },
    {
      damage: "the root of the settings is garbage",
      spoiled: (file: string) => spoil(file, { at: rootOf(file, "meta") }),
    },
  ])(
    "with $damage serves feeds from the backup, refuses edits and prints one command",
    async ({ spoiled }) => {
      const { place, feed, body, file } = aCopy();
      spoiled(file);
      const before = existsSync(file) && statSync(file).isFile() ? readFileSync(file) : null;
      const daemon = await start(place);

      const answer = await fetch(`${daemon.url}${feed}`);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(body);
      const newer = await fetch(`${daemon.url}/feeds/${"x".repeat(32)}/newer.ics`);
      expect([newer.status, newer.headers.get("retry-after")]).toEqual([503, "300"]);
      const health = await fetch(`${daemon.url}/healthz`);
      expect([health.status, (await health.text()).includes('"damaged"')]).toEqual([200, true]);
      expect((await fetch(`${daemon.url}/readyz`)).status).toBe(503);
      const edit = await daemon.ask("/api/edits?project=1", {
        method: "POST",
        body: withCalendars,
      });
      expect([edit.status, (await edit.text()).includes("the database is damaged")]).toEqual([
        503,
        true,
      ]);
      for (const method of ["PROPFIND", "REPORT", "PUT", "GET"]) {
        const dav = await fetch(`${daemon.url}/dav/calendars/1/x.ics`, { method });
        expect([method, dav.status]).toEqual([method, 503]);
      }
      const { troubles } = JSON.parse(await (await daemon.ask("/api/status")).text());
      const [, command = ""] = /`(dayferry restore [^`]+)`/.exec(JSON.stringify(troubles)) ?? [];
      expect(command).toContain(join(place.dataDir, "backups"));
      expect(daemon.log()).toContain(command);
      if (before) expect(readFileSync(file).equals(before)).toBe(true);
      expect((await daemon.stop()).code).toBe(0);
    },
  );

  it("restores everything with the printed command", async () => {
    const { place, file, feed } = aCopy();
    spoil(file, { at: 0 });
    const daemon = await start(place);
    const [, backup = ""] = /dayferry restore ([^`]+)`/.exec(daemon.log()) ?? [];
    const doctor = await dayferry(["doctor", "--config", place.configFile]);
    expect(doctor.stdout).toContain(`dayferry restore ${backup}`);
    await daemon.stop();
    const restored = await dayferry(["restore", backup, "--config", place.configFile]);
    expect(restored).toMatchObject({ code: 0 });
    const again = await serve(place);
    onTestFinished(() => again.stop().then(() => undefined));
    expect((await fetch(`${again.url}${feed}`)).status).toBe(200);
    expect(existsSync(join(place.dataDir, ".stand-in"))).toBe(false);
  });

  it("without a good backup answers 503, and prints the command that starts over with the same keys", async () => {
    const { place, file, feed } = aCopy();
    rmSync(join(place.dataDir, "backups"), { recursive: true });
    mkdirSync(join(place.dataDir, "backups"));
    const name = "dayferry-20261101T023000Z-daily.tar.gz";
    writeFileSync(join(place.dataDir, "backups", name), "no archive");
    spoil(file, { at: 0 });
    const daemon = await start(place);
    const answer = await fetch(`${daemon.url}${feed}`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "300"]);
    expect(daemon.log()).toContain("there is no good backup");
    expect(daemon.log()).toMatch(/mkdir \S+ && mv \S+dayferry\.sqlite\* \S+/);
  });
});

describe("a truncated key file", () => {
  const passphrase = { DAYFERRY_BACKUP_PASSPHRASE: "open sesame" };

  it.each([0, 20, 42])(
    "of %i characters prevents the start with one sentence, and is restored by the command in it",
    async (length) => {
      const { place, feed, body } = aCopy();
      const { configFile, dataDir, folder } = place;
      const backup = join(folder, "keys.tar.gz");
      const config = ["--config", configFile];
      const env = passphrase;
      expect(await dayferry(["backup", backup, ...config], { env })).toMatchObject({ code: 0 });
      truncateSync(join(dataDir, "feed-key"), length);
      const refused = await dayferry(["serve", ...config]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/^\S+feed-key .*`dayferry restore --keys-only` .*\n$/);
      const restored = await dayferry(["restore", "--keys-only", backup, ...config], { env });
      expect(restored).toMatchObject({ code: 0 });
      const daemon = await start(place);
      const answer = await fetch(`${daemon.url}${feed}`);
      expect([answer.status, await answer.text()]).toEqual([200, body]);
    },
  );
});

it.each(["feed-key", "mail-key"])(
  "a key file that is lost %s is reported with what it invalidates, and created again",
  async (name) => {
    const { place, feed } = aCopy();
    rmSync(join(place.dataDir, name));
    const daemon = await start(place);
    expect(daemon.log()).toContain("key file missing; created a new one");
    expect(daemon.log()).toContain(join(place.dataDir, name));
    expect(daemon.log()).toContain("dayferry restore --keys-only");
    expect((await fetch(`${daemon.url}${feed}`)).status).toBe(name === "feed-key" ? 404 : 200);
    const told = (by: typeof daemon) =>
      eventually("it is reported as a trouble", async () => {
        const text = await (await by.ask("/api/status")).text();
        const { troubles }: { readonly troubles: readonly TroubleReport[] } = JSON.parse(text);
        const lost = troubles.find(({ kind }) => kind === "key-file-lost");
        return lost ?? null;
      });
    expect((await told(daemon)).what).toContain(`the file ${name} of the data directory`);
    await daemon.stop();
    const again = await start(place);
    expect(again.log()).not.toContain("key file missing");
    expect((await told(again)).remedy).toContain("dayferry restore --keys-only");
  },
);

describe("a daemon whose database is damaged while it runs", () => {
  it("with a page read by the check after the start serves feeds and refuses edits", async () => {
    const { place, file, feed, body } = aCopy();
    spoil(file, { at: rootOf(file, "storage_checks") });
    const daemon = await start(place);
    await eventually("the damage is found", () =>
      /"damaged":true/.test(daemon.log()) ? true : null,
    );
    const url = [...daemon.log().matchAll(/"url":"(http:[^"]+)"/g)].at(-1)?.[1] ?? "";
    const answer = await fetch(`${url}${feed}`);
    expect([answer.status, await answer.text()]).toEqual([200, body]);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await daemon.stop()).code).toBe(0);
  });

  it("with a page read by a query answers 503, then serves feeds, and the operator gets one mail", async () => {
    const { place, file, feed, body } = aCopy();
    const daemon = await start(place);
    await eventually("the look after the start is over", () =>
      daemon.log().includes("database check finished") ? true : null,
    );
    spoil(file, { at: rootOf(file, "edit_steps") });
    const met = await daemon.ask("/api/edits/1");
    expect([met.status, await met.text()]).toEqual([
      503,
      expect.stringContaining("the database is damaged"),
    ]);
    const [command = ""] = await eventually("it goes on", () =>
      /dayferry restore [^`]+/.exec(daemon.log()),
    );
    const url = await eventually(
      "it listens again",
      () => [...daemon.log().matchAll(/"url":"(http:[^"]+)"/g)][1]?.[1] ?? null,
    );
    const answer = await fetch(`${url}${feed}`);
    expect([answer.status, await answer.text()]).toEqual([200, body]);
    const folder = join(place.folder, "mail");
    // Reminders may go to people as well. Long lines of a mail are broken.
    const mails = () =>
      mailsIn(folder)
        .map(({ octets }) => octets.toString().replaceAll(/=\r?\n/g, ""))
        .filter((text) => text.includes("To: ops@example.com"));
    const [mail = ""] = await eventually("the operator is notified", () =>
      mails().length > 0 ? mails() : null,
    );
    expect(mail).toContain(command);
    await daemon.stop();
    const again = await start(place);
    await eventually("it has looked for what is to be told", () =>
      again.log().includes('"damaged":true') ? true : null,
    );
    expect((await again.stop()).code).toBe(0);
    expect(mails()).toEqual([mail]);
  });
});
