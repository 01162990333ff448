import { backOff } from "../../domain/backoff.ts";
import { type Edit, nextLook } from "../../domain/edit.ts";
import type { ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { type UnansweredWrite, unansweredRowIn } from "../rows/attempt-rows.ts";
import { instantText, itemKeyColumn, textColumn } from "../rows/item-rows.ts";
import { instantOf } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";
import { isOfKnown } from "./attempts.ts";

/** How an item changed, or that it disappeared, while writes to it were unanswered. */
export interface ObservedChange {
  readonly key: ItemKey;
  readonly before: Item;
  /** Null if the item is gone. */
  readonly after: Item | null;
  /** The edit whose answer this is; null for a read. */
  readonly answered: Edit | null;
}

/**
 * Changes, moves and deletions without a known answer. Their items are watched until the requests can no longer be carried out:
 * each new state is judged inside the transaction that stores it, before anybody sees it.
 */
export type Unanswered = ReturnType<typeof createUnanswered>;

/** How long reading an item may take before it is read again. */
const lookPause = Temporal.Duration.from({ seconds: 30 });
const betweenLooks = {
  first: Temporal.Duration.from({ seconds: 5 }),
  ceiling: Temporal.Duration.from({ seconds: 320 }),
};
/** How long a late write may explain a difference, and how long reading an unreadable item is retried. */
const retention = Temporal.Duration.from({ hours: 24 });

/**
 * Attempts that may have been, or may still be, carried out. Requests that a restored backup may have sent since are too
 * uncertain to be watched.
 */
const watched = `lands_until IS NOT NULL AND before IS NOT NULL AND ${isOfKnown("act")}`;

export function createUnanswered({ db, zone, clock }: StoreDeps) {
  const carryOut = db.prepare("UPDATE attempts SET landed_at = ? WHERE id = ?");
  const byItem = db.rows(
    `SELECT *, coalesce(ended_at, sent_at) AS lost_at FROM attempts WHERE item = ? AND ${watched} ORDER BY id DESC`,
    unansweredRowIn(zone),
  );
  const anyOf = db.prepare(`SELECT 1 FROM attempts WHERE item = ? AND ${watched} LIMIT 1`);
  const due = db.prepare(
    "SELECT item FROM attempts WHERE next_look <= ? ORDER BY next_look LIMIT 1",
  );
  const postpone = db.prepare(
    `UPDATE attempts SET next_look = ? WHERE item = ? AND ${watched} AND next_look IS NOT NULL`,
  );
  const look = db.prepare("UPDATE attempts SET next_look = ?, failures = ? WHERE id = ?");
  const settled = "lands_until = NULL, next_look = NULL, before = NULL";
  const settle = db.prepare(`UPDATE attempts SET ${settled} WHERE id = ?`);
  const forget = db.prepare(
    `UPDATE attempts SET ${settled} WHERE ${watched} AND ended_at IS NOT NULL AND lands_until < ?
       AND (next_look IS NULL OR failures > 0)`,
  );
  const earliest = db.prepare("SELECT min(next_look) AS next FROM attempts");
  const stamp = () => instantText(clock());
  let judge: (change: ObservedChange) => void = () => {};
  let answered: Edit | null = null;

  const ofItem = (key: ItemKey) => byItem.all(key);

  function recordLook(write: UnansweredWrite, begun: Temporal.Instant | null): void {
    const { id, lostAt, inFlightUntil: until, failures, nextLookAt, carriedOutAt } = write;
    if (nextLookAt === null) return;
    if (begun === null) {
      const rest = backOff(failures + 1, betweenLooks);
      look.run(instantText(clock().add(rest)), failures + 1, id);
      return;
    }
    const isOver = Temporal.Instant.compare(until, begun) <= 0;
    if (!isOver) look.run(instantText(nextLook(begun, { sentAt: lostAt, until })), 0, id);
    else if (carriedOutAt === null && write.act !== "delete") settle.run(id);
    else look.run(null, 0, id);
  }

  return {
    /** Records that the write was found to have been carried out. */
    carriedOut: (id: number): void => void carryOut.run(stamp(), id),
    /** Writes of an item that may still be carried out, or were recently found to have been; newest first. */
    ofItem,
    /** Claims an item for reading, for thirty seconds; null if none is due. */
    claimLook: db.transaction(() => {
      const row = due.get(stamp());
      if (row === undefined) return null;
      const key = itemKeyColumn(row);
      postpone.run(instantText(clock().add(lookPause)), key);
      return { key, writes: ofItem(key) };
    }),
    /** Records that the item was read by a request sent at `begun`; null: the read failed. */
    looked: db.transaction((key: ItemKey, begun: Temporal.Instant | null) => {
      for (const write of ofItem(key)) recordLook(write, begun);
      forget.run(instantText(clock().subtract(retention)));
    }),
    nextLookAt: (): Temporal.Instant | null => instantOf(textColumn(earliest.get(), "next")),
    /** Sets the callback that judges new states of watched items. */
    judgeBy(given: (change: ObservedChange) => void): void {
      judge = given;
    },
    /** Passes a state about to be stored to that callback. Free for items that are not watched. */
    seen(key: ItemKey, change: () => Pick<ObservedChange, "before" | "after">): void {
      if (anyOf.get(key) !== undefined) judge({ key, ...change(), answered });
    },
    /** Runs steps that store the answer to an edit. */
    answering<Value>(edit: Edit, steps: () => Value): Value {
      answered = edit;
      try {
        return steps();
      } finally {
        answered = null;
      }
    },
  };
}
