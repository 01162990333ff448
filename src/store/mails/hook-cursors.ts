import type { Edit } from "../../domain/edit.ts";
import { editId, type ItemKey, itemKey, type Revision, revision } from "../../domain/ids.ts";
import { editRowIn } from "../rows/edit-rows.ts";
import { instantText } from "../rows/item-rows.ts";
import { type SendQueueRow, sendQueueRow } from "../rows/mail-rows.ts";
import { instantOf, tableRow } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSendQueue } from "./send-queue.ts";

/** Identifies a message to a webhook: about an item at a revision, or a parked edit at a time. */
export interface HookKey {
  readonly hook: string;
  readonly about: "item" | "edit";
  readonly subject: ItemKey | Edit["id"];
  readonly occasion: string;
}

/** How far a webhook is. */
interface HookCursor {
  /** The newest revision that it has received. */
  readonly revision: Revision;
  /** When changes were last skipped, because they were no longer recorded; null = never. */
  readonly skippedAt: Temporal.Instant | null;
}

/** A message to a webhook, and its state. */
export type HookDelivery = SendQueueRow & Pick<HookKey, "about" | "subject">;

const wayOf = (hook: string): string => `hook:${hook}`;

/** What webhooks for events of the workspace have received. */
export function createHookCursors(deps: StoreDeps) {
  const { db, clock, zone } = deps;
  const find = db.rows("SELECT * FROM hook_cursors WHERE hook = ?", cursorRow);
  const begin = db.prepare("INSERT INTO hook_cursors (hook, revision, began_at) VALUES (?, ?, ?)");
  const move = db.prepare("UPDATE hook_cursors SET revision = ? WHERE hook = ?");
  const drop = db.prepare(
    `UPDATE outbox SET state = 'dropped' WHERE way = @way AND kind = 'event' AND subject = @item AND occasion <> @occasion
       AND state IN ('claimed', 'deferred')`,
  );
  const skip = db.prepare("UPDATE hook_cursors SET revision = ?, skipped_at = ? WHERE hook = ?");
  const end = db.prepare("DELETE FROM hook_cursors WHERE hook = ?");
  const forget = db.prepare("DELETE FROM outbox WHERE way = ?");
  const sent = db.rows(
    "SELECT * FROM outbox WHERE way = ? ORDER BY coalesce(settled_at, claimed_at) DESC, rowid DESC LIMIT ?",
    deliveryRow,
  );
  const parked = db.rows(
    `SELECT e.* FROM journal e JOIN hook_cursors h ON h.hook = @hook
       LEFT JOIN outbox o ON o.way = @way AND o.kind = 'notice' AND o.subject = e.id AND o.occasion = e.updated_at
     WHERE e.state = 'parked' AND e.updated_at >= h.began_at AND (o.state IS NULL OR o.state IN ('claimed', 'deferred'))
     ORDER BY e.id`,
    editRowIn(zone),
  );
  return {
    ...createSendQueue<HookKey>(deps, {
      scope: "way LIKE 'hook:%'",
      keyOf: ({ hook, about, subject, occasion }) => ({
        ...{ way: wayOf(hook), kind: about === "item" ? "event" : "notice" },
        ...{ subject, occasion, lead: "", person: 0 },
      }),
    }),
    /** Null for a new webhook. */
    find: (hook: string): HookCursor | null => find.find(hook),
    /** A new webhook receives nothing older than itself. */
    begin: (hook: string, at: Revision): void => void begin.run(hook, at, instantText(clock())),
    /** An item's changes up to a revision are done with; messages about earlier ones are no longer repeated. */
    move: db.transaction((hook: string, done: { item: ItemKey; revision: Revision }): void => {
      move.run(done.revision, hook);
      drop.run({ way: wayOf(hook), item: done.item, occasion: String(done.revision) });
    }),
    /** Moves on to a revision, without the changes up to it. */
    skip: (hook: string, to: Revision): void => void skip.run(to, instantText(clock()), hook),
    /** Forgets a webhook that was removed, with its messages. */
    end: db.transaction((hook: string): void => {
      end.run(hook);
      forget.run(wayOf(hook));
    }),
    /** The messages to a webhook, newest first. */
    deliveries: (hook: string, limit: number): readonly HookDelivery[] =>
      sent.all(wayOf(hook), limit),
    /** Parked edits that it has not received, oldest first. */
    parkedFor: (hook: string): readonly Edit[] => parked.all({ hook, way: wayOf(hook) }),
  };
}

function cursorRow(row: unknown): HookCursor {
  const raw = tableRow<"hook_cursors">(row);
  return { revision: revision(raw.revision), skippedAt: instantOf(raw.skipped_at) };
}

function deliveryRow(row: unknown): HookDelivery {
  const { kind, subject } = tableRow<"outbox">(row);
  const about =
    kind === "event"
      ? ({ about: "item", subject: itemKey(subject) } as const)
      : ({ about: "edit", subject: editId(subject) } as const);
  return { ...sendQueueRow(row), ...about };
}
