import type { Edit } from "../../domain/edit.ts";
import type { ItemKey, Revision } from "../../domain/ids.ts";
import { editRowIn } from "../rows/edit-rows.ts";
import { instantText, revisionColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSendQueue } from "./send-queue.ts";

/** Identifies a message to a webhook: about an item at a revision, or a parked edit at a time. */
export interface HookKey {
  readonly hook: string;
  readonly about: "item" | "edit";
  readonly subject: ItemKey | Edit["id"];
  readonly occasion: string;
}

const wayOf = (hook: string): string => `hook:${hook}`;

/** What webhooks for events of the workspace have received. */
export function createHookCursors(deps: StoreDeps) {
  const { db, clock, zone } = deps;
  const find = db.rows("SELECT revision FROM hook_cursors WHERE hook = ?", revisionColumn);
  const begin = db.prepare("INSERT INTO hook_cursors (hook, revision, began_at) VALUES (?, ?, ?)");
  const move = db.prepare("UPDATE hook_cursors SET revision = ? WHERE hook = ?");
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
    /** The newest revision that a webhook has received; null for a new one. */
    revisionOf: (hook: string): Revision | null => find.find(hook),
    /** A new webhook receives nothing older than itself. */
    begin: (hook: string, at: Revision): void => void begin.run(hook, at, instantText(clock())),
    move: (hook: string, at: Revision): void => void move.run(at, hook),
    /** Parked edits that it has not received, oldest first. */
    parkedFor: (hook: string): readonly Edit[] => parked.all({ hook, way: wayOf(hook) }),
  };
}
