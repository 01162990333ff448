import { backOff } from "../../domain/backoff.ts";
import { type Edit, inFlightAfterCrash, nextLook } from "../../domain/edit.ts";
import type { EditId, ItemKey, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { patchToPlain } from "../../domain/plain-item.ts";
import {
  instantOf,
  instantText,
  itemFromText,
  itemKeyColumn,
  itemText,
  numberColumn,
  textColumn,
} from "../rows/item-rows.ts";
import { type UnansweredWrite, unansweredRow } from "../rows/unanswered-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A write that is about to leave. `before`: the item as it is known to be; `patch`: what it sets, empty for a deletion. */
export interface LeavingWrite {
  readonly edit: EditId;
  readonly item: ItemKey;
  readonly act: UnansweredWrite["act"];
  readonly serviceId: ServiceId;
  readonly patch: Patch;
  readonly before: Item;
}

/** What an item turned into, or vanished from, while writes to it were unanswered. */
export interface Sight {
  readonly key: ItemKey;
  readonly before: Item;
  /** Null when the item is gone. */
  readonly after: Item | null;
  /** The edit whose answer this is; null for what was read. */
  readonly answered: Edit | null;
}

/**
 * Writes that have left and whose answer is not known: until they cannot be carried out any more their items are under watch.
 * Whoever judges what is seen of them is told inside the transaction that stores it, before anybody is shown it.
 */
export interface Unanswered {
  /** Notes a write before its first byte leaves; the returned number names it. */
  leaving(write: LeavingWrite): number;
  /** Notes that one try of the write got no usable answer, and may be carried out until then. */
  lost(id: number, until: Temporal.Instant): void;
  /** Notes that the last try of the write has ended; tries without an answer stay. */
  ended(id: number): void;
  /** Notes that the write was seen to have been carried out. */
  carriedOut(id: number): void;
  /** The writes of an item that may be carried out yet, or were seen to have been not long ago; newest first. */
  ofItem(key: ItemKey): readonly UnansweredWrite[];
  /** Claims an item that is to be read now, for thirty seconds; null when there is none. */
  claimLook(): { readonly key: ItemKey; readonly writes: readonly UnansweredWrite[] } | null;
  /** Notes that the item was read by a request that left at `begun`; null: that failed. */
  looked(key: ItemKey, begun: Temporal.Instant | null): void;
  nextLookAt(): Temporal.Instant | null;
  /** What was under way when the process ended may be carried out for three more minutes. */
  release(): void;
  /** Sets who judges what is seen of items under watch. */
  judgeBy(judge: (sight: Sight) => void): void;
  /** Hands what is about to be stored to the judge; free for items that are not under watch. */
  seen(key: ItemKey, tell: () => Pick<Sight, "before" | "after">): void;
  /** Runs steps that store the answer to an edit. */
  answering<Value>(edit: Edit, steps: () => Value): Value;
}

/** The time that reading an item may take before it is read again. */
const lookPause = Temporal.Duration.from({ seconds: 30 });
const betweenLooks = {
  first: Temporal.Duration.from({ seconds: 5 }),
  ceiling: Temporal.Duration.from({ seconds: 320 }),
};
/** For this long a write that was carried out late explains what an edit finds, and an unreadable item is asked for. */
const retention = Temporal.Duration.from({ hours: 24 });

export function createUnanswered({ db, zone, clock }: StoreDeps): Unanswered {
  const insert = db.prepare(
    `INSERT INTO unanswered (edit, item, act, service_id, patch, before, under_way, lost_at, lands_until)
     VALUES (@edit, @item, @act, @serviceId, @patch, @before, 1, @now, @until)`,
  );
  const lose = db.prepare(
    `INSERT INTO unanswered (edit, item, act, service_id, patch, before, under_way, lost_at, lands_until, next_look)
     SELECT edit, item, act, service_id, patch, before, 0, @now, @until, @look FROM unanswered WHERE id = @id`,
  );
  const end = db.prepare("DELETE FROM unanswered WHERE id = ? AND under_way = 1");
  const carryOut = db.prepare("UPDATE unanswered SET landed_at = ? WHERE id = ?");
  const byItem = db.prepare("SELECT * FROM unanswered WHERE item = ? ORDER BY id DESC");
  const anyOf = db.prepare("SELECT 1 FROM unanswered WHERE item = ? LIMIT 1");
  const due = db.prepare(
    "SELECT item FROM unanswered WHERE next_look <= ? ORDER BY next_look LIMIT 1",
  );
  const postpone = db.prepare(
    "UPDATE unanswered SET next_look = ? WHERE item = ? AND next_look IS NOT NULL",
  );
  const look = db.prepare("UPDATE unanswered SET next_look = ?, failures = ? WHERE id = ?");
  const drop = db.prepare("DELETE FROM unanswered WHERE id = ?");
  const forget = db.prepare(
    "DELETE FROM unanswered WHERE under_way = 0 AND lands_until < ? AND (next_look IS NULL OR failures > 0)",
  );
  const earliest = db.prepare("SELECT min(next_look) AS next FROM unanswered");
  const left = db.prepare("SELECT id FROM unanswered WHERE under_way = 1");
  const stamp = () => instantText(clock());
  let judge: (sight: Sight) => void = () => {};
  let answered: Edit | null = null;

  const lost = (id: number, until: Temporal.Instant): void => {
    const now = clock();
    const at = nextLook(now, { sentAt: now, until });
    lose.run({ id, now: instantText(now), until: instantText(until), look: instantText(at) });
  };
  const ofItem = (key: ItemKey) => byItem.all(key).map((row) => unansweredRow(row, zone));

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
    else if (carriedOutAt === null && write.act === "change") drop.run(id);
    else look.run(null, 0, id);
  }

  return {
    leaving({ patch, before, ...write }) {
      const now = clock();
      const { lastInsertRowid } = insert.run({
        ...write,
        patch: JSON.stringify(patchToPlain(patch)),
        before: itemText(before),
        now: instantText(now),
        until: instantText(inFlightAfterCrash(now)),
      });
      return Number(lastInsertRowid);
    },
    lost,
    ended: (id) => void end.run(id),
    carriedOut: (id) => void carryOut.run(stamp(), id),
    ofItem,
    claimLook: db.transaction(() => {
      const row = due.get(stamp());
      if (row === undefined) return null;
      const key = itemKeyColumn(row);
      postpone.run(instantText(clock().add(lookPause)), key);
      return { key, writes: ofItem(key) };
    }),
    looked: db.transaction((key: ItemKey, begun: Temporal.Instant | null) => {
      for (const write of ofItem(key)) recordLook(write, begun);
      forget.run(instantText(clock().subtract(retention)));
    }),
    nextLookAt: () => instantOf(textColumn(earliest.get(), "next")),
    release: db.transaction(() => {
      for (const row of left.all()) {
        const id = numberColumn(row, "id");
        lost(id, inFlightAfterCrash(clock()));
        end.run(id);
      }
    }),
    judgeBy(given) {
      judge = given;
    },
    seen(key, tell) {
      if (anyOf.get(key) !== undefined) judge({ key, ...tell(), answered });
    },
    answering(edit, steps) {
      answered = edit;
      try {
        return steps();
      } finally {
        answered = null;
      }
    },
  };
}

/** A creating request that has left, and of which it is not known what it has made. */
export interface OpenRequest {
  readonly sentAt: Temporal.Instant;
  /** Until then the last request may be carried out. */
  readonly inFlightUntil: Temporal.Instant;
  /** Ids of what looked alike before the first request left. */
  readonly known: ReadonlySet<number>;
}

/** Requests for what has no identity here (labels, comments, files in folders), each named by a text of its own. */
export interface Requests {
  open(what: string): OpenRequest | null;
  /** Notes a request before its first byte leaves; of several the first says what was `known`. */
  leaving(what: string, known: readonly number[]): void;
  /** Notes that the request got no usable answer, and may be carried out until then. */
  lost(what: string, until: Temporal.Instant): void;
  /** Notes that the request has ended; one without an answer may still be carried out. */
  ended(what: string): void;
  /** Drops the request: what it was to make is there. */
  done(what: string): void;
  /** What was under way when the process ended may be carried out for three more minutes. */
  release(): void;
}

export function createRequests({ db, clock }: StoreDeps): Requests {
  const get = db.prepare("SELECT sent_at, lands_until, known FROM requests WHERE what = ?");
  const knownOf = db.prepare(
    "SELECT value FROM requests, json_each(requests.known) WHERE what = ?",
  );
  const leave = db.prepare(
    `INSERT INTO requests (what, known, sent_at, lands_until, under_way) VALUES (@what, @known, @now, @now, 1)
     ON CONFLICT (what) DO UPDATE SET lands_until = excluded.lands_until, under_way = 1`,
  );
  const lose = db.prepare("UPDATE requests SET lands_until = max(lands_until, ?) WHERE what = ?");
  const end = db.prepare("UPDATE requests SET under_way = 0 WHERE what = ?");
  const drop = db.prepare("DELETE FROM requests WHERE what = ?");
  const releaseAll = db.prepare(
    "UPDATE requests SET under_way = 0, lands_until = max(lands_until, ?) WHERE under_way = 1",
  );
  const moment = (row: unknown, column: string) =>
    Temporal.Instant.from(textColumn(row, column) ?? "");

  return {
    open(what) {
      const row = get.get(what);
      if (row === undefined) return null;
      const known = new Set(knownOf.all(what).map((one) => numberColumn(one, "value")));
      return { sentAt: moment(row, "sent_at"), inFlightUntil: moment(row, "lands_until"), known };
    },
    leaving: (what, known) =>
      void leave.run({ what, known: JSON.stringify(known), now: instantText(clock()) }),
    lost: (what, until) => void lose.run(instantText(until), what),
    ended: (what) => void end.run(what),
    done: (what) => void drop.run(what),
    release: () => void releaseAll.run(instantText(inFlightAfterCrash(clock()))),
  };
}

/** Items that lists have shown and that may be what a creation without an answer has made. */
export interface Candidates {
  /** Keeps an item with the edit; one that is kept already is brought up to date. */
  note(edit: EditId, item: Item & { readonly id: ServiceId }): void;
  ofEdit(edit: EditId): readonly Item[];
}

export function createCandidates({ db, zone, clock }: StoreDeps): Candidates {
  const put = db.prepare(
    `INSERT INTO candidates (edit, kind, service_id, content, seen_at) VALUES (@edit, @kind, @id, @content, @now)
     ON CONFLICT (edit, kind, service_id) DO UPDATE SET content = excluded.content`,
  );
  const ofEdit = db.prepare("SELECT content FROM candidates WHERE edit = ? ORDER BY service_id");
  return {
    note(edit, item) {
      const { kind, id } = item;
      put.run({ edit, kind, id, content: itemText(item), now: instantText(clock()) });
    },
    ofEdit: (edit) =>
      ofEdit.all(edit).flatMap((row) => {
        const text = textColumn(row, "content");
        return text === null ? [] : [itemFromText(text, zone)];
      }),
  };
}
