import type { PersonId } from "../../domain/ids.ts";
import { waitingRow } from "../rows/edit-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** What an edit can wait for that may be there before the edit's own time has come. */
export type WaitCause = "service" | "key";

/** An edit, or a wish beside one, that waits. */
export interface Waiting {
  readonly kind: "edit" | "extra";
  readonly id: number;
  /** Under whose key it goes out; null = the account's. */
  readonly actor: PersonId | null;
}

/** What waits for the service, or for its taking a key, and would be put off for longer than that lasts. */
export interface Waits {
  of(cause: WaitCause): readonly Waiting[];
  /** Lets them go at once. */
  wake(waiting: readonly Waiting[]): void;
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
  return {
    of: (cause) => waiting.all({ cause }).map(waitingRow),
    wake: db.transaction((all: readonly Waiting[]) => {
      for (const { kind, id } of all) (kind === "edit" ? wakeEdit : wakeExtra).run(id);
    }),
  };
}
