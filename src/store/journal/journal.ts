import {
  type Channel,
  type Edit,
  type EditAction,
  type EditState,
  editStates,
  type FieldConflict,
  type Restoration,
} from "../../domain/edit.ts";
import type { EditId, ItemKey, PersonId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { patchToPlain } from "../../domain/plain-item.ts";
import type { ObjectNames } from "../calendars/dav-resources.ts";
import type { HeldObjects } from "../calendars/held-objects.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { editIdColumn, editRowIn, restorationText } from "../rows/edit-rows.ts";
import {
  contentText,
  instantText,
  itemText,
  numberColumn,
  plainItemText,
  textColumn,
} from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";
import { type Attempts, hasCreated, isCreating } from "./attempts.ts";
import { createClaims } from "./claims.ts";
import { type AwaitedParent, createDependents } from "./dependents.ts";
import { createEndings } from "./endings.ts";
import type { Unanswered } from "./unanswered.ts";
import { createWithdrawals } from "./withdrawals.ts";

/** An edit to be accepted. */
export interface NewEdit {
  readonly channel: Channel;
  readonly actor: PersonId | null;
  /** User-Agent of the program that sent it, if any. */
  readonly program?: string | null | undefined;
  readonly item: ItemKey;
  readonly action: EditAction;
  readonly base: Item;
  readonly patch: Patch;
  readonly newLabels: readonly string[];
  readonly state: "pending" | "held";
  /** Earliest time to send it; at once if absent. */
  readonly notBefore?: Temporal.Instant;
  /** The edit that this one undoes. */
  readonly undoes?: EditId;
  /** What a late request overwrote, which this edit restores. */
  readonly restores?: Restoration;
  /** For a creation: the item was deleted before, and the service no longer knows it. */
  readonly recreates?: boolean;
  /** For a creation: the task it belongs below, if that has no id yet. */
  readonly parent?: AwaitedParent;
  /** The first edit of the same repeating item. */
  readonly madeWith?: EditId;
  /** For a held edit: an agent made it, and its editor may approve it. */
  readonly proposed?: boolean;
}

/** What a resolved edit is compared with, and what is left of it. */
interface Rebase {
  readonly base: Item;
  readonly patch: Patch;
  readonly conflicts: readonly FieldConflict[];
}

/** The durable list of edits. An edit is accepted when `append` has returned. */
export type Journal = ReturnType<typeof createJournal>;

export function createJournal({
  db,
  zone,
  clock,
  changes,
  mirror,
  objectNames,
  heldObjects,
  attempts,
  unanswered,
}: StoreDeps & {
  changes: Changes;
  mirror: Mirror;
  objectNames: ObjectNames;
  heldObjects: HeldObjects;
  attempts: Attempts;
  unanswered: Pick<Unanswered, "answering">;
}) {
  const insert = db.prepare(
    `INSERT INTO edits (channel, actor, program, item, action, base, shown, patch, new_labels, state, not_before, undoes, restores, insisted,
       created_at, updated_at)
     VALUES (@channel, @actor, @program, @item, @action, @base, @shown, @patch, @newLabels, @state, @notBefore, @undoes, @restores,
       @undoes IS NOT NULL, @now, @now)`,
  );
  const resumeOne = db.prepare(
    `UPDATE edits SET state = 'pending', park_reason = NULL, not_before = NULL, attempts = 0, insisted = 1, frozen = 0,
       missed_at = NULL, key_refused_at = NULL, parked_with = NULL, updated_at = ?
     WHERE id = ? AND state IN ('parked', 'held')`,
  );
  const aboutGone = db.prepare(
    `SELECT 1 FROM edits e JOIN identities i USING (item)
     WHERE e.id = ? AND e.action <> 'create' AND i.service_id IS NULL AND NOT EXISTS (
       SELECT 1 FROM edits made WHERE made.item = e.item AND made.id < e.id AND made.action = 'create'
         AND made.state IN ('pending', 'claimed', 'parked', 'held'))`,
  );
  const rebaseOne = db.prepare(
    `UPDATE edits SET base = @base, shown = NULL, patch = @patch, conflicts = @conflicts, before = NULL, problem = NULL WHERE id = @id`,
  );
  const setConflicts = db.prepare("UPDATE edits SET conflicts = ? WHERE id = ?");
  const discardOne = db.prepare(
    `UPDATE edits SET state = 'discarded', park_reason = NULL, frozen = 0, problem = coalesce(@why, problem), updated_at = @now
     WHERE id = @id AND (state IN ('pending', 'parked', 'held') OR (state = 'claimed' AND action = 'delete' AND before IS NULL))`,
  );
  const viewed = db.prepare("SELECT content FROM view_items WHERE item = ?");
  const reopen = db.prepare(
    `UPDATE edits SET state = 'pending', restores = ?, not_before = NULL, attempts = 0, missed_at = NULL, updated_at = ?
     WHERE id = ? AND state = 'confirmed'`,
  );
  const reads = createJournalReads({ db, zone, clock });
  const dependents = createDependents({ db, zone, clock, changes });
  /** A held edit that only its editor saw has ended. */
  const onHeldEnded = (edit: Edit): void => {
    if (!isShownToEditor(edit)) return;
    heldObjects.drop(edit.id);
    changes.logForEditor(edit.item, edit.actor);
  };
  const withdrawals = createWithdrawals({ db, zone, clock, changes, attempts, onHeldEnded });
  const propose = db.prepare("INSERT INTO edit_proposals (edit) VALUES (?)");
  const addToSeries = db.prepare("INSERT INTO edit_series (edit, first) VALUES (?, ?)");
  const stamp = () => instantText(clock());
  /** Updates one edit, and publishes its item if anything changed. */
  const change = (id: EditId, update: (edit: Edit) => { changes: number }): boolean => {
    const edit = reads.get(id);
    if (!edit || update(edit).changes === 0) return false;
    changes.publish(edit.item);
    return true;
  };
  const isAboutGone = (id: EditId): boolean => aboutGone.get(id) !== undefined;

  function resume(id: EditId): boolean {
    const edit = reads.get(id);
    if (isAboutGone(id)) return false;
    heldObjects.outdate(id);
    const isResumed = change(id, () => resumeOne.run(stamp(), id));
    if (!edit || !isResumed) return false;
    dependents.resume(id);
    dependents.parkWithCreation(edit);
    // Needed for every edit: it may have replaced the held edit that chose the name.
    objectNames.grant(edit.item);
    if (isShownToEditor(edit)) {
      // Everyone gets other octets, even if the item itself is unchanged.
      if (heldObjects.grant(id)) changes.note(edit.item);
      changes.logForEditor(edit.item, edit.actor);
    }
    return true;
  }

  return {
    ...reads,
    ...createClaims({ db, zone, clock, attempts }),
    ...createEndings({ db, zone, clock, changes, mirror, dependents, attempts, unanswered }),
    append: db.transaction((edit: NewEdit): EditId => {
      const isNew = edit.action === "create";
      const isRecreation = isNew && (edit.undoes !== undefined || edit.recreates === true);
      // A request in progress for the deleted item uses its former id. The creation will find out that this is void.
      if (isRecreation && !withdrawals.isBusy(edit.item))
        mirror.clearServiceId(edit.item, edit.base.kind);
      const { lastInsertRowid } = insert.run({
        channel: edit.channel,
        actor: edit.actor,
        program: edit.program?.slice(0, longestProgram) || null,
        item: edit.item,
        action: edit.action,
        base: itemText(edit.base),
        shown: shownBeside(edit.base, textColumn(viewed.get(edit.item), "content")),
        patch: JSON.stringify(patchToPlain(edit.patch)),
        newLabels: JSON.stringify(edit.newLabels),
        state: edit.state,
        notBefore: edit.notBefore ? instantText(edit.notBefore) : null,
        undoes: edit.undoes ?? null,
        restores: edit.restores ? restorationText(edit.restores) : null,
        now: stamp(),
      });
      const id = editIdColumn({ id: Number(lastInsertRowid) });
      if (isNew) withdrawals.replace({ id, item: edit.item }, edit.base.kind);
      changes.publish(edit.item);
      if (isShownToEditor(edit)) changes.logForEditor(edit.item, edit.actor);
      if (edit.parent) dependents.awaitParent({ id, item: edit.item }, edit.parent);
      if (isNew) dependents.attachTo(edit.item);
      if (edit.madeWith !== undefined) addToSeries.run(id, edit.madeWith);
      if (edit.proposed) propose.run(id);
      return id;
    }),
    /** Puts a parked or held edit back into the queue; false if it is in another state, or if its item is gone. */
    resume: db.transaction(resume),
    /**
     * True if the edit is about an item that no longer exists in the service, and that at most a later edit recreates. It could
     * never be sent, or would change the wrong item.
     */
    isAboutGone,
    /** Makes a confirmed edit pending again because a late request overwrote it; false if it has ended otherwise. */
    putBack: db.transaction((id: EditId, restores: Restoration) =>
      change(id, () => reopen.run(restorationText(restores), stamp(), id)),
    ),
    /** Like `resume`, against another base: a person has seen both sides of the conflict and decided. */
    rebase: db.transaction(({ id }: Edit, { base, patch, conflicts }: Rebase): boolean => {
      rebaseOne.run({
        id,
        base: itemText(base),
        patch: JSON.stringify(patchToPlain(patch)),
        conflicts: JSON.stringify(conflicts),
      });
      return resume(id);
    }),
    /** Records how a person settled the conflicts of an edit that is discarded for it. */
    settledBy: (id: EditId, conflicts: readonly FieldConflict[]): void =>
      void setConflicts.run(JSON.stringify(conflicts), id),
    /**
     * Discards an edit that has not reached the service, and with a creation the later edits of the item; false if it is too
     * late. A claimed deletion counts as sent from `replacing` on. `why`: a text for people, if nobody decided it.
     */
    discard: db.transaction((id: EditId, why?: string) =>
      change(id, (edit) => {
        const discarded = discardOne.run({ id, why: why ?? null, now: stamp() });
        // A person has decided that it was not created.
        if (edit.state === "parked") attempts.madeNothing([id]);
        if (discarded.changes > 0 && edit.action === "create") {
          withdrawals.discardFollowers(edit);
          dependents.detach(edit);
        }
        if (discarded.changes > 0) onHeldEnded(edit);
        return discarded;
      }),
    ),
    /** UID of the task whose id an item's creation waits for; null if none. */
    awaitedParent: (item: ItemKey): string | null => dependents.awaitedParent(item),
    /** UID of the task that a creation waits for and that has not come in yet; null if none. */
    soughtParent: (creation: EditId): string | null => dependents.soughtParent(creation),
    /** The deletion of the item to be created, if it may be sent; null if there is none, or if the item was recreated since. */
    deletionOf: (creation: Pick<Edit, "id" | "item">): Edit | null =>
      withdrawals.deletionOf(creation),
    /** Ends a creation and its deletion without telling the service, which is known not to have the item. */
    withdraw: db.transaction((creation: Edit, by: Edit) => withdrawals.withdraw(creation, by)),
  };
}

/** Characters of a User-Agent that are stored. The beginning identifies the program. */
const longestProgram = 200;

/** True if the edit is held and only its editor sees it applied. */
const isShownToEditor = ({ state, channel }: Pick<Edit, "state" | "channel">): boolean =>
  state === "held" && channel === "caldav";

/** The item in the view if its editor saw another version; null if it is the same. */
const shownBeside = (base: Item, content: string | null): string | null =>
  content === null || content === contentText(base) ? null : plainItemText(content);

/** Two polling rounds at the usual rate, which show the result of a request. */
const discoveryWindow = Temporal.Duration.from({ minutes: 30 });

/** Queries of the journal. */
function createJournalReads({ db, zone, clock }: StoreDeps) {
  const toEdit = editRowIn(zone);
  const byId = db.rows("SELECT * FROM journal WHERE id = ?", toEdit);
  const newest = db.rows("SELECT * FROM journal ORDER BY id DESC LIMIT ?", toEdit);
  const newestIn = db.rows(
    "SELECT * FROM journal WHERE state = ? ORDER BY id DESC LIMIT ?",
    toEdit,
  );
  const held = db.rows(
    "SELECT * FROM journal WHERE item = ? AND state = 'held' ORDER BY id DESC",
    toEdit,
  );
  const heldByPerson = db.rows(
    "SELECT * FROM journal WHERE state = 'held' AND channel = 'caldav' AND actor = ? ORDER BY id",
    (row) => [JSON.stringify(row), row] as const,
  );
  const proposal = db.prepare("SELECT 1 FROM edit_proposals WHERE edit = ?");
  const together = db.rows(
    `SELECT e.id FROM (SELECT coalesce((SELECT first FROM edit_series WHERE edit = @id), @id) AS first) s
       JOIN edits e ON e.id = s.first OR e.id IN (SELECT edit FROM edit_series WHERE first = s.first) ORDER BY e.id`,
    editIdColumn,
  );
  const creations = db.rows(
    `SELECT * FROM journal e WHERE state IN ('pending', 'claimed') AND begun > 0 AND action = 'create' AND ${hasCreated("e.id")}
     UNION ALL SELECT * FROM journal e WHERE state = 'parked' AND action = 'create' AND ${hasCreated("e.id", "a.sent_at > @since")}`,
    toEdit,
  );
  const givenUp = db.rows(
    `SELECT * FROM journal WHERE state = 'discarded'
       AND id IN (SELECT edit FROM attempts WHERE lands_until > @since AND ${isCreating("act")})`,
    toEdit,
  );
  const count = db.prepare(
    `SELECT ${editStates
      .map((state) => `count(*) FILTER (WHERE state = '${state}') AS ${state}`)
      .join(", ")} FROM edits`,
  );
  const lastHeld = new Map<PersonId, ReadonlyMap<string, Edit>>();
  const ago = (span: Temporal.Duration): string => instantText(clock().subtract(span));

  return {
    get: (id: EditId): Edit | null => byId.find(id),
    list: ({
      state,
      limit,
    }: {
      readonly state?: EditState | undefined;
      readonly limit: number;
    }): readonly Edit[] => (state ? newestIn.all(state, limit) : newest.all(limit)),
    /** True if an agent made it, so that its editor may approve it. */
    isProposed: (id: EditId): boolean => proposal.get(id) !== undefined,
    /** Edits made from the same repeating item, oldest first; none for any other edit. */
    madeTogether(id: EditId): readonly EditId[] {
      const ids = together.all({ id });
      return ids.length > 1 ? ids : [];
    },
    /** Held edits of an item, newest first. */
    heldOf: (item: ItemKey): readonly Edit[] => held.all(item),
    /** Held edits from a person's calendar programs, oldest first. That person sees them applied. */
    heldBy(person: PersonId): readonly Edit[] {
      const before = lastHeld.get(person);
      const rows = heldByPerson.all(person);
      const edits = new Map(rows.map(([text, row]) => [text, before?.get(text) ?? toEdit(row)]));
      lastHeld.set(person, edits);
      return [...edits.values()];
    },
    /**
     * Creations with a request sent that are in progress, or were parked within half an hour after it. An item found by a sweep
     * may be theirs.
     */
    openCreations: (): readonly Edit[] => creations.all({ since: ago(discoveryWindow) }),
    /** Creations given up within half an hour after their request may have been carried out. */
    givenUpCreations: (): readonly Edit[] => givenUp.all({ since: ago(discoveryWindow) }),
    counts(): Readonly<Partial<Record<EditState, number>>> {
      const counted = count.get();
      return Object.fromEntries(
        editStates.flatMap((state) => {
          const edits = numberColumn(counted, state);
          return edits > 0 ? [[state, edits]] : [];
        }),
      );
    },
  };
}
