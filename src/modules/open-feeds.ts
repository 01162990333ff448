import { openableUrl } from "../config/listening.ts";
import { createLinkSigner } from "../domain/signed-links.ts";
import { createActionLinks } from "../edits/links/action-links.ts";
import { type CachePurger, createCachePurger } from "../feeds/cache-purger.ts";
import { createPublishedFeeds, type PublishedFeeds } from "../feeds/published-feeds.ts";
import { timeLimit } from "../runtime.ts";
import { idleAfter, type LoopJob } from "./module.ts";
import type { Base } from "./open-base.ts";
import type { ServiceModule } from "./open-service.ts";

/** Changes within this time are purged together; a revoked URL wakes the loop. */
const purgeRest = Temporal.Duration.from({ seconds: 1 });
/** How long shutdown may wait for a cache. */
const lastPurgeMs = 2000;

/** Published feeds with their action links, and the cache in front of them. */
export function openFeeds(base: Base, { sync }: Pick<ServiceModule, "sync">) {
  const { config, store, keys, clock, eventLoop, wakes, log } = base;
  const zone = config.service.timeZone;
  // Action links need a URL that works wherever the calendar is read.
  const address = config.feeds.actionLinks ? config.http.publicUrl : null;
  const linkMaker = address === null ? null : { signer: createLinkSigner(keys.linkKey()), address };
  const purges = config.http.sharedCache?.purge ?? null;
  const feeds = createPublishedFeeds({
    store,
    ...(purges && {
      onTurned(turned) {
        store.cachePurges.want(turned);
        wakes.cachePurger.notify();
      },
    }),
    hasRead: (project) => sync.hasRead(project),
    onOpened: (project) => sync.noteReading(project),
    key: keys.feedKey,
    links: linkMaker,
    language: config.language,
    options: { ...config.feeds, zone, webUrl: config.service.webUrl },
    clock,
    eventLoop,
  });
  const cachePurger = openCachePurger(base, feeds);
  const links =
    linkMaker &&
    createActionLinks({
      store,
      signer: linkMaker.signer,
      zone,
      clock,
      mode: config.edits.mode,
      private: config.feeds.private,
      onAccepted: () => wakes.drain.notify(),
    });
  const refresh = idleAfter(() => {
    feeds.ensure();
    feeds.keepFetches();
  });
  return {
    feeds,
    /** Null if feeds have no action links. */
    links,
    /** Null if no cache is configured. */
    cachePurger,
    async closeFeeds(): Promise<void> {
      // A URL that a command has just revoked must not stay cached until the next start.
      if (store.cachePurges.state().waiting > 0) await cachePurger?.step(timeLimit(lastPurgeMs));
      // Recording of fetches is best effort: a failing disk must not stop anything else from closing.
      try {
        feeds.keepFetches(true);
      } catch (error) {
        log.error("last feed fetches could not be recorded", { error });
      }
    },
    jobs: (): readonly LoopJob[] => {
      const { cachePurger: wake } = wakes;
      const purging = cachePurger && { step: cachePurger.step, wake, idle: purgeRest };
      return [
        { name: "feeds", step: refresh },
        ...(purging ? [{ name: "cache purges", ...purging }] : []),
      ];
    },
  };
}

function openCachePurger(base: Base, feeds: PublishedFeeds): CachePurger | null {
  const { config, store, secrets, clock, random, tallies, log } = base;
  const { sharedCache } = config.http;
  if (!sharedCache?.purge) return null;
  const purge = {
    ...sharedCache.purge,
    get token() {
      return secrets.current().http.sharedCache?.purge?.token ?? null;
    },
  };
  return createCachePurger({
    store,
    config: { ...sharedCache, purge },
    versionOf: (feed) => feeds.versionOf(feed),
    pathOf: (address) => feeds.pathOf(address),
    publicUrl: () => config.http.publicUrl ?? openableUrl(config.http),
    // Loaded on first use: most installations have no cache in front.
    send: async (request, signal) =>
      (await import("../remote/send-purge.ts")).sendPurge(request, signal),
    clock,
    random,
    onPurged: (ending) => tallies.purges.add({ ending }),
    onTurn(problem) {
      if (problem === null) log.info("cache purge recovered");
      else log.warn("cache purge failing", { problem });
    },
  });
}
