import type { Edit } from "../../domain/edit.ts";
import type { EditId } from "../../domain/ids.ts";
import { editIdColumn } from "../rows/edit-rows.ts";
import { instantText, itemKeyColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";

type Creation = Pick<Edit, "id" | "item">;

/**
 * Edits that cannot go without a creation: later ones of its item, and those of to-dos that wait for the task. They wait for a
 * person with it, go on with it, and are told what has become of it. Every method belongs inside the caller's transaction.
 */
export interface Dependents {
  /** The creation waits for a person; returns which edits do so with it. */
  park(creation: Creation): readonly EditId[];
  /** The creation goes on. */
  resume(creation: EditId): void;
  /** The creation is given up: to-dos that waited for its task go on for themselves, with that remark. */
  setFree(creation: Creation): void;
}

export function createDependents({
  db,
  clock,
  changes,
}: StoreDeps & { readonly changes: Changes }): Dependents {
  const park = (which: string) =>
    db.prepare(
      `UPDATE edits SET state = 'parked', park_reason = 'failed', problem = @problem, parked_with = @creation, updated_at = @now
       WHERE state = 'pending' AND ${which} RETURNING id, item`,
    );
  const parkLater = park("item = @item AND id > @creation");
  const parkBelow = park(
    "item IN (SELECT child.item FROM parent_waits w JOIN edits child ON child.id = w.edit WHERE w.parent = @item)",
  );
  const free = db.prepare(
    `UPDATE edits SET state = 'pending', park_reason = NULL, problem = @problem, parked_with = NULL, not_before = NULL,
       attempts = 0, updated_at = @now
     WHERE parked_with = @creation AND state = 'parked' AND item <> @item RETURNING id, item`,
  );
  const stamp = () => instantText(clock());

  function publish(rows: readonly unknown[]): readonly EditId[] {
    for (const row of rows) changes.publish(itemKeyColumn(row));
    return rows.map(editIdColumn);
  }

  return {
    park({ id: creation, item }) {
      const waits = `edit ${creation} waits for a person, and this one goes on with it`;
      const about = { creation, item, now: stamp() };
      const below = `the task above it was not created: ${waits}`;
      const later = `the item was not created: ${waits}`;
      return [
        ...publish(parkLater.all({ ...about, problem: later })),
        ...publish(parkBelow.all({ ...about, problem: below })),
      ];
    },
    resume: (creation) =>
      void publish(free.all({ creation, item: 0, problem: null, now: stamp() })),
    setFree({ id: creation, item }) {
      const problem = `the task above it was given up with edit ${creation}: it became a task of its own`;
      publish(free.all({ creation, item, problem, now: stamp() }));
    },
  };
}
