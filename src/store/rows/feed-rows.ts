import { type FeedId, feedId, type ItemKey, itemKey } from "../../domain/ids.ts";
import { instantOf } from "./item-rows.ts";

/** One published calendar. Its secret is not stored: it is derived from a key, the id and the version. */
export interface FeedRow {
  readonly id: FeedId;
  readonly kind: "project";
  readonly projectId: number | null;
  readonly personId: number | null;
  readonly name: string;
  readonly version: number;
  readonly createdAt: Temporal.Instant;
  readonly revokedAt: Temporal.Instant | null;
  readonly fetchedAt: Temporal.Instant | null;
  readonly fetchedBy: string | null;
}

export function feedRow(row: unknown): FeedRow {
  const raw = row as {
    id: number;
    kind: "project";
    project_id: number | null;
    person_id: number | null;
    name: string;
    version: number;
    created_at: string;
    revoked_at: string | null;
    fetched_at: string | null;
    fetched_by: string | null;
  };
  return {
    id: feedId(raw.id),
    kind: raw.kind,
    projectId: raw.project_id,
    personId: raw.person_id,
    name: raw.name,
    version: raw.version,
    createdAt: Temporal.Instant.from(raw.created_at),
    revokedAt: instantOf(raw.revoked_at),
    fetchedAt: instantOf(raw.fetched_at),
    fetchedBy: raw.fetched_by,
  };
}

/** What a feed last said, and from which inputs. */
export interface FeedState {
  readonly inputs: string;
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
  readonly items: number;
  readonly bytes: number;
}

export function feedStateRow(row: unknown): FeedState {
  const { modified_at, ...raw } = row as {
    inputs: string;
    etag: string;
    modified_at: string;
    items: number;
    bytes: number;
  };
  return { ...raw, modifiedAt: Temporal.Instant.from(modified_at) };
}

/** One rendered component, ended by CRLF, and what it was rendered from. */
export interface Fragment {
  readonly key: ItemKey;
  /** The custom field whose date it shows; 0 for the item itself. */
  readonly field: number;
  readonly inputs: string;
  readonly sequence: number;
  readonly body: string;
}

export function fragmentRow(row: unknown): Fragment {
  const { item, ...raw } = row as {
    item: number;
    field: number;
    inputs: string;
    sequence: number;
    body: string;
  };
  const { field, inputs, sequence, body } = raw;
  return { key: itemKey(item), field, inputs, sequence, body };
}
