import type { Edit } from "../../domain/journal.ts";
import { editStates } from "../../domain/journal.ts";
import { editRow } from "../rows/journal.ts";
import { numberColumn } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";
import type { Journal } from "./journal.ts";

/** What the journal holds. */
export function createJournalReads({
  db,
  zone,
}: StoreDeps): Pick<Journal, "get" | "list" | "heldOf" | "openCreations" | "counts"> {
  const byId = db.prepare("SELECT * FROM edits WHERE id = ?");
  const newest = db.prepare("SELECT * FROM edits ORDER BY id DESC LIMIT ?");
  const newestIn = db.prepare("SELECT * FROM edits WHERE state = ? ORDER BY id DESC LIMIT ?");
  const held = db.prepare("SELECT * FROM edits WHERE item = ? AND state = 'held' ORDER BY id DESC");
  const creations = db.prepare(
    `SELECT * FROM edits WHERE action = 'create' AND sent_at IS NOT NULL
       AND (state IN ('pending', 'claimed') OR park_reason = 'unknown-outcome')`,
  );
  const tally = db.prepare(
    `SELECT ${editStates
      .map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`)
      .join(", ")} FROM edits`,
  );
  const read = (row: unknown): Edit => editRow(row, zone);

  return {
    get(id) {
      const row = byId.get(id);
      return row === undefined ? null : read(row);
    },
    list: ({ state, limit }) => (state ? newestIn.all(state, limit) : newest.all(limit)).map(read),
    heldOf: (item) => held.all(item).map(read),
    openCreations: () => creations.all().map(read),
    counts() {
      const counted = tally.get();
      return Object.fromEntries(
        editStates.flatMap((state) => {
          const count = numberColumn(counted, state);
          return count > 0 ? [[state, count]] : [];
        }),
      );
    },
  };
}
