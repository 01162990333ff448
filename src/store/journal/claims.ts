import type { Edit } from "../../domain/journal.ts";
import { landsAfterCrash } from "../../domain/landing.ts";
import { editRow } from "../rows/journal.ts";
import { instantOf, instantText, textColumn } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";
import type { Journal } from "./journal.ts";

/**
 * Edits `e` of identities `i` that no older edit of their item, no missing id and no task above them holds back. An older one
 * that is put back while a newer one is under way waits for that.
 */
const free = `e.state = 'pending' AND (e.action = 'create' OR i.service_id IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM edits older WHERE older.item = e.item AND older.id < e.id
                  AND older.state IN ('pending', 'claimed'))
  AND NOT EXISTS (SELECT 1 FROM edits newer WHERE newer.item = e.item AND newer.id > e.id
                  AND newer.state = 'claimed')
  AND NOT EXISTS (SELECT 1 FROM parent_waits w WHERE w.edit = e.id AND w.parent IS NOT NULL)`;

/** Which edit goes next. */
export function createClaims({
  db,
  zone,
  clock,
}: StoreDeps): Pick<Journal, "claimNext" | "nextAt" | "release" | "releaseOne"> {
  const claimable = db.prepare(
    `SELECT e.* FROM edits e JOIN identities i USING (item)
     WHERE ${free} AND (e.not_before IS NULL OR e.not_before <= @now) ORDER BY e.id LIMIT 1`,
  );
  const claim = db.prepare(
    "UPDATE edits SET state = 'claimed', attempts = attempts + 1, begun = begun + 1, waits_for = NULL, updated_at = ? WHERE id = ?",
  );
  const waiting = db.prepare(
    `SELECT min(coalesce(e.not_before, e.created_at)) AS next
     FROM edits e JOIN identities i USING (item) WHERE ${free}`,
  );
  // A request may have waited for its turn after it was noted, and have left just before the end.
  const release = `UPDATE edits SET state = 'pending', attempts = max(attempts - 1, 0),
    lands_until = iif(lands_until < @until, @until, lands_until), updated_at = @now WHERE state = 'claimed'`;
  const releaseAll = db.prepare(release);
  const releaseThat = db.prepare(`${release} AND id = @id`);
  const endWait = db.prepare("DELETE FROM parent_waits WHERE edit = ?");
  const byId = db.prepare("SELECT * FROM edits WHERE id = ?");
  const stamp = () => instantText(clock());
  const interrupted = (timeout: Temporal.Duration) => ({
    now: stamp(),
    until: instantText(landsAfterCrash(clock(), timeout)),
  });
  const read = (row: unknown): Edit | null => (row === undefined ? null : editRow(row, zone));

  return {
    claimNext: db.transaction((): Edit | null => {
      const next = read(claimable.get({ now: stamp() }));
      if (!next) return null;
      claim.run(stamp(), next.id);
      // Whoever comes now comes too late to be its parent.
      endWait.run(next.id);
      return read(byId.get(next.id));
    }),
    nextAt: () => instantOf(textColumn(waiting.get(), "next")),
    release: (timeout) => releaseAll.run(interrupted(timeout)).changes,
    releaseOne: (id, timeout) => void releaseThat.run({ ...interrupted(timeout), id }),
  };
}
