import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { copyFindings } from "../../src/cli/copy-findings.ts";
import { loadConfig } from "../../src/config/load.ts";
import { createLog } from "../../src/log.ts";
import { runReadOnly } from "../../src/serve-read-only.ts";
import { isInstalled } from "../clients/programs.ts";
import { type ClientSetting, clientSetting, day } from "../clients/setting.ts";
import { vdirHome } from "../clients/vdir-home.ts";
import { eventually } from "../support/eventually.ts";
import { callHttp } from "../support/http-call.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";

// A daemon that writes, and a second one that serves copies of its database, each made like a snapshot.

const primary = "https://primary.example.com";

let setting: ClientSetting;
let feed = "";
let authorization = "";

beforeAll(async () => {
  setting = await clientSetting();
  setting.addEvent({ title: "Kick-off", start: day(3), all_day: true });
  setting.addTask({ title: "Write the brief", due_date: day(5) });
  await setting.refresh();
  feed = setting.daemon.modules.feeds.list()[0]?.path ?? "";
  const { login, password } = setting;
  authorization = `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;
  // Whatever was requested is rendered, and is in the copies.
  await callHttp(setting.port, `GET ${feed}`);
});
afterAll(() => setting?.close());

/** A consistent copy of the primary's database as a file. */
async function snapshotTo(file: string): Promise<void> {
  const db = new Database(join(setting.daemon.modules.config.dataDir, "dayferry.sqlite"), {
    readonly: true,
  });
  await db.backup(file);
  db.close();
}

async function aCopy(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-copy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["feed-key", "admin-token"]) {
    copyFileSync(join(setting.daemon.modules.config.dataDir, name), join(folder, name));
  }
  await snapshotTo(join(folder, "dayferry.sqlite"));
  return folder;
}

const configOf = (dataDir: string) => {
  const file = join(dataDir, "..", `${Math.random()}.json`);
  writeFileSync(
    file,
    JSON.stringify({
      dataDir,
      service: {
        baseUrl: "https://company.example.com/api/v3",
        // Neither present nor needed.
        apiKeyFile: "/nowhere/api-key",
        contact: "tests@example.com",
        timeZone: "Europe/Berlin",
      },
      http: { port: 0, primaryUrl: primary },
      edits: { inbox: join(dataDir, "inbox") },
      mail: { smtpUrl: "smtps://user@mail.example.com", smtpPasswordFile: "/nowhere/smtp" },
    }),
  );
  onTestFinished(() => rmSync(file, { force: true }));
  const loaded = loadConfig({ file, env: {}, cwd: dataDir, isReader: true });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
  return loaded.value;
};

/** Serves a copy until the test ends. */
async function reader(dataDir: string) {
  const stop = new AbortController();
  let url = "";
  let said = "";
  const ended = runReadOnly({
    config: configOf(dataDir),
    version: "0.0.0",
    log: createLog({ level: "silent" }),
    say: (text) => {
      said += text;
    },
    signal: stop.signal,
    onListening: (at) => {
      url = at;
    },
    clock: () => Temporal.Now.instant(),
    monotonic: () => performance.now(),
    random: () => 0,
    lookEvery: Temporal.Duration.from({ milliseconds: 30 }),
  });
  let code: number | null = null;
  void ended.then((given) => {
    code = given;
  });
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  await eventually("it listens, or ends", () => (url !== "" || code !== null ? true : null));
  const port = url === "" ? 0 : Number(new URL(url).port);
  const call = (request: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    callHttp(port, request, { headers, ...(body !== undefined && { body }) });
  return {
    ...{ url, port, call, ended },
    said: () => said,
    copy: async () => JSON.parse((await call("GET /readyz")).text).copy,
  };
}

/** The same request to both. */
async function both(
  port: number,
  request: string,
  {
    headers = {},
    body,
  }: { readonly headers?: Record<string, string>; readonly body?: string } = {},
) {
  const options = { headers, ...(body !== undefined && { body }) };
  return [await callHttp(setting.port, request, options), await callHttp(port, request, options)];
}

const names =
  'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/"';
const propfind = `<d:propfind ${names}><d:prop><d:getetag/><s:getctag/><d:sync-token/><d:displayname/></d:prop></d:propfind>`;
const homePath = () => new URL(setting.home).pathname;

describe("serve --read-only", () => {
  it("gives the same answers as the writing daemon: feeds, ETags, ctags, sync-tokens, items, reports", async () => {
    const { port } = await reader(await aCopy());
    const [own, copied] = await both(port, `GET ${feed}`);
    expect(copied?.status).toBe(200);
    expect(copied?.headers.etag).toBe(own?.headers.etag);
    expect(copied?.headers["last-modified"]).toBe(own?.headers["last-modified"]);
    expect(copied?.text).toBe(own?.text);
    const unchanged = await callHttp(port, `GET ${feed}`, {
      headers: { "if-none-match": own?.headers.etag ?? "" },
    });
    expect(unchanged.status).toBe(304);

    const dav = { authorization, depth: "1", "content-type": "application/xml" };
    const calendar = `${homePath()}${setting.slugs.events}/`;
    for (const path of [homePath(), calendar, `${homePath()}${setting.slugs.tasks}/`]) {
      // GET of a home names the requested address.
      const body = path === homePath() ? propfind.replace("<d:getetag/>", "") : propfind;
      const [first, second] = await both(port, `PROPFIND ${path}`, { headers: dav, body });
      expect(second?.status).toBe(207);
      expect(second?.text).toBe(first?.text);
    }
    const [found] = await both(port, `PROPFIND ${calendar}`, { headers: dav, body: propfind });
    const token = /sync-token>([^<]+)</.exec(found?.text ?? "")?.[1] ?? "";
    const sync = `<d:sync-collection ${names}><d:sync-token>${token}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`;
    const [before, after] = await both(port, `REPORT ${calendar}`, { headers: dav, body: sync });
    expect(after?.status).toBe(207);
    expect(after?.text).toBe(before?.text);

    const bearer = { authorization: `Bearer ${setting.daemon.adminToken}` };
    const span = `from=${day(0)}&to=${day(9)}`;
    for (const path of [`/api/items?${span}`, `/api/reports/items?format=csv`]) {
      const [first, second] = await both(port, `GET ${path}`, { headers: bearer });
      expect(second?.status).toBe(200);
      // Its time and its age differ.
      const rowsOf = (text = "") =>
        text.startsWith("{") ? JSON.parse(text).rows : text.split("\r\n").length;
      expect(rowsOf(second?.text)).toEqual(rowsOf(first?.text));
    }
    const status = JSON.parse((await callHttp(port, "GET /api/status", { headers: bearer })).text);
    expect(status.copy).toMatchObject({ problem: null, primary });
  });

  it("refuses everything that must be stored, with the address of the writing daemon", async () => {
    const { call } = await reader(await aCopy());
    const object = `${homePath()}${setting.slugs.events}/new.ics`;
    for (const request of [
      `PUT ${object}`,
      `DELETE ${object}`,
      `MKCALENDAR ${homePath()}new/`,
      `PROPPATCH ${homePath()}${setting.slugs.events}/`,
      `MOVE ${object}`,
    ]) {
      const { status, headers, text } = await call(request, { authorization }, "x");
      expect(status, request).toBe(503);
      expect(headers["retry-after"]).toBe("60");
      expect(headers["content-type"]).toContain("application/xml");
      expect(headers["link"]).toContain(`<${primary}/dav/`);
      expect(text).toContain(`<d:href>${primary}</d:href>`);
    }
    const bearer = { authorization: `Bearer ${setting.daemon.adminToken}` };
    for (const request of [
      "POST /api/edits?project=1",
      "POST /api/feeds",
      "DELETE /api/feeds/1",
      "POST /login",
      "POST /edits/1/approve",
      "GET /api/labels",
      `GET /?token=${setting.daemon.adminToken}`,
    ]) {
      const { status, headers, text } = await call(
        request,
        bearer,
        request[0] === "G" ? undefined : "x",
      );
      expect(status, request).toBe(503);
      expect(headers["retry-after"]).toBe("60");
      expect(headers["set-cookie"]).toBeUndefined();
      expect(JSON.parse(text)).toMatchObject({ status: 503, primary });
      expect(headers["link"]).not.toContain("token");
    }
    const page = await call("POST /login", { accept: "text/html" }, "x");
    expect(page.text).toContain(primary);
  });

  it("writes nothing to the copy or beside it, even with a write-ahead log", async () => {
    const folder = await aCopy();
    const file = join(folder, "dayferry.sqlite");
    const db = new Database(file);
    db.pragma("journal_mode = WAL");
    db.pragma("wal_autocheckpoint = 0");
    db.exec("UPDATE meta SET value = value WHERE name = 'epoch'");
    const source = `${folder}-wal`;
    cpSync(folder, source, { recursive: true });
    db.close();
    rmSync(join(source, "dayferry.sqlite-shm"), { force: true });
    onTestFinished(() => rmSync(source, { recursive: true, force: true }));
    expect(existsSync(join(source, "dayferry.sqlite-wal"))).toBe(true);
    const stateOf = () =>
      readdirSync(source).map((name) => {
        const { size, mtimeNs, ctimeNs, mode } = statSync(join(source, name), { bigint: true });
        return [name, size, mtimeNs, ctimeNs, mode];
      });
    const before = stateOf();
    const { call } = await reader(source);
    expect((await call(`GET ${feed}`)).status).toBe(200);
    const dav = { authorization, depth: "1" };
    expect((await call(`PROPFIND ${homePath()}`, dav, propfind)).status).toBe(207);
    expect(stateOf()).toEqual(before);
  });

  it.skipIf(!canMount())("serves from a read-only file system", async () => {
    const disk = smallDisk(64);
    const folder = await aCopy();
    const file = new Database(join(folder, "dayferry.sqlite"));
    file.pragma("journal_mode = WAL");
    file.close();
    cpSync(folder, disk.folder, { recursive: true });
    disk.makeReadOnly();
    expect(() => writeFileSync(join(disk.folder, "x"), "")).toThrow(/EROFS/);
    const { call, copy } = await reader(disk.folder);
    expect((await call(`GET ${feed}`)).status).toBe(200);
    const dav = { authorization, depth: "1" };
    expect((await call(`PROPFIND ${homePath()}`, dav, propfind)).status).toBe(207);
    expect(await copy()).toMatchObject({ problem: null, primary });
    const admin = readFileSync(join(folder, "admin-token"), "utf8").trim();
    const metrics = (await call("GET /metrics")).text;
    expect(metrics).toMatch(/^dayferry_copy_age_seconds \d/m);
    expect(metrics).toMatch(/^dayferry_copy_usable 1$/m);
    const status = await call("GET /api/reports/agenda?format=json", {
      authorization: `Bearer ${admin}`,
    });
    expect(status.status).toBe(200);
  });

  it("continues with a new state, renamed into place or overwritten", async () => {
    const folder = await aCopy();
    const file = join(folder, "dayferry.sqlite");
    const { call, copy } = await reader(folder);
    const first = await copy();
    setting.addEvent({ title: "Renamed in", start: day(4), all_day: true });
    await setting.refresh();
    await callHttp(setting.port, `GET ${feed}`);
    await snapshotTo(`${file}.next`);
    renameSync(`${file}.next`, file);
    await eventually("the new state is served", async () =>
      (await call(`GET ${feed}`)).text.includes("Renamed in") ? true : null,
    );
    expect((await copy()).revision).toBeGreaterThan(first.revision);

    setting.addEvent({ title: "Written over", start: day(4), all_day: true });
    await setting.refresh();
    await callHttp(setting.port, `GET ${feed}`);
    await snapshotTo(`${folder}-next`);
    onTestFinished(() => rmSync(`${folder}-next`, { force: true }));
    writeFileSync(file, readFileSync(`${folder}-next`));
    await eventually("the newer state is served", async () =>
      (await call(`GET ${feed}`)).text.includes("Written over") ? true : null,
    );
    const [own, copied] = [await callHttp(setting.port, `GET ${feed}`), await call(`GET ${feed}`)];
    expect(copied.headers.etag).toBe(own.headers.etag);
  });

  it("keeps the last complete state while the file is partial, empty, invalid or gone", async () => {
    const folder = await aCopy();
    const file = join(folder, "dayferry.sqlite");
    const whole = readFileSync(file);
    const { call, copy } = await reader(folder);
    const good = (await call(`GET ${feed}`)).text;
    const spoil: readonly (readonly [string, () => void])[] = [
      ["half", () => truncateSync(file, Math.floor(whole.byteLength / 2))],
      ["empty", () => writeFileSync(file, "")],
      ["something else", () => writeFileSync(file, "no database at all".repeat(1000))],
      ["gone", () => rmSync(file)],
    ];
    for (const [what, act] of spoil) {
      act();
      const problem = await eventually(`${what} is noticed`, async () => (await copy()).problem);
      expect(problem, what).toMatch(/damaged|cannot be read|no database|not there/);
      expect((await call("GET /readyz")).status).toBe(200);
      expect((await call(`GET ${feed}`)).text).toBe(good);
      writeFileSync(file, whole);
      await eventually("all is well again", async () =>
        (await copy()).problem === null ? true : null,
      );
    }
  });

  it("names what is missing, and ends; doctor says the same, and how old a copy is", async () => {
    const folder = await aCopy();
    const now = Temporal.Now.instant();
    const findings = () => copyFindings(configOf(folder), now).map(({ verdict }) => verdict);
    expect(findings()).toEqual(["fine", "fine", "fine", "fine"]);
    expect(copyFindings(configOf(folder), now)[0]?.what).toMatch(/it was read \d+ s ago/);
    rmSync(join(folder, "feed-key"));
    expect(findings()).toEqual(["fine", "broken", "fine", "fine"]);
    const without = await reader(folder);
    expect(await without.ended).toBe(1);
    expect(without.said()).toContain("feed-key must be in the folder of the database");
  });

  it.skipIf(!isInstalled("vdirsyncer"))(
    "leaves vdirsyncer nothing to sync that comes from the writing daemon",
    async () => {
      const home = vdirHome(setting, "both");
      await home.run("discover");
      await home.sync();
      const { url } = await reader(await aCopy());
      const other = vdirHome({ ...setting, url: `${url}/dav/` }, "both");
      const discovered = await other.run("discover");
      expect(discovered.code, discovered.output).toBe(0);
      const { output } = await other.sync();
      expect(output).not.toMatch(/Copying|Deleting|error/i);
      other.write(setting.slugs.events, "refused.ics", [
        "BEGIN:VEVENT",
        "UID:refused@example.com",
        "DTSTAMP:20260101T000000Z",
        "SUMMARY:Refused",
        "DTSTART;VALUE=DATE:20270101",
        "END:VEVENT",
      ]);
      const refused = await other.run("sync");
      expect(refused.code).not.toBe(0);
      expect(refused.output).toContain("503");
      const back = vdirHome(setting, "both");
      await back.run("discover");
      await back.sync();
      await setting.arrived();
      expect(setting.eventTitles()).toContain("Refused");
    },
  );
});
