import type { Channel, Edit } from "../../domain/edit.ts";
import { settlingTime } from "../../domain/eventual.ts";
import type { EditId, ItemKey, PersonId } from "../../domain/ids.ts";
import { editRowIn } from "../rows/edit-rows.ts";
import { instantText, numberColumn } from "../rows/item-rows.ts";
import { isOfKinds, reminderKinds } from "../rows/mail-rows.ts";
import type { Statement, StoreDeps } from "../steady-database.ts";
import { completeFromFact } from "../view/view.ts";
import { hasCreated } from "./attempts.ts";

/** A response requested before an edit was applied may still arrive, or be as old as that. */
const answerWindow = Temporal.Duration.from({ minutes: 10 });

/** Rows that take a few milliseconds. */
const rowsPerStep = 500;

/** Queries for edits that have ended or wait for long, and pruning of stored data. */
export function createPastEdits({ db, zone, clock }: StoreDeps) {
  const toEdit = editRowIn(zone);
  const byItem = db.rows("SELECT * FROM journal WHERE item = ? ORDER BY id DESC", toEdit);
  const anyLately = db.prepare("SELECT 1 FROM edits WHERE confirmed_at > ? LIMIT 1");
  const latelyByItem = db.rows(
    "SELECT * FROM journal WHERE item = ? AND confirmed_at > ? ORDER BY confirmed_at, id",
    toEdit,
  );
  const inverses = db.rows("SELECT * FROM journal WHERE undoes = ? ORDER BY id DESC", toEdit);
  const deletions = db.prepare(
    `SELECT count(*) AS edits FROM edits WHERE action = 'delete' AND created_at > @since AND channel = @channel
       AND actor IS @actor AND undoes IS NULL AND state <> 'discarded'`,
  );
  const frozen = db.rows(
    "SELECT * FROM journal WHERE state = 'parked' AND frozen = 1 ORDER BY id",
    toEdit,
  );
  const resent = db.rows(
    "SELECT * FROM journal WHERE state = 'confirmed' AND id IN (SELECT edit FROM attempts WHERE repeats = 1) ORDER BY id",
    toEdit,
  );
  const cutAt = db.prepare(
    "SELECT coalesce(max(revision), 0) AS revision FROM changes WHERE at < ?",
  );
  const setReach = db.prepare(
    `INSERT INTO meta (name, value) VALUES ('${completeFromFact}', @cut)
     ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(@cut AS INTEGER))`,
  );
  const dropChanges = db.prepare(
    "DELETE FROM changes WHERE revision IN (SELECT revision FROM changes WHERE revision < ? LIMIT ?)",
  );
  const lastItem = db.prepare("SELECT coalesce(max(item), 0) AS item FROM identities");
  const dropVersions = db.prepare(
    `DELETE FROM versions WHERE item > @after AND item <= @upTo AND revision < (SELECT max(newer.revision) FROM versions newer
       WHERE newer.item = versions.item AND newer.revision <= @cut)`,
  );
  const dropObjects = db.prepare(
    `DELETE FROM objects WHERE item > @after AND item <= @upTo AND at < @before AND item NOT IN (SELECT item FROM view_items)
       AND item NOT IN (SELECT item FROM edits WHERE state IN ('pending', 'claimed', 'parked', 'held'))`,
  );
  const dropEdits = db.prepare(
    `DELETE FROM edits WHERE id IN (SELECT id FROM edits
       WHERE state IN ('confirmed', 'discarded', 'undone') AND updated_at < ? LIMIT ?)`,
  );
  // Nothing that old is due any more, and webhooks know how far they are. The last digest is kept, as the next one continues from it.
  const dropMails = db.prepare(
    `DELETE FROM outbox WHERE rowid IN (SELECT rowid FROM outbox m WHERE settled_at < ?
       AND ${isOfKinds([...reminderKinds, "event"])} AND (kind <> 'digest' OR EXISTS (
         SELECT 1 FROM outbox newer WHERE newer.kind = 'digest' AND newer.way = m.way AND newer.person = m.person
           AND newer.occasion > m.occasion)) LIMIT ?)`,
  );
  /** Deletes in steps until no row is left; returns how many were deleted. */
  function* emptied(drop: Statement, ...from: readonly unknown[]): Generator<void, number> {
    let gone = 0;
    for (;;) {
      const { changes } = drop.run(...from, rowsPerStep);
      gone += changes;
      if (changes < rowsPerStep) return gone;
      yield;
    }
  }
  const ago = (duration: Temporal.Duration) => instantText(clock().subtract(duration));
  return {
    /** True if an edit was confirmed within the last ten minutes. */
    hasLately: (): boolean => anyLately.get(ago(answerWindow)) !== undefined,
    /** Edits of an item confirmed within the last ten minutes, oldest first. A list response may predate them. */
    latelyOfItem: (item: ItemKey): readonly Edit[] => latelyByItem.all(item, ago(answerWindow)),
    /** Edits of an item confirmed so recently that the service may still show the state before them, oldest first. */
    unsettledOfItem: (item: ItemKey): readonly Edit[] => latelyByItem.all(item, ago(settlingTime)),
    /** All edits of an item, newest first. */
    ofItem: (item: ItemKey): readonly Edit[] => byItem.all(item),
    /** Edits that undo this one, newest first. */
    inversesOf: (id: EditId): readonly Edit[] => inverses.all(id),
    /** Number of deletions through a channel since a moment, without undos, which a person requests one by one. */
    deletionsSince: (
      since: Temporal.Instant,
      { channel, actor }: { readonly channel: Channel; readonly actor: PersonId | null },
    ): number =>
      numberColumn(deletions.get({ since: instantText(since), channel, actor }), "edits"),
    /** Confirmed edits whose creating request was sent more than once, oldest first. */
    resent: (): readonly Edit[] => resent.all(),
    /** Edits parked because their item kept changing, oldest first. */
    frozen: (): readonly Edit[] => frozen.all(),
    /**
     * Deletes, step by step: edits that ended before a moment, older changes, versions replaced by then, octets of items gone by
     * then, and records of mails. Returns how many edits were deleted.
     */
    *prune(moment: Temporal.Instant): Generator<void, number> {
      const before = instantText(moment);
      const cut = numberColumn(cutAt.get(before), "revision");
      if (cut > 0) {
        // First, so that requests for older changes are answered as unknown before rows are deleted.
        setReach.run({ cut: String(cut) });
        yield* emptied(dropChanges, cut);
        const last = numberColumn(lastItem.get(), "item");
        for (let after = 0; after < last; after += rowsPerStep) {
          const items = { after, upTo: after + rowsPerStep };
          dropVersions.run({ ...items, cut });
          dropObjects.run({ ...items, before });
          yield;
        }
      }
      yield* emptied(dropMails, before);
      return yield* emptied(dropEdits, before);
    },
  };
}

/** Edits that move an item. During a move the service may show the item twice, or not at all. */
export function createMoves({ db, zone, clock }: StoreDeps) {
  const recent = db.rows(
    `SELECT * FROM journal e WHERE state IN ('pending', 'claimed') AND begun > 0 AND action = 'update' AND ${hasCreated("e.id")}
     UNION ALL SELECT * FROM journal e
     WHERE state NOT IN ('pending', 'claimed') AND action = 'update' AND confirmed_at > ? AND ${hasCreated("e.id")}`,
    editRowIn(zone),
  );
  return {
    /**
     * Moves with a request sent and an unknown result, or ended within the last ten minutes, as older responses may still arrive.
     */
    recent: (): readonly Edit[] => recent.all(instantText(clock().subtract(answerWindow))),
  };
}
