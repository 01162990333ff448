import type { EditId, ItemKey, PersonId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import {
  type Channel,
  type Edit,
  type EditAction,
  type EditState,
  editStates,
  type FieldConflict,
  type ParkReason,
} from "../domain/journal.ts";
import type { Patch } from "../domain/merge.ts";
import { patchToPlain } from "../domain/plain-item.ts";
import { sourceOf } from "../domain/source.ts";
import type { Changes, StoreDeps } from "./changes.ts";
import type { Mirror } from "./mirror.ts";
import { instantOf, instantText, itemText, numberColumn, textColumn } from "./rows.ts";
import { editIdColumn, editRow } from "./rows-journal.ts";

/** An edit that is to be taken in. */
export interface NewEdit {
  readonly channel: Channel;
  readonly actor: PersonId | null;
  readonly item: ItemKey;
  readonly action: EditAction;
  readonly base: Item;
  readonly patch: Patch;
  readonly newLabels: readonly string[];
  readonly state: "pending" | "held";
  /** The edit of which this one is the inverse. */
  readonly undoes?: EditId;
}

/** How a claimed edit goes on that was not carried out. */
export type Settlement =
  | { readonly kind: "retry"; readonly notBefore: Temporal.Instant; readonly problem: string }
  | {
      readonly kind: "park";
      readonly reason: ParkReason;
      readonly problem: string;
      readonly clash?: Clash;
      readonly frozen?: boolean;
    }
  | { readonly kind: "discard"; readonly problem: string; readonly clash: Clash };

/** What both sides changed, and the item as the service has it. */
export interface Clash {
  readonly before: Item;
  readonly conflicts: readonly FieldConflict[];
}

/** The durable list of what people want. An edit is accepted when `append` has returned. */
export interface Journal {
  append(edit: NewEdit): EditId;
  /** The oldest edit that may go now and whose item has no older one under way; it becomes `claimed`. */
  claimNext(): Edit | null;
  /** When the next edit may go, of those that wait for nothing but time; null when there is none. */
  nextAt(): Temporal.Instant | null;
  /** Notes that a creating request leaves now: should its answer be lost, the item is looked up from here on. */
  sending(id: EditId): void;
  /** Notes what a change or deletion is about to meet; of several tries the first counts. It is what an undo restores. */
  leaving(id: EditId, before: Item): void;
  /** Notes that the item was not found in its place. */
  missing(id: EditId): void;
  /**
   * The service has it: its answer becomes the mirror's row, and the entry is confirmed with its conflicts, together;
   * what it is the inverse of becomes `undone`. Null = it is deleted, and with a task its subtasks are.
   */
  confirm(edit: Edit, answer: Item | null): void;
  settle(edit: Edit, settlement: Settlement): void;
  /** Puts claims back, at start-up and before a clean end. Returns how many. */
  release(): number;
  /** Gives a parked or held edit back to the drain; false when it is in no such state. */
  resume(id: EditId): boolean;
  /** As `resume`, against another version than the editor saw: a person has seen both sides of the conflict. */
  rebase(edit: Edit, against: { readonly base: Item; readonly patch: Patch }): boolean;
  /**
   * Takes an edit that has not reached the service out of the view, and with a creation the later edits of what will
   * not exist; false when it is too late.
   */
  discard(id: EditId): boolean;
  get(id: EditId): Edit | null;
  list(filter: { readonly state?: EditState | undefined; readonly limit: number }): readonly Edit[];
  /** Creations whose outcome is not settled: an item that a sweep finds may be theirs. */
  openCreations(): readonly Edit[];
  counts(): Readonly<Partial<Record<EditState, number>>>;
}

/** Thrown when an answer without an id is to confirm an edit: decoders refuse such answers, so nothing may build on it. */
export class UnidentifiedAnswerError extends Error {
  override readonly name = "UnidentifiedAnswerError";
  readonly edit: EditId;
  constructor(edit: EditId) {
    super(`the answer to edit ${edit} names no id`);
    this.edit = edit;
  }
}

/** Edits `e` of identities `i` that neither an older edit of their item nor a missing id holds back. */
const free = `e.state = 'pending' AND (e.action = 'create' OR i.service_id IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM edits older WHERE older.item = e.item AND older.id < e.id
                  AND older.state IN ('pending', 'claimed'))`;

export function createJournal({
  db,
  zone,
  clock,
  changes,
  mirror,
}: StoreDeps & { changes: Changes; mirror: Mirror }): Journal {
  const insert = db.prepare(
    `INSERT INTO edits (channel, actor, item, action, base, patch, new_labels, state, undoes, insisted, created_at, updated_at)
     VALUES (@channel, @actor, @item, @action, @base, @patch, @newLabels, @state, @undoes, @undoes IS NOT NULL, @now, @now)`,
  );
  const claimable = db.prepare(
    `SELECT e.* FROM edits e JOIN identities i USING (item)
     WHERE ${free} AND (e.not_before IS NULL OR e.not_before <= @now) ORDER BY e.id LIMIT 1`,
  );
  const claim = db.prepare(
    "UPDATE edits SET state = 'claimed', attempts = attempts + 1, updated_at = ? WHERE id = ?",
  );
  const waiting = db.prepare(
    `SELECT min(coalesce(e.not_before, e.created_at)) AS next
     FROM edits e JOIN identities i USING (item) WHERE ${free}`,
  );
  const sent = db.prepare(
    "UPDATE edits SET sent_at = coalesce(sent_at, ?), updated_at = ? WHERE id = ?",
  );
  const meet = db.prepare("UPDATE edits SET before = coalesce(before, ?) WHERE id = ?");
  const miss = db.prepare("UPDATE edits SET missed_at = ? WHERE id = ?");
  const finish = db.prepare(
    `UPDATE edits SET state = 'confirmed', park_reason = NULL, answer = @answer, conflicts = @conflicts, problem = NULL,
       updated_at = @now, confirmed_at = @now WHERE id = @id`,
  );
  const undo = db.prepare(
    "UPDATE edits SET state = 'undone', updated_at = ? WHERE id = ? AND state = 'confirmed'",
  );
  const postpone = db.prepare(
    "UPDATE edits SET state = 'pending', not_before = ?, problem = ?, updated_at = ? WHERE id = ?",
  );
  const lay = db.prepare(
    `UPDATE edits SET state = @state, park_reason = @reason, problem = @problem, before = coalesce(@before, before),
       conflicts = @conflicts, frozen = @frozen, updated_at = @now WHERE id = @id`,
  );
  const releaseAll = db.prepare(
    "UPDATE edits SET state = 'pending', updated_at = ? WHERE state = 'claimed'",
  );
  const resumeOne = db.prepare(
    `UPDATE edits SET state = 'pending', park_reason = NULL, not_before = NULL, attempts = 0, insisted = 1, frozen = 0,
       missed_at = NULL, updated_at = ? WHERE id = ? AND state IN ('parked', 'held')`,
  );
  const turn = db.prepare(
    `UPDATE edits SET base = @base, patch = @patch, conflicts = @conflicts, before = NULL, problem = NULL WHERE id = @id`,
  );
  const discardOne = db.prepare(
    `UPDATE edits SET state = 'discarded', park_reason = NULL, frozen = 0, updated_at = ?
     WHERE id = ? AND state IN ('pending', 'parked', 'held')`,
  );
  const discardFollowers = db.prepare(
    `UPDATE edits SET state = 'discarded', park_reason = NULL, updated_at = ?
     WHERE item = ? AND id > ? AND state IN ('pending', 'parked', 'held')`,
  );
  const byId = db.prepare("SELECT * FROM edits WHERE id = ?");
  const newest = db.prepare("SELECT * FROM edits ORDER BY id DESC LIMIT ?");
  const newestIn = db.prepare("SELECT * FROM edits WHERE state = ? ORDER BY id DESC LIMIT ?");
  const creations = db.prepare(
    `SELECT * FROM edits WHERE action = 'create' AND sent_at IS NOT NULL
       AND (state IN ('pending', 'claimed') OR park_reason = 'unknown-outcome')`,
  );
  const tally = db.prepare(
    `SELECT ${editStates
      .map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`)
      .join(", ")} FROM edits`,
  );
  const stamp = () => instantText(clock());
  const read = (row: unknown): Edit | null => (row === undefined ? null : editRow(row, zone));

  /** Runs an update of one edit and publishes its item when it took place. */
  const change = (id: EditId, update: (edit: Edit) => { changes: number }): boolean => {
    const edit = read(byId.get(id));
    if (!edit || update(edit).changes === 0) return false;
    changes.publish(edit.item);
    return true;
  };
  const resume = (id: EditId): boolean => change(id, () => resumeOne.run(stamp(), id));

  function buryWhole(key: ItemKey): void {
    const { kind, serviceId: id } = mirror.identity(key);
    const below = kind === "task" && id !== null ? mirror.ofSource(`subtasks:${id}`) : [];
    for (const subtask of below) mirror.bury(subtask.key);
    mirror.bury(key);
  }

  return {
    append: db.transaction((edit: NewEdit): EditId => {
      if (edit.action === "create" && edit.undoes !== undefined) mirror.disown(edit.item);
      const { lastInsertRowid } = insert.run({
        channel: edit.channel,
        actor: edit.actor,
        item: edit.item,
        action: edit.action,
        base: itemText(edit.base),
        patch: JSON.stringify(patchToPlain(edit.patch)),
        newLabels: JSON.stringify(edit.newLabels),
        state: edit.state,
        undoes: edit.undoes ?? null,
        now: stamp(),
      });
      changes.publish(edit.item);
      return editIdColumn({ id: Number(lastInsertRowid) });
    }),
    claimNext: db.transaction((): Edit | null => {
      const next = read(claimable.get({ now: stamp() }));
      if (!next) return null;
      claim.run(stamp(), next.id);
      return read(byId.get(next.id));
    }),
    nextAt() {
      const next = textColumn(waiting.get(), "next");
      return instantOf(next);
    },
    sending: (id) => void sent.run(stamp(), stamp(), id),
    leaving: (id, before) => void meet.run(itemText(before), id),
    missing: (id) => void miss.run(stamp(), id),
    confirm: db.transaction((edit: Edit, answer: Item | null) => {
      const conflicts = JSON.stringify(edit.conflicts);
      finish.run({ id: edit.id, answer: answer && itemText(answer), conflicts, now: stamp() });
      if (edit.undoes !== null) undo.run(stamp(), edit.undoes);
      if (!answer) buryWhole(edit.item);
      else {
        if (!answer.id) throw new UnidentifiedAnswerError(edit.id);
        if (edit.action === "create") mirror.adopt(edit.item, answer.id);
        mirror.put({ ...answer, id: answer.id }, sourceOf(answer));
      }
      changes.publish(edit.item);
    }),
    settle: db.transaction((edit: Edit, settlement: Settlement) => {
      if (settlement.kind === "retry") {
        postpone.run(instantText(settlement.notBefore), settlement.problem, stamp(), edit.id);
        return;
      }
      const { problem, clash } = settlement;
      const isParked = settlement.kind === "park";
      lay.run({
        id: edit.id,
        state: isParked ? "parked" : "discarded",
        reason: isParked ? settlement.reason : null,
        problem,
        before: clash ? itemText(clash.before) : null,
        conflicts: JSON.stringify(clash?.conflicts ?? edit.conflicts),
        frozen: isParked && settlement.frozen ? 1 : 0,
        now: stamp(),
      });
      changes.publish(edit.item);
    }),
    release: () => releaseAll.run(stamp()).changes,
    resume: db.transaction(resume),
    rebase: db.transaction(({ id, conflicts }: Edit, against: { base: Item; patch: Patch }) => {
      turn.run({
        id,
        base: itemText(against.base),
        patch: JSON.stringify(patchToPlain(against.patch)),
        conflicts: JSON.stringify(conflicts.map((each) => ({ ...each, taken: "theirs" }))),
      });
      return resume(id);
    }),
    discard: db.transaction((id: EditId) =>
      change(id, (edit) => {
        const discarded = discardOne.run(stamp(), id);
        if (discarded.changes > 0 && edit.action === "create") {
          discardFollowers.run(stamp(), edit.item, id);
        }
        return discarded;
      }),
    ),
    get: (id) => read(byId.get(id)),
    list({ state, limit }) {
      const rows = state ? newestIn.all(state, limit) : newest.all(limit);
      return rows.map((row) => editRow(row, zone));
    },
    openCreations: () => creations.all().map((row) => editRow(row, zone)),
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
