import type { Edit } from "../../domain/journal.ts";
import { editRow } from "../rows/journal.ts";
import { instantText } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";

/** Edits that take an item to another place. While one is carried out the service may show the item twice, or not at all. */
export interface Moves {
  /**
   * Moves of which a request has left and whose outcome is open, or that ended within the last ten minutes: an answer
   * that was asked for before may still come in.
   */
  recent(): readonly Edit[];
}

const afterglow = Temporal.Duration.from({ minutes: 10 });

export function createMoves({ db, zone, clock }: StoreDeps): Moves {
  const recent = db.prepare(
    `SELECT * FROM edits WHERE action = 'update' AND sent_at IS NOT NULL
       AND (state IN ('pending', 'claimed') OR confirmed_at > ?)`,
  );
  return {
    recent: () =>
      recent.all(instantText(clock().subtract(afterglow))).map((row) => editRow(row, zone)),
  };
}
