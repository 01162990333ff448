import type { FeedId, ItemKey, ProjectId } from "../../domain/ids.ts";
import {
  type FeedRow,
  type FeedState,
  type Fragment,
  feedRow,
  feedStateRow,
  fragmentRow,
} from "../rows/feed-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** Feeds, what they last said, and the rendered component of each of their items. */
export interface Feeds {
  /** The project's feed, made when there is none that was not revoked on purpose; null when the last one was revoked. */
  ensure(project: ProjectId, name: string): FeedRow | null;
  /**
   * A feed with an address of its own unless there is an open one. It knows what earlier ones of the project published,
   * and has the name that was given to the last one.
   */
  create(project: ProjectId, name: string): FeedRow;
  /** Gives it a name of its own, which no title takes the place of; null = the title is its name again. */
  call(id: FeedId, names: { readonly given: string | null; readonly title: string }): void;
  get(id: FeedId): FeedRow | null;
  all(): readonly FeedRow[];
  /** A new address; the old one ends. False when the feed is unknown or revoked. */
  rotate(id: FeedId): boolean;
  revoke(id: FeedId): boolean;
  fetched(id: FeedId, agent: string): void;
  state(id: FeedId): FeedState | null;
  setState(id: FeedId, state: FeedState): void;
  /** Everything that the feed has published. */
  fragments(id: FeedId): readonly Fragment[];
  /** What it has published of an item. */
  fragmentsOf(id: FeedId, key: ItemKey): readonly Fragment[];
  putFragment(id: FeedId, fragment: Fragment): void;
  dropFragments(id: FeedId, keys: readonly ItemKey[]): void;
  /** Forgets what was published of items that are not in the project. */
  dropForeignFragments(id: FeedId, project: ProjectId): void;
}

export function createFeeds({ db, clock }: StoreDeps): Feeds {
  const ofProject = db.prepare("SELECT * FROM feeds WHERE project_id = ? ORDER BY id DESC LIMIT 1");
  const open = db.prepare("SELECT * FROM feeds WHERE project_id = ? AND revoked_at IS NULL");
  const insert = db.prepare(
    "INSERT INTO feeds (kind, project_id, name, created_at) VALUES ('project', ?, ?, ?)",
  );
  const rename = db.prepare(
    "UPDATE feeds SET name = ? WHERE id = ? AND given_name IS NULL AND name <> ?",
  );
  const call = db.prepare(
    "UPDATE feeds SET given_name = @given, name = coalesce(@given, @title) WHERE id = @id",
  );
  const inheritName = db.prepare(
    `UPDATE feeds SET given_name = last.given_name, name = last.given_name
     FROM feeds last WHERE feeds.id = ? AND last.id = ? AND last.given_name IS NOT NULL`,
  );
  const byId = db.prepare("SELECT * FROM feeds WHERE id = ?");
  const all = db.prepare("SELECT * FROM feeds ORDER BY id");
  const rotate = db.prepare(
    "UPDATE feeds SET version = version + 1 WHERE id = ? AND revoked_at IS NULL",
  );
  const revoke = db.prepare("UPDATE feeds SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL");
  const fetched = db.prepare("UPDATE feeds SET fetched_at = ?, fetched_by = ? WHERE id = ?");
  const state = db.prepare("SELECT * FROM feed_states WHERE feed = ?");
  const setState = db.prepare(
    `INSERT INTO feed_states (feed, inputs, etag, modified_at, items, bytes)
     VALUES (@id, @inputs, @etag, @modifiedAt, @items, @bytes)
     ON CONFLICT (feed) DO UPDATE SET inputs = excluded.inputs, etag = excluded.etag,
       modified_at = excluded.modified_at, items = excluded.items, bytes = excluded.bytes`,
  );
  const fragments = db.prepare("SELECT * FROM fragments WHERE feed = ?");
  const fragmentsOf = db.prepare("SELECT * FROM fragments WHERE feed = ? AND item = ?");
  const putFragment = db.prepare(
    `INSERT INTO fragments (feed, item, field, inputs, sequence, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (feed, item, field) DO UPDATE SET inputs = excluded.inputs, sequence = excluded.sequence, body = excluded.body`,
  );
  const dropFragment = db.prepare("DELETE FROM fragments WHERE feed = ? AND item = ?");
  const dropForeign = db.prepare(
    `DELETE FROM fragments WHERE feed = @feed
       AND item NOT IN (SELECT item FROM view_items WHERE project_id = @project)`,
  );
  const inherit = db.prepare(
    `INSERT INTO fragments (feed, item, field, inputs, sequence, body)
     SELECT ?, item, field, inputs, sequence, body FROM fragments WHERE feed = ?`,
  );
  const now = () => clock().toString();
  const read = (row: unknown): FeedRow | null => (row === undefined ? null : feedRow(row));

  const create = db.transaction((project: ProjectId, name: string): FeedRow => {
    const present = read(open.get(project));
    if (present) return present;
    const last = read(ofProject.get(project));
    const { lastInsertRowid } = insert.run(project, name, now());
    const made = feedRow(byId.get(Number(lastInsertRowid)));
    if (!last) return made;
    inherit.run(made.id, last.id);
    inheritName.run(made.id, last.id);
    return feedRow(byId.get(made.id));
  });

  return {
    create,
    ensure: db.transaction((project: ProjectId, name: string) => {
      const last = read(ofProject.get(project));
      if (!last) return create(project, name);
      if (last.revokedAt) return null;
      rename.run(name, last.id, name);
      return read(byId.get(last.id));
    }),
    call: (id, names) => void call.run({ id, ...names }),
    get: (id) => read(byId.get(id)),
    all: () => all.all().map(feedRow),
    rotate: (id) => rotate.run(id).changes > 0,
    revoke: (id) => revoke.run(now(), id).changes > 0,
    fetched: (id, agent) => void fetched.run(now(), agent, id),
    state(id) {
      const row = state.get(id);
      return row === undefined ? null : feedStateRow(row);
    },
    setState: (id, { modifiedAt, ...rest }) =>
      void setState.run({ ...rest, id, modifiedAt: modifiedAt.toString() }),
    fragments: (id) => fragments.all(id).map(fragmentRow),
    fragmentsOf: (id, key) => fragmentsOf.all(id, key).map(fragmentRow),
    putFragment: (id, { key, field, inputs, sequence, body }) =>
      void putFragment.run(id, key, field, inputs, sequence, body),
    dropFragments: db.transaction((id: FeedId, keys: readonly ItemKey[]) => {
      for (const key of keys) dropFragment.run(id, key);
    }),
    dropForeignFragments: (feed, project) => void dropForeign.run({ feed, project }),
  };
}
