import { createHmac, hash } from "node:crypto";
import type { FeedId } from "../domain/ids.ts";
import { slugOf } from "../domain/slug.ts";
import type { FeedRow } from "../store/rows/feed-rows.ts";

/** A feed's URL without its secret. */
export interface FeedAddress {
  readonly feed: FeedId;
  readonly version: number;
  readonly slug: string;
}

/** Thrown for a key that is too short. */
export class WeakFeedKeyError extends Error {
  override readonly name = "WeakFeedKeyError";
  constructor(bytes: number) {
    super(`the key of feed addresses has ${bytes} bytes; at least ${shortestKey} are needed`);
  }
}

const shortestKey = 32;
/** The secret URLs of feeds; `key`: at least 32 bytes, stored outside the database. Throws `WeakFeedKeyError`. */
export function createFeedAddresses(key: Uint8Array) {
  if (key.byteLength < shortestKey) throw new WeakFeedKeyError(key.byteLength);
  const open = new Map<string, FeedId>();
  const prefix = `${Buffer.from(key).toString("base64")}:open:`;
  // Looked up by hash, so that timing reveals nothing. A plain hash of key and secret takes a third of an HMAC's time per
  // request, and is enough, as nobody sees it and secrets have one length.
  const searchKeyOf = (secret: string) => hash("sha256", prefix + secret, "base64");
  return {
    pathOf: ({ feed, version, slug }: FeedAddress): string =>
      `/feeds/${secretOf(key, { id: feed, version })}/${slug}.ics`,
    /** The URL of this version opens the feed from now on. */
    add: (row: FeedRow): void => void open.set(searchKeyOf(secretOf(key, row)), row.id),
    remove: (row: FeedRow): void => void open.delete(searchKeyOf(secretOf(key, row))),
    /** Null for a wrong, old or revoked secret. */
    find: (secret: string): FeedId | null =>
      (secretPattern.test(secret) && open.get(searchKeyOf(secret))) || null,
    openCount: (): number => open.size,
  };
}

export const addressOf = (row: FeedRow): FeedAddress => ({
  feed: row.id,
  version: row.version,
  slug: slugOfFeed(row),
});

export const slugOfFeed = ({ id, name, kind, projectId: project }: FeedRow): string =>
  slugOf(name, kind === "project" ? `project-${project ?? id}` : `feed-${id}`);

/** A secret in a URL: 160 bits in 32 digits. */
export const secretPattern = /^[0-9a-v]{32}$/;

/**
 * The secret in a feed's URL, derived from a key outside the database: neither a stolen copy of the database nor an older URL
 * reveals it. Another version gives another secret.
 */
export function secretOf(key: Uint8Array, feed: { id: FeedId; version: number }): string {
  const digest = createHmac("sha256", key).update(`feed:${feed.id}:${feed.version}`).digest("hex");
  return BigInt(`0x${digest.slice(0, 40)}`)
    .toString(32)
    .padStart(32, "0");
}
