import { createServer, type Server } from "node:http";
import type { SharedCacheConfig } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/load.ts";
import { createCachePurger } from "../../src/feeds/cache-purger.ts";
import { createPublishedFeeds } from "../../src/feeds/published-feeds.ts";
import { createSharedCache } from "../../src/http/shared-cache.ts";
import { sendPurge } from "../../src/remote/send-purge.ts";
import { feedKey } from "../feeds/rig.ts";
import { serveFace } from "../http/app-rig.ts";
import { feedOptions } from "../support/feed-options.ts";
import { callHttp } from "../support/http-call.ts";
import { anEvent, aPerson, aProject } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";
import { listen } from "./cache-process.ts";

/** `http.sharedCache` as configured. */
export function sharedCacheOf(written: unknown): SharedCacheConfig | null {
  const service = {
    baseUrl: "https://company.example.com/api/v3",
    apiKey: "key",
    contact: "you@example.com",
    timeZone: "Europe/Berlin",
  };
  const raw = { service, http: { sharedCache: written } };
  const parsed = parseConfig(raw, { folder: "/", env: {}, cwd: "/" });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.failure));
  return parsed.value.http.sharedCache;
}

/** The whole HTTP side over a store with one feed, as a cache sees it; counts the requests. */
export async function origin(written: unknown) {
  const config = sharedCacheOf(written);
  const clock = handClock("2026-11-21T09:00:00Z");
  const store = testStore(clock);
  store.directory.putPeople([aPerson(1001, "Ana")], true);
  store.directory.putProjects([aProject(2001, "Website, relaunch")], true);
  store.mirror.put(anEvent(1, { title: "Review" }), "events:2001");
  const feeds = createPublishedFeeds({
    store,
    key: feedKey,
    options: feedOptions({ webUrl: null }),
    clock,
    onTurned: (address) => store.cachePurges.want(address),
  });
  feeds.ensure();
  const turns: (string | null)[] = [];
  const purger = config?.purge
    ? createCachePurger({
        store,
        config: { ...config, purge: config.purge },
        versionOf: (feed) => feeds.versionOf(feed),
        pathOf: (address) => feeds.pathOf(address),
        publicUrl: () => "https://calendar.example.com",
        send: sendPurge,
        clock,
        random: () => 0,
        onPurged() {},
        onTurn: (problem) => turns.push(problem),
      })
    : null;
  const { installation } = store.meta;
  const sharedCache = createSharedCache({
    config,
    installation,
    onServed: (feed, etag) => purger?.noteServed(feed, etag),
  });
  const face = await serveFace({
    ...{ store, clock, feeds, listed: [] },
    ready: () => true,
    baseUrl: "https://calendar.example.com",
    more: { sharedCache },
  });
  const asked: string[] = [];
  let server: Server | null = null;
  async function start(port: number): Promise<number> {
    const made = createServer((request, response) => {
      if (request.url?.startsWith("/feeds/")) asked.push(`${request.method}`);
      face.app(request, response);
    });
    server = made;
    return listen(made, port);
  }
  const port = await start(0);
  const [feed] = feeds.list();
  if (!feed) throw new Error("the project has no feed");
  return {
    ...{ store, clock, feeds, feed, port, asked, purger, turns },
    path: feed.path,
    direct: (request: string, headers: Readonly<Record<string, string>> = {}) =>
      callHttp(port, request, { headers }),
    rename: (title: string) => store.mirror.put(anEvent(1, { title }), "events:2001"),
    purge: () => purger?.step(new AbortController().signal),
    stop: async () => {
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve));
    },
    restart: () => start(port),
  };
}
