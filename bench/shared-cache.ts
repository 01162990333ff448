// What a shared cache in front of feeds is worth: 100,000 subscribers who poll hourly, replayed in scaled time through a real
// Varnish, by the example in deploy/cache/. For each way of being told of changes: how much of it reaches the daemon, how much the
// cache answers, and for how long subscribers were shown what had changed since, in the time of the subscribers.
//   node bench/shared-cache.ts [--minutes 20] [--scale 30] [--subscribers 100000] [--feeds 100] [--json FILE]
// Feeds of 200 events are of different weight: a few have most subscribers. Each changes every ten minutes on average. Lengths of
// s-maxage are scaled as well, and end on whole seconds. It takes three times minutes / scale, and needs varnish with xkey.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as requestOf } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import express from "express";
import type { SharedCacheConfig } from "../src/config/config.ts";
import { projectId } from "../src/domain/ids.ts";
import { createCachePurger } from "../src/feeds/cache-purger.ts";
import { createPublishedFeeds } from "../src/feeds/published-feeds.ts";
import { feedRoutes, feedsAtHand } from "../src/http/feed-routes.ts";
import { createSharedCache } from "../src/http/shared-cache.ts";
import { createLog } from "../src/log.ts";
import { sendPurge } from "../src/remote/send-purge.ts";
import { openStore } from "../src/store/store.ts";
import { freePort, varnish } from "../test/caches/cache-process.ts";
import { feedOptions } from "../test/support/feed-options.ts";
import { anEvent, aProject, zone } from "../test/support/items.ts";

const { values: given } = parseArgs({
  options: {
    minutes: { type: "string", default: "20" },
    scale: { type: "string", default: "30" },
    subscribers: { type: "string", default: "100000" },
    feeds: { type: "string", default: "100" },
    json: { type: "string" },
  },
});
const [minutes, scale] = [Number(given.minutes), Number(given.scale)];
const [subscribers, feedCount] = [Number(given.subscribers), Number(given.feeds)];
const eventsPerFeed = 200;
const changeEveryMs = (10 * 60_000) / scale;
const clock = () => Temporal.Now.instant();
const scaled = (seconds: number) =>
  Temporal.Duration.from({ seconds: Math.max(1, Math.round(seconds / scale)) });

interface Way {
  readonly name: string;
  /** Seconds of the subscribers' time; null = no cache. */
  readonly maxAge: number | null;
  readonly purges: boolean;
}

const ways: readonly Way[] = [
  { name: "no cache", maxAge: null, purges: false },
  { name: "s-maxage 1 min, no purge", maxAge: 60, purges: false },
  { name: "s-maxage 1 h, purge", maxAge: 3600, purges: true },
];

const results = [];
for (const way of ways) results.push(await replay(way));
console.table(results);
if (given.json !== undefined) writeFileSync(given.json, `${JSON.stringify(results, null, 2)}\n`);

async function replay({ name, maxAge, purges }: Way) {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
  const migrations = join(import.meta.dirname, "../migrations");
  const file = join(folder, "bench.sqlite");
  const store = openStore({ file, migrations, zone, clock, randomId: () => "bench" });
  const numbers = Array.from({ length: feedCount }, (_, nth) => nth);
  store.directory.putProjects(
    numbers.map((nth) => aProject(nth + 1, `Project ${nth}`)),
    true,
  );
  store.together(() => {
    for (const nth of numbers) {
      for (let event = 0; event < eventsPerFeed; event += 1) put(nth, event, "Event");
    }
  });
  function put(feed: number, event: number, title: string): void {
    const id = feed * eventsPerFeed + event + 1;
    const item = anEvent(id, { title: `${title} ${id}`, projectId: projectId(feed + 1) });
    store.mirror.put(item, `events:${feed + 1}`);
  }
  const feeds = createPublishedFeeds({
    ...{ store, clock, key: randomBytes(32) },
    options: feedOptions({ webUrl: null }),
  });
  feeds.ensure();
  const published = feeds.list();
  const cachePort = await freePort();
  const config: SharedCacheConfig = {
    maxAge: scaled(maxAge ?? 0),
    staleWhileRevalidate: Temporal.Duration.from("PT0S"),
    staleIfError: Temporal.Duration.from("PT1H"),
    purge: null,
  };
  const purge = {
    url: `http://127.0.0.1:${cachePort}/`,
    method: "PURGE",
    headers: { xkey: "{key}" },
    body: null,
    token: null,
    timeout: Temporal.Duration.from("PT5S"),
  };
  const purger = createCachePurger({
    ...{ store, clock, random: Math.random, send: sendPurge },
    config: { ...config, purge },
    versionOf: (feed) => feeds.versionOf(feed),
    pathOf: (address) => feeds.pathOf(address),
    publicUrl: () => "http://127.0.0.1",
    onPurged() {},
    onTurn: (problem) => console.log(problem ?? "purges go again"),
  });
  const sharedCache = createSharedCache({
    config: maxAge === null ? null : config,
    installation: store.meta.installation,
    onServed: (feed, etag) => purger.noteServed(feed, etag),
  });
  let [atOrigin, bodies] = [0, 0];
  const app = express()
    .disable("etag")
    .use((_request, response, next) => {
      atOrigin += 1;
      response.once("close", () => {
        if (response.statusCode === 200) bodies += 1;
      });
      next();
    })
    .use(feedsAtHand({ feeds, sharedCache }))
    .use(feedRoutes({ feeds, sharedCache, log: createLog({ level: "error" }) }))
    .get("/healthz", (_request, response) => void response.end());
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const cache = maxAge === null ? null : await varnish(port, cachePort);

  /** By title: when it was put, and when another took its place. */
  const current = numbers.map(() => ({ etag: "", since: performance.now() }));
  const replacedAt = new Map<string, number>();
  const held = new Map<number, string>();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const stop = new AbortController();
  const staleMs: number[] = [];
  let [asked, stale, failed] = [0, 0, 0];

  const etagOf = (feed: number): string => {
    const open = feeds.open(published[feed]?.path.split("/")[2] ?? "");
    return open?.head().etag ?? "";
  };
  for (const feed of numbers) current[feed] = { etag: etagOf(feed), since: performance.now() };

  const changing = (async () => {
    for (let nth = 0; !stop.signal.aborted; nth += 1) {
      await pause(changeEveryMs / feedCount, undefined, { signal: stop.signal }).catch(() => {});
      const feed = Math.floor(Math.random() * feedCount);
      put(feed, nth % eventsPerFeed, `Changed ${nth}`);
      const before = current[feed]?.etag ?? "";
      replacedAt.set(before, performance.now());
      current[feed] = { etag: etagOf(feed), since: performance.now() };
    }
  })();
  const purging = (async () => {
    while (purges && !stop.signal.aborted) {
      await purger.step(stop.signal);
      // As often as the daemon looks.
      await pause(1000 / scale);
    }
  })();

  const beganCpu = process.cpuUsage();
  const beganMs = performance.now();
  const lengthMs = (minutes * 60_000) / scale;
  const perMs = (subscribers / 3_600_000) * scale;
  atOrigin = 0;
  bodies = 0;
  const under = new Set<Promise<void>>();
  while (performance.now() - beganMs < lengthMs) {
    const due = Math.floor((performance.now() - beganMs) * perMs);
    while (asked < due && under.size < 512) {
      asked += 1;
      const subscriber = Math.floor(Math.random() * subscribers);
      const asking = poll(subscriber).finally(() => under.delete(asking));
      under.add(asking);
    }
    await pause(2);
  }
  await Promise.all(under);
  const tookMs = performance.now() - beganMs;
  stop.abort();
  await Promise.all([changing, purging]);

  function poll(subscriber: number): Promise<void> {
    // A few feeds have most subscribers.
    const feed = Math.floor((subscriber / subscribers) ** 2 * feedCount);
    const path = published[feed]?.path ?? "";
    const known = held.get(subscriber);
    const headers = {
      "Accept-Encoding": "gzip",
      ...(known !== undefined && { "If-None-Match": known }),
    };
    return new Promise((resolve) => {
      requestOf(
        { host: "127.0.0.1", port: cache ? cachePort : port, path, headers, agent },
        (answer) => {
          answer.resume().once("end", () => {
            const etag = answer.headers.etag ?? known ?? "";
            if (answer.statusCode !== 200 && answer.statusCode !== 304) failed += 1;
            else held.set(subscriber, etag);
            const replaced = replacedAt.get(etag.replace(/-gzip"$/, '"').replace(/^W\//, ""));
            if (replaced !== undefined) {
              stale += 1;
              staleMs.push((performance.now() - replaced) * scale);
            }
            resolve();
          });
        },
      )
        .on("error", () => {
          failed += 1;
          resolve();
        })
        .end();
    });
  }

  await cache?.stop();
  agent.destroy();
  server.closeAllConnections();
  server.close();
  store.close();
  rmSync(folder, { recursive: true, force: true });
  const sorted = staleMs.toSorted((a, b) => a - b);
  const at = (part: number) => seconds(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  const real = tookMs * scale;
  const cpu = process.cpuUsage(beganCpu);
  return {
    way: name,
    polls: asked,
    failed,
    "origin, requests/s": round((atOrigin / real) * 1000),
    "origin, bodies/s": round((bodies / real) * 1000),
    "answered by the cache, %": round(100 * (1 - atOrigin / asked)),
    "shown an old version, %": round((100 * stale) / asked),
    "for how long, median s": at(0.5),
    "p99 s": at(0.99),
    "longest s": at(1),
    "processor of origin and subscribers, s": round((cpu.user + cpu.system) / 1e6),
  };
}

function seconds(ms: number): number {
  return round(ms / 1000);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
