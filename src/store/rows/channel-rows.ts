import { feedId } from "../../domain/ids.ts";
import { instantOf, json, rowReader, toFlag } from "./row.ts";
import type { Tables } from "./tables.ts";

/** A file of the watched folder whose edits are stored, before it is moved. */
export const inboxFileRow = rowReader<Tables["inbox_files"]>()({
  /** Relative to the folder, like `target`. */
  path: "same",
  /** Distinguishes the file from a later one with the same name. */
  stamp: "same",
  target: "same",
  report: "same",
});
export type InboxFile = ReturnType<typeof inboxFileRow>;

/** A subscribed calendar after the last try to read it. */
export const subscriptionRow = rowReader<Tables["subscriptions"]>()({
  name: "same",
  /** Hash of its secret address. */
  address: "same",
  etag: "same",
  lastModified: "same",
  /** Hash of the last complete response. */
  body: "same",
  /** When the first complete snapshot was taken; null = none yet. */
  baselineAt: instantOf,
  attemptedAt: instantOf,
  succeededAt: instantOf,
  changedAt: instantOf,
  /** Earliest time of the next poll; null = immediately. */
  nextAt: instantOf,
  /** Consecutive failures. */
  failures: "same",
  problem: "same",
  /** For people: what could not be applied of the last change. */
  notes: json<readonly string[]>(),
  /** True if it has been seen giving new UIDs to known items. */
  reissues: toFlag,
});
export type SubscriptionRow = ReturnType<typeof subscriptionRow>;

/** An item of a subscribed calendar, as last shown. */
export const subscribedItemRow = rowReader<Tables["subscription_items"]>()({
  /** The calendar's own UID. */
  uid: "same",
  /** The item's UID here; null = not one of ours. */
  knownAs: "same",
  /** The item's project here when the two were linked. */
  projectId: "same",
  /** Its component, times in UTC. */
  shown: "same",
  /** How many complete snapshots in a row it was missing from. */
  missing: "same",
  missingAt: instantOf,
});
export type SubscribedItem = ReturnType<typeof subscribedItemRow>;

/** A purge of a feed's address that a cache in front still needs. */
export const cachePurgeRow = rowReader<Tables["cache_purges"]>()({
  feed: feedId,
  /** Version of the address. */
  version: "same",
  slug: "same",
  /** True if the address was revoked. */
  ended: toFlag,
  /** How often it was requested. */
  asks: "same",
  /** How often the cache was purged since. */
  purged: ["told", "same"],
  /** Consecutive failed attempts. */
  tries: "same",
});
export type CachePurgeRow = ReturnType<typeof cachePurgeRow>;
