import type { SharedCacheConfig } from "../config/config.ts";
import { type BackOff, backOff, later, slightJitter } from "../domain/backoff.ts";
import type { FeedId } from "../domain/ids.ts";
import type { PurgeRequest } from "../remote/send-purge.ts";
import type { CachePurgeRow } from "../store/rows/channel-rows.ts";
import type { Store } from "../store/store.ts";
import { surrogateKeys } from "./surrogate-keys.ts";

/** Purges HTTP caches in front after changes, so that they need not wait for expiry. */
export interface CachePurger {
  /** A cache may have received this version of a feed. */
  noteServed(feed: FeedId, etag: string): void;
  /** Finds feeds changed since they were served, and sends the due purges; "idle" if there are none. */
  readonly step: (signal: AbortSignal) => Promise<"idle" | "worked">;
}

interface CachePurgerDeps {
  readonly store: Pick<Store, "cachePurges" | "meta" | "feeds">;
  readonly config: SharedCacheConfig & { readonly purge: NonNullable<SharedCacheConfig["purge"]> };
  /** A feed's present version and URL, if known without any work; else null. */
  readonly versionOf: (feed: FeedId) => ServedVersion | null;
  /** The path of a version of a feed. */
  readonly pathOf: (purge: Pick<CachePurgeRow, "feed" | "version" | "slug">) => string;
  /** The URL by which caches know this server, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Null once the cache has purged it, else why not. Never rejects. */
  readonly send: (request: PurgeRequest, signal: AbortSignal) => Promise<string | null>;
  readonly clock: () => Temporal.Instant;
  readonly random: () => number;
  /** Called after each purge. */
  readonly onPurged: (ending: "done" | "failed") => void;
  /** Called when purges start to fail, and with null when they work again. */
  readonly onTurn: (problem: string | null) => void;
}

interface ServedVersion {
  readonly version: number;
  readonly slug: string;
  /** Null if it must be generated. */
  readonly etag: string | null;
}

const perStep = 32;
const atOnce = 4;
/** A response may have been on its way into the cache during the purge. */
const againAfter = Temporal.Duration.from({ seconds: 10 });
const restsAfterFaults: BackOff = {
  first: Temporal.Duration.from({ seconds: 1 }),
  ceiling: Temporal.Duration.from({ minutes: 2 }),
};

/**
 * Purges by key or by URL, as configured. Requests are stored until a cache has confirmed them. A missed purge of a changed
 * feed is dropped once cached copies have expired; one of a revoked URL never is. Nothing else waits for purges.
 */
export function createCachePurger(deps: CachePurgerDeps): CachePurger {
  const { store, config, clock } = deps;
  const { cachePurges } = store;
  /** The version that caches may have, per feed requested since its last purge. */
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

  /** Records feeds that differ from what was served. */
  function look(): void {
    for (const [feed, etag] of served) {
      const now = deps.versionOf(feed);
      if (now?.etag === etag) continue;
      if (now) cachePurges.want({ feed, version: now.version, slug: now.slug, ended: false });
      served.delete(feed);
    }
  }

  async function purgeOnce(purge: CachePurgeRow, signal: AbortSignal): Promise<string | null> {
    const problem = await deps.send(requestFor(purge), signal);
    if (!signal.aborted) deps.onPurged(problem === null ? "done" : "failed");
    const now = clock();
    if (problem === null) {
      cachePurges.done(purge, purge.ended && purge.purged === 0 ? later(now, againAfter) : null);
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
        const problems = await Promise.all(some.map((purge) => purgeOnce(purge, signal)));
        if (signal.aborted) break;
        const problem = problems.find((each) => each !== null) ?? null;
        if ((problem !== null) !== faults > 0) deps.onTurn(problem);
        faults = problem === null ? 0 : faults + 1;
        restUntil = problem === null ? null : later(clock(), backOff(faults, restsAfterFaults));
        // An unreachable cache is retried once in a while, not for each feed.
        if (problem !== null) return "idle";
      }
      return due.length === perStep ? "worked" : "idle";
    },
  };
}

/** A fixed start date for durations in months, which is exact enough for expiry. */
const inMilliseconds = { unit: "milliseconds", relativeTo: "2026-01-01" } as const;

/** Values are URL parts that need no escaping; a template may have a whole URL in its query. */
function addressIn(filled: (text: string) => string, template: string): string {
  const [before = "", query] = template.split(/\?(.*)/s);
  if (query === undefined) return filled(before);
  const parts = query
    .split(/(\{\w+\})/)
    .map((part) => (/^\{\w+\}$/.test(part) ? encodeURIComponent(filled(part)) : part));
  return `${filled(before)}?${parts.join("")}`;
}
