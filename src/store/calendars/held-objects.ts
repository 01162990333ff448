import type { EditId } from "../../domain/ids.ts";
import { numberIn, risenSequenceOf } from "../../domain/object-version.ts";
import { type HeldObject, heldNumbersRow, heldObjectRow } from "../rows/calendar-rows.ts";
import { instantText } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";
import type { NewBody } from "./dav-resources.ts";

/** Objects put by edits that wait for approval. Call inside the transaction of the edit. */
export type HeldObjects = ReturnType<typeof createHeldObjects>;

interface HeldObjectsDeps extends StoreDeps {
  readonly changes: Pick<Changes, "touch">;
}

export function createHeldObjects({ db, clock, changes }: HeldObjectsDeps) {
  const insert = db.prepare(
    `INSERT OR REPLACE INTO held_objects (edit, name, component, uid, raw, body, rendered, stale, agent, at)
     VALUES (@edit, @name, @component, @uid, @raw, @body, @rendered, @stale, @agent, @at)`,
  );
  const byEdit = db.rows(
    "SELECT h.*, e.item, e.actor FROM held_objects h JOIN edits e ON e.id = h.edit WHERE h.edit = ?",
    heldObjectRow,
  );
  const setName = db.prepare("UPDATE held_objects SET name = ? WHERE edit = ?");
  const give = db.prepare(
    `INSERT OR REPLACE INTO objects (item, component, channel, uid, raw, body, rendered, stale, actor, agent, at)
     SELECT e.item, h.component, 'caldav', h.uid, h.raw, h.body, h.rendered, h.stale, e.actor, h.agent, h.at
     FROM held_objects h JOIN edits e ON e.id = h.edit WHERE h.edit = ? AND h.body IS NOT NULL`,
  );
  const remove = db.prepare("DELETE FROM held_objects WHERE edit = ?");
  const outdate = db.prepare("UPDATE held_objects SET stale = 1 WHERE edit = ?");
  const numbers = db.prepare(
    `SELECT i.item, i.sequence, h.raw, o.raw AS everybodys,
       o.stale = 1 OR EXISTS (SELECT 1 FROM versions v WHERE v.item = i.item AND v.at > o.at) AS everybodys_stale,
       h.stale = 1 OR EXISTS (SELECT 1 FROM versions v WHERE v.item = i.item AND v.at > h.at) AS stale
     FROM held_objects h JOIN edits e ON e.id = h.edit JOIN identities i USING (item)
       LEFT JOIN objects o ON o.item = i.item AND o.component = h.component AND o.body IS NOT NULL
     WHERE h.edit = ? AND h.body IS NOT NULL`,
  );
  const outdateShown = db.prepare("UPDATE objects SET stale = 1 WHERE item = ?");
  const none = { component: null, uid: null, raw: null, body: null, rendered: null, agent: null };
  return {
    /** `object`: null if the item was only moved to the name. */
    put({
      edit,
      name,
      object,
    }: {
      readonly edit: EditId;
      readonly name: string;
      readonly object: NewBody | null;
    }): void {
      const { component, uid, raw, body, rendered, agent } = object ?? none;
      const stale = object?.stale ? 1 : 0;
      const row = { edit, name, component, uid, raw, body, rendered, stale, agent };
      insert.run({ ...row, at: instantText(clock()) });
    },
    get: (edit: EditId): HeldObject | null => byEdit.find(edit),
    /** Transfers an object to the edit that replaces the one it was put by. */
    carry(edit: EditId, { name, row }: HeldObject): void {
      const { component, uid, raw, body, rendered, agent } = row ?? none;
      const stale = row?.stale ? 1 : 0;
      const at = instantText(row?.at ?? clock());
      insert.run({ edit, name, component, uid, raw, body, rendered, stale, agent, at });
    },
    /** Renames an object; does nothing without one. */
    rename: (edit: EditId, name: string): void => void setName.run(name, edit),
    /** Before an edit is approved: marks octets as outdated if others have changed the item since. */
    outdate(edit: EditId): void {
      const row = numbers.get(edit);
      if (row === undefined) return;
      const { item, put, risen, everybodys, isStale } = sequencesOf(row);
      if (isStale || everybodys > put) outdate.run(edit);
      if (everybodys > Math.max(put, risen)) changes.touch(item, everybodys);
    },
    /** On approval: the octets become the item's, for everyone. Returns false if the edit has put none. */
    grant(edit: EditId): boolean {
      const given = give.run(edit).changes;
      remove.run(edit);
      return given > 0;
    },
    /** On discard: the editor sees the item as everyone else does, with a SEQUENCE that has not decreased. */
    drop(edit: EditId): void {
      const row = numbers.get(edit);
      remove.run(edit);
      if (row === undefined) return;
      const { item, shown, least } = sequencesOf(row);
      if (shown <= least) return;
      outdateShown.run(item);
      changes.touch(item, shown);
    },
  };
}

/**
 * SEQUENCE numbers of octets put by a waiting edit: as put, `risen` after changes of the item, as `shown` to the editor, and as
 * shown to everyone else: at most `everybodys`, at least `least`.
 */
function sequencesOf(row: unknown) {
  const { item, sequence, raw, isStale, everybodys, areEverybodysStale } = heldNumbersRow(row);
  const put = numberIn(raw, "SEQUENCE") ?? 0;
  const least = everybodys === null ? sequence : (numberIn(everybodys, "SEQUENCE") ?? 0);
  const isLaidOn = everybodys !== null && areEverybodysStale;
  const risen = risenSequenceOf(raw, sequence);
  return {
    item,
    put,
    risen,
    isStale,
    shown: isStale ? risen : put,
    least,
    everybodys: isLaidOn ? risenSequenceOf(everybodys, sequence) : least,
  };
}
