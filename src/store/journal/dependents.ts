import type { Edit } from "../../domain/edit.ts";
import type { EditId, ItemKey, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { stored } from "../../texts/stored.ts";
import { editIdColumn } from "../rows/edit-rows.ts";
import { instantText, itemKeyColumn, numberColumn, textColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";
import { beforeRecreation } from "./withdrawals.ts";

/** The task that a new to-do belongs below; `until`: how long to wait for that task. */
export interface AwaitedParent {
  readonly uid: string;
  readonly until: Temporal.Instant;
}

type Creation = Pick<Edit, "id" | "item">;

/**
 * Edits that depend on a creation: later edits of its item, and creations of to-dos below the task, as the service sets a
 * to-do's parent only at creation. They are parked, resumed and ended with the creation. Call every method inside a
 * transaction.
 */
export type Dependents = ReturnType<typeof createDependents>;

const open = "('pending', 'claimed', 'held')";
/** States of a creation that may still be sent. Dependents of a parked one are parked with it. */
const coming = "('pending', 'claimed', 'held', 'parked')";
/** A creation and the later edits of its item, up to the next creation with the same UID. */
const upToRecreation = `${beforeRecreation} AND id >= @creation`;

export function createDependents({
  db,
  clock,
  changes,
}: StoreDeps & { readonly changes: Changes }) {
  const comingTask = db.prepare(
    `SELECT i.item FROM identities i WHERE i.uid = ? AND i.kind = 'task' AND i.service_id IS NULL AND EXISTS
       (SELECT 1 FROM edits e WHERE e.item = i.item AND e.action = 'create' AND e.state IN ${coming})`,
  );
  const isComing = db.prepare(
    `SELECT 1 FROM edits WHERE item = ? AND action = 'create' AND state IN ${open} LIMIT 1`,
  );
  const addWait = db.prepare("INSERT INTO parent_waits (edit, parent, uid) VALUES (?, ?, ?)");
  const postpone = db.prepare("UPDATE edits SET not_before = ? WHERE id = ?");
  const setParent = db.prepare("UPDATE parent_waits SET parent = ?, uid = NULL WHERE edit = ?");
  const endWait = db.prepare("DELETE FROM parent_waits WHERE edit = ?");
  const uidOf = db.prepare("SELECT uid FROM identities WHERE item = ? AND kind = 'task'");
  // CROSS JOIN fixes the order: few rows wait, many edits are open.
  const byUid = db.prepare(
    `SELECT w.edit AS id, e.item FROM parent_waits w CROSS JOIN edits e ON e.id = w.edit
     WHERE w.uid = ? AND e.item <> ? AND e.state IN ('pending', 'held')`,
  );
  const byParent = db.prepare(
    "SELECT w.edit AS id, e.item FROM parent_waits w CROSS JOIN edits e ON e.id = w.edit WHERE w.parent = ?",
  );
  const waitOf = db.prepare(
    "SELECT w.edit AS id, e.item, w.parent FROM parent_waits w JOIN edits e ON e.id = w.edit WHERE w.edit = ?",
  );
  const isParent = db.prepare("SELECT 1 FROM parent_waits WHERE parent = ? LIMIT 1");
  const setKind = db.prepare("UPDATE identities SET kind = ? WHERE item = ?");
  const listOf = db.prepare(
    `SELECT coalesce(v.list_id, e.base ->> '$.content.listId') AS list FROM edits e LEFT JOIN view_items v USING (item)
     WHERE e.item = ? AND e.action = 'create' ORDER BY e.id DESC LIMIT 1`,
  );
  // The place is the task's, which may have been moved before the service has it.
  const attach = db.prepare(
    `UPDATE edits SET not_before = NULL, base = (SELECT json_set(edits.base, '$.content.kind', 'subtask',
         '$.content.projectId', v.project_id, '$.content.listId', v.list_id) FROM (SELECT coalesce(s.project_id,
         t.base ->> '$.content.projectId') AS project_id, coalesce(s.list_id, t.base ->> '$.content.listId') AS list_id
         FROM edits t LEFT JOIN view_items s ON s.item = t.item WHERE t.item = @parent AND t.action = 'create'
         ORDER BY t.id DESC LIMIT 1) v) WHERE id = @edit`,
  );
  const setPlace = db.prepare(
    `UPDATE edits SET base = json_set(base, '$.content.kind', 'subtask', '$.content.parentId', @id,
       '$.content.projectId', @project, '$.content.listId', @list)
     WHERE ${upToRecreation}`,
  );
  const detachOne = db.prepare(
    `UPDATE edits SET base = json_set(base, '$.content.kind', 'task', '$.content.parentId', NULL) WHERE ${upToRecreation}`,
  );
  const awaitedUid = db.prepare(
    `SELECT i.uid FROM edits e JOIN parent_waits w ON w.edit = e.id JOIN identities i ON i.item = w.parent
     WHERE e.item = ? LIMIT 1`,
  );
  const soughtUid = db.prepare("SELECT uid FROM parent_waits WHERE edit = ?");

  const parkWhere = (which: string) =>
    db.prepare(
      `UPDATE edits SET state = 'parked', park_reason = 'failed', problem = @problem, parked_with = @creation, updated_at = @now
       WHERE state = 'pending' AND ${which} RETURNING id, item`,
    );
  const parkLater = parkWhere("item = @item AND id > @creation");
  const parkChildren = parkWhere(
    "item IN (SELECT child.item FROM parent_waits w JOIN edits child ON child.id = w.edit WHERE w.parent = @item)",
  );
  const parkOne = parkWhere("id = @edit");
  const parkedCreation = db.prepare(
    `SELECT id FROM (
       SELECT made.id, made.state FROM edits e JOIN identities i USING (item) JOIN edits made ON made.item = e.item AND made.id < e.id
       WHERE e.id = ? AND e.action <> 'create' AND i.service_id IS NULL AND made.action = 'create' AND made.state IN ${coming}
       ORDER BY made.id DESC LIMIT 1)
     WHERE state = 'parked'`,
  );
  const unpark = db.prepare(
    `UPDATE edits SET state = 'pending', park_reason = NULL, problem = @problem, parked_with = NULL, not_before = NULL,
       attempts = 0, updated_at = @now
     WHERE parked_with = @creation AND state = 'parked' AND item <> @item RETURNING id, item`,
  );
  const stamp = () => instantText(clock());
  const creationOf = (row: unknown): Creation => ({
    id: editIdColumn(row),
    item: itemKeyColumn(row),
  });

  function publish(rows: readonly unknown[]): readonly EditId[] {
    for (const row of rows) changes.publish(itemKeyColumn(row));
    return rows.map(editIdColumn);
  }

  /**
   * Only one level exists below a task: a to-do with to-dos of its own stays a task. So does one put into another list, as it
   * would leave the address that its program knows.
   */
  function attachBelow({ id: edit, item }: Creation, parent: ItemKey): void {
    const [own, other] = [item, parent].map((key) => numberColumn(listOf.get(key), "list"));
    if (isParent.get(item) !== undefined || own !== other) {
      endWait.run(edit);
      postpone.run(null, edit);
      return;
    }
    setKind.run("subtask", item);
    attach.run({ parent, edit });
    setParent.run(parent, edit);
    changes.publish(item);
  }

  function makeTask({ id: creation, item }: Creation): void {
    endWait.run(creation);
    setKind.run("task", item);
    detachOne.run({ creation, item });
    changes.publish(item);
  }

  function endVainWait(edit: EditId): void {
    const row = waitOf.get(edit);
    if (row === undefined) return;
    const parent = numberColumn(row, "parent");
    if (parent === 0) endWait.run(edit);
    else if (isComing.get(parent) === undefined) makeTask(creationOf(row));
  }

  const aboutCreation = ({ id, item }: Creation) => ({ creation: id, item, now: stamp() });

  function parkBelow(creation: Creation): readonly EditId[] {
    const problem = stored("problem.parentNotCreated", { edit: creation.id });
    return publish(parkChildren.all({ ...aboutCreation(creation), problem }));
  }

  return {
    /** The creation of a to-do waits for its task: for its id if it is known here, else for its arrival. */
    awaitParent(child: Creation, { uid, until }: AwaitedParent): void {
      const task = comingTask.get(uid);
      addWait.run(child.id, null, uid);
      if (task !== undefined) attachBelow(child, itemKeyColumn(task));
      else postpone.run(until.toString({ smallestUnit: "millisecond" }), child.id);
    },
    /** A task is about to be created: to-dos that waited for its UID belong below it. */
    attachTo(task: ItemKey): void {
      const uid = textColumn(uidOf.get(task), "uid");
      for (const row of byUid.all(uid, task)) attachBelow(creationOf(row), task);
    },
    /** The service has the task. */
    created(
      task: ItemKey,
      { id, projectId: project, ...answer }: Item & { readonly id: ServiceId },
    ): void {
      for (const row of byParent.all(task)) {
        const { id: creation, item } = creationOf(row);
        const list = answer.kind === "event" ? null : answer.listId;
        endWait.run(creation);
        setPlace.run({ id, project, list, creation, item });
        changes.publish(item);
      }
    },
    /** Parks the creation's dependents; returns them. */
    park(creation: Creation): readonly EditId[] {
      const problem = stored("problem.itemNotCreated", { edit: creation.id });
      return [
        ...publish(parkLater.all({ ...aboutCreation(creation), problem })),
        ...parkBelow(creation),
      ];
    },
    /** Parks an edit of an item whose creation is parked: without an id it could not be sent. */
    parkWithCreation({ id: edit, item }: Creation): void {
      const row = parkedCreation.get(edit);
      if (row === undefined) return;
      const creation = editIdColumn(row);
      const problem = stored("problem.itemNotCreated", { edit: creation });
      publish(parkOne.all({ ...aboutCreation({ id: creation, item }), edit, problem }));
    },
    /** Parks the to-dos below a task that already has an id, as may happen after a restore. */
    parkBelow,
    /** Resumes the dependents of a resumed creation, and ends its wait for a task that will not be created. */
    resume(creation: EditId): void {
      endVainWait(creation);
      publish(unpark.all({ creation, item: 0, problem: null, now: stamp() }));
    },
    /** The creation is given up: each to-do that waited for its task becomes a task of its own, with a remark. */
    detach({ id: creation, item }: Creation): void {
      const problem = stored("problem.parentGivenUp", { edit: creation });
      publish(unpark.all({ creation, item, problem, now: stamp() }));
      for (const row of byParent.all(item)) makeTask(creationOf(row));
    },
    /** UID of the task whose id an item's creation waits for; null if none. */
    awaitedParent: (item: ItemKey): string | null => textColumn(awaitedUid.get(item), "uid"),
    /** UID of the task that a creation waits for and that has not come in yet; null if none. */
    soughtParent: (creation: EditId): string | null => textColumn(soughtUid.get(creation), "uid"),
  };
}
