import type { OutgoingHttpHeaders } from "node:http";
import type { Request, Response } from "express";
import type { SharedCacheConfig } from "../config/config.ts";
import type { FeedId } from "../domain/ids.ts";
import type { OpenFeed } from "../feeds/open-feed.ts";
import { surrogateKeys } from "../feeds/surrogate-keys.ts";
import type { Problem } from "./problem-json.ts";

/** Headers for HTTP caches in front of feeds. */
export interface SharedCache {
  /** The headers of a feed's answer, including 304. */
  headersFor(feed: OpenFeed, request: Request): OutgoingHttpHeaders;
  /** Answers for a revoked or unknown URL, so that a cache drops its copy; returns false if the answer must not be cached. */
  sendGone(response: Response, problem: Problem): boolean;
}

interface SharedCacheDeps {
  /** Null if no shared cache may store feeds. */
  readonly config: SharedCacheConfig | null;
  readonly installation: string;
  /** Called with each version that a cache may have received. */
  readonly onServed: (feed: FeedId, etag: string) => void;
}

const forOneReader = "private, no-cache";

/** How many seconds the answer for an unknown URL may be cached. The time can be short, because the URL may soon exist. */
const goneSeconds = 10;

/**
 * A shared cache may store a feed that shows the same to everyone and nothing private. Anything for one person, or requested
 * with credentials, is for that reader alone, because a cache could show it to others. A URL with a query is not cached either,
 * because it would be stored in addition to the real one; neither is another file name, if copies are purged by URL. Source:
 * RFC 9111 3.5, 5.2.2; RFC 5861 3, 4.
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
      // The form is the same for all readers, because each variant would be cached separately.
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
