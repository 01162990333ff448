import { type Edit, overlay } from "../../domain/edit.ts";
import { fieldNames, fieldOf, jsonKeyOf } from "../../domain/fields.ts";
import { type ItemKey, type PersonId, type Revision, revision } from "../../domain/ids.ts";
import { type CollectionName, collectionOf, directory, type Item } from "../../domain/item.ts";
import { fieldsOf, type PatchField, patchFields, placedIn, placeOf } from "../../domain/patch.ts";
import { fromPlain, type PlainItem, publishedPart } from "../../domain/plain-item.ts";
import { sameDescription, sameTitle } from "../../domain/same-values.ts";
import { editRowIn } from "../rows/edit-rows.ts";
import {
  contentText,
  heldPlaceRow,
  identityRow,
  instantText,
  itemKeyColumn,
  mirrorRow,
  plainContent,
  provenanceOf,
  triedRow,
  viewRow,
} from "../rows/item-rows.ts";
import { upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";
import { assignedCalendar, createChangeLog, everybody, everyProject } from "./view.ts";

/** Whose calendars a change concerns. */
interface Recipients {
  /** Null: everyone who has the collection. Private items concern their creator and those assigned. */
  readonly audience: readonly number[] | null;
  /** People whose "Assigned to me" shows the item, before or after. */
  readonly assigned: ReadonlySet<number>;
  /** True if two-way calendars show the item unchanged. */
  readonly quiet?: boolean;
}

/** An edit whose result is being stored. */
export type SettledEdit = Pick<Edit, "item" | "action" | "patch">;

/** The change log and the view it describes. Call every method inside a transaction. */
export type Changes = ReturnType<typeof createChanges>;

export function createChanges({ db, zone, clock }: StoreDeps) {
  const identity = db.rows("SELECT * FROM identities WHERE item = ?", identityRow);
  const mirrored = db.rows(
    "SELECT m.*, i.service_id FROM mirror_items m JOIN identities i USING (item) WHERE m.item = ?",
    mirrorRow,
  );
  const openEdits = db.rows(
    "SELECT * FROM journal WHERE item = ? AND state IN ('pending', 'claimed') ORDER BY id",
    editRowIn(zone),
  );
  const taskOf = db.rows(
    "SELECT item FROM identities WHERE kind = 'task' AND service_id = ?",
    itemKeyColumn,
  );
  const viewed = db.rows(
    "SELECT item, collection, content FROM view_items WHERE item = ?",
    viewRow,
  );
  const viewedBelow = db.rows("SELECT item FROM view_items WHERE parent_id = ?", itemKeyColumn);
  const putView = db.prepare(
    upsert("view_items", { key: ["item"], columns: ["collection", "content"] }),
  );
  const dropView = db.prepare("DELETE FROM view_items WHERE item = ?");
  const addVersion = db.prepare(
    `INSERT INTO versions (item, revision, sequence, at, collection, content, modified_at, had, edited)
     SELECT @key, @revision, sequence, @at, @collection, @content, modified_at, iif(@content IS @had, NULL, @had),
       @content IS NOT @had FROM identities WHERE item = @key`,
  );
  const carriedOut = db.prepare(
    `UPDATE versions SET edited = 2 WHERE item = @key AND edited = 1 AND content IS @had
       AND revision > coalesce((SELECT max(revision) FROM versions WHERE item = @key AND edited <> 1), 0)`,
  );
  const nowBelow = db.prepare(
    `UPDATE versions SET had = @had WHERE item = @key AND edited = 1 AND had IS NOT @had
       AND revision = (SELECT max(revision) FROM versions WHERE item = @key)`,
  );
  const everShown = db.prepare("SELECT 1 FROM versions WHERE item = ? LIMIT 1");
  const setSequence = db.prepare(
    "UPDATE identities SET sequence = ?, modified_at = ? WHERE item = ?",
  );
  const addChange = db.prepare(
    `INSERT INTO changes (at, collection, item, act, audience, quiet)
     VALUES (@at, @collection, @key, @act, @audience, @quiet)`,
  );
  const raiseSeen = db.prepare(
    `INSERT INTO seen_changes (collection, person, revision) VALUES (?, ?, ?)
     ON CONFLICT (collection, person) DO UPDATE SET revision = excluded.revision`,
  );
  const privateList = db.prepare("SELECT 1 FROM todolists WHERE id = ? AND private = 1");
  const openProject = db.prepare(
    `SELECT 1 FROM projects WHERE id = @project AND archived = 0
       AND (members = '[]' OR EXISTS (SELECT 1 FROM json_each(members) WHERE value = @person))`,
  );
  const raiseRevision = db.prepare(
    `INSERT INTO collections (name, project_id, revision) VALUES (?, ?, ?)
     ON CONFLICT (name, project_id) DO UPDATE SET revision = excluded.revision`,
  );
  const markStale = db.prepare("UPDATE objects SET stale = 1 WHERE item = ? AND stale = 0");
  const markHeldStale = db.prepare(
    "UPDATE held_objects SET stale = 1 WHERE stale = 0 AND edit IN (SELECT id FROM edits WHERE item = ? AND state = 'held')",
  );
  const triedPlaces = db.rows(
    `SELECT DISTINCT c.collection, k.project_id FROM object_names n JOIN changes c USING (revision)
       JOIN collections k ON k.name = c.collection
     WHERE n.item IN (@key, @above) AND n.person IS NOT NULL AND c.collection NOT IN (SELECT collection FROM view_items WHERE item = @key)`,
    triedRow,
  );
  const heldPlaces = db.rows(
    `SELECT DISTINCT e.actor, c.collection, k.project_id FROM edits e JOIN object_names n ON n.item = e.item AND n.person = e.actor
       JOIN changes c USING (revision) JOIN collections k ON k.name = c.collection
     WHERE e.item IN (@key, @above) AND e.state = 'held' AND c.collection <> @collection`,
    heldPlaceRow,
  );
  const subtasksOf = db.rows(
    `SELECT below.item FROM identities task JOIN view_items below ON below.parent_id = task.service_id
     WHERE task.item = ? AND task.kind = 'task'`,
    itemKeyColumn,
  );
  let settled: SettledEdit | null = null;

  /** The item with its edits applied. A subtask is where its task is shown, also during a move of the task. */
  function current(key: ItemKey): Item | null {
    const item = overlaid(key);
    if (item?.kind !== "subtask" || item.parentId === null) return item;
    const taskKey = taskOf.find(item.parentId);
    const task = taskKey && overlaid(taskKey);
    return task ? placedIn(item, placeOf(task)) : item;
  }

  const overlaid = (key: ItemKey): Item | null => overlay(inWorkspace(key), openEdits.all(key));

  /** The item as it last was in the workspace. */
  function inWorkspace(key: ItemKey): Item | null {
    const row = mirrored.find(key);
    if (!row) return null;
    const { content, ...known } = row;
    return fromPlain(plainContent(content), provenanceOf(known), zone);
  }

  function hadOf(key: ItemKey): string | null {
    const item = inWorkspace(key);
    return item && contentText(item);
  }

  /** For an unchanged view: records that the workspace now has the last versions. */
  function settle(key: ItemKey): void {
    const had = hadOf(key);
    carriedOut.run({ key, had });
    nowBelow.run({ key, had });
  }

  function log(
    collection: CollectionName,
    change: { key: ItemKey | null; act: "put" | "bury"; project: number; recipients: Recipients },
  ) {
    const { key, act, project, recipients } = change;
    const { audience, assigned, quiet = false } = recipients;
    const { lastInsertRowid } = addChange.run({
      at: instantText(clock()),
      collection,
      key,
      act,
      audience: audience && JSON.stringify(audience),
      quiet: Number(quiet),
    });
    const at = Number(lastInsertRowid);
    raiseRevision.run(collection, project, at);
    if (quiet) return at;
    for (const person of audience ?? [everybody]) raiseSeen.run(collection, person, at);
    for (const person of assigned) raiseSeen.run(assignedCalendar, person, at);
    return at;
  }

  /** Who saw one of the versions of an item. */
  function recipientsOf(versions: readonly PlainItem[]): Recipients {
    const hidden = versions.filter((one) =>
      one.kind === "event" ? one.private : privateList.get(one.listId) !== undefined,
    );
    const parties = new Set(hidden.flatMap(partiesOf));
    const assigned = versions.flatMap((one) =>
      one.assigned.filter(
        (person) => openProject.get({ project: one.projectId, person }) !== undefined,
      ),
    );
    return {
      audience: hidden.length < versions.length ? null : [...parties],
      assigned: new Set(assigned),
    };
  }

  function nextModified(previous: Temporal.Instant): Temporal.Instant {
    const now = clock().round({ smallestUnit: "second", roundingMode: "floor" });
    // A second edit within a second raises it too, as some calendars only look at LAST-MODIFIED.
    return Temporal.Instant.compare(now, previous) > 0 ? now : previous.add({ seconds: 1 });
  }

  function raiseSequence(key: ItemKey, least = 0): void {
    const { sequence, modifiedAt } = identity.get(key);
    const next = Math.max(sequence + 1, least);
    setSequence.run(next, nextModified(modifiedAt).toString(), key);
  }

  /** Logs a change of an item where held moves of it, or of its task, show it to their editors. */
  function logWhereHeld(key: ItemKey, plain: PlainItem, collection: CollectionName) {
    const parentId = plain.kind === "event" ? null : plain.parentId;
    const above = (parentId === null ? null : taskOf.find(parentId)) ?? key;
    for (const { collection: place, project, actor } of heldPlaces.all({ key, above, collection }))
      log(place, { key, act: "put", project, recipients: onlyTo(actor) });
  }

  /** Stores the new version with its SEQUENCE and LAST-MODIFIED. */
  function keepVersion(
    key: ItemKey,
    version: { revision: number; collection: CollectionName; content: string | null },
  ): void {
    const { revision, collection, content } = version;
    const at = instantText(clock());
    addVersion.run({ key, at, had: hadOf(key), revision, collection, content });
  }

  function bury(key: ItemKey, shown: { collection: CollectionName; content: string }): void {
    const plain = plainContent(shown.content);
    const at = log(shown.collection, {
      key,
      act: "bury",
      project: plain.projectId,
      recipients: recipientsOf([plain]),
    });
    raiseSequence(key);
    keepVersion(key, { revision: at, collection: shown.collection, content: null });
    dropView.run(key);
    logWhereHeld(key, plain, shown.collection);
  }

  function put(
    key: ItemKey,
    item: Item,
    shown: { collection: CollectionName; content: string } | null,
  ): void {
    const content = contentText(item);
    const collection = collectionOf(item);
    const before = shown && plainContent(shown.content);
    if (shown && before && shown.collection !== collection) {
      log(shown.collection, {
        key,
        act: "bury",
        project: before.projectId,
        recipients: recipientsOf([before]),
      });
    }
    const isThere = before !== null && shown?.collection === collection;
    const after = plainContent(content);
    const lastPublished = before ? publishedPart(before) : everShown.get(key) ? "buried" : null;
    const isChangedText = lastPublished !== null && lastPublished !== publishedPart(after);
    if (isChangedText) raiseSequence(key);
    const settledHere = settled?.item === key ? settled : null;
    if (isChangedText && !(before && !isNews({ before, after }, settledHere))) {
      markStale.run(key);
      markHeldStale.run(key);
    }
    const quiet = isThere && !isChangedText && isSeenAlike(before, after);
    const recipients = { ...recipientsOf(isThere ? [before, after] : [after]), quiet };
    const at = log(collection, { key, act: "put", project: item.projectId, recipients });
    keepVersion(key, { revision: at, collection, content });
    putView.run({ item: key, collection, content });
    if (isThere && before.projectId !== item.projectId) {
      // A todolist that changes projects keeps its collection. The old project has changed too.
      raiseRevision.run(collection, before.projectId, at);
    }
    if (!quiet) logWhereHeld(key, after, collection);
  }

  function publish(key: ItemKey): boolean {
    const item = current(key);
    const shown = viewed.find(key);
    const isSame = item
      ? shown?.collection === collectionOf(item) && shown.content === contentText(item)
      : shown === null;
    if (isSame) {
      settle(key);
      return false;
    }
    if (item) put(key, item, shown);
    else if (shown) bury(key, shown);
    if (item?.kind === "task" && !(shown && isAt(shown, item))) publishBelow(item);
    return true;
  }

  /** Publishes the subtasks of a task that is shown in another place or again. It may have moved while hidden. */
  function publishBelow(task: Item): void {
    for (const key of viewedBelow.all(task.id)) publish(key);
  }

  function note(
    key: ItemKey,
    recipients: Recipients | null = null,
  ): { at: Revision; collection: CollectionName; content: string } | null {
    const row = viewed.find(key);
    if (!row) return null;
    const { collection, content } = row;
    const plain = plainContent(content);
    const at = log(collection, {
      key,
      act: "put",
      project: plain.projectId,
      recipients: recipients ?? recipientsOf([plain]),
    });
    if (recipients === null) logWhereHeld(key, plain, collection);
    return { at: revision(at), collection, content };
  }

  function logInTriedPlaces(key: ItemKey, recipients: Recipients | null, above = key): void {
    note(key, recipients);
    for (const { collection, project } of triedPlaces.all({ key, above }))
      log(collection, { key, act: "bury", project, recipients: recipients ?? toEveryone });
  }

  return {
    ...createChangeLog({ db }),
    /**
     * Updates the view of one item after the mirror or the journal was written. If it changed, the log, the collection's revision
     * and the version history grow, and SEQUENCE rises if calendars show the change. Returns whether the view changed.
     */
    publish,
    /**
     * Runs steps that store how an edit has ended. Changes that follow from the edit itself do not outdate the octets of the
     * program that put the item.
     */
    settling<Value>(edit: SettledEdit, steps: () => Value): Value {
      settled = edit;
      try {
        return steps();
      } finally {
        settled = null;
      }
    },
    /**
     * Raises SEQUENCE and LAST-MODIFIED of an item whose text changed for another reason (a renamed label), SEQUENCE to `least`
     * at least.
     */
    touch(key: ItemKey, least?: number): void {
      raiseSequence(key, least);
      const noted = note(key);
      if (noted) keepVersion(key, { ...noted, revision: noted.at });
    },
    /**
     * Logs a change of data stored only here, for one person or for everyone who sees the item. Null if it is not in the view.
     */
    note: (key: ItemKey, person?: PersonId): Revision | null =>
      note(key, person === undefined ? null : onlyTo(person))?.at ?? null,
    /** Logs the removal of an object that a person's program put and that never entered the view. */
    retract: (
      key: ItemKey,
      {
        collection,
        project,
        person,
      }: {
        readonly collection: CollectionName;
        readonly project: number;
        readonly person: PersonId;
      },
    ): Revision =>
      revision(log(collection, { key, act: "bury", project, recipients: onlyTo(person) })),
    /**
     * Logs an item's change for an editor who sees it with their own edits applied, in every place where they see it; a task's
     * subtasks too. Null: for nobody in particular.
     */
    logForEditor(key: ItemKey, editor: PersonId | null): void {
      const recipients = editor === null ? null : onlyTo(editor);
      logInTriedPlaces(key, recipients);
      // Each was shown where its task was, even if nobody knew of it when that was moved.
      for (const subtask of subtasksOf.all(key)) logInTriedPlaces(subtask, recipients, key);
    },
    /** Records that names shown by feeds have changed. */
    directoryChanged(): void {
      log(directory, { key: null, act: "put", project: everyProject, recipients: toEveryone });
    },
  };
}

const isAt = (shown: { collection: CollectionName; content: string }, item: Item): boolean =>
  shown.collection === collectionOf(item) &&
  plainContent(shown.content).projectId === item.projectId;

const toEveryone: Recipients = { audience: null, assigned: new Set() };

const onlyTo = (person: PersonId): Recipients => ({
  audience: [person],
  assigned: new Set([person]),
});

const partiesOf = ({ creatorId, assigned }: PlainItem): readonly number[] =>
  creatorId === null ? assigned : [creatorId, ...assigned];

/** True if the same people see both versions, given equal texts. */
const isSeenAlike = (before: PlainItem, after: PlainItem): boolean =>
  before.creatorId === after.creatorId && before.projectId === after.projectId;

/** Stored keys that two-way calendars show. Calendars may have their own time of a completion. */
const shownKeys: ReadonlySet<string> = new Set([
  "kind",
  ...fieldNames.filter((name) => fieldOf(name).shown === "everywhere").map(jsonKeyOf),
]);

/** The stored keys that depend on a field. Progress follows a completion. */
function keysOfField(field: PatchField): readonly string[] {
  if (field === "place") return [];
  return field === "completed" ? ["completed", "percent"] : [jsonKeyOf(field)];
}

/**
 * True if a change of an item outdates the octets of the program that put it: anything its calendars show, except fields of the
 * edit in the service's answer, and texts the service merely reformats. A to-do that gets its parent has requested that.
 */
export function isNews(
  { before, after }: { readonly before: PlainItem; readonly after: PlainItem },
  settled: SettledEdit | null,
): boolean {
  const answered = settled ? answeredKeys(settled) : new Set();
  const hasPlace = before.kind === "event" || before.parentId !== null;
  const [was, is] = [textsOf(before), textsOf(after)];
  return [...is.keys()].some((key) => {
    if (was.get(key) === is.get(key) || !shownKeys.has(key) || answered.has(key)) return false;
    if (key === "title" && sameTitle(before.title, after.title)) return false;
    if (key === "description" && sameDescription(before.description, after.description))
      return false;
    return hasPlace || (key !== "kind" && key !== "parentId");
  });
}

function answeredKeys({ action, patch }: SettledEdit): ReadonlySet<string> {
  const fields = action === "create" ? patchFields : fieldsOf(patch);
  return new Set(fields.flatMap(keysOfField));
}

const textsOf = (item: PlainItem): ReadonlyMap<string, string> =>
  new Map(Object.entries(item).map(([key, value]) => [key, JSON.stringify(value)]));
