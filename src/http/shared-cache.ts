import type { OutgoingHttpHeaders } from "node:http";
import type { Request, Response } from "express";
import type { SharedCacheConfig } from "../config/config.ts";
import type { FeedId } from "../domain/ids.ts";
import type { OpenFeed } from "../feeds/published-feeds.ts";
import { surrogateKeys } from "../feeds/surrogate-keys.ts";
import type { Problem } from "./problem-json.ts";

/** What is said to HTTP caches in front of feeds. */
export interface SharedCache {
  /** The headers of an answer with a feed, and of the word that it has not changed. */
  headersFor(feed: OpenFeed, request: Request): OutgoingHttpHeaders;
  /** Answers for an address that opens nothing (any more), so that a copy of what it opened goes; false where it must not be kept. */
  sendGone(response: Response, problem: Problem): boolean;
}

interface SharedCacheDeps {
  /** Null where no shared cache may keep feeds. */
  readonly config: SharedCacheConfig | null;
  readonly installation: string;
  /** Told of each version that a cache may have been given. */
  readonly onServed: (feed: FeedId, etag: string) => void;
}

const forOneReader = "private, no-cache";

/** For how long an address that opens nothing may be taken for that, in seconds: new ones were never asked for before. */
const goneSeconds = 10;

/**
 * A shared cache may keep a feed that says the same to everybody and shows nothing private. What one person sees, or whatever was
 * asked for with a log-in, is for that reader alone: few read it, and a cache is one more place that could leak it. So is an
 * address with a query, which would be kept beside the true one, and where copies are dropped by address each other name of the file.
 * Source: RFC 9111 3.5, 5.2.2; RFC 5861 3, 4.
 */
export function createSharedCache({
  config,
  installation,
  onServed,
}: SharedCacheDeps): SharedCache {
  if (config === null) {
    const headers = { "Cache-Control": forOneReader };
    return { headersFor: () => headers, sendGone: () => false };
  }
  const seconds = (length: Temporal.Duration) =>
    Math.round(length.total({ unit: "seconds", relativeTo: "2026-01-01" }));
  const { maxAge, staleWhileRevalidate, staleIfError, purge } = config;
  const kept = `public, max-age=0, s-maxage=${seconds(maxAge)}, stale-while-revalidate=${seconds(staleWhileRevalidate)}, stale-if-error=${seconds(staleIfError)}`;
  const isByAddress =
    purge !== null &&
    ![purge.url, purge.body ?? "", ...Object.values(purge.headers)].some((text) =>
      text.includes("{key}"),
    );

  return {
    headersFor(feed, { headers, url }) {
      const isKept =
        feed.isForAll() &&
        headers.authorization === undefined &&
        !url.includes("?") &&
        (!isByAddress || url.endsWith(`/${feed.slug}.ics`));
      if (!isKept) return { "Cache-Control": forOneReader };
      const etag = feed.announced();
      if (etag !== null) onServed(feed.id, etag);
      const { feed: own, all } = surrogateKeys(installation, feed.id);
      return {
        "Cache-Control": kept,
        "Surrogate-Key": `${own} ${all}`,
        xkey: `${own} ${all}`,
        "Cache-Tag": `${own},${all}`,
      };
    },
    sendGone(response, { status, title, detail }) {
      const { headers, url } = response.req;
      if (headers.authorization !== undefined || url.includes("?")) return false;
      // Always the same form: another one per reader would be kept beside it.
      response
        .status(status)
        .set({
          "Cache-Control": `public, max-age=0, s-maxage=${goneSeconds}`,
          "X-Content-Type-Options": "nosniff",
        })
        .type("application/problem+json")
        .send(JSON.stringify({ type: "about:blank", title, status, detail }));
      return true;
    },
  };
}
