import { type FeedId, feedId } from "../../domain/ids.ts";
import { instantOf } from "./item-rows.ts";
import { tableRow } from "./row.ts";

/** A file of the watched folder whose edits are stored, before it is moved. */
export interface InboxFile {
  /** Relative to the folder, like `target`. */
  readonly path: string;
  /** Distinguishes the file from a later one with the same name. */
  readonly stamp: string;
  readonly target: string;
  readonly report: string;
}

export function inboxFileRow(row: unknown): InboxFile {
  const { path, stamp, target, report } = row as InboxFile;
  return { path, stamp, target, report };
}

/** A subscribed calendar after the last try to read it. */
export interface SubscriptionRow {
  readonly name: string;
  /** Hash of its secret address. */
  readonly address: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Hash of the last complete response. */
  readonly body: string | null;
  /** When the first complete snapshot was taken; null = none yet. */
  readonly baselineAt: Temporal.Instant | null;
  readonly attemptedAt: Temporal.Instant | null;
  readonly succeededAt: Temporal.Instant | null;
  readonly changedAt: Temporal.Instant | null;
  /** Earliest time of the next poll; null = immediately. */
  readonly nextAt: Temporal.Instant | null;
  /** Consecutive failures. */
  readonly failures: number;
  readonly problem: string | null;
  /** What of the last change could not be applied, for people. */
  readonly notes: readonly string[];
  /** True if it has been seen giving new UIDs to known items. */
  readonly reissues: boolean;
}

export function subscriptionRow(row: unknown): SubscriptionRow {
  const raw = tableRow<"subscriptions">(row);
  return {
    name: raw.name,
    address: raw.address,
    etag: raw.etag,
    lastModified: raw.last_modified,
    body: raw.body,
    baselineAt: instantOf(raw.baseline_at),
    attemptedAt: instantOf(raw.attempted_at),
    succeededAt: instantOf(raw.succeeded_at),
    changedAt: instantOf(raw.changed_at),
    nextAt: instantOf(raw.next_at),
    failures: raw.failures,
    problem: raw.problem,
    notes: JSON.parse(raw.notes) as readonly string[],
    reissues: raw.reissues === 1,
  };
}

/** An item of a subscribed calendar, as last shown. */
export interface SubscribedItem {
  /** The calendar's own UID. */
  readonly uid: string;
  /** The item's UID here; null = not one of ours. */
  readonly knownAs: string | null;
  /** The item's project here when the two were linked. */
  readonly projectId: number | null;
  /** Its component, times in UTC. */
  readonly shown: string;
  /** How many complete snapshots in a row it was missing from. */
  readonly missing: number;
  readonly missingAt: Temporal.Instant | null;
}

export function subscribedItemRow(row: unknown): SubscribedItem {
  const raw = tableRow<"subscription_items">(row);
  return {
    uid: raw.uid,
    knownAs: raw.known_as,
    projectId: raw.project_id,
    shown: raw.shown,
    missing: raw.missing,
    missingAt: instantOf(raw.missing_at),
  };
}

/** A purge of a feed's address that a cache in front still needs. */
export interface CachePurgeRow {
  readonly feed: FeedId;
  /** Version of the address. */
  readonly version: number;
  readonly slug: string;
  /** True if the address was revoked. */
  readonly ended: boolean;
  /** How often it was requested. */
  readonly asks: number;
  /** How often the cache was purged since. */
  readonly told: number;
  /** Consecutive failed attempts. */
  readonly tries: number;
}

export function cachePurgeRow(row: unknown): CachePurgeRow {
  const raw = row as Omit<CachePurgeRow, "ended" | "feed"> & { feed: number; ended: number };
  const { version, slug, asks, told, tries } = raw;
  return { feed: feedId(raw.feed), version, slug, ended: raw.ended === 1, asks, told, tries };
}
