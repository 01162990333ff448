import {
  type EditExtra,
  type ExtraState,
  extraStates,
  type NewExtra,
} from "../../domain/edit-extra.ts";
import type { EditId, ItemKey, ServiceId } from "../../domain/ids.ts";
import { instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import { instantOf } from "../rows/row.ts";
import { contentColumn, extraRow } from "../rows/side-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Postponement } from "./claims.ts";

/** What happens to a claimed extra. */
export type ExtraEnding =
  | { readonly kind: "done"; readonly answer: ServiceId | null }
  | Postponement
  | { readonly kind: "park"; readonly problem: string };

/** Condition for extras `x` of edits `e` that only wait for their time. */
const unblocked = `x.state = 'pending' AND x.target <> 'item' AND e.state = 'confirmed'
  AND NOT EXISTS (SELECT 1 FROM edit_extras older JOIN edits oe ON oe.id = older.edit
                  WHERE oe.item = e.item AND older.id < x.id AND oe.state = 'confirmed'
                    AND older.target <> 'item' AND older.state IN ('pending', 'claimed'))`;

/** Comments, files and stored properties of edits, as durable as the edits. */
export function createExtras({ db, clock }: StoreDeps) {
  const insert = db.prepare(
    `INSERT INTO edit_extras (edit, kind, target, name, media_type, text, content, digest, state, created_at, updated_at)
     VALUES (@edit, @kind, @target, @name, @mediaType, @text, @content, @digest, @state, @now, @now)`,
  );
  const ofEdit = db.rows("SELECT * FROM edit_extras WHERE edit = ? ORDER BY id", extraRow);
  const ofItem = db.rows(
    `SELECT x.* FROM edit_extras x JOIN edits e ON e.id = x.edit
     WHERE e.item = ? AND e.state <> 'discarded' ORDER BY x.id`,
    extraRow,
  );
  const claimable = db.prepare(
    `SELECT x.id FROM edit_extras x JOIN edits e ON e.id = x.edit
     WHERE ${unblocked} AND (x.not_before IS NULL OR x.not_before <= ?) ORDER BY x.id LIMIT 1`,
  );
  const waiting = db.prepare(
    `SELECT min(coalesce(x.not_before, x.created_at)) AS next
     FROM edit_extras x JOIN edits e ON e.id = x.edit WHERE ${unblocked}`,
  );
  const claim = db.prepare(
    "UPDATE edit_extras SET state = 'claimed', attempts = attempts + 1, waits_for = NULL, updated_at = ? WHERE id = ?",
  );
  const byId = db.rows("SELECT * FROM edit_extras WHERE id = ?", extraRow);
  const content = db.prepare("SELECT content FROM edit_extras WHERE id = ?");
  const uploaded = db.prepare(
    "UPDATE edit_extras SET file_id = ?, problem = NULL, updated_at = ? WHERE id = ?",
  );
  const finish = db.prepare(
    `UPDATE edit_extras SET state = 'done', content = NULL, answer_id = ?, problem = NULL, updated_at = ? WHERE id = ?`,
  );
  const postpone = db.prepare(
    `UPDATE edit_extras SET state = 'pending', not_before = @until, problem = @problem, updated_at = @now,
       attempts = attempts - @uncounted, waits_for = @waitsFor WHERE id = @id`,
  );
  const park = db.prepare(
    "UPDATE edit_extras SET state = 'parked', problem = ?, updated_at = ? WHERE id = ?",
  );
  const finishUploaded = db.prepare(
    `UPDATE edit_extras SET state = 'done', content = NULL, problem = NULL, updated_at = ?
     WHERE edit = ? AND target = 'item' AND state = 'pending' AND file_id IS NOT NULL`,
  );
  const leaveToFolder = db.prepare(
    `UPDATE edit_extras SET target = 'folder', updated_at = ?
     WHERE edit = ? AND target = 'item' AND state IN ('pending', 'parked')`,
  );
  const resume = db.prepare(
    `UPDATE edit_extras SET state = 'pending', not_before = NULL, attempts = 0, updated_at = ?
     WHERE edit = ? AND state = 'parked'`,
  );
  const releaseClaims = `UPDATE edit_extras SET state = 'pending', attempts = max(attempts - 1, 0), updated_at = @now
    WHERE state = 'claimed'`;
  const release = db.prepare(releaseClaims);
  const releaseThat = db.prepare(`${releaseClaims} AND id = @id`);
  const claimed = db.prepare("SELECT id FROM edit_extras WHERE state = 'claimed'");
  const count = db.prepare(
    `SELECT ${extraStates
      .map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`)
      .join(", ")} FROM edit_extras WHERE kind <> 'kept'`,
  );
  const stamp = () => instantText(clock());

  return {
    /** Call inside the transaction of the edit. */
    append: db.transaction((edit: EditId, extras: readonly NewExtra[]): void => {
      for (const extra of extras) {
        const state = extra.kind === "kept" ? "done" : "pending";
        insert.run({ ...extra, edit, state, now: stamp() });
      }
    }),
    ofEdit: (edit: EditId): readonly EditExtra[] => ofEdit.all(edit),
    /** Extras of all edits of an item that were not discarded, oldest first. */
    ofItem: (item: ItemKey): readonly EditExtra[] => ofItem.all(item),
    /** Claims the oldest extra that may be sent: its edit is confirmed and no older one of its item waits. */
    claimNext: db.transaction((): EditExtra | null => {
      const next = claimable.get(stamp());
      if (next === undefined) return null;
      const id = numberColumn(next, "id");
      claim.run(stamp(), id);
      return byId.get(id);
    }),
    /** When the next one may be sent; null if none. */
    nextAt: (): Temporal.Instant | null => instantOf(textColumn(waiting.get(), "next")),
    /** Contents of a file; null for other extras, and once it is done. */
    content: (id: number): Uint8Array | null => contentColumn(content.get(id)),
    /** The upload is done and need not be repeated. */
    uploaded: (id: number, fileId: string): void => void uploaded.run(fileId, stamp(), id),
    settle(id: number, ending: ExtraEnding): void {
      if (ending.kind === "done") finish.run(ending.answer, stamp(), id);
      else if (ending.kind === "park") park.run(ending.problem, stamp(), id);
      else {
        const until = instantText(ending.notBefore);
        const uncounted = ending.isInterrupted ? 1 : 0;
        const { problem, waitsFor = null } = ending;
        postpone.run({ id, until, problem, uncounted, waitsFor, now: stamp() });
      }
    },
    /** The item was created with its files. Files that could not be uploaded for it go to the project's folder. */
    attached: db.transaction((edit: EditId): void => {
      finishUploaded.run(stamp(), edit);
      leaveToFolder.run(stamp(), edit);
    }),
    /** Retries the parked ones of an edit; returns how many. */
    resume: (edit: EditId): number => resume.run(stamp(), edit).changes,
    /** Puts claims back; an interrupted try does not count. Returns how many. */
    release: (): number => release.run({ now: stamp() }).changes,
    claimed: (): readonly number[] => claimed.all().map((row) => numberColumn(row, "id")),
    /** Like `release`, for one claim whose worker is gone. */
    releaseOne: (id: number): void => void releaseThat.run({ id, now: stamp() }),
    counts(): Readonly<Record<ExtraState, number>> {
      const counted = count.get();
      const of = (state: ExtraState) => numberColumn(counted, state);
      return {
        pending: of("pending"),
        claimed: of("claimed"),
        done: of("done"),
        parked: of("parked"),
      };
    },
  };
}
