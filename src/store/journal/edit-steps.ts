import type { Decider } from "../../domain/edit.ts";
import type { EditId, ItemKey } from "../../domain/ids.ts";
import { type EditStep, editStepRow, stepKinds } from "../rows/edit-rows.ts";
import { instantText, textColumn } from "../rows/item-rows.ts";
import { instantOf } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** Steps within one millisecond are ordered as they were written. */
const inOrder = (a: EditStep, b: EditStep): number =>
  Temporal.Instant.compare(a.at, b.at) ||
  a.round - b.round ||
  stepKinds.indexOf(a.kind) - stepKinds.indexOf(b.kind);

/** What happened to edits since they were accepted. Triggers record changes of state; see the migration. */
export function createEditSteps({ db, clock }: StoreDeps) {
  const ofEdit = db.rows("SELECT * FROM edit_steps WHERE edit = ? ORDER BY at", editStepRow);
  const insert = db.prepare(
    `INSERT INTO edit_steps (edit, round, kind, detail, at, last_at)
     VALUES (@edit, (SELECT count(*) FROM edit_steps WHERE edit = @edit AND kind IN ('approved', 'released', 'overtaken')),
       @kind, @detail, @now, @now)
     ON CONFLICT (edit, round, kind, detail) DO UPDATE SET last_at = excluded.last_at, times = times + 1`,
  );
  // Each of these starts a new round, except discarding, which comes last.
  const decide = db.prepare(
    `UPDATE edit_steps SET decided_by = @by
     WHERE edit = @edit AND kind IN ('approved', 'released', 'discarded') AND round = (
       SELECT max(round) FROM edit_steps WHERE edit = @edit AND kind IN ('approved', 'released', 'discarded'))`,
  );
  const shown = db.prepare("SELECT min(at) AS at FROM versions WHERE item = ? AND at >= ?");
  const note = (edit: EditId, kind: "resolved" | "released", detail: string) =>
    void insert.run({ edit, kind, detail, now: instantText(clock()) });
  return {
    /** In the order of their first occurrence. */
    of: (edit: EditId): readonly EditStep[] => ofEdit.all(edit).toSorted(inOrder),
    /** Records a person's decision about an edit, as JSON. Call inside the transaction that carries it out. */
    resolved: (edit: EditId, decision: unknown): void =>
      note(edit, "resolved", JSON.stringify(decision)),
    /** Records who approved or discarded an edit. Call inside the transaction that does it. */
    decided: (edit: EditId, by: Decider): void => void decide.run({ edit, by: JSON.stringify(by) }),
    /** Records that a person retries an edit's comments and files. */
    extrasReleased: (edit: EditId): void => note(edit, "released", "what hangs on it"),
    /** When everyone first saw another version of the item at or after a moment; null if never. */
    shownAfter: (item: ItemKey, since: Temporal.Instant): Temporal.Instant | null =>
      instantOf(textColumn(shown.get(item, instantText(since)), "at")),
  };
}
