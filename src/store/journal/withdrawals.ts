import type { Edit } from "../../domain/edit.ts";
import type { ItemKind } from "../../domain/fields.ts";
import { type EditId, type ItemKey, itemKey } from "../../domain/ids.ts";
import { stored } from "../../texts/stored.ts";
import { editIdColumn, editRowIn } from "../rows/edit-rows.ts";
import { instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";
import type { Attempts } from "./attempts.ts";

/** The edits of an item (`@item`) before the creation after `@creation` with the same UID. */
export const beforeRecreation = `item = @item AND id < coalesce(
  (SELECT min(next.id) FROM edits next WHERE next.item = @item AND next.action = 'create' AND next.id > @creation),
  9e15)`;
const notEnded = "state IN ('pending', 'claimed', 'parked', 'held')";

/** Creations of items that are deleted before the service has them: neither is sent. */
export function createWithdrawals({
  db,
  zone,
  clock,
  changes,
  attempts,
  onHeldEnded,
}: StoreDeps & {
  readonly changes: Changes;
  readonly attempts: Pick<Attempts, "madeNothing">;
  /** Called with each held edit that has ended. */
  readonly onHeldEnded: (edit: Edit) => void;
}) {
  const deletion = db.rows(
    `SELECT * FROM journal WHERE ${beforeRecreation} AND id > @creation AND action = 'delete' AND state = 'pending'
     ORDER BY id LIMIT 1`,
    editRowIn(zone),
  );
  const confirmDeletion = db.prepare(
    `UPDATE edits SET state = 'confirmed', problem = NULL, updated_at = @now, confirmed_at = @now
     WHERE ${beforeRecreation} AND id > @creation AND action = 'delete' AND state = 'pending'`,
  );
  const drop = db.rows(
    `UPDATE edits SET state = 'discarded', park_reason = NULL, frozen = 0, problem = @problem, updated_at = @now
     WHERE ${beforeRecreation} AND id >= @creation AND ${notEnded} RETURNING id`,
    editIdColumn,
  );
  const discardAfter = db.prepare(
    `UPDATE edits SET state = 'discarded', park_reason = NULL, parked_with = NULL, problem = @problem, updated_at = @now
     WHERE ${beforeRecreation} AND id > @creation AND state IN ('pending', 'parked', 'held')`,
  );
  const heldFrom = db.rows(
    `SELECT * FROM journal WHERE ${beforeRecreation} AND id >= @creation AND state = 'held' ORDER BY id`,
    editRowIn(zone),
  );
  const next = db.prepare(
    `SELECT base ->> '$.content.kind' AS kind FROM edits
     WHERE item = @item AND action = 'create' AND id > @creation AND ${notEnded} ORDER BY id LIMIT 1`,
  );
  const open = db.prepare(
    `SELECT id, state = 'pending' AND sent_at IS NULL AS unsent FROM journal
     WHERE item = @item AND id < @id AND action = 'create' AND state IN ('pending', 'claimed')`,
  );
  const anyOpen = db.prepare(
    "SELECT 1 FROM edits WHERE item = ? AND state IN ('pending', 'claimed') LIMIT 1",
  );
  const setKind = db.prepare(
    "UPDATE identities SET kind = ? WHERE item = ? AND service_id IS NULL AND kind <> 'event'",
  );
  const endWait = db.prepare("DELETE FROM parent_waits WHERE edit = ?");
  const below = db.prepare(
    "SELECT w.edit AS id, e.item FROM parent_waits w CROSS JOIN edits e ON e.id = w.edit WHERE w.parent = ?",
  );

  const deletionOf = ({ id: creation, item }: Pick<Edit, "id" | "item">): Edit | null =>
    deletion.find({ item, creation });

  /** Ends edits of an item from a creation on, and reports held ones to their editors. */
  function endFrom(of: { readonly item: ItemKey; readonly creation: EditId }, end: () => void) {
    const held = heldFrom.all(of);
    end();
    for (const edit of held) onHeldEnded(edit);
  }

  function endCreation(item: ItemKey, about: { creation: EditId; problem: string }): void {
    const now = instantText(clock());
    const { creation, problem } = about;
    endFrom({ item, creation }, () => {
      confirmDeletion.run({ item, creation, now });
      attempts.madeNothing(drop.all({ item, creation, now, problem }));
      endWait.run(creation);
    });
    changes.publish(item);
  }

  function withdraw(
    { id: creation, item }: Pick<Edit, "id" | "item">,
    { id }: Pick<Edit, "id">,
  ): void {
    const own = stored("problem.withdrawn", { edit: id });
    const after = next.get({ item, creation });
    const kind = after === undefined ? null : textColumn(after, "kind");
    endCreation(item, { creation, problem: own });
    if (kind !== null) setKind.run(kind, item);
    // An item recreated as a task keeps its to-dos.
    if (kind === "task") return;
    const problem = stored("problem.parentWithdrawn", { edit: id });
    for (const row of below.all(item)) {
      const child = itemKey(numberColumn(row, "item"));
      endCreation(child, { creation: editIdColumn(row), problem });
    }
  }

  return {
    /** The deletion of the item to be created; null if none may be sent. */
    deletionOf,
    /**
     * Ends a creation and its deletion, with the changes in between and the to-dos that wait for the task. Only if the service is
     * known not to have the item. Call inside a transaction.
     */
    withdraw,
    /**
     * Ends earlier, deleted forms of an item that is about to be created as this kind. Call inside the transaction of the
     * creation, after it was stored.
     */
    replace({ id, item }: Pick<Edit, "id" | "item">, kind: ItemKind): void {
      const left = open.all({ item, id }).filter((row) => {
        const older = { id: editIdColumn(row), item };
        const deletes = numberColumn(row, "unsent") === 1 ? deletionOf(older) : null;
        if (deletes) withdraw(older, deletes);
        return !deletes;
      });
      // An earlier request in progress creates the kind it was sent for.
      if (left.length === 0) setKind.run(kind, item);
    },
    /** True if edits of the item are pending or in progress. */
    isBusy: (item: ItemKey): boolean => anyOpen.get(item) !== undefined,
    /** Discards what follows a creation that will not happen, up to the next creation. */
    discardFollowers({ id: creation, item }: Pick<Edit, "id" | "item">): void {
      const problem = stored("problem.creationDiscarded", { edit: creation });
      endFrom({ item, creation }, () =>
        discardAfter.run({ item, creation, problem, now: instantText(clock()) }),
      );
    },
  };
}
