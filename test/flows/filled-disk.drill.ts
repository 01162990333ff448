import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { dayEvent } from "../support/day-event.ts";
import { type ConfigChanges, type Daemon, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";

/** A daemon with some folders on a separate small disk; `on` names their configuration keys. */
async function begin(
  on: (folder: string) => ConfigChanges & { readonly dataDir?: string },
  mebibytes = 24,
) {
  const sandbox = await testSandbox();
  onTestFinished(() => sandbox.close());
  const disk = smallDisk(mebibytes);
  const changes = on(disk.folder);
  const installed = install(sandbox, changes);
  onTestFinished(installed.dispose);
  const here = { ...installed, dataDir: changes.dataDir ?? installed.dataDir };
  const daemon = await serve(here);
  onTestFinished(async () => void (await daemon.stop("SIGKILL")));
  const project = sandbox.workspace.places()[0]?.project ?? 0;
  const titles = () =>
    sandbox.workspace.events
      .list({ by: ownerOf(sandbox), project }, { view: "all" })
      .map(({ title }) => title);
  return { sandbox, disk, here, daemon, project, titles };
}

const upload = async (daemon: Daemon, { project, title }: { project: number; title: string }) => {
  const answer = await daemon.ask(`/api/edits?project=${project}`, {
    method: "POST",
    headers: { "content-type": "text/calendar" },
    body: dayEvent(title),
  });
  return { status: answer.status, text: await answer.text() };
};

const health = async (daemon: Daemon) => (await daemon.ask("/healthz")).status;

const told = (daemon: Daemon, text: RegExp) =>
  eventually(String(text), async () => {
    const { troubles } = Object(await (await daemon.ask("/api/status")).json());
    return text.test(JSON.stringify(troubles)) ? true : null;
  });

const isSick = (daemon: Daemon) =>
  eventually("the fault is reported", async () => ((await health(daemon)) === 503 ? true : null));
const isWell = (daemon: Daemon) =>
  eventually("it works again", async () => ((await health(daemon)) === 200 ? true : null));

describe.skipIf(!canMount())("a disk that fills up", () => {
  it("refuses to sign people in with the reason, keeps sessions, and recovers by itself", async () => {
    const { disk, daemon } = await begin((folder) => ({ dataDir: join(folder, "data") }));
    const logIn = () =>
      fetch(`${daemon.url}/login`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ token: daemon.token }),
      });
    const cookieOf = (answer: Response) =>
      (answer.headers.get("set-cookie") ?? "").split(";", 1).join("");
    const first = await logIn();
    expect(first.status).toBe(303);
    const cookie = cookieOf(first);
    disk.fill();
    await isSick(daemon);
    const refused = await logIn();
    expect([503, 507]).toContain(refused.status);
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await refused.text()).toMatch(/is full/);
    expect(cookieOf(refused)).toBe("");
    const page = await fetch(`${daemon.url}/status`, { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/is full/)]);
    disk.makeRoom();
    await isWell(daemon);
    expect((await logIn()).status).toBe(303);
  }, 60_000);

  it("stores nothing partially while the database log cannot be written back, and everything later", async () => {
    const { disk, here, daemon, project, titles } = await begin((folder) => ({
      dataDir: join(folder, "data"),
    }));
    const accepted: string[] = [];
    // Room for some edits in the log, and for none of them in the database itself.
    disk.fill(400_000);
    for (let nth = 0; nth < 60; nth += 1) {
      const { status } = await upload(daemon, { project, title: `edit ${nth}` });
      if (status === 202) accepted.push(`edit ${nth}`);
      else expect(status).toBe(507);
    }
    expect(accepted.length).toBeLessThan(60);
    await daemon.stop("SIGKILL");
    const again = await serve(here, { ready: false });
    onTestFinished(async () => void (await again.stop("SIGKILL")));
    disk.makeRoom();
    await isWell(again);
    await eventually("all that was accepted arrives", () =>
      accepted.every((title) => titles().includes(title)) ? true : null,
    );
    expect(titles().toSorted()).toEqual(accepted.toSorted());
    await again.stop();
    const db = new Database(join(here.dataDir, "dayferry.sqlite"), { readonly: true });
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    db.close();
  }, 90_000);

  it("leaves no partial mail, reports it, and writes the mail once there is room", async () => {
    const { disk, daemon } = await begin((folder) => ({
      mail: { from: "d@example.com", directory: join(folder, "mail") },
      operator: { mail: ["ops@example.com"] },
    }));
    const folder = join(disk.folder, "mail");
    disk.fill();
    const page = await daemonTest(daemon);
    expect(page).toMatch(/cannot be written/);
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
    expect(await health(daemon)).toBe(200);
    disk.makeRoom();
    expect(await daemonTest(daemon)).not.toMatch(/cannot be written/);
    const [mail = "", ...more] = readdirSync(folder);
    expect([mail.endsWith(".eml"), more]).toEqual([true, []]);
  }, 60_000);

  it("makes no partial backup, reports it, and makes the next one once there is room", async () => {
    // A backup needs 16 MiB, and twice the database with its log, which may have grown.
    const { disk, daemon } = await begin(
      (folder) => ({ backups: { directory: join(folder, "backups") } }),
      64,
    );
    const folder = join(disk.folder, "backups");
    const before = existsSync(folder) ? readdirSync(folder) : [];
    disk.fill();
    const refused = await daemon.ask("/api/backups", { method: "POST" });
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(await refused.text()).toMatch(/0 MiB free/);
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual(before);
    await told(daemon, /backup-failed/);
    disk.makeRoom();
    expect((await daemon.ask("/api/backups", { method: "POST" })).status).toBeLessThan(300);
    expect(readdirSync(folder).length).toBe(before.length + 1);
    const { troubles } = Object(await (await daemon.ask("/api/status")).json());
    expect(JSON.stringify(troubles)).not.toMatch(/backup-failed/);
  }, 60_000);

  it("applies a dropped file once although its report cannot be written", async () => {
    const { disk, daemon, project, titles } = await begin((folder) => ({
      edits: { inbox: join(folder, "inbox") },
    }));
    const folder = join(disk.folder, "inbox", String(project));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "one.ics"), dayEvent("one"));
    disk.fill();
    await eventually("the edit arrives", () => (titles().includes("one") ? true : null));
    expect(await health(daemon)).toBe(200);
    disk.makeRoom();
    writeFileSync(join(folder, "two.ics"), dayEvent("two"));
    await eventually("the next one arrives", () => (titles().includes("two") ? true : null));
    await eventually("both are put away", () =>
      readdirSync(folder).some((name) => name.endsWith(".ics")) ? null : true,
    );
    expect(titles().toSorted()).toEqual(["one", "two"]);
  }, 90_000);
});

/** What the Status page says of a test message. */
async function daemonTest(daemon: Daemon): Promise<string> {
  const entered = await fetch(`${daemon.url}/?token=${daemon.token}`, { redirect: "manual" });
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";", 1).join("");
  const page = await (await fetch(`${daemon.url}/status`, { headers: { cookie } })).text();
  const token = /name="csrf" value="([^"]+)"|name="form" value="([^"]+)"/.exec(page);
  const [, csrf = "", form = ""] = token ?? [];
  const body = new URLSearchParams(csrf ? { csrf } : { form });
  const answer = await fetch(`${daemon.url}/status/test`, {
    method: "POST",
    headers: { cookie, origin: daemon.url },
    body,
  });
  return answer.text();
}
