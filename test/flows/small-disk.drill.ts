import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { dayEvent } from "../support/day-event.ts";
import {
  type Daemon,
  dayferryProcess,
  type Installation,
  install,
  serve,
} from "../support/dayferry.ts";
import { eventually } from "../support/eventually.ts";
import { testSandbox } from "../support/sandbox.ts";
import { canMount, smallDisk } from "../support/small-disk.ts";

/** An installation whose data directory is on a separate disk. */
async function onSmallDisk(http: object = {}) {
  const sandbox = await testSandbox({ size: "s" });
  onTestFinished(() => sandbox.close());
  const disk = smallDisk(24);
  const dataDir = join(disk.folder, "data");
  const changes = { dataDir, http: { host: "127.0.0.1", port: 0, ...http } };
  const here: Installation = { ...install(sandbox, changes), dataDir };
  onTestFinished(here.dispose);
  return { sandbox, disk, here };
}

async function started(here: Installation): Promise<Daemon> {
  const daemon = await serve(here);
  onTestFinished(async () => void (await daemon.stop()));
  return daemon;
}

const upload = (daemon: Daemon, { project, title }: { project: number; title: string }) =>
  daemon.ask(`/api/edits?project=${project}`, {
    method: "POST",
    headers: { "content-type": "text/calendar" },
    body: dayEvent(title),
  });

async function firstFeed(
  daemon: Daemon,
): Promise<{ readonly url: string; readonly project: number }> {
  const feeds: unknown = await (await daemon.ask("/api/feeds")).json();
  const all = Array.isArray(feeds) ? feeds : Object(feeds).feeds;
  const feed = all.find(({ projectId }: { projectId: number | null }) => projectId !== null);
  return { url: feed.url, project: feed.projectId };
}

const health = async (daemon: Daemon) => {
  const answer = await daemon.ask("/healthz");
  return { status: answer.status, text: await answer.text() };
};

describe.skipIf(!canMount())("a daemon on a small disk of its own", () => {
  it("serves feeds and refuses edits while it is full, and recovers by itself", async () => {
    const { disk, here } = await onSmallDisk();
    const daemon = await started(here);
    const { url, project } = await firstFeed(daemon);
    expect((await upload(daemon, { project, title: "before" })).status).toBe(202);
    const before = await (await fetch(url)).text();
    expect(before).toContain("BEGIN:VCALENDAR");

    disk.fill();
    const sick = await eventually("the fault is reported", async () => {
      const { status: now, text } = await health(daemon);
      return now === 503 ? text : null;
    });
    expect(sick).toMatch(/is full/);
    const refused = await upload(daemon, { project, title: "refused" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([507, "60"]);
    expect(await refused.text()).toMatch(/is full/);
    const feed = await fetch(url);
    expect([feed.status, await feed.text()]).toEqual([
      200,
      expect.stringContaining("BEGIN:VEVENT"),
    ]);
    const told = await (await daemon.ask("/api/status")).text();
    expect(told).toMatch(/is full/);

    disk.makeRoom();
    await eventually("it works again", async () =>
      (await health(daemon)).status === 200 ? true : null,
    );
    expect((await upload(daemon, { project, title: "after" })).status).toBe(202);
    await eventually("every edit that was taken is carried out", async () => {
      const edits: unknown = await (await daemon.ask("/api/edits")).json();
      const all = Array.isArray(edits) ? edits : Object(edits).edits;
      const states = all.map(({ state }: { state: string }) => state);
      return states.length === 2 && states.every((state: string) => state === "confirmed")
        ? true
        : null;
    });
  });

  it("waits for room at a first start, and leaves nothing partial", async () => {
    const port = await freePort();
    const { disk, here } = await onSmallDisk({ port });
    disk.fill();
    const { ask, said } = startProcess(here, port);
    const answer = await eventually("it answers", () => ask("/healthz"));
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(/data: the disk of the data directory is full/);
    const feed = await ask("/feeds/secret/x.ics");
    expect([feed?.status, feed?.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(said()).toContain("make room, and everything goes on by itself");
    expect(said()).not.toContain("at Database");

    disk.makeRoom();
    await eventually("it serves", async () =>
      (await ask("/healthz"))?.status === 200 ? true : null,
    );
    expect(readdirSync(here.dataDir)).toContain("dayferry.sqlite");
  });

  it("waits at a start while the disk is read-only, and then serves", async () => {
    const port = await freePort();
    const { disk, here } = await onSmallDisk({ port });
    await (await serve(here)).stop();
    disk.makeReadOnly();
    const { ask, said } = startProcess(here, port);
    const answer = await eventually("it answers", () => ask("/healthz"));
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(/cannot be written to/);
    expect(said()).not.toContain("at Database");
    disk.makeWritable();
    await eventually("it serves", async () =>
      (await ask("/healthz"))?.status === 200 ? true : null,
    );
  });

  it("starts on a full disk with what is known, and recovers by itself", async () => {
    const { disk, here } = await onSmallDisk();
    const first = await serve(here);
    const { url } = await firstFeed(first);
    await first.stop();
    disk.fill(200_000);
    const daemon = await serve(here, { ready: false });
    onTestFinished(async () => void (await daemon.stop()));
    const path = new URL(url).pathname;
    await eventually("the fault is reported", async () =>
      (await health(daemon)).status === 503 ? true : null,
    );
    const feed = await fetch(`${daemon.url}${path}`);
    expect([feed.status, await feed.text()]).toEqual([
      200,
      expect.stringContaining("BEGIN:VEVENT"),
    ]);
    disk.makeRoom();
    await eventually("it works again", async () =>
      (await health(daemon)).status === 200 ? true : null,
    );
  });
});

/** A daemon that may fail before it listens. */
function startProcess(here: Installation, port: number) {
  const child = dayferryProcess(["serve", "--config", here.configFile], {});
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += String(chunk);
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
  return { ask, said: () => said };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
