import { isAhead, isRecent, later } from "../../domain/backoff.ts";
import type { Edit } from "../../domain/edit.ts";
import type { EditId, PersonId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { editRow, waitingRow } from "../rows/edit-rows.ts";
import { instantOf, instantText, itemText, numberColumn, textColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Attempts } from "./attempts.ts";

/** Edits on their way to the service: which one goes next, and what is noted of it while it is carried out. */
export interface Claims {
  /**
   * An edit that may go now, of whose item none is under way and no older one waits; it becomes `claimed`. The oldest one, or,
   * where that has waited for minutes, in turns with the newest, so that who edits now does not wait behind all of a long queue.
   */
  claimNext(): Edit | null;
  /** When the next edit may go, of those that wait for nothing but time; null when there is none. */
  nextAt(): Temporal.Instant | null;
  /**
   * Notes the item that a change or deletion is about to replace, which an undo restores; of several tries the first
   * counts. The request leaves in the same turn: nothing may be awaited in between.
   */
  replacing(id: EditId, before: Item): void;
  /** Notes that the item was not found in its place, or that it was found after all. */
  missing(id: EditId, isMissing: boolean): void;
  /** Notes that the service refuses the key under which the edit goes out, or that it does not any more. */
  keyRefused(id: EditId, isRefused: boolean): void;
  /**
   * Makes claimed edits pending, at start-up and before a clean end; what was cut short does not count as a try, and requests
   * that were under way may be carried out for a while. Returns how many.
   */
  release(): number;
  /** As `release`, one claim whose worker is no more. */
  releaseOne(id: EditId): void;
}

/**
 * The condition for edits `e` of identities `i` that no older edit of their item, no missing id and no task above them
 * holds back. An older edit that is put back while a newer one is under way waits for that. Of edits under a key that is
 * refused only those that have met that may go: all others would only meet it as well.
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

/** When the oldest edit has waited for so long, newer ones are let through beside it. */
const longQueue = Temporal.Duration.from({ minutes: 2 });

/** No edit is put off for longer by itself: what is kept as later was kept by a clock that was set back since. */
const longestPutOff = Temporal.Duration.from({ hours: 2 });

export function createClaims({
  db,
  zone,
  clock,
  attempts,
}: StoreDeps & { readonly attempts: Pick<Attempts, "release"> }): Claims {
  const due = "(e.not_before IS NULL OR e.not_before <= @now OR e.not_before > @farthest)";
  const claimable = `SELECT e.* FROM journal e JOIN identities i USING (item) WHERE ${unblocked} AND ${due}`;
  const oldest = db.prepare(`${claimable} ORDER BY e.id LIMIT 1`);
  const newest = db.prepare(`${claimable} ORDER BY e.id DESC LIMIT 1`);
  const ofItem = db.prepare(`${claimable} AND e.item = @item ORDER BY e.id LIMIT 1`);
  const newestItem = db.prepare(
    "SELECT item FROM edits WHERE state = 'pending' ORDER BY id DESC LIMIT 1",
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
  const keepBefore = db.prepare("UPDATE edits SET before = coalesce(before, ?) WHERE id = ?");
  const setMissed = db.prepare("UPDATE edits SET missed_at = ? WHERE id = ?");
  const refuseKey = db.prepare(
    "UPDATE edits SET key_refused_at = coalesce(key_refused_at, ?) WHERE id = ?",
  );
  const acceptKey = db.prepare("UPDATE edits SET key_refused_at = NULL WHERE id = ?");
  const endWait = db.prepare("DELETE FROM parent_waits WHERE edit = ?");
  const byId = db.prepare("SELECT * FROM journal WHERE id = ?");
  const stamp = () => instantText(clock());
  const read = (row: unknown): Edit | null => (row === undefined ? null : editRow(row, zone));
  let isTurnOfNewest = false;

  function nextToGo(): Edit | null {
    const now = clock();
    const times = { now: instantText(now), farthest: instantText(later(now, longestPutOff)) };
    const first = read(oldest.get(times));
    if (!first || isRecent(first.createdAt, { length: longQueue, now })) return first;
    const isFirst = !isTurnOfNewest;
    isTurnOfNewest = isFirst;
    if (isFirst) return first;
    // What its item has waiting from before goes first, as ever.
    const row = newestItem.get();
    const item = row === undefined ? null : numberColumn(row, "item");
    const before = item === null ? null : read(ofItem.get({ ...times, item }));
    return before ?? read(newest.get(times)) ?? first;
  }

  return {
    claimNext: db.transaction((): Edit | null => {
      const next = nextToGo();
      if (!next) return null;
      claim.run(stamp(), next.id);
      // A task that comes in from now on comes too late to be its parent.
      endWait.run(next.id);
      return read(byId.get(next.id));
    }),
    nextAt() {
      const next = instantOf(textColumn(waiting.get(), "next"));
      const now = clock();
      return next && isAhead(next, { length: longestPutOff, now }) ? now : next;
    },
    replacing: (id, before) => void keepBefore.run(itemText(before), id),
    missing: (id, isMissing) => void setMissed.run(isMissing ? stamp() : null, id),
    keyRefused: (id, isRefused) =>
      void (isRefused ? refuseKey.run(stamp(), id) : acceptKey.run(id)),
    release: db.transaction(() => {
      attempts.release();
      return releaseAll.run({ now: stamp() }).changes;
    }),
    releaseOne: db.transaction((id: EditId) => {
      attempts.release(id);
      releaseThat.run({ now: stamp(), id });
    }),
  };
}

/** What an edit can wait for that may be there before the edit's own time has come. */
export type WaitCause = "service" | "key";

/** A claimed edit or extra goes back, to be tried again. */
export interface Postponement {
  readonly kind: "retry";
  readonly notBefore: Temporal.Instant;
  readonly problem: string;
  /** The try was cut short by something that says nothing about the wish, and does not count. */
  readonly isInterrupted?: true;
  /** It may go as soon as that is there. */
  readonly waitsFor?: WaitCause;
}

/** An edit, or an extra of one, that waits. */
export interface WaitingEdit {
  readonly kind: "edit" | "extra";
  readonly id: number;
  /** Under whose key it goes out; null = the account's. */
  readonly actor: PersonId | null;
}

/** Edits that could go and do not. */
export interface Stuck {
  readonly edits: number;
  /** When the oldest of them was made. */
  readonly oldest: Temporal.Instant | null;
}

/** Edits and extras that wait for the service, or for its taking a key, and would be put off for longer than that lasts. */
export interface Waits {
  of(cause: WaitCause): readonly WaitingEdit[];
  /**
   * Edits made before a moment that nothing known holds back and that are not there yet. While others were confirmed since
   * `moving`, those that were never tried only wait for their turn.
   */
  stuck(since: { readonly made: Temporal.Instant; readonly moving: Temporal.Instant }): Stuck;
  /** Lets them go at once. */
  wake(waiting: readonly WaitingEdit[]): void;
}

export function createWaits({ db }: StoreDeps): Waits {
  const waiting = db.prepare(
    `SELECT 'edit' AS kind, id, actor FROM edits WHERE waits_for = @cause AND state = 'pending'
     UNION ALL SELECT 'extra', x.id, e.actor FROM edit_extras x JOIN edits e ON e.id = x.edit
       WHERE x.waits_for = @cause AND x.state = 'pending'`,
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
    of: (cause) => waiting.all({ cause }).map(waitingRow),
    stuck({ made, moving }) {
      const row = stuck.get({ made: instantText(made), moving: instantText(moving) });
      return {
        edits: numberColumn(row, "edits"),
        oldest: instantOf(textColumn(row, "oldest")),
      };
    },
    wake: db.transaction((all: readonly WaitingEdit[]) => {
      for (const { kind, id } of all) (kind === "edit" ? wakeEdit : wakeExtra).run(id);
    }),
  };
}
