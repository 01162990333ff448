import { isAhead, isRecent, later } from "../../domain/backoff.ts";
import type { Edit, FieldConflict } from "../../domain/edit.ts";
import type { EditId, PersonId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { editRowIn, waitingRow } from "../rows/edit-rows.ts";
import {
  instantText,
  itemKeyColumn,
  itemText,
  numberColumn,
  textColumn,
} from "../rows/item-rows.ts";
import { instantOf } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Attempts } from "./attempts.ts";

/**
 * Condition for edits `e` of identities `i` that nothing holds back: no older edit of their item, no missing id, no parent
 * task. An older edit that was put back waits for a newer one in progress. With a refused key, only edits that have met the
 * refusal may go, as others would meet it too.
 */
const unblocked = `e.state = 'pending' AND (e.action = 'create' OR i.service_id IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM edits older WHERE older.item = e.item AND older.id < e.id
                  AND older.state IN ('pending', 'claimed'))
  AND NOT EXISTS (SELECT 1 FROM edits newer WHERE newer.item = e.item AND newer.id > e.id
                  AND newer.state = 'claimed')
  AND NOT EXISTS (SELECT 1 FROM parent_waits w WHERE w.edit = e.id AND w.parent IS NOT NULL)
  AND (e.key_refused_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM edits refused WHERE refused.key_refused_at IS NOT NULL AND refused.state IN ('pending', 'claimed')
      AND refused.actor IS e.actor))`;

/** If the oldest edit has waited this long, newer ones are sent alternately. */
const longQueue = Temporal.Duration.from({ minutes: 2 });

/** No edit is postponed for longer. A later time was stored by a clock that was set back since. */
const longestPutOff = Temporal.Duration.from({ hours: 2 });

/** Chooses the next edit to send, and records its progress. */
export function createClaims({
  db,
  zone,
  clock,
  attempts,
}: StoreDeps & { readonly attempts: Pick<Attempts, "release"> }) {
  const toEdit = editRowIn(zone);
  const due = "(e.not_before IS NULL OR e.not_before <= @now OR e.not_before > @farthest)";
  const claimable = `SELECT e.* FROM journal e JOIN identities i USING (item) WHERE ${unblocked} AND ${due}`;
  const oldest = db.rows(`${claimable} ORDER BY e.id LIMIT 1`, toEdit);
  const newest = db.rows(`${claimable} ORDER BY e.id DESC LIMIT 1`, toEdit);
  const ofItem = db.rows(`${claimable} AND e.item = @item ORDER BY e.id LIMIT 1`, toEdit);
  const newestItem = db.rows(
    "SELECT item FROM edits WHERE state = 'pending' ORDER BY id DESC LIMIT 1",
    itemKeyColumn,
  );
  const claim = db.prepare(
    "UPDATE edits SET state = 'claimed', attempts = attempts + 1, begun = begun + 1, waits_for = NULL, updated_at = ? WHERE id = ?",
  );
  const waiting = db.prepare(
    `SELECT coalesce(e.not_before, e.created_at) AS next
     FROM edits e INDEXED BY edits_next CROSS JOIN identities i USING (item) WHERE ${unblocked} ORDER BY e.not_before LIMIT 1`,
  );
  const release =
    "UPDATE edits SET state = 'pending', attempts = max(attempts - 1, 0), updated_at = @now WHERE state = 'claimed'";
  const releaseAll = db.prepare(release);
  const releaseThat = db.prepare(`${release} AND id = @id`);
  const keepBefore = db.prepare(
    "UPDATE edits SET before = coalesce(before, ?), conflicts = coalesce(?, conflicts) WHERE id = ?",
  );
  const setMissed = db.prepare("UPDATE edits SET missed_at = ? WHERE id = ?");
  const refuseKey = db.prepare(
    "UPDATE edits SET key_refused_at = coalesce(key_refused_at, ?) WHERE id = ?",
  );
  const acceptKey = db.prepare("UPDATE edits SET key_refused_at = NULL WHERE id = ?");
  const endWait = db.prepare("DELETE FROM parent_waits WHERE edit = ?");
  const byId = db.rows("SELECT * FROM journal WHERE id = ?", toEdit);
  const stamp = () => instantText(clock());
  let isTurnOfNewest = false;

  function nextToGo(): Edit | null {
    const now = clock();
    const times = { now: instantText(now), farthest: instantText(later(now, longestPutOff)) };
    const first = oldest.find(times);
    if (!first || isRecent(first.createdAt, { length: longQueue, now })) return first;
    const isFirst = !isTurnOfNewest;
    isTurnOfNewest = isFirst;
    if (isFirst) return first;
    // An older waiting edit of the same item goes first, as always.
    const item = newestItem.find();
    const before = item && ofItem.find({ ...times, item });
    return before ?? newest.find(times) ?? first;
  }

  return {
    /**
     * Claims an edit that may be sent: its item has no edit in progress and no older one waiting. The oldest goes first. If it
     * has waited for minutes, oldest and newest alternate, so that current edits do not wait behind a long queue.
     */
    claimNext: db.transaction((): Edit | null => {
      const next = nextToGo();
      if (!next) return null;
      claim.run(stamp(), next.id);
      // A task that comes in later is too late to be its parent.
      endWait.run(next.id);
      return byId.find(next.id);
    }),
    /** When the next edit may be sent, of those that only wait for their time; null if none. */
    nextAt(): Temporal.Instant | null {
      const next = instantOf(textColumn(waiting.get(), "next"));
      const now = clock();
      return next && isAhead(next, { length: longestPutOff, now }) ? now : next;
    },
    /**
     * Records the item that a change or deletion is about to replace, for undo; only at the first try. `conflicts`: all of the
     * edit, including those that it is about to overwrite. The request must be sent in the same turn of the event loop,
     * without awaiting.
     */
    replacing: (id: EditId, before: Item, conflicts?: readonly FieldConflict[]): void =>
      void keepBefore.run(itemText(before), conflicts ? JSON.stringify(conflicts) : null, id),
    /** Records that the item was not found in its place, or that it was found after all. */
    missing: (id: EditId, isMissing: boolean): void =>
      void setMissed.run(isMissing ? stamp() : null, id),
    /** Records that the service refuses, or accepts again, the key that the edit uses. */
    keyRefused: (id: EditId, isRefused: boolean): void =>
      void (isRefused ? refuseKey.run(stamp(), id) : acceptKey.run(id)),
    /**
     * Makes claimed edits pending, at start-up and before a clean exit. An interrupted try does not count, and its request may
     * still be carried out for a while. Returns how many.
     */
    release: db.transaction(() => {
      attempts.release();
      return releaseAll.run({ now: stamp() }).changes;
    }),
    /** Like `release`, for one claim whose worker is gone. */
    releaseOne: db.transaction((id: EditId) => {
      attempts.release(id);
      releaseThat.run({ now: stamp(), id });
    }),
  };
}

/** What an edit can wait for. It is retried as soon as that is available, even before its time. */
export type WaitCause = "service" | "key";

/** Puts a claimed edit or extra back for another try. */
export interface Postponement {
  readonly kind: "retry";
  readonly notBefore: Temporal.Instant;
  readonly problem: string;
  /** The try was interrupted by something unrelated, and does not count. */
  readonly isInterrupted?: true;
  /** It is retried as soon as that is available. */
  readonly waitsFor?: WaitCause;
}

/** An edit, or an extra of one, that waits. */
export interface WaitingEdit {
  readonly kind: "edit" | "extra";
  readonly id: number;
  /** The person whose key it uses; null = the account's. */
  readonly actor: PersonId | null;
}

/** Edits that could be sent and are not. */
export interface Stuck {
  readonly edits: number;
  /** When the oldest of them was created. */
  readonly oldest: Temporal.Instant | null;
}

/** Edits and extras that wait for the service, or for it to accept a key, and would otherwise be postponed for longer. */
export function createWaits({ db }: StoreDeps) {
  const waiting = db.rows(
    `SELECT 'edit' AS kind, id, actor FROM edits WHERE waits_for = @cause AND state = 'pending'
     UNION ALL SELECT 'extra', x.id, e.actor FROM edit_extras x JOIN edits e ON e.id = x.edit
       WHERE x.waits_for = @cause AND x.state = 'pending'`,
    waitingRow,
  );
  const wakeEdit = db.prepare(
    "UPDATE edits SET not_before = NULL, waits_for = NULL WHERE id = ? AND state = 'pending'",
  );
  const wakeExtra = db.prepare(
    "UPDATE edit_extras SET not_before = NULL, waits_for = NULL WHERE id = ? AND state = 'pending'",
  );
  const stuck = db.prepare(
    `SELECT count(*) AS edits, min(e.created_at) AS oldest FROM edits e JOIN identities i USING (item)
     WHERE e.created_at < @made AND e.waits_for IS NULL AND (e.state = 'claimed' OR (${unblocked}))
       AND (e.attempts > 0 OR coalesce((SELECT max(updated_at) FROM
         (SELECT updated_at FROM edits WHERE state = 'confirmed' ORDER BY id DESC LIMIT 200)), '') <= @moving)`,
  );
  return {
    of: (cause: WaitCause): readonly WaitingEdit[] => waiting.all({ cause }),
    /**
     * Edits created before `made` without a known reason to wait. If others were confirmed since `moving`, those never tried are
     * only waiting for their turn.
     */
    stuck({
      made,
      moving,
    }: {
      readonly made: Temporal.Instant;
      readonly moving: Temporal.Instant;
    }): Stuck {
      const row = stuck.get({ made: instantText(made), moving: instantText(moving) });
      return {
        edits: numberColumn(row, "edits"),
        oldest: instantOf(textColumn(row, "oldest")),
      };
    },
    /** Makes them due now. */
    wake: db.transaction((all: readonly WaitingEdit[]): void => {
      for (const { kind, id } of all) (kind === "edit" ? wakeEdit : wakeExtra).run(id);
    }),
  };
}
