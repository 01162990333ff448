import { type EditId, type ItemKey, itemKey, type ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { editIdColumn } from "../rows/edit-rows.ts";
import { numberColumn, textColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";

/** The task below which a new to-do belongs; `until`: how long such a task may take to come in. */
export interface AwaitedParent {
  readonly uid: string;
  readonly until: Temporal.Instant;
}

/**
 * Creations that wait for the task above them, as the service can hang a to-do below a task only when it makes it. Every
 * method belongs inside the transaction of the edit that it is about.
 */
export interface Parents {
  /** The creation waits for its task: for its id where it is known here, else for its coming in. */
  wait(child: Creation, parent: AwaitedParent): void;
  /** A task is to be created: to-dos that waited for its UID belong below it. */
  arrived(task: ItemKey): void;
  /** The service has the task. */
  born(task: ItemKey, answer: Item & { readonly id: ServiceId }): void;
  /** The task will not be created: what waits for it stands for itself. */
  lost(task: ItemKey): void;
  /** A person lets the creation go: it no longer waits for a task that is not on its way. */
  insist(edit: EditId): void;
  /** UID of the task for whose id the item waits; null when it waits for none. */
  awaited(item: ItemKey): string | null;
  /** UID of the task that a creation waits for and that has not come in yet; null when there is none. */
  sought(edit: EditId): string | null;
}

interface Creation {
  readonly edit: EditId;
  readonly item: ItemKey;
}

const open = "('pending', 'claimed', 'held')";
/** One that waits for a person may still come, and what arrives for it waits with it. */
const coming = "('pending', 'claimed', 'held', 'parked')";
/** A creation and what was wished of its item since; what is made anew under the same UID is another one. */
const sameLife = `item = @item AND id >= @edit AND id < coalesce((SELECT min(next.id) FROM edits next
  WHERE next.item = @item AND next.action = 'create' AND next.id > @edit), 9e15)`;

export function createParents({ db, changes }: StoreDeps & { changes: Changes }): Parents {
  const comingTask = db.prepare(
    `SELECT i.item FROM identities i WHERE i.uid = ? AND i.kind = 'task' AND i.service_id IS NULL AND EXISTS
       (SELECT 1 FROM edits e WHERE e.item = i.item AND e.action = 'create' AND e.state IN ${coming})`,
  );
  const isComing = db.prepare(
    `SELECT 1 FROM edits WHERE item = ? AND action = 'create' AND state IN ${open} LIMIT 1`,
  );
  const note = db.prepare("INSERT INTO parent_waits (edit, parent, uid) VALUES (?, ?, ?)");
  const hold = db.prepare("UPDATE edits SET not_before = ? WHERE id = ?");
  const found = db.prepare("UPDATE parent_waits SET parent = ?, uid = NULL WHERE edit = ?");
  const end = db.prepare("DELETE FROM parent_waits WHERE edit = ?");
  const uidOf = db.prepare("SELECT uid FROM identities WHERE item = ? AND kind = 'task'");
  // CROSS JOIN keeps the order: the rows that wait are few, the open edits many.
  const byUid = db.prepare(
    `SELECT w.edit AS id, e.item FROM parent_waits w CROSS JOIN edits e ON e.id = w.edit
     WHERE w.uid = ? AND e.item <> ? AND e.state IN ('pending', 'held')`,
  );
  const byParent = db.prepare(
    "SELECT w.edit AS id, e.item, e.state FROM parent_waits w CROSS JOIN edits e ON e.id = w.edit WHERE w.parent = ?",
  );
  const ofEdit = db.prepare(
    "SELECT w.edit AS id, e.item, w.parent FROM parent_waits w JOIN edits e ON e.id = w.edit WHERE w.edit = ?",
  );
  const isParent = db.prepare("SELECT 1 FROM parent_waits WHERE parent = ? LIMIT 1");
  const setKind = db.prepare("UPDATE identities SET kind = ? WHERE item = ?");
  const listOf = db.prepare(
    `SELECT coalesce(v.list_id, e.base ->> '$.content.listId') AS list FROM edits e LEFT JOIN view_items v USING (item)
     WHERE e.item = ? AND e.action = 'create' ORDER BY e.id DESC LIMIT 1`,
  );
  // The place is that of the task, which may have been moved before the service has it.
  const hang = db.prepare(
    `UPDATE edits SET not_before = NULL, base = (SELECT json_set(edits.base, '$.content.kind', 'subtask',
         '$.content.projectId', v.project_id, '$.content.listId', v.list_id) FROM (SELECT coalesce(s.project_id,
         t.base ->> '$.content.projectId') AS project_id, coalesce(s.list_id, t.base ->> '$.content.listId') AS list_id
         FROM edits t LEFT JOIN view_items s ON s.item = t.item WHERE t.item = @parent AND t.action = 'create'
         ORDER BY t.id DESC LIMIT 1) v) WHERE id = @edit`,
  );
  const place = db.prepare(
    `UPDATE edits SET base = json_set(base, '$.content.kind', 'subtask', '$.content.parentId', @id,
       '$.content.projectId', @project, '$.content.listId', @list)
     WHERE ${sameLife}`,
  );
  const stand = db.prepare(
    `UPDATE edits SET base = json_set(base, '$.content.kind', 'task', '$.content.parentId', NULL) WHERE ${sameLife}`,
  );
  const awaited = db.prepare(
    `SELECT i.uid FROM edits e JOIN parent_waits w ON w.edit = e.id JOIN identities i ON i.item = w.parent
     WHERE e.item = ? LIMIT 1`,
  );
  const sought = db.prepare("SELECT uid FROM parent_waits WHERE edit = ?");

  const creation = (row: unknown): Creation => ({
    edit: editIdColumn(row),
    item: itemKey(numberColumn(row, "item")),
  });

  /**
   * Below a task there is one level only: what has to-dos of its own stays a task. So does what was put into another list:
   * it would leave the address under which its program was told that it is.
   */
  function hangBelow({ edit, item }: Creation, parent: ItemKey): void {
    const [own, other] = [item, parent].map((key) => numberColumn(listOf.get(key), "list"));
    if (isParent.get(item) !== undefined || own !== other) {
      end.run(edit);
      hold.run(null, edit);
      return;
    }
    setKind.run("subtask", item);
    hang.run({ parent, edit });
    found.run(parent, edit);
    changes.publish(item);
  }

  function standAlone({ edit, item }: Creation): void {
    end.run(edit);
    setKind.run("task", item);
    stand.run({ edit, item });
    changes.publish(item);
  }

  return {
    wait(child, { uid, until }) {
      const task = comingTask.get(uid);
      note.run(child.edit, null, uid);
      if (task !== undefined) hangBelow(child, itemKey(numberColumn(task, "item")));
      else hold.run(until.toString({ smallestUnit: "millisecond" }), child.edit);
    },
    arrived(task) {
      const uid = textColumn(uidOf.get(task), "uid");
      for (const row of byUid.all(uid, task)) hangBelow(creation(row), task);
    },
    born(task, { id, projectId: project, ...answer }) {
      for (const row of byParent.all(task)) {
        const { edit, item } = creation(row);
        const list = answer.kind === "event" ? null : answer.listId;
        end.run(edit);
        place.run({ id, project, list, edit, item });
        changes.publish(item);
      }
    },
    lost(task) {
      for (const row of byParent.all(task)) standAlone(creation(row));
    },
    insist(edit) {
      const row = ofEdit.get(edit);
      if (row === undefined) return;
      const parent = numberColumn(row, "parent");
      if (parent === 0) end.run(edit);
      else if (isComing.get(parent) === undefined) standAlone(creation(row));
    },
    awaited: (item) => textColumn(awaited.get(item), "uid"),
    sought: (edit) => textColumn(sought.get(edit), "uid"),
  };
}
