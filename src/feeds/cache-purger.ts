import type { SharedCacheConfig } from "../config/config.ts";
import { type BackOff, backOff, later, slightJitter } from "../domain/backoff.ts";
import type { FeedId } from "../domain/ids.ts";
import type { PurgeRequest } from "../remote/send-purge.ts";
import type { CachePurgeRow } from "../store/rows/channel-rows.ts";
import type { Store } from "../store/store.ts";
import { surrogateKeys } from "./surrogate-keys.ts";

/** Tells HTTP caches in front what has changed, so that they need not wait for the age of their copies. */
export interface CachePurger {
  /** A cache may have been given this version of a feed. */
  noteServed(feed: FeedId, etag: string): void;
  /** Looks for what has changed since it was served, then tells the cache of what is due; "idle" once nothing is. */
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
}

interface CachePurgerDeps {
  readonly store: Pick<Store, "cachePurges" | "meta" | "feeds">;
  readonly config: SharedCacheConfig & { readonly purge: NonNullable<SharedCacheConfig["purge"]> };
  /** The version that a feed says now, where that is known without any work, with the address under which it does; else null. */
  readonly versionOf: (feed: FeedId) => ServedVersion | null;
  /** The path under which a version of a feed is or was served. */
  readonly pathOf: (purge: Pick<CachePurgeRow, "feed" | "version" | "slug">) => string;
  /** Under which caches know this server, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Null once the cache has dropped it, else why not. Never rejects. */
  readonly send: (request: PurgeRequest, signal: AbortSignal) => Promise<string | null>;
  readonly clock: () => Temporal.Instant;
  readonly random: () => number;
  /** Told of each time that a cache was told. */
  readonly onTold: (ending: "done" | "failed") => void;
  /** Told when telling begins to fail, and when it goes again (null). */
  readonly onTurn: (problem: string | null) => void;
}

interface ServedVersion {
  readonly version: number;
  readonly slug: string;
  /** Null where it has to be made anew. */
  readonly etag: string | null;
}

const perStep = 32;
const atOnce = 4;
/** A copy may have been on its way into the cache when it was told to drop all. */
const againAfter = Temporal.Duration.from({ seconds: 10 });
const restsAfterFaults: BackOff = {
  first: Temporal.Duration.from({ seconds: 1 }),
  ceiling: Temporal.Duration.from({ minutes: 2 }),
};

/**
 * Purges by key or by address, as it is configured. What is wanted is kept in the database until a cache has said yes; a change
 * that no cache was told of in time is forgotten once its copies have ended by their age, an address that has ended never is. Nothing
 * else waits for it.
 */
export function createCachePurger(deps: CachePurgerDeps): CachePurger {
  const { store, config, clock } = deps;
  const { cachePurges } = store;
  /** The version that caches may hold, of each feed that was asked for since it was purged last. */
  const served = new Map<FeedId, string>(
    store.feeds.all().flatMap(({ id, revokedAt }) => {
      const state = revokedAt ? null : store.feeds.state(id);
      return state ? [[id, state.etag] as const] : [];
    }),
  );
  const lifetime = Temporal.Duration.from({
    milliseconds:
      config.maxAge.total(inMilliseconds) +
      config.staleWhileRevalidate.total(inMilliseconds) +
      60_000,
  });
  let faults = 0;
  let restUntil: Temporal.Instant | null = null;

  /** Notes what says something else now than it was served with. */
  function look(): void {
    for (const [feed, etag] of served) {
      const now = deps.versionOf(feed);
      if (now?.etag === etag) continue;
      if (now) cachePurges.want({ feed, version: now.version, slug: now.slug, ended: false });
      served.delete(feed);
    }
  }

  async function tell(purge: CachePurgeRow, signal: AbortSignal): Promise<string | null> {
    const problem = await deps.send(requestFor(purge), signal);
    if (!signal.aborted) deps.onTold(problem === null ? "done" : "failed");
    const now = clock();
    if (problem === null) {
      cachePurges.done(purge, purge.ended && purge.told === 0 ? later(now, againAfter) : null);
    } else if (!signal.aborted) {
      const jitter = slightJitter(deps.random());
      const pause = backOff(purge.tries + 1, { ...restsAfterFaults, jitter });
      cachePurges.failed(purge, { problem, due: later(now, pause) });
    }
    return problem;
  }

  function requestFor(purge: CachePurgeRow): PurgeRequest {
    const { purge: form } = config;
    const path = deps.pathOf(purge);
    const values: Readonly<Record<string, string>> = {
      key: surrogateKeys(store.meta.installation, purge.feed).feed,
      path,
      url: `${deps.publicUrl()}${path}`,
      token: form.token ?? "",
    };
    const filled = (text: string) =>
      text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
    const headers = Object.entries(form.headers).map(([name, text]) => [name, filled(text)]);
    const saysToken = [form.url, form.body ?? "", ...Object.values(form.headers)].some((text) =>
      text.includes("{token}"),
    );
    return {
      url: addressIn(filled, form.url),
      method: form.method,
      headers: {
        ...(form.token !== null && !saysToken && { Authorization: `Bearer ${form.token}` }),
        ...Object.fromEntries(headers),
      },
      body: form.body === null ? null : filled(form.body),
      timeout: form.timeout,
    };
  }

  return {
    noteServed(feed, etag) {
      if (served.get(feed) !== etag) served.set(feed, etag);
    },
    async step(signal) {
      look();
      const now = clock();
      if (restUntil && Temporal.Instant.compare(now, restUntil) < 0) return "idle";
      cachePurges.forgetBefore(now.subtract(lifetime));
      const due = cachePurges.due(perStep);
      for (let from = 0; from < due.length && !signal.aborted; from += atOnce) {
        const some = due.slice(from, from + atOnce);
        const problems = await Promise.all(some.map((purge) => tell(purge, signal)));
        if (signal.aborted) break;
        const problem = problems.find((each) => each !== null) ?? null;
        if ((problem !== null) !== faults > 0) deps.onTurn(problem);
        faults = problem === null ? 0 : faults + 1;
        restUntil = problem === null ? null : later(clock(), backOff(faults, restsAfterFaults));
        // A cache that is away is asked once in a while, not for each feed.
        if (problem !== null) return "idle";
      }
      return due.length === perStep ? "worked" : "idle";
    },
  };
}

/** Lengths with months are taken at today's: they only say when something may be forgotten. */
const inMilliseconds = { unit: "milliseconds", relativeTo: "2026-01-01" } as const;

/** Values are parts of addresses that need no escaping; a template may hold a whole address in its query. */
function addressIn(filled: (text: string) => string, template: string): string {
  const [before = "", query] = template.split(/\?(.*)/s);
  if (query === undefined) return filled(before);
  const parts = query
    .split(/(\{\w+\})/)
    .map((part) => (/^\{\w+\}$/.test(part) ? encodeURIComponent(filled(part)) : part));
  return `${filled(before)}?${parts.join("")}`;
}
