import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@dayferry/sandbox";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { dayferry, type Installation, install, serve } from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { serveHere } from "../support/in-process.ts";
import { ownerOf, testSandbox } from "../support/sandbox.ts";

// The stored data is served from the first second after a start, and edits are accepted, whether the service answers or
// not. Only a project that was never read completely shows nothing.

type Running = Awaited<ReturnType<typeof serveHere>>;

async function begin({
  perSecond = 500,
  tasks = 60,
  ...changes
}: {
  readonly perSecond?: number;
  readonly tasks?: number;
  readonly edits?: { readonly inbox: string };
} = {}) {
  const sandbox = await testSandbox({
    size: "s",
    counts: { tasks },
    quota: { requests: perSecond, perMs: 1000 },
  });
  onTestFinished(() => sandbox.close());
  const service = { quota: { requests: perSecond, per: "PT1S" }, timeout: "PT1S" };
  const place = install(sandbox, { service, ...changes });
  onTestFinished(place.dispose);
  return { sandbox, place };
}

async function start(place: Installation, ready: boolean): Promise<Running> {
  const daemon = await serveHere(place, { ready });
  onTestFinished(() => daemon.stop().catch(() => undefined));
  return daemon;
}

/** These paths no longer answer. */
function takeDown({ faults }: Sandbox, path = /./): void {
  faults.add({ kind: "drop-before", path, times: 100_000 });
}

async function json(daemon: Running, path: string, method = "GET") {
  const headers = { authorization: `Bearer ${daemon.adminToken}` };
  const answer = await fetch(`${daemon.url}${path}`, { method, headers });
  return JSON.parse(await answer.text());
}

/** The status of each feed, and whether it contains an event. */
async function feedsOf(daemon: Running) {
  const { feeds } = await json(daemon, "/api/feeds");
  const answers = feeds.map(async ({ url, projectId }: { url: string; projectId: number }) => {
    const answer = await fetch(url);
    return [projectId, answer.status, (await answer.text()).includes("BEGIN:VEVENT")] as const;
  });
  return Promise.all(answers);
}

/** A program with the app password of the account's owner. */
async function programOf(daemon: Running, { keys: [owner] }: Sandbox) {
  const { password } = await json(daemon, `/api/people/${owner?.personId}/password`, "POST");
  const authorization = `Basic ${Buffer.from(`${owner?.personId}:${password}`).toString("base64")}`;
  const home = `/dav/calendars/${owner?.personId}`;
  return (url: string, method: string, path: string, rest: RequestInit = {}) =>
    fetch(`${url}${home}${path}`, {
      ...rest,
      method,
      headers: { authorization, "content-type": "text/calendar; charset=utf-8", depth: "1" },
    });
}

const vevent = (uid: string, title: string) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//t//EN",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20270101T000000Z",
    "DTSTART;VALUE=DATE:20270310",
    `SUMMARY:${title}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");

describe("a start while the service does not respond", () => {
  it("serves feeds never fetched before, calendars and reports, and accepts edits from every channel", async () => {
    const { sandbox, place } = await begin({ edits: { inbox: "./inbox" } });
    const first = await start(place, true);
    const program = await programOf(first, sandbox);
    await first.stop();

    takeDown(sandbox);
    const daemon = await start(place, false);
    const feeds = await feedsOf(daemon);
    expect(feeds.length).toBeGreaterThan(2);
    for (const feed of feeds) expect(feed).toEqual([expect.any(Number), 200, true]);

    const project = sandbox.workspace.places()[0]?.project ?? 0;
    const events = `/events-${project}/`;
    const listing = await program(daemon.url, "PROPFIND", events);
    expect(listing.status).toBe(207);
    const hrefs = [...(await listing.text()).matchAll(/href>([^<]+\.ics)</g)].map(
      ([, href]) => href,
    );
    expect(hrefs.length).toBeGreaterThan(1);
    const member = `/${hrefs[0]?.split("/").slice(-2).join("/")}`;
    expect((await program(daemon.url, "GET", member)).status).toBe(200);
    const assigned = await program(daemon.url, "PROPFIND", "/assigned/");
    expect(assigned.status).toBe(207);
    const body = vevent("made@example.com", "Made in CalDAV");
    expect((await program(daemon.url, "PUT", `${events}made.ics`, { body })).status).toBe(201);
    expect(await (await program(daemon.url, "GET", `${events}made.ics`)).text()).toContain(
      "Made in",
    );

    const upload = await fetch(`${daemon.url}/api/edits?project=${project}`, {
      method: "POST",
      headers: { authorization: `Bearer ${daemon.adminToken}`, "content-type": "text/calendar" },
      body: vevent("uploaded@example.com", "Uploaded"),
    });
    expect(upload.status).toBe(202);
    const inbox = join(place.folder, "inbox");
    mkdirSync(join(inbox, String(project)), { recursive: true });
    writeFileSync(
      join(inbox, String(project), "dropped.ics"),
      vevent("dropped@example.com", "Dropped"),
    );
    await eventually("the file is taken", () =>
      existsSync(join(inbox, String(project), "dropped.ics")) ? null : true,
    );

    const report = await json(daemon, "/api/reports/agenda?format=json");
    expect(report.rows.length).toBeGreaterThan(0);
    const status = await json(daemon, "/api/status");
    expect(status).toMatchObject({ ready: true, fresh: false, mirror: { projectsNeverRead: 0 } });
    expect(status.mirror.oldestAgeSeconds).toBeGreaterThanOrEqual(0);
    const readiness = await fetch(`${daemon.url}/readyz`);
    expect(readiness.status).toBe(200);
    expect(await readiness.json()).toEqual({ status: "ready", fresh: false });

    sandbox.faults.clear();
    const titles = () =>
      sandbox.workspace.events
        .list({ by: ownerOf(sandbox), project }, { view: "all" })
        .map(({ title }) => title);
    await eventually("the edits arrive", () =>
      ["Made in CalDAV", "Uploaded", "Dropped"].every((title) => titles().includes(title))
        ? true
        : null,
    );
  });

  it("serves no partly read project, and all others", async () => {
    const { sandbox, place } = await begin();
    const [one, two, three] = sandbox.workspace.places();
    takeDown(sandbox, new RegExp(`/todolists/${two?.lists[0]}/tasks$`));
    const first = await start(place, false);
    await eventually("two projects are read", () =>
      [one, three].every((each) => each && first.modules.store.rounds.readProjects().size === 2)
        ? true
        : null,
    );
    const program = await programOf(first, sandbox);
    await first.stop();

    takeDown(sandbox);
    const daemon = await start(place, false);
    const expected = [one, two, three].map((each) => [each?.project, each === two ? 503 : 200]);
    expect((await feedsOf(daemon)).map(([project, status]) => [project, status])).toEqual(expected);
    const statuses = [one, two, three].map(async (each) => {
      const { status } = await program(daemon.url, "PROPFIND", `/events-${each?.project}/`);
      return status;
    });
    expect(await Promise.all(statuses)).toEqual([207, 503, 207]);
    expect(await json(daemon, "/api/status")).toMatchObject({ mirror: { projectsNeverRead: 1 } });

    sandbox.faults.clear();
    await eventually("all is read", () => (daemon.modules.sync.ready ? true : null));
    expect((await feedsOf(daemon)).map(([, status]) => status)).toEqual([200, 200, 200]);
  });

  it("serves what an older version has read", async () => {
    const { sandbox, place } = await begin();
    await (await start(place, true)).stop();
    forgetRounds(join(place.dataDir, "dayferry.sqlite"));
    takeDown(sandbox);
    const daemon = await start(place, false);
    expect((await feedsOf(daemon)).map(([, status]) => status)).toEqual([200, 200, 200]);
  });
});

describe("kill -9 in the middle of a first sync", () => {
  /** Dies after two seconds' requests, with more to come. `before`: what it had read; the few under way are lost. */
  async function killed(perSecond: number) {
    const { sandbox, place } = await begin({ perSecond, tasks: 300 });
    const daemon = await serve(place, { ready: false });
    const { requests } = sandbox;
    await eventually("a part is read", () => {
      const answered = requests.entries().filter(({ status }) => status !== null);
      return answered.length >= 2 * perSecond ? true : null;
    });
    await daemon.stop("SIGKILL");
    requests.clear();
    const before = readIn(join(place.dataDir, "dayferry.sqlite"));
    expect(before.length).toBeGreaterThan(perSecond);
    return { place, before, later: () => requests.entries().map(({ path }) => nameOf(path)) };
  }

  it("continues at the next start", async () => {
    const { place, before, later } = await killed(20);
    const daemon = await serve(place, { ready: false });
    onTestFinished(() => daemon.stop("SIGKILL").then(() => undefined));
    await eventually("it is ready", async () =>
      (await fetch(`${daemon.url}/readyz`)).ok ? true : null,
    );
    // Right after the sweep the next round begins with the oldest.
    const rest = later().filter((path) => path.startsWith("subtasks:"));
    expect(rest.length).toBeGreaterThan(20);
    expect(rest.slice(0, 20).filter((path) => before.includes(path))).toEqual([]);
  });

  it("continues with the command sync", async () => {
    const { place, before, later } = await killed(20);
    const { code } = await dayferry(["sync", "--config", place.configFile]);
    expect(code).toBe(0);
    const paths = later().filter((path) => /:/.test(path));
    expect(paths.filter((path) => before.includes(path))).toEqual([]);
  });
});

/** What was read into a database, by its names. */
function readIn(file: string): readonly unknown[] {
  const db = new Database(file, { readonly: true });
  const names = db.prepare("SELECT name FROM sources WHERE round IS NOT NULL").pluck().all();
  db.close();
  return names;
}

const nameOf = (path: string): string =>
  path
    .replace(/^.*\/tasks\/(\d+)\/subtasks$/, "subtasks:$1")
    .replace(/^.*\/todolists\/(\d+)\/tasks$/, "tasks:$1")
    .replace(/^.*\/projects\/(\d+)\/(events|todolists)$/, "$2:$1");

/** As it was before there were rounds. */
function forgetRounds(file: string): void {
  const db = new Database(file);
  db.exec(
    "DELETE FROM rounds; UPDATE projects SET read_at = NULL; UPDATE sources SET round = NULL",
  );
  db.exec("DELETE FROM meta WHERE name = 'all_read_at'");
  db.close();
}
