import type { FeedChoice, FeedFilter } from "../../domain/feed-filter.ts";
import {
  type FeedId,
  feedId,
  type ItemKey,
  itemKey,
  personId,
  projectId,
  type Revision,
  revision,
} from "../../domain/ids.ts";
import { instantOf } from "./item-rows.ts";
import { tableRow } from "./row.ts";

/** A published calendar. Its secret is not stored, but derived from a key, the id and the version. */
export interface FeedRow extends FeedChoice {
  readonly id: FeedId;
  /** True if it was created automatically for its project. */
  readonly isAutomatic: boolean;
  /** `#RRGGBB`, or `project` for its project's; null for none. */
  readonly colour: string | null;
  readonly name: string;
  /** The name given by a person; null if it is named after what it shows. */
  readonly givenName: string | null;
  readonly version: number;
  readonly createdAt: Temporal.Instant;
  readonly revokedAt: Temporal.Instant | null;
  readonly fetchedAt: Temporal.Instant | null;
  readonly fetchedBy: string | null;
}

export function feedRow(row: unknown): FeedRow {
  const raw = tableRow<"feeds">(row);
  return {
    id: feedId(raw.id),
    kind: raw.kind,
    isAutomatic: raw.automatic === 1,
    projectId: raw.project_id === null ? null : projectId(raw.project_id),
    personId: raw.person_id === null ? null : personId(raw.person_id),
    filter: raw.filter === null ? null : (JSON.parse(raw.filter) as FeedFilter),
    colour: raw.colour,
    name: raw.name,
    givenName: raw.given_name,
    version: raw.version,
    createdAt: Temporal.Instant.from(raw.created_at),
    revokedAt: instantOf(raw.revoked_at),
    fetchedAt: instantOf(raw.fetched_at),
    fetchedBy: raw.fetched_by,
  };
}

/** A feed's last published text, and its inputs. */
export interface FeedState {
  readonly inputs: string;
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
  readonly items: number;
  readonly bytes: number;
}

export function feedStateRow(row: unknown): FeedState {
  const { modified_at, ...raw } = tableRow<"feed_states">(row);
  return { ...raw, modifiedAt: Temporal.Instant.from(modified_at) };
}

/** One rendered component, ended by CRLF, and its inputs. */
export interface Fragment {
  readonly key: ItemKey;
  /** The custom field whose date it shows; 0 for the item itself. */
  readonly field: number;
  readonly inputs: string;
  readonly sequence: number;
  readonly body: string;
}

export function fragmentRow(row: unknown): Fragment {
  const { item, ...raw } = tableRow<"fragments">(row);
  const { field, inputs, sequence, body } = raw;
  return { key: itemKey(item), field, inputs, sequence, body };
}

/** How one program fetches a feed. */
export interface FetchRow {
  readonly program: string;
  /** Its last User-Agent. */
  readonly agent: string;
  readonly firstAt: Temporal.Instant;
  readonly lastAt: Temporal.Instant;
  readonly visits: number;
  /** ETag of the version it got last. */
  readonly etag: string;
  readonly revision: Revision;
  readonly modifiedAt: Temporal.Instant;
  /** The last intervals between two fetches, oldest first, in seconds. */
  readonly gaps: readonly number[];
}

export function fetchRow(row: unknown): FetchRow {
  const raw = tableRow<"feed_fetches">(row);
  return {
    program: raw.program,
    agent: raw.agent,
    firstAt: Temporal.Instant.from(raw.first_at),
    lastAt: Temporal.Instant.from(raw.last_at),
    visits: raw.visits,
    etag: raw.etag,
    revision: revision(raw.revision),
    modifiedAt: Temporal.Instant.from(raw.modified_at),
    gaps: JSON.parse(raw.gaps) as readonly number[],
  };
}
