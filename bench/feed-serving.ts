// How fast feeds are served and rebuilt: requests per second for 304, gzip 200 and plain 200, and the time from one
// changed item to the new bytes, beside the time that ical-generator needs for a whole calendar of the same events.
//   node bench/feed-serving.ts [seconds=4] [connections=16]
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ical, { ICalAlarmType } from "ical-generator";
import { projectId } from "../src/domain/ids.ts";
import { createEditActions } from "../src/edits/actions/edit-actions.ts";
import { createPublishedFeeds, type OpenFeed } from "../src/feeds/published-feeds.ts";
import { createApp } from "../src/http/http-app.ts";
import { createLog } from "../src/log.ts";
import { createAccessControl } from "../src/people/people.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { outlookOf } from "../src/sync/outlook.ts";
import { feedOptions } from "../test/support/feed-options.ts";
import { anEvent, aProject, zone } from "../test/support/items.ts";

const [seconds = 4, connections = 16] = process.argv.slice(2).map(Number);
const clock = () => Temporal.Now.instant();
const project = projectId(1);
const key = randomBytes(32);
const options = feedOptions({ webUrl: null });
const cannon = fileURLToPath(import.meta.resolve("autocannon"));
const run = promisify(execFile);

for (const size of [1_000, 10_000]) await measure(size);

async function measure(size: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
  const file = join(directory, "bench.sqlite");
  const migrations = join(import.meta.dirname, "../migrations");
  const open = () => openStore({ file, migrations, zone, clock, randomId: () => "bench" });
  const store = open();
  fill(store, size);
  const feed = feedOf(store);
  const firstMs = milliseconds(() => feed.body());
  const rebuilds = Array.from({ length: 15 }, (_, nth) => {
    store.mirror.put(eventOf((nth * 37) % size, `Changed ${nth}`), "events:1");
    return milliseconds(() => feed.head());
  });
  const generatorMs = milliseconds(() => generated(size));
  const bytes = feed.body().byteLength;
  const { head, reload } = afterRestart(open);

  console.log(`\n${size} events, ${(bytes / 1e6).toFixed(2)} MB`);
  console.log(`  first build                   ${firstMs.toFixed(0)} ms`);
  console.log(`  after one change (median)     ${median(rebuilds).toFixed(1)} ms`);
  console.log(`  after a restart: head         ${head.toFixed(1)} ms`);
  console.log(`  after a restart: body         ${reload.toFixed(0)} ms`);
  console.log(`  ical-generator, whole         ${generatorMs.toFixed(0)} ms`);
  console.log(`  one change / ical-generator   ${(median(rebuilds) / generatorMs).toFixed(3)}`);
  await serve(store);
  store.close();
  rmSync(directory, { recursive: true });
}

function fill(store: Store, size: number): void {
  store.directory.putProjects([aProject(project, "Bench")], true);
  store.together(() => {
    for (let nth = 0; nth < size; nth++) store.mirror.put(eventOf(nth, `Event ${nth}`), "events:1");
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
    createdAt: null,
    updatedAt: null,
  });
}

function feedOf(store: Store): OpenFeed {
  const feeds = createPublishedFeeds({ store, key, options, clock });
  feeds.ensure();
  const feed = feeds.open(feeds.list()[0]?.path.split("/")[2] ?? "");
  if (!feed) throw new Error("the feed does not open");
  return feed;
}

function afterRestart(open: () => Store): { readonly head: number; readonly reload: number } {
  const store = open();
  const feed = feedOf(store);
  const head = milliseconds(() => feed.head());
  const reload = milliseconds(() => feed.body());
  store.close();
  return { head, reload };
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

async function serve(store: Store): Promise<void> {
  const feeds = createPublishedFeeds({ store, key, options, clock });
  feeds.ensure();
  const [feed] = feeds.list();
  if (!feed) throw new Error("there is no feed");
  const app = createApp({
    caldav: null,
    version: "bench",
    zoneData: { tz: null, icu: null },
    store,
    feeds,
    editActions: createEditActions({
      store,
      accept: () => ({ kind: "refused", errors: [] }),
      onReleased() {},
    }),
    workspace: null,
    links: null,
    ...createAccessControl({ store, clock, randomBytes, listed: [] }),
    ready: () => true,
    fastPath: () => ({ kind: "off", reason: null }),
    fresh: () => true,
    outlook: () =>
      outlookOf({ sources: 0, pace: 1, share: 1, maxAge: Temporal.Duration.from("PT15M") }),
    clockLead: () => null,
    gate() {
      throw new Error("there is no service behind this server");
    },
    channels: () => ({ inbox: null, subscriptions: [] }),
    loopDelay: () => ({ p50Ms: 1, p99Ms: 4, longestMs: 12.5, minutes: 5 }),
    adminToken: randomBytes(32).toString("hex"),
    baseUrl: () => "http://127.0.0.1",
    trustProxy: false,
    zone,
    clock,
    randomBytes,
    log: createLog({ level: "silent" }),
  });
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("the server has no port");
  const url = `http://127.0.0.1:${address.port}${feed.path}`;
  const etag = feeds.open(feed.path.split("/")[2] ?? "")?.head().etag ?? "";
  console.log(`  304                           ${await perSecond(url, `If-None-Match=${etag}`)}`);
  console.log(`  200 gzip                      ${await perSecond(url, "Accept-Encoding=gzip")}`);
  console.log(`  200                           ${await perSecond(url, "Accept=*/*")}`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** The load comes from a process of its own. */
async function perSecond(url: string, header: string): Promise<string> {
  const load = ["-j", "-n", "-c", String(connections), "-d", String(seconds), "-H", header, url];
  const { stdout } = await run(process.execPath, [cannon, ...load], { maxBuffer: 1e8 });
  const { requests, errors, statusCodeStats } = JSON.parse(stdout);
  const codes = Object.keys(statusCodeStats).join(", ");
  return `${Math.round(requests.average)} requests/s (status ${codes}, ${errors} errors)`;
}

function milliseconds(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
