import { type FeedChoice, isPlainFeed } from "../../domain/feed-filter.ts";
import type { FeedId, ItemKey, PersonId, ProjectId } from "../../domain/ids.ts";
import {
  type FeedRow,
  type FeedState,
  type FetchRow,
  type Fragment,
  feedRow,
  feedStateRow,
  fetchRow,
  fragmentRow,
} from "../rows/feed-rows.ts";
import { itemKeyColumn } from "../rows/item-rows.ts";
import { bound, upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A feed to be created. */
export interface NewFeed extends FeedChoice {
  readonly colour: string | null;
  readonly name: string;
  /** Null = named after what it shows. */
  readonly givenName: string | null;
}

/** Feeds, their last published state, and the rendered component of each item. */
export function createFeeds({ db, clock }: StoreDeps) {
  const ofProject = db.rows(
    "SELECT * FROM feeds WHERE project_id = ? AND automatic = 1 ORDER BY id DESC LIMIT 1",
    feedRow,
  );
  const open = db.rows(
    "SELECT * FROM feeds WHERE project_id = ? AND automatic = 1 AND revoked_at IS NULL",
    feedRow,
  );
  const insert = db.rows(
    `INSERT INTO feeds (kind, automatic, project_id, colour, name, created_at)
     VALUES ('project', 1, ?, 'project', ?, ?) RETURNING *`,
    feedRow,
  );
  const add = db.rows(
    `INSERT INTO feeds (kind, automatic, project_id, person_id, filter, colour, name, given_name, created_at)
     VALUES (@kind, 0, @projectId, @personId, @filter, @colour, @name, @givenName, @now) RETURNING *`,
    feedRow,
  );
  // Open feeds come first.
  const lastPlain = db.rows(
    `SELECT * FROM feeds WHERE kind = 'project' AND project_id = ? AND id <> ? AND person_id IS NULL AND filter IS NULL
     ORDER BY revoked_at IS NULL DESC, id DESC LIMIT 1`,
    feedRow,
  );
  const change = db.prepare(
    "UPDATE feeds SET name = @name, given_name = @givenName, colour = @colour, filter = @filter WHERE id = @id",
  );
  const rename = db.prepare(
    "UPDATE feeds SET name = ? WHERE id = ? AND given_name IS NULL AND name <> ?",
  );
  const inheritName = db.prepare(
    `UPDATE feeds SET given_name = last.given_name, name = last.given_name
     FROM feeds last WHERE feeds.id = ? AND last.id = ? AND last.given_name IS NOT NULL`,
  );
  const byId = db.rows("SELECT * FROM feeds WHERE id = ?", feedRow);
  const all = db.rows("SELECT * FROM feeds ORDER BY id", feedRow);
  const ofPerson = db.rows("SELECT * FROM feeds WHERE person_id = ? ORDER BY id", feedRow);
  const rotate = db.prepare(
    "UPDATE feeds SET version = version + 1 WHERE id = ? AND revoked_at IS NULL",
  );
  const revoke = db.prepare("UPDATE feeds SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL");
  const reopen = db.prepare(
    `UPDATE feeds SET revoked_at = NULL WHERE id = ? AND revoked_at IS NOT NULL
       AND NOT (automatic = 1 AND EXISTS (SELECT 1 FROM feeds other
         WHERE other.project_id = feeds.project_id AND other.automatic = 1 AND other.revoked_at IS NULL))`,
  );
  const state = db.rows("SELECT * FROM feed_states WHERE feed = ?", feedStateRow);
  const setState = db.prepare(
    upsert("feed_states", {
      key: ["feed"],
      columns: ["inputs", "etag", "modified_at", "items", "bytes"],
    }),
  );
  const fragments = db.rows("SELECT * FROM fragments WHERE feed = ?", fragmentRow);
  const fragmentsOf = db.rows("SELECT * FROM fragments WHERE feed = ? AND item = ?", fragmentRow);
  const putFragment = db.prepare(
    upsert("fragments", {
      key: ["feed", "item", "field"],
      columns: ["inputs", "sequence", "body"],
    }),
  );
  const dropFragment = db.prepare("DELETE FROM fragments WHERE feed = ? AND item = ?");
  const publishedKeys = db.rows(
    "SELECT DISTINCT item FROM fragments WHERE feed = ?",
    itemKeyColumn,
  );
  const inherit = db.prepare(
    `INSERT INTO fragments (feed, item, field, inputs, sequence, body)
     SELECT ?, item, field, inputs, sequence, body FROM fragments WHERE feed = ?`,
  );
  const now = () => clock().toString();

  const create = db.transaction((project: ProjectId, name: string): FeedRow => {
    const present = open.find(project);
    if (present) return present;
    const last = ofProject.find(project);
    const made = insert.get(project, name, now());
    if (!last) return made;
    inherit.run(made.id, last.id);
    inheritName.run(made.id, last.id);
    return byId.get(made.id);
  });

  const filterText = ({ filter }: Pick<FeedChoice, "filter">): string | null =>
    filter === null ? null : JSON.stringify(filter);

  return {
    /** Adds a feed with a new address. A feed of a whole project whose last one was revoked inherits what that one published. */
    add({ kind, projectId, personId, colour, name, givenName, filter }: NewFeed): FeedRow {
      const made = add.get({
        ...{ kind, projectId, personId, colour, name, givenName },
        filter: filterText({ filter }),
        now: now(),
      });
      const last = isPlainFeed(made) ? lastPlain.find(projectId, made.id) : null;
      if (last?.revokedAt) inherit.run(made.id, last.id);
      return made;
    },
    /** Changes name, colour or filter; the address stays. */
    change: (id: FeedId, to: Pick<NewFeed, "name" | "givenName" | "colour" | "filter">): void =>
      void change.run({ ...to, id, filter: filterText(to) }),
    /** A feed with a new address, unless one is open. It inherits the project's published components and the last given name. */
    create,
    /** The project's feed. Creates it if the project has had none; null if the last one was revoked. */
    ensure: db.transaction((project: ProjectId, name: string): FeedRow | null => {
      const last = ofProject.find(project);
      if (!last) return create(project, name);
      if (last.revokedAt) return null;
      rename.run(name, last.id, name);
      return byId.find(last.id);
    }),
    /** Updates a name that follows what the feed shows, unless a person chose it. */
    follow: (id: FeedId, name: string): void => void rename.run(name, id, name),
    get: (id: FeedId): FeedRow | null => byId.find(id),
    all: (): readonly FeedRow[] => all.all(),
    ofPerson: (person: PersonId): readonly FeedRow[] => ofPerson.all(person),
    /** Makes a new address and revokes the old one. False if the feed is unknown or revoked. */
    rotate: (id: FeedId): boolean => rotate.run(id).changes > 0,
    revoke: (id: FeedId): boolean => revoke.run(now(), id).changes > 0,
    /** Reopens a revoked feed. False if it is not revoked, or if its project has a new automatic feed. */
    reopen: (id: FeedId): boolean => reopen.run(id).changes > 0,
    state: (id: FeedId): FeedState | null => state.find(id),
    setState: (id: FeedId, { modifiedAt, ...rest }: FeedState): void =>
      void setState.run({ ...rest, feed: id, modifiedAt: modifiedAt.toString() }),
    /** Everything that the feed has published. */
    fragments: (id: FeedId): readonly Fragment[] => fragments.all(id),
    /** What it has published of an item. */
    fragmentsOf: (id: FeedId, key: ItemKey): readonly Fragment[] => fragmentsOf.all(id, key),
    putFragment: (feed: FeedId, { key: item, ...rest }: Fragment): void =>
      void putFragment.run({ ...rest, feed, item }),
    dropFragments: db.transaction((id: FeedId, keys: readonly ItemKey[]): void => {
      for (const key of keys) dropFragment.run(id, key);
    }),
    /** Items with something published. */
    publishedKeys: (id: FeedId): readonly ItemKey[] => publishedKeys.all(id),
  };
}

/** How programs fetch feeds: one row per feed and program. */
export function createFeedFetches({ db }: StoreDeps) {
  const of = db.rows(
    "SELECT * FROM feed_fetches WHERE feed = ? ORDER BY last_at DESC, program",
    fetchRow,
  );
  const put = db.prepare(
    upsert("feed_fetches", {
      key: ["feed", "program"],
      columns: ["agent", "last_at", "visits", "etag", "revision", "modified_at", "gaps"],
      once: ["first_at"],
    }),
  );
  const forget = db.prepare(
    `DELETE FROM feed_fetches WHERE feed = @feed AND program NOT IN
       (SELECT program FROM feed_fetches WHERE feed = @feed ORDER BY last_at DESC, program LIMIT @most)`,
  );
  return {
    /** Fetches of one feed, most recent first. */
    of: (feed: FeedId): readonly FetchRow[] => of.all(feed),
    /** Writes rows, and keeps the `most` most recent programs of the feed. */
    put: db.transaction((feed: FeedId, rows: readonly FetchRow[], most: number): void => {
      for (const row of rows) put.run(bound({ ...row, feed }));
      forget.run({ feed, most });
    }),
  };
}
