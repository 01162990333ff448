import type { FeedFilter } from "../../domain/feed-filter.ts";
import { feedId, itemKey, personId, projectId, revision } from "../../domain/ids.ts";
import { instantOf, json, orNull, rowReader, toFlag, toInstant } from "./row.ts";
import type { Tables } from "./tables.ts";

/** A published calendar. Its secret is not stored, but derived from a key, the id and the version. */
export const feedRow = rowReader<Tables["feeds"]>()({
  id: feedId,
  kind: "same",
  /** True if it was created automatically for its project. */
  isAutomatic: ["automatic", toFlag],
  projectId: orNull(projectId),
  personId: orNull(personId),
  filter: orNull(json<FeedFilter>()),
  /** `#RRGGBB`, or `project` for its project's; null for none. */
  colour: "same",
  name: "same",
  /** The name given by a person; null if it is named after what it shows. */
  givenName: "same",
  version: "same",
  createdAt: toInstant,
  revokedAt: instantOf,
  fetchedAt: instantOf,
  fetchedBy: "same",
});
export type FeedRow = ReturnType<typeof feedRow>;

/** A feed's last published text, and its inputs. */
export const feedStateRow = rowReader<Tables["feed_states"]>()({
  inputs: "same",
  etag: "same",
  modifiedAt: toInstant,
  items: "same",
  bytes: "same",
});
export type FeedState = ReturnType<typeof feedStateRow>;

/** One rendered component, ended by CRLF, and its inputs. */
export const fragmentRow = rowReader<Tables["fragments"]>()({
  key: ["item", itemKey],
  /** The custom field whose date it shows; 0 for the item itself. */
  field: "same",
  inputs: "same",
  sequence: "same",
  body: "same",
});
export type Fragment = ReturnType<typeof fragmentRow>;

/** How one program fetches a feed. */
export const fetchRow = rowReader<Tables["feed_fetches"]>()({
  program: "same",
  /** Its last User-Agent. */
  agent: "same",
  firstAt: toInstant,
  lastAt: toInstant,
  visits: "same",
  /** ETag of the version it got last. */
  etag: "same",
  revision,
  modifiedAt: toInstant,
  /** The last intervals between two fetches, oldest first, in seconds. */
  gaps: json<readonly number[]>(),
});
export type FetchRow = ReturnType<typeof fetchRow>;
