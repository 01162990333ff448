import type { Channel, Edit } from "../../domain/edit.ts";
import type { EditId, ItemKey, PersonId } from "../../domain/ids.ts";
import { editRow } from "../rows/edit-rows.ts";
import { instantText, numberColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import { completeFromFact } from "../view/view.ts";

/** Queries of edits that have ended or wait for long, and the retention of what the store keeps. */
export interface PastEdits {
  /** All edits of an item, newest first. */
  ofItem(item: ItemKey): readonly Edit[];
  /** Edits that are the inverse of this one, newest first. */
  inversesOf(id: EditId): readonly Edit[];
  /** How many deletions came in this way since a moment; without undos, which a person asks for one by one. */
  deletionsSince(
    since: Temporal.Instant,
    by: { readonly channel: Channel; readonly actor: PersonId | null },
  ): number;
  /** Carried out after a creating request had left more than once, oldest first. */
  resent(): readonly Edit[];
  /** Edits that wait because their item kept changing, oldest first. */
  frozen(): readonly Edit[];
  /**
   * Drops edits that ended before a moment, changes older than it, versions that a newer one had replaced by then, and the
   * octets of items that are gone for so long. Returns how many edits went.
   */
  prune(before: Temporal.Instant): number;
}

export function createPastEdits({ db, zone }: StoreDeps): PastEdits {
  const byItem = db.prepare("SELECT * FROM edits WHERE item = ? ORDER BY id DESC");
  const inverses = db.prepare("SELECT * FROM edits WHERE undoes = ? ORDER BY id DESC");
  const deletions = db.prepare(
    `SELECT count(*) AS edits FROM edits WHERE action = 'delete' AND created_at > @since AND channel = @channel
       AND actor IS @actor AND undoes IS NULL AND state <> 'discarded'`,
  );
  const frozen = db.prepare(
    "SELECT * FROM edits WHERE state = 'parked' AND frozen = 1 ORDER BY id",
  );
  const resent = db.prepare(
    "SELECT * FROM edits WHERE resent_at IS NOT NULL AND state = 'confirmed' ORDER BY id",
  );
  const dropEdits = db.prepare(
    "DELETE FROM edits WHERE state IN ('confirmed', 'discarded', 'undone') AND updated_at < ?",
  );
  const cutAt = db.prepare(
    "SELECT coalesce(max(revision), 0) AS revision FROM changes WHERE at < ?",
  );
  const dropVersions = db.prepare(
    `DELETE FROM versions WHERE revision < (SELECT max(newer.revision) FROM versions newer
       WHERE newer.item = versions.item AND newer.revision <= ?)`,
  );
  const dropChanges = db.prepare("DELETE FROM changes WHERE revision < ?");
  const setReach = db.prepare(
    `INSERT INTO meta (name, value) VALUES ('${completeFromFact}', @cut)
     ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(@cut AS INTEGER))`,
  );
  const dropObjects = db.prepare(
    `DELETE FROM objects WHERE at < ? AND item NOT IN (SELECT item FROM view_items)
       AND item NOT IN (SELECT item FROM edits WHERE state IN ('pending', 'claimed', 'parked', 'held'))`,
  );
  const read = (row: unknown): Edit => editRow(row, zone);
  return {
    ofItem: (item) => byItem.all(item).map(read),
    inversesOf: (id) => inverses.all(id).map(read),
    deletionsSince: (since, { channel, actor }) =>
      numberColumn(deletions.get({ since: instantText(since), channel, actor }), "edits"),
    resent: () => resent.all().map(read),
    frozen: () => frozen.all().map(read),
    prune: db.transaction((before: Temporal.Instant) => {
      const cut = numberColumn(cutAt.get(instantText(before)), "revision");
      if (cut > 0) {
        dropVersions.run(cut);
        dropChanges.run(cut);
        setReach.run({ cut: String(cut) });
        dropObjects.run(instantText(before));
      }
      return dropEdits.run(instantText(before)).changes;
    }),
  };
}

/** Edits that take an item to another place. While one is carried out the service may show the item twice, or not at all. */
export interface Moves {
  /**
   * Moves of which a request has left and whose outcome is open, or that ended within the last ten minutes: an answer
   * that was asked for before may still come in.
   */
  recent(): readonly Edit[];
}

const answerWindow = Temporal.Duration.from({ minutes: 10 });

export function createMoves({ db, zone, clock }: StoreDeps): Moves {
  const recent = db.prepare(
    `SELECT * FROM edits WHERE action = 'update' AND sent_at IS NOT NULL
       AND (state IN ('pending', 'claimed') OR confirmed_at > ?)`,
  );
  return {
    recent: () =>
      recent.all(instantText(clock().subtract(answerWindow))).map((row) => editRow(row, zone)),
  };
}
