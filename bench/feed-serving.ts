// How fast feeds are served and rebuilt, of a project, of everything, of one person and narrowed by filters: requests per second
// for 304, gzip 200 and plain 200, beside nginx with the same bytes where it is installed; how a rebuild per second holds answers
// up; the time from one changed item to the new bytes, beside the time that ical-generator needs for a calendar of the same
// events; and how many feeds of other projects change with it, across a restart.
//   node bench/feed-serving.ts [seconds=4] [connections=16] [items=0]
import { execFile, spawn } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import ical, { ICalAlarmType } from "ical-generator";
import { personId, projectId } from "../src/domain/ids.ts";
import { createEditActions } from "../src/edits/actions/edit-actions.ts";
import {
  createPublishedFeeds,
  type FeedWish,
  type PublishedFeeds,
} from "../src/feeds/published-feeds.ts";
import { createApp } from "../src/http/http-app.ts";
import { createLog } from "../src/log.ts";
import { createAccessControl } from "../src/people/people.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { forecastOf } from "../src/sync/forecast.ts";
import { feedOptions } from "../test/support/feed-options.ts";
import { anEvent, aPerson, aProject, zone } from "../test/support/items.ts";
import { numbersOf } from "./options.ts";

/** `items` = 0: a feed of 1,000 and one of 10,000. */
const { seconds, connections, items } = numbersOf({ seconds: 4, connections: 16, items: 0 });
const sizes = items > 0 ? [items] : [1000, 10_000];
const clock = () => Temporal.Now.instant();
const project = projectId(1);
const person = personId(11);
const key = randomBytes(32);
const adminToken = randomBytes(32).toString("hex");
const options = feedOptions({ webUrl: null });
const cannon = fileURLToPath(import.meta.resolve("autocannon"));
const run = promisify(execFile);
const migrations = join(import.meta.dirname, "../migrations");

/** Half of the events are assigned to the person. */
const wishes: readonly (FeedWish & { readonly name: string })[] = [
  { name: "everything", kind: "all", projectId: null, personId: null, filter: null, colour: null },
  {
    name: "a person",
    kind: "person",
    projectId: null,
    personId: person,
    filter: null,
    colour: null,
  },
  {
    name: "filters",
    kind: "all",
    projectId: null,
    personId: null,
    filter: { kinds: ["event"], assigned: [person], completed: "none", reminders: false },
    colour: null,
  },
];

for (const size of sizes) await measure(size);
leftAlone();

async function measure(size: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
  const open = opener(join(directory, "bench.sqlite"));
  const store = open();
  fill(store, { size, projects: 1 });
  const feeds = feedsOf(store);
  console.log(`\n${size} events`);
  for (const { id, name } of feeds.list()) {
    const feed = opened(feeds, id);
    const firstMs = milliseconds(() => feed.body());
    const rebuilds = Array.from({ length: 15 }, (_, nth) => {
      store.mirror.put(eventOf((nth * 38) % size, `Changed ${nth} of ${name}`), "events:1");
      return milliseconds(() => feed.head());
    });
    const body = feed.body();
    const shown = body.toString().split("BEGIN:VEVENT").length - 1;
    const generatorMs = milliseconds(() => generated(shown));
    const ratio = median(rebuilds) / generatorMs;
    console.log(
      `  ${name.padEnd(12)} ${shown} shown, ${(body.byteLength / 1e6).toFixed(2)} MB, first ${firstMs.toFixed(0)} ms, after one change ${median(rebuilds).toFixed(1)} ms: ${ratio.toFixed(3)} of ical-generator's ${generatorMs.toFixed(0)} ms`,
    );
  }
  const again = open();
  const restarted = feedsOf(again);
  for (const { id, name } of restarted.list()) {
    const feed = opened(restarted, id);
    const head = milliseconds(() => feed.head());
    const body = milliseconds(() => feed.body());
    console.log(
      `  ${name.padEnd(12)} after a restart: head ${head.toFixed(1)} ms, body ${body.toFixed(0)} ms`,
    );
  }
  again.close();
  await serve({ store, feeds, directory, size });
  store.close();
  rmSync(directory, { recursive: true });
}

function opener(file: string): () => Store {
  return () => openStore({ file, migrations, zone, clock, randomId: () => "bench" });
}

function fill(
  store: Store,
  { size, projects }: { readonly size: number; readonly projects: number },
): void {
  const ids = Array.from({ length: projects }, (_, nth) => nth + 1);
  store.directory.putProjects(
    ids.map((id) => aProject(id, `Bench ${id}`)),
    true,
  );
  store.directory.putPeople([aPerson(person, "Ana")], true);
  store.together(() => {
    for (let nth = 0; nth < size; nth++) {
      const within = projectId((nth % projects) + 1);
      const event = { ...eventOf(nth, `Event ${nth}`), projectId: within };
      store.mirror.put(event, `events:${within}`);
    }
  });
}

function eventOf(nth: number, title: string) {
  const start = Temporal.Now.zonedDateTimeISO(zone)
    .round({ smallestUnit: "hour", roundingMode: "floor" })
    .add({ hours: (nth % 4_000) * 4 });
  return anEvent(nth + 1, {
    projectId: project,
    title,
    description: `What event ${nth} is about, in a sentence of a usual length.`,
    when: { kind: "times", start, end: start.add({ hours: 1 }) },
    reminder: Temporal.Duration.from({ minutes: 15 }),
    assigned: nth % 2 === 0 ? [person] : [],
    createdAt: null,
    updatedAt: null,
  });
}

/** The feeds of the projects, and the chosen ones. */
function feedsOf(store: Store): PublishedFeeds {
  const feeds = createPublishedFeeds({ store, key, options, clock });
  feeds.ensure();
  const names = new Set(feeds.list().map(({ name }) => name));
  for (const wish of wishes) if (!names.has(wish.name)) feeds.create(wish);
  return feeds;
}

function secretOf({ path }: { readonly path: string }): string {
  return path.split("/")[2] ?? "";
}

function opened(feeds: PublishedFeeds, id: Parameters<PublishedFeeds["get"]>[0]) {
  const found = feeds.get(id);
  const feed = found && feeds.open(secretOf(found));
  if (!feed) throw new Error("the feed does not open");
  return feed;
}

/** One item of one project changes, and the daemon is started anew: no feed of another project may say anything else. */
function leftAlone(): void {
  const directory = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
  const open = opener(join(directory, "bench.sqlite"));
  const said = (store: Store): ReadonlyMap<number, string> => {
    const feeds = feedsOf(store);
    return new Map(
      feeds.list().map(({ id }) => {
        const feed = opened(feeds, id);
        return [id, `${feed.head().etag} ${hash("sha256", feed.body())}`];
      }),
    );
  };
  const before = open();
  fill(before, { size: 1000, projects: 50 });
  const [was, others] = [said(before), new Set<number>()];
  for (const { id, projectId: of } of feedsOf(before).list())
    if (of !== null && of !== project) others.add(id);
  before.mirror.put(eventOf(0, "Changed"), "events:1");
  before.close();
  const after = open();
  const is = said(after);
  const changed = [...is].filter(([id, what]) => was.get(id) !== what).map(([id]) => id);
  console.log(
    `\none change of one of 50 projects, and a restart: ${changed.length} feeds say something else, ${changed.filter((id) => others.has(id)).length} of them of the ${others.size} other projects`,
  );
  after.close();
  rmSync(directory, { recursive: true });
}

/** What the usual way of writing a feed costs. */
function generated(size: number): string {
  const calendar = ical({ name: "Bench" });
  for (let nth = 0; nth < size; nth++) {
    const { title, description, when } = eventOf(nth, `Event ${nth}`);
    const { start, end } = when;
    calendar.createEvent({
      id: `event-${nth}`,
      start,
      end: end ?? start,
      timezone: zone,
      stamp: clock(),
      lastModified: clock(),
      sequence: 1,
      summary: title,
      description: description ?? "",
      alarms: [{ type: ICalAlarmType.display, trigger: 15 * 60 }],
    });
  }
  return calendar.toString();
}

async function serve({
  store,
  feeds,
  directory,
  size,
}: {
  readonly store: Store;
  readonly feeds: PublishedFeeds;
  readonly directory: string;
  readonly size: number;
}): Promise<void> {
  const app = createApp({
    caldav: null,
    version: "bench",
    mailedLogIns: { ask() {}, look: () => null, use: () => null },
    identityHeader: null,
    zoneData: { tz: null, icu: null },
    store,
    feeds,
    acceptForm: null,
    webUrl: null,
    editActions: createEditActions({ store, onReleased() {} }),
    acceptFile: () => Promise.resolve({ kind: "refused", errors: [] }),
    workspace: null,
    links: null,
    ...createAccessControl({ store, clock, randomBytes, listed: [] }),
    ready: () => true,
    fastPath: () => ({ kind: "off", reason: null }),
    fresh: () => true,
    forecast: () =>
      forecastOf({ sources: 0, pace: 1, share: 1, maxAge: Temporal.Duration.from("PT15M") }),
    clockLead: () => null,
    gate() {
      throw new Error("there is no service behind this server");
    },
    channels: () => ({ inbox: null, subscriptions: [] }),
    loopDelay: () => ({ p50Ms: 1, p99Ms: 4, longestMs: 12.5, minutes: 5 }),
    adminToken: () => adminToken,
    baseUrl: () => "http://127.0.0.1",
    trustProxy: false,
    zone,
    clock,
    randomBytes,
    monotonic: () => performance.now(),
    sendsMail: false,
    log: createLog({ level: "silent" }),
  });
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("the server has no port");
  const root = `http://127.0.0.1:${address.port}`;
  const nginx = await startNginx(directory);
  for (const { id, path, name } of feeds.list()) {
    const feed = opened(feeds, id);
    const url = `${root}${path}`;
    const { etag } = feed.head();
    nginx?.put(id, feed.body());
    for (const [what, header, theirs] of [
      ["304", `If-None-Match=${etag}`, await nginx?.etag(id)],
      ["200 gzip", "Accept-Encoding=gzip", "Accept-Encoding=gzip"],
      ["200", "Accept=*/*", "Accept=*/*"],
    ] as const) {
      const own = await load(url, header);
      const beside =
        nginx && theirs ? await pairs(url, { header, theirs: nginx.url(id), to: theirs }) : "";
      console.log(`  ${name.padEnd(12)} ${what.padEnd(9)} ${inWords(own)}${beside}`);
    }
  }
  await heldUp({ store, feeds, root, size });
  await nginx?.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** How long answers take while a feed is made anew each second, beside the same load without that. */
async function heldUp({
  store,
  feeds,
  root,
  size,
}: {
  readonly store: Store;
  readonly feeds: PublishedFeeds;
  readonly root: string;
  readonly size: number;
}): Promise<void> {
  for (const { id, path, name } of feeds.list()) {
    const feed = opened(feeds, id);
    const at = (rebuilds: boolean) => async () => {
      let nth = 0;
      const timer = setInterval(() => {
        if (!rebuilds) return;
        nth += 1;
        store.mirror.put(eventOf((nth * 38) % size, `Anew ${nth} ${name}`), "events:1");
        void fetch(`${root}${path}`).then((answer) => answer.arrayBuffer());
      }, 1000);
      const header = `If-None-Match=${feed.head().etag}`;
      const { latency } = await load(`${root}${path}`, header, { more: ["-R", "200"] });
      clearInterval(timer);
      return latency.p99;
    };
    const [quiet, busy] = [await at(false)(), await at(true)()];
    console.log(
      `  ${name.padEnd(12)} at 200 requests/s: 99 of 100 within ${quiet} ms, with a rebuild per second within ${busy} ms: ${(busy / Math.max(quiet, 1)).toFixed(1)} times`,
    );
  }
}

interface Load {
  readonly perSecond: number;
  readonly eachMicroseconds: number;
  readonly latency: { readonly p99: number };
  readonly codes: string;
  readonly errors: number;
}

/** The load comes from a process of its own. */
async function load(
  url: string,
  header: string,
  {
    more = [],
    forSeconds = seconds,
  }: { readonly more?: readonly string[]; readonly forSeconds?: number } = {},
): Promise<Load> {
  const asked = [
    "-j",
    "-n",
    "-c",
    String(connections),
    "-d",
    String(forSeconds),
    "-H",
    header,
    ...more,
    url,
  ];
  const before = process.cpuUsage();
  const { stdout } = await run(process.execPath, [cannon, ...asked], { maxBuffer: 1e8 });
  const { user, system } = process.cpuUsage(before);
  const { requests, errors, latency, statusCodeStats } = JSON.parse(stdout);
  return {
    perSecond: requests.average,
    eachMicroseconds: (user + system) / requests.total,
    latency,
    codes: Object.keys(statusCodeStats).join(", "),
    errors,
  };
}

function inWords({ perSecond, eachMicroseconds, codes, errors }: Load): string {
  const each = `${eachMicroseconds.toFixed(0)} µs of processor each`;
  return `${Math.round(perSecond)} requests/s, ${each} (status ${codes}, ${errors} errors)`;
}

/** The daemon and nginx by turns, each a second: the pair in the middle. */
async function pairs(
  url: string,
  { header, theirs, to }: { readonly header: string; readonly theirs: string; readonly to: string },
): Promise<string> {
  const ratios: number[] = [];
  for (let nth = 0; nth < 3; nth++) {
    const own = await load(url, header, { forSeconds: 1 });
    const other = await load(theirs, to, { forSeconds: 1 });
    ratios.push(own.perSecond / other.perSecond);
  }
  return `, ${median(ratios).toFixed(2)} × nginx`;
}

/** nginx with one worker and no log on the same bytes; null where it is not installed. */
async function startNginx(directory: string) {
  const found = await run("nginx", ["-v"]).then(
    () => true,
    () => false,
  );
  if (!found) return null;
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  const port = typeof address === "object" && address ? address.port : 0;
  probe.close();
  const [folder, config] = [join(directory, "nginx"), join(directory, "nginx.conf")];
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(
    config,
    `worker_processes 1; daemon off; pid ${directory}/nginx.pid; error_log ${directory}/nginx.log; user root;
events { worker_connections 256; }
http { access_log off; gzip_static on; types { text/calendar ics; } server { listen 127.0.0.1:${port}; root ${folder}; } }`,
  );
  const child = spawn("nginx", ["-c", config, "-p", directory], { stdio: "ignore" });
  const url = (id: number) => `http://127.0.0.1:${port}/${id}.ics`;
  const answers = () =>
    fetch(url(0)).then(
      () => true,
      () => false,
    );
  while (child.exitCode === null && !(await answers()))
    await new Promise((next) => setTimeout(next, 50));
  if (child.exitCode !== null) return null;
  return {
    url,
    put(id: number, body: Buffer) {
      writeFileSync(join(folder, `${id}.ics`), body);
      writeFileSync(join(folder, `${id}.ics.gz`), gzipSync(body));
    },
    async etag(id: number): Promise<string> {
      const answer = await fetch(url(id), { headers: { "accept-encoding": "identity" } });
      await answer.arrayBuffer();
      return `If-None-Match=${answer.headers.get("etag") ?? ""}`;
    },
    async stop() {
      child.kill();
      await once(child, "exit");
    },
  };
}

function milliseconds(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
