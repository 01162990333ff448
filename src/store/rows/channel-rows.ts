import { type FeedId, feedId } from "../../domain/ids.ts";
import { instantOf } from "./item-rows.ts";

/** A file of the watched folder whose edits are stored, on its way to its place. */
export interface InboxFile {
  /** Relative to the folder, as is `target`. */
  readonly path: string;
  /** Tells the file from a later one of the same name. */
  readonly stamp: string;
  readonly target: string;
  readonly report: string;
}

export function inboxFileRow(row: unknown): InboxFile {
  const { path, stamp, target, report } = row as InboxFile;
  return { path, stamp, target, report };
}

/** A subscribed calendar as it was left by the last try to read it. */
export interface SubscriptionRow {
  readonly name: string;
  /** Fingerprint of its secret address. */
  readonly address: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Fingerprint of the last whole answer. */
  readonly body: string | null;
  /** When the first whole snapshot was taken; null = none yet. */
  readonly baselineAt: Temporal.Instant | null;
  readonly attemptedAt: Temporal.Instant | null;
  readonly succeededAt: Temporal.Instant | null;
  readonly changedAt: Temporal.Instant | null;
  /** Not before this moment; null = at once. */
  readonly nextAt: Temporal.Instant | null;
  /** In a row. */
  readonly failures: number;
  readonly problem: string | null;
  /** What of the last change could not be taken over, for people. */
  readonly notes: readonly string[];
  /** Whether it was seen to give items it had shown before new UIDs. */
  readonly reissues: boolean;
}

export function subscriptionRow(row: unknown): SubscriptionRow {
  const raw = row as {
    name: string;
    address: string;
    etag: string | null;
    last_modified: string | null;
    body: string | null;
    baseline_at: string | null;
    attempted_at: string | null;
    succeeded_at: string | null;
    changed_at: string | null;
    next_at: string | null;
    failures: number;
    problem: string | null;
    notes: string;
    reissues: number;
  };
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

/** One item of a subscribed calendar, as its last snapshot with it showed it. */
export interface SubscribedItem {
  /** The calendar's own. */
  readonly uid: string;
  /** The UID by which the item is known here; null = it is none of ours. */
  readonly knownAs: string | null;
  /** The item's project here when the two were linked. */
  readonly projectId: number | null;
  /** Its component, times in UTC. */
  readonly shown: string;
  /** From how many whole snapshots in a row it was absent. */
  readonly missing: number;
  readonly missingAt: Temporal.Instant | null;
}

export function subscribedItemRow(row: unknown): SubscribedItem {
  const raw = row as {
    uid: string;
    known_as: string | null;
    project_id: number | null;
    shown: string;
    missing: number;
    missing_at: string | null;
  };
  return {
    uid: raw.uid,
    knownAs: raw.known_as,
    projectId: raw.project_id,
    shown: raw.shown,
    missing: raw.missing,
    missingAt: instantOf(raw.missing_at),
  };
}

/** What a cache in front is still to be told of a feed's address. */
export interface CachePurgeRow {
  readonly feed: FeedId;
  /** Of the address. */
  readonly version: number;
  readonly slug: string;
  /** Whether the address opens nothing any more. */
  readonly ended: boolean;
  /** How often it was wanted. */
  readonly asks: number;
  /** How often the cache has been told since. */
  readonly told: number;
  /** Tries that have failed in a row. */
  readonly tries: number;
}

export function cachePurgeRow(row: unknown): CachePurgeRow {
  const raw = row as Omit<CachePurgeRow, "ended" | "feed"> & { feed: number; ended: number };
  const { version, slug, asks, told, tries } = raw;
  return { feed: feedId(raw.feed), version, slug, ended: raw.ended === 1, asks, told, tries };
}
