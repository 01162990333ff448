// What the daemon costs at workspaces of several sizes: first sync, memory, the longest that its main thread was at one
// thing, database, cold start, and what it takes of a processor at rest.
//   node bench/size.ts [s] [m] [l] [events] [tasks] [--rest SECONDS] [--json FILE]      s and m unless sizes are named
// `events`: 10,000 events in one project; `tasks`: 100,000 tasks. Service and daemon are processes of their own. The first
// sweep runs in scaled time where it would take minutes (25 requests in less than 10 s); what it takes at rest is measured
// after a restart at the service's true pace, while the daemon reads everything anew as it always does. Beside each
// block by the clock stands the processor's time that it took, which other work on the machine does not lengthen, and the
// most memory up to then.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { SandboxOptions } from "@dayferry/sandbox";
import { eventuallyWithin } from "../test/support/eventually.ts";
import { type Client, createClient } from "./caldav/client.ts";
import { type Block, type DaemonProcess, startDaemonProcess } from "./size/daemon-process.ts";

interface Shape {
  readonly sandbox: Partial<SandboxOptions>;
  /** By how much the first sync runs faster than at the service. */
  readonly scale: number;
  /** VmHWM after the first sync and everything that was asked, in MB; share of a core at rest; longest block in ms. */
  readonly goals: { readonly memory: number; readonly processor: number; readonly block: number };
}

const shapes: Readonly<Record<string, Shape>> = {
  s: { sandbox: { size: "s" }, scale: 1, goals: { memory: 110, processor: 0.02, block: 20 } },
  m: { sandbox: { size: "m" }, scale: 10, goals: { memory: 160, processor: 0.02, block: 20 } },
  l: { sandbox: { size: "l" }, scale: 50, goals: { memory: 300, processor: 0.04, block: 50 } },
  events: {
    sandbox: { size: "s", counts: { eventsOfFirst: 10_000 } },
    scale: 1,
    goals: { memory: 200, processor: 0.04, block: 50 },
  },
  tasks: {
    sandbox: { size: "m", counts: { tasks: 100_000, parents: 0.02 } },
    scale: 20,
    goals: { memory: 300, processor: 0.04, block: 50 },
  },
};

/** Until what a start takes is over. */
const settleMs = 30_000;
const names = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { rest: { type: "string", default: "60" }, json: { type: "string" } },
});
const wanted = positionals.length > 0 ? positionals : ["s", "m"];
const results = [];
for (const name of wanted) {
  const shape = shapes[name];
  if (!shape) throw new Error(`there is no size ${name}: ${Object.keys(shapes).join(", ")}`);
  results.push({ size: name, ...(await measure(shape)), load: round(loadavg()[0] ?? 0) });
}
for (const { size, blocks, ...row } of results) {
  console.log(`\n${size}`);
  console.table(row);
  console.table(blocks);
}
if (given.json !== undefined) writeFileSync(given.json, `${JSON.stringify(results, null, 2)}\n`);

/** One thing that was done, and the longest block in it. */
interface Phase extends Block {
  readonly while: string;
  readonly tookMs: number;
  readonly "VmHWM so far MB": number;
}

interface Service {
  readonly process: ChildProcess;
  readonly service: object;
  readonly owner: number;
  /** The first project. */
  readonly first: number;
  readonly fewest: number;
}

async function measure({ sandbox, scale, goals }: Shape) {
  const perMs = 10_000 / scale;
  const service = await startService({ ...sandbox, quota: { requests: 25, perMs } });
  const folder = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
  try {
    const hurried = await whileSwept(service, { folder, perMs });
    const rested = await atRest(service, { folder, feed: hurried.feed });
    const limitSeconds = (Math.ceil(service.fewest / 25) - 1) * 10;
    const longest = Math.max(...hurried.blocks.map(({ processorMs }) => processorMs));
    return {
      requests: service.fewest,
      "T(n) s": limitSeconds,
      "first sync s, as at the service": round(hurried.sweepSeconds * scale),
      "first sync / T(n)": round((hurried.sweepSeconds * scale) / limitSeconds),
      "most memory MB (VmHWM)": round(hurried.memory.most),
      "most memory at rest MB (VmHWM)": round(rested.memory.most),
      "memory at rest MB (RSS)": round(rested.memory.now),
      "% of a core at rest": round(rested.share * 100),
      "longest block, ms of processor": round(longest),
      "cold start to the first feed ms": round(rested.coldStartMs),
      "database MB": round(octetsIn(join(folder, "data")) / 2 ** 20),
      "memory met": hurried.memory.most <= goals.memory,
      "processor met": rested.share <= goals.processor,
      "block met": longest <= goals.block,
      blocks: hurried.blocks,
    };
  } finally {
    service.process.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startService(options: Partial<SandboxOptions>): Promise<Service> {
  const script = fileURLToPath(new URL("./size/size-sandbox-server.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(options)]);
  const [told] = await once(child, "message");
  return { process: child, ...told };
}

/** The first sync in scaled time, then everything that may take long, with the longest block of each. */
async function whileSwept(
  { process: child, service, owner, first }: Service,
  { folder, perMs }: { readonly folder: string; readonly perMs: number },
) {
  const daemon = await start({ folder, service, perMs, blocks: true });
  const blocks: Phase[] = [];
  const note = async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
    await daemon.block();
    const began = performance.now();
    const value = await work();
    const tookMs = round(performance.now() - began);
    const { clockMs, processorMs } = await daemon.block();
    blocks.push({
      while: what,
      tookMs,
      clockMs: round(clockMs),
      processorMs: round(processorMs),
      "VmHWM so far MB": Math.round(daemon.memory().most),
    });
    return value;
  };
  const began = performance.now();
  await note("first sync", () => ready(daemon));
  const sweepSeconds = (performance.now() - began) / 1000;
  const told = Object(await (await daemon.ask("/api/feeds")).json());
  const feeds: readonly { readonly projectId: number; readonly url: string }[] = told.feeds;
  const pathOf = ({ url }: { readonly url: string }) => new URL(url).pathname;
  const own = feeds.find(({ projectId }) => projectId === first);
  if (!own) throw new Error("the first project has no feed");
  const feed = pathOf(own);
  const fetched = (path: string) => fetchFeed(daemon, path);
  const etag = await note("first fetch of a feed", () => fetched(feed));
  await note("fetch of every feed", async () => {
    for (const one of feeds) await fetched(pathOf(one));
  });
  await note("a change, until the feed has it", async () => {
    child.send(first);
    await eventuallyWithin(600_000, "the feed has the change", async () =>
      (await fetched(feed)) === etag ? null : true,
    );
  });
  await asCalendarProgram(daemon, { owner, project: first, note });
  await note("report of all items", async () => {
    await (await daemon.ask("/api/reports/items?format=json")).text();
  });
  await note("status", async () => {
    await (await daemon.ask("/api/status")).text();
  });
  const memory = daemon.memory();
  await daemon.stop();
  return { sweepSeconds, feed, blocks, memory };
}

async function asCalendarProgram(
  daemon: DaemonProcess,
  about: {
    readonly owner: number;
    readonly project: number;
    readonly note: <Value>(what: string, work: () => Promise<Value>) => Promise<Value>;
  },
): Promise<void> {
  const { owner, project, note } = about;
  const given = await daemon.ask(`/api/people/${owner}/password`, { method: "POST" });
  const { email, password } = Object(await given.json());
  const client = createClient({ port: daemon.port, user: email, password });
  const path = `/dav/calendars/${owner}/events-${project}/`;
  const found = await home(client, owner);
  const calendar = found.find((one) => one.endsWith(`/events-${project}/`)) ?? path;
  const asked: readonly (readonly [string, string, string])[] = [
    [
      "PROPFIND of the events",
      "PROPFIND",
      `<d:propfind ${names}><d:prop><d:getetag/></d:prop></d:propfind>`,
    ],
    [
      "sync-collection from nothing",
      "REPORT",
      `<d:sync-collection ${names}><d:sync-token/><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>`,
    ],
    [
      "calendar-query with data",
      "REPORT",
      `<c:calendar-query ${names}><d:prop><d:getetag/><c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:prop-filter name="SUMMARY"><c:text-match>e</c:text-match></c:prop-filter></c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`,
    ],
  ];
  for (const [what, method, body] of asked) {
    const headers = { Depth: "1", "Content-Type": "application/xml" };
    const { status } = await note(what, () =>
      client.call({ method, path: calendar, headers, body }),
    );
    if (status !== 207) throw new Error(`${what} was answered by ${status}`);
  }
  await note("PROPFIND of the assigned items", () =>
    client.call({
      method: "PROPFIND",
      path: calendar.replace(`events-${project}`, "assigned"),
      headers: { Depth: "1", "Content-Type": "application/xml" },
      body: `<d:propfind ${names}><d:prop><d:getetag/></d:prop></d:propfind>`,
    }),
  );
  client.close();
}

/** The addresses of a person's calendars. */
async function home(client: Client, owner: number): Promise<readonly string[]> {
  const { body } = await client.call({
    method: "PROPFIND",
    path: `/dav/calendars/${owner}/`,
    headers: { Depth: "1", "Content-Type": "application/xml" },
    body: `<d:propfind ${names}><d:prop><d:displayname/></d:prop></d:propfind>`,
  });
  return [...body.matchAll(/<d:href>([^<]+)<\/d:href>/g)].map(([, href = ""]) => href);
}

/** A restart at the true pace: how soon a feed is served, and what polling takes once everything has settled. */
async function atRest(
  { service }: Service,
  { folder, feed }: { readonly folder: string; readonly feed: string },
) {
  const began = performance.now();
  const daemon = await start({ folder, service, perMs: 10_000, blocks: false });
  await fetchFeed(daemon, feed);
  const coldStartMs = performance.now() - began;
  await pause(settleMs);
  const before = daemon.processor();
  const restMs = Number(given.rest) * 1000;
  await pause(restMs);
  const share = (daemon.processor() - before) / (restMs / 1000);
  const memory = daemon.memory();
  await daemon.stop();
  return { coldStartMs, share, memory };
}

async function start(about: {
  readonly folder: string;
  readonly service: object;
  readonly perMs: number;
  readonly blocks: boolean;
}): Promise<DaemonProcess> {
  const { folder, service, perMs, blocks } = about;
  const dataDir = join(folder, "data");
  const configFile = join(folder, "config.json");
  const config = {
    dataDir,
    service: { ...service, quota: { requests: 25, per: `PT${perMs / 1000}S` } },
    http: { host: "127.0.0.1", port: 0 },
  };
  writeFileSync(configFile, JSON.stringify(config));
  return startDaemonProcess({ configFile, dataDir, blocks });
}

function ready(daemon: DaemonProcess): Promise<true> {
  return eventuallyWithin(1_800_000, "the first sync is done", async () =>
    (await fetch(`${daemon.url}/readyz`)).ok ? true : null,
  );
}

async function fetchFeed({ url }: DaemonProcess, path: string): Promise<string> {
  const response = await fetch(`${url}${path}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`a feed was answered by ${response.status}`);
  return response.headers.get("etag") ?? "";
}

function octetsIn(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.startsWith("dayferry.sqlite"));
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
