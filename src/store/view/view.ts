import {
  type ItemKey,
  type PersonId,
  type ProjectId,
  type Revision,
  revision,
  type ServiceId,
} from "../../domain/ids.ts";
import { type CollectionName, directory, type Item } from "../../domain/item.ts";
import { fromPlain } from "../../domain/plain-item.ts";
import { isPartyTo, type Reader, seesItem } from "../../domain/visibility.ts";
import {
  type ChangeRow,
  changeRow,
  type IdentityRow,
  instantText,
  itemKeyColumn,
  numberColumn,
  placedVersionRow,
  plainContent,
  provenanceOf,
  revisionColumn,
  textColumn,
  type ViewItemRow,
  versionRow,
  viewItemRow,
} from "../rows/item-rows.ts";
import { openedRevisionColumn, projectRow, todolistRow } from "../rows/side-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** An item as everyone reads it. */
export interface ViewItem {
  readonly key: ItemKey;
  readonly uid: string;
  readonly collection: CollectionName;
  /** SEQUENCE and LAST-MODIFIED for calendars. Neither decreases. */
  readonly sequence: number;
  readonly modifiedAt: Temporal.Instant;
  /** When this installation first saw the item. */
  readonly knownAt: Temporal.Instant;
  /** True if an edit of it is pending. */
  readonly pending: boolean;
  readonly item: Item;
}

/** The properties by which a calendar names a version; null = absent. */
interface Shown {
  readonly sequence: number | null;
  readonly modifiedAt: Temporal.Instant | null;
}

/** One version of an item in the view. */
interface ItemVersion {
  readonly revision: Revision;
  readonly collection: CollectionName;
  /** Null if the item was buried. */
  readonly item: Item | null;
}

/** Days in a zone; `to` is exclusive. */
export interface DaySpan {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
  readonly zone: string;
}

/** An item and the first of some days on which it takes place or is due. */
export interface KeyOnDay {
  readonly key: ItemKey;
  readonly day: Temporal.PlainDate;
}

interface KeysWanted {
  readonly projects: readonly ProjectId[] | null;
  readonly assigned: readonly PersonId[] | null;
}

/** The mirror with pending edits applied, read by feeds, mails and pages. */
export type View = ReturnType<typeof createView>;

const columns = `v.item, v.collection, v.content, i.uid, i.sequence, i.modified_at, i.created_at, i.service_id,
  coalesce(m.by_me, 0) AS by_me, m.updated_at,
  EXISTS (SELECT 1 FROM edits e WHERE e.item = v.item AND e.state IN ('pending', 'claimed')) AS pending`;
const joined = `SELECT ${columns} FROM view_items v JOIN identities i USING (item) LEFT JOIN mirror_items m USING (item)`;

/** A version, and the revisions that decide who could see it. */
const versionColumns = `v.content, i.service_id, v.revision,
  (SELECT max(revision) FROM versions WHERE item = v.item AND content IS NOT NULL) AS latest`;

/** Reads from indexes alone what takes place between two days. */
const daysQuery = `
  SELECT item, starts_at, NULL AS day FROM view_items WHERE kind = 'event' AND starts_at < @toAt
    AND (starts_at >= @fromAt OR ends_at > @fromAt)
  UNION ALL SELECT item, NULL, starts_on FROM view_items WHERE kind = 'event' AND starts_at IS NULL
    AND starts_on < @toOn AND ends_on > @fromOn
  UNION ALL SELECT item, NULL, due_on FROM view_items WHERE due_on >= @fromOn AND due_on < @toOn`;

export function createView({
  db,
  zone,
  findIdentity,
}: StoreDeps & { findIdentity: (uid: string) => IdentityRow | null }) {
  const byKey = db.prepare(`${joined} WHERE v.item = ?`);
  const byProject = db.rows(`${joined} WHERE v.project_id = ? ORDER BY v.item`, (row) =>
    decode(viewItemRow(row)),
  );
  const keysByProject = db.rows(
    "SELECT item FROM view_items WHERE project_id = ? ORDER BY item",
    itemKeyColumn,
  );
  const byCollection = db.rows(`${joined} WHERE v.collection = ? ORDER BY v.item`, (row) =>
    decode(viewItemRow(row)),
  );
  const byParent = db.rows(`${joined} WHERE v.parent_id = ? ORDER BY v.item`, (row) =>
    decode(viewItemRow(row)),
  );
  const byPerson = db.rows(
    `${joined} WHERE EXISTS (SELECT 1 FROM json_each(v.content, '$.assigned') WHERE value = ?) ORDER BY v.item`,
    (row) => decode(viewItemRow(row)),
  );
  const keysByCollection = db.rows(
    "SELECT item FROM view_items WHERE collection = ? ORDER BY item",
    itemKeyColumn,
  );
  const partByPerson = db.rows(
    `SELECT item FROM view_items v WHERE item > @after AND item <= @upTo
       AND EXISTS (SELECT 1 FROM json_each(v.content, '$.assigned') WHERE value = @person) ORDER BY item`,
    itemKeyColumn,
  );
  const partWhere = db.rows(
    `SELECT item FROM view_items v WHERE item > @after AND item <= @upTo
       AND (@projects IS NULL OR project_id IN (SELECT value FROM json_each(@projects)))
       AND (@people IS NULL OR EXISTS (SELECT 1 FROM json_each(v.content, '$.assigned')
         WHERE value IN (SELECT value FROM json_each(@people)))) ORDER BY item`,
    itemKeyColumn,
  );
  const lastKey = db.prepare("SELECT coalesce(max(item), 0) AS item FROM view_items");
  const remindableItems = db.prepare(
    `${joined} WHERE v.item > @after AND v.item <= @upTo AND v.completed = 0 AND v.content ->> 'assigned' <> '[]'
       AND (v.reminder_minutes IS NOT NULL OR v.due_on IS NOT NULL OR v.content ->> 'milestone' = 1) ORDER BY v.item`,
  );
  const inDays = db.prepare(daysQuery);
  const inProject = db.prepare("SELECT count(*) AS items FROM view_items WHERE project_id = ?");
  const versionAt = db.prepare(
    `SELECT ${versionColumns} FROM versions v JOIN identities i USING (item)
     WHERE v.item = @key AND v.content IS NOT NULL AND (@sequence IS NULL OR v.sequence = @sequence)
       AND (@modifiedAt IS NULL OR v.modified_at = @modifiedAt OR (v.modified_at IS NULL AND @sequence IS NOT NULL))
     ORDER BY v.revision DESC LIMIT 1`,
  );
  const versionOfMoment = db.prepare(
    `SELECT ${versionColumns} FROM versions v JOIN identities i USING (item)
     WHERE v.item = ? AND v.content IS NOT NULL AND v.at <= ? ORDER BY v.revision DESC LIMIT 1`,
  );
  const versionsAfter = db.rows(
    `SELECT v.revision, v.collection, v.content, i.service_id FROM versions v JOIN identities i USING (item)
     WHERE v.item = @key AND v.revision >= coalesce((SELECT max(revision) FROM versions
       WHERE item = @key AND revision <= @at), 0) ORDER BY v.revision`,
    (row) => {
      const { revision, collection, content } = placedVersionRow(row);
      return { revision, collection, item: content === null ? null : decodeVersion(row) };
    },
  );
  const versionsOf = db.prepare(
    `SELECT ${versionColumns} FROM versions v JOIN identities i USING (item)
     WHERE v.item = @key AND v.content IS NOT NULL AND v.revision >= coalesce((SELECT max(revision) FROM versions
       WHERE item = @key AND at <= @since), 0) ORDER BY v.revision`,
  );
  const project = db.prepare("SELECT * FROM projects WHERE id = ?");
  const todolist = db.prepare("SELECT * FROM todolists WHERE id = ?");

  /** The last item read by key or UID, as all steps of one edit read the same one. */
  let lastRead: { readonly row: ViewItemRow; readonly view: ViewItem } | null = null;

  function decode(row: ViewItemRow): ViewItem {
    const { content, serviceId, byMe, updatedAt, ...rest } = row;
    const provenance = provenanceOf({ serviceId, byMe, updatedAt });
    return { ...rest, item: fromPlain(plainContent(content), provenance, zone) };
  }
  function decodeVersion(row: unknown): Item {
    const { content, serviceId } = versionRow(row);
    const provenance = provenanceOf({ serviceId, byMe: 0, updatedAt: null });
    return fromPlain(plainContent(content), provenance, zone);
  }
  /** The version, unless it was hidden from the reader. */
  function readVersion(row: unknown, reader: Reader): Item | null {
    if (row === undefined) return null;
    const item = decodeVersion(row);
    return reader === null || couldSee(reader, { item, ...revisionsOf(row) }) ? item : null;
  }

  /** Applies present permissions. A list that was private until recently hides earlier versions of its tasks. */
  function couldSee(
    reader: PersonId,
    version: { readonly item: Item; readonly revision: Revision; readonly latest: Revision },
  ): boolean {
    const { item } = version;
    const projectFound = project.get(item.projectId);
    const listFound = item.kind === "event" ? undefined : todolist.get(item.listId);
    const opened = listFound === undefined ? null : openedRevisionColumn(listFound);
    const wasPrivate = opened !== null && version.revision <= opened;
    if (wasPrivate && version.revision !== version.latest && !isPartyTo(reader, item)) return false;
    return seesItem(reader, {
      item,
      project: projectFound === undefined ? null : projectRow(projectFound),
      list: listFound === undefined ? null : todolistRow(listFound),
    });
  }

  function one(stored: unknown): ViewItem | null {
    if (stored === undefined) return null;
    const row = viewItemRow(stored);
    if (!lastRead || !isSameRow(lastRead.row, row)) lastRead = { row, view: decode(row) };
    return lastRead.view;
  }

  function* keysAssignedTo(person: PersonId): Generator<readonly ItemKey[]> {
    for (let after = 0; after < numberColumn(lastKey.get(), "item"); after += keysPerPart) {
      yield partByPerson.all({ person, after, upTo: after + keysPerPart });
    }
  }

  function* keysWhere({ projects, assigned }: KeysWanted): Generator<readonly ItemKey[]> {
    const wanted = { projects: listText(projects), people: listText(assigned) };
    for (let after = 0; after < numberColumn(lastKey.get(), "item"); after += keysPerPart) {
      yield partWhere.all({ ...wanted, after, upTo: after + keysPerPart });
    }
  }

  return {
    get: (key: ItemKey): ViewItem | null => one(byKey.get(key)),
    findUid(uid: string): ViewItem | null {
      const identity = findIdentity(uid);
      return identity && one(byKey.get(identity.item));
    },
    /** Items of a project, in the order in which they became known. */
    ofProject: (project: ProjectId): readonly ViewItem[] => byProject.all(project),
    /** Keys of a project's items, in the same order. */
    keysOfProject: (project: ProjectId): readonly ItemKey[] => keysByProject.all(project),
    /** Items of a collection, in the order in which they became known. */
    ofCollection: (name: CollectionName): readonly ViewItem[] => byCollection.all(name),
    /** Keys of a collection's items, in the same order. */
    keysOfCollection: (name: CollectionName): readonly ItemKey[] => keysByCollection.all(name),
    /** Subtasks of a task, in the order in which they became known. */
    below: (task: ServiceId | null): readonly ViewItem[] => byParent.all(task),
    /** Items assigned to a person, of all projects. */
    assignedTo: (person: PersonId): readonly ViewItem[] => byPerson.all(person),
    /** Keys of such items, read in parts of the whole view. */
    keysAssignedTo,
    /**
     * Keys of events that take place, and tasks due, between two days, each with the first of these days. Sorted by day, then by
     * the order in which they became known. Reads indexes only.
     */
    daysBetween: (span: DaySpan): readonly KeyOnDay[] => byDay(inDays.all(boundsOf(span)), span),
    /** Keys of items of some projects (null = all) assigned to some people (null = anyone or nobody), read in parts. */
    keysWhere,
    /**
     * Items that need reminders: open, assigned, and with a reminder or a due date, or a milestone. Read in parts of the whole
     * view.
     */
    *remindable(): Iterable<readonly ViewItem[]> {
      const last = numberColumn(lastKey.get(), "item");
      for (let after = 0; after < last; after += itemsPerPart) {
        const rows = remindableItems.all({ after, upTo: after + itemsPerPart });
        yield rows.map((row) => decode(viewItemRow(row)));
      }
    },
    /**
     * The item that a calendar was shown with this SEQUENCE, this LAST-MODIFIED, or both; null if unknown, never shown, or hidden
     * from the reader.
     */
    shownAs(key: ItemKey, { sequence, modifiedAt }: Shown, reader: Reader): Item | null {
      if (sequence === null && modifiedAt === null) return null;
      const named = { key, sequence, modifiedAt: modifiedAt?.toString() ?? null };
      return readVersion(versionAt.get(named), reader);
    },
    /** The item as shown at a moment; null if unknown or hidden from the reader. */
    shownAt: (key: ItemKey, at: Temporal.Instant, reader: Reader): Item | null =>
      readVersion(versionOfMoment.get(key, instantText(at)), reader),
    /**
     * An item's version at a revision and all later ones, oldest first; null where it was buried. Empty if it was never in the
     * view by then, or if that is no longer known. Includes hidden versions: it is for deciding what a calendar contains.
     */
    versionsFrom: (key: ItemKey, at: Revision): readonly ItemVersion[] =>
      versionsAfter.all({ key, at }),
    /** Every version that the reader could see, oldest first; from the one shown at `since` on, if given. */
    history: (key: ItemKey, reader: Reader, since?: Temporal.Instant): readonly Item[] =>
      versionsOf
        .all({ key, since: since ? instantText(since) : null })
        .flatMap((row) => readVersion(row, reader) ?? []),
    count: (project: ProjectId): number => numberColumn(inProject.get(project), "items"),
  };
}

const boundsOf = ({ from, to, zone }: DaySpan) => ({
  fromOn: from.toString(),
  toOn: to.toString(),
  fromAt: from.toZonedDateTime(zone).toInstant().toString(),
  toAt: to.toZonedDateTime(zone).toInstant().toString(),
});

/** There may be thousands on a few days: each day is parsed once, and compared as text. */
function byDay(rows: readonly unknown[], { from, zone }: DaySpan): readonly KeyOnDay[] {
  const first = from.toString();
  const days = new Map<string, ItemKey[]>();
  for (const row of rows) {
    const at = textColumn(row, "starts_at");
    const on =
      at === null
        ? (textColumn(row, "day") ?? "")
        : Temporal.Instant.from(at).toZonedDateTimeISO(zone).toPlainDate().toString();
    const isEarlier = on < first;
    const day = isEarlier ? first : on;
    const keys = days.get(day);
    if (keys) keys.push(itemKeyColumn(row));
    else days.set(day, [itemKeyColumn(row)]);
  }
  return [...days]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([text, keys]) => {
      const day = Temporal.PlainDate.from(text);
      return keys.toSorted((a, b) => a - b).map((key) => ({ key, day }));
    });
}

const revisionsOf = (row: unknown) => ({
  revision: revision(numberColumn(row, "revision")),
  latest: revision(numberColumn(row, "latest")),
});

const listText = (ids: readonly number[] | null): string | null =>
  ids === null ? null : JSON.stringify(ids);

/** Takes a few milliseconds. */
const keysPerPart = 1000;

/** Takes about a millisecond. */
const itemsPerPart = 30;

const isSameRow = (a: ViewItemRow, b: ViewItemRow): boolean =>
  a.key === b.key &&
  a.uid === b.uid &&
  a.collection === b.collection &&
  a.sequence === b.sequence &&
  a.pending === b.pending &&
  a.content === b.content &&
  a.serviceId === b.serviceId &&
  a.byMe === b.byMe &&
  a.updatedAt === b.updatedAt &&
  a.modifiedAt.equals(b.modifiedAt) &&
  a.knownAt.equals(b.knownAt);

/** A changed item with its newest revision. */
interface ChangedItem {
  readonly item: ItemKey;
  readonly revision: Revision;
}

/** A two-way calendar's collection; null = what is assigned to the person. */
type SeenCollection = CollectionName | null;

export const everyProject = 0;

/** Used instead of a person: everyone who has a collection. */
export const everybody = 0;

/** Used instead of a collection: what is assigned to a person. */
export const assignedCalendar = "assigned";

/** The row of `meta` that says how far back the log reaches. */
export const completeFromFact = "complete_from";

const changedItem = (row: unknown): ChangedItem => ({
  item: itemKeyColumn(row),
  revision: revisionColumn(row),
});

/** The change log, for reading; `Changes` writes it. */
export function createChangeLog({ db }: Pick<StoreDeps, "db">) {
  const ofProject = db.remembered(
    `SELECT max(revision) AS revision FROM collections WHERE project_id IN (?, ${everyProject})`,
    revisionColumn,
  );
  const ofCollection = db.remembered(
    "SELECT max(revision) AS revision FROM collections WHERE name = ?",
    revisionColumn,
  );
  const ofItem = db.prepare("SELECT 1 FROM changes WHERE revision > ? AND item = ? LIMIT 1");
  const projectItems = db.rows(
    `SELECT DISTINCT item FROM changes WHERE revision > ? AND item IS NOT NULL
       AND collection IN (SELECT name FROM collections WHERE project_id = ?)`,
    itemKeyColumn,
  );
  const everyItem = db.rows("SELECT item FROM identities", itemKeyColumn);
  const newest = db.remembered("SELECT max(revision) AS revision FROM changes", revisionColumn);
  const later = db.rows(
    "SELECT * FROM changes WHERE revision > ? ORDER BY revision LIMIT ?",
    changeRow,
  );
  const changed = db.rows(
    `SELECT item, max(revision) AS revision FROM changes
     WHERE revision > ? AND item IS NOT NULL GROUP BY item ORDER BY 2`,
    changedItem,
  );
  const seen = db.remembered(
    `SELECT max(revision) AS revision FROM seen_changes
     WHERE collection = ? AND person IN (?, ${everybody})`,
    revisionColumn,
  );
  const seenLater = db.rows(
    `SELECT item, max(revision) AS revision FROM changes
     WHERE revision > @after AND item IS NOT NULL AND quiet = 0
       AND (@collection IS NULL OR collection = @collection)
       AND (audience IS NULL OR EXISTS (SELECT 1 FROM json_each(audience) WHERE value = @person))
     GROUP BY item ORDER BY 2`,
    changedItem,
  );
  const reach = db.remembered(`SELECT value FROM meta WHERE name = '${completeFromFact}'`, (row) =>
    revision(Number(textColumn(row, "value"))),
  );

  const completeFrom = (): Revision => reach.find() ?? revision(0);

  return {
    /** The newest revision of a project feed's inputs. */
    revisionOf: (project: ProjectId): Revision => ofProject.get(project),
    /** The newest change of a collection that a person is notified of; 0 for none. */
    seenRevision: (collection: SeenCollection, person: PersonId): Revision =>
      seen.get(collection ?? assignedCalendar, person),
    /** The revision that rises with names of people, projects, lists and labels. */
    revisionOfDirectory: (): Revision => ofCollection.get(directory),
    latest: (): Revision => newest.get(),
    /** True if an item changed after a revision, which should be recent. */
    hasChangedAfter: (after: Revision, key: ItemKey): boolean =>
      ofItem.get(after, key) !== undefined,
    /**
     * Items of the project's collections that changed after a revision, each once. Includes others if the log does not reach that
     * far back.
     */
    itemsSince(project: ProjectId, after: Revision): readonly ItemKey[] {
      return after < completeFrom() ? everyItem.all() : projectItems.all(after, project);
    },
    since: (after: Revision, limit: number): readonly ChangeRow[] => later.all(after, limit),
    /** Items with a change after a revision, oldest change first. */
    changedAfter: (after: Revision): readonly ChangedItem[] => changed.all(after),
    /** The same for one collection, by the changes that a person is notified of. */
    seenAfter: (
      after: Revision,
      of: { readonly collection: SeenCollection; readonly person: PersonId },
    ): readonly ChangedItem[] => seenLater.all({ after, ...of }),
    /** The log and the versions are complete from this revision on. */
    completeFrom,
  };
}
