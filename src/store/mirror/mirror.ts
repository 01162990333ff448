import type { ItemKind } from "../../domain/fields.ts";
import { uidOf } from "../../domain/identity.ts";
import {
  type ItemKey,
  itemKey,
  type ListId,
  type PersonId,
  type ProjectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { Item, Person, Project, Todolist } from "../../domain/item.ts";
import { fromPlain } from "../../domain/plain-item.ts";
import { kindIn } from "../../domain/source.ts";
import type { Unanswered } from "../journal/unanswered.ts";
import {
  contentText,
  type IdentityRow,
  identityRow,
  itemKeyColumn,
  type MirrorRow,
  mirrorRow,
  numberColumn,
  numberOrNull,
  plainContent,
  provenanceOf,
  textColumn,
} from "../rows/item-rows.ts";
import { instantOf } from "../rows/row.ts";
import { upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";
import type { Changes } from "../view/publish-changes.ts";
import type { Directory } from "./directory.ts";
import type { KeptBodies } from "./kept-bodies.ts";
import { type RowWatch, RowWatches } from "./row-watches.ts";

/** A mirrored item with its key and its source. */
export interface Mirrored {
  readonly key: ItemKey;
  readonly source: string;
  readonly item: Item;
}

/** An item's key and stored row; null if it is not mirrored now. */
export interface Stored {
  readonly key: ItemKey;
  readonly row: {
    readonly source: string;
    readonly content: string;
    readonly updatedAt: Temporal.Instant | null;
  } | null;
}

/** The service as last seen. Written by polls and by answers to writes. Every method is one transaction or part of one. */
export type Mirror = ReturnType<typeof createMirror>;

export function createMirror({
  db,
  zone,
  clock,
  changes,
  installation,
  unanswered,
  bodies,
}: StoreDeps & {
  changes: Changes;
  installation: string;
  unanswered: Pick<Unanswered, "seen">;
  bodies: Pick<KeptBodies, "forget">;
}) {
  const byKey = db.rows("SELECT * FROM identities WHERE item = ?", identityRow);
  const byId = db.rows("SELECT * FROM identities WHERE kind = ? AND service_id = ?", identityRow);
  const byUid = db.rows("SELECT * FROM identities WHERE uid = ?", identityRow);
  const isShown = db.prepare("SELECT 1 FROM view_items WHERE item = ?");
  const addIdentity = db.prepare(
    "INSERT INTO identities (kind, service_id, uid, modified_at, created_at) VALUES (?, ?, ?, ?, ?)",
  );
  const moveEdits = db.prepare("UPDATE edits SET item = ? WHERE item = ?");
  const moveMails = db.prepare(
    "UPDATE OR IGNORE outbox SET subject = ? WHERE subject = ? AND kind IN ('reminder', 'lead', 'overdue')",
  );
  const moveWrites = db.prepare("UPDATE attempts SET item = ? WHERE item = ?");
  const setId = db.prepare(
    "UPDATE identities SET service_id = ?, merged_into = NULL WHERE item = ?",
  );
  const merge = db.prepare(
    "UPDATE identities SET merged_into = @into WHERE item = @item OR merged_into = @item",
  );
  const setKind = db.prepare("UPDATE identities SET kind = ? WHERE item = ?");
  const clearId = db.prepare(
    "UPDATE identities SET service_id = NULL, kind = iif(kind = 'event', kind, ?) WHERE item = ?",
  );
  const row = db.rows(
    "SELECT m.*, i.service_id FROM mirror_items m JOIN identities i USING (item) WHERE m.item = ?",
    mirrorRow,
  );
  const rowsOfSource = db.rows(
    "SELECT m.*, i.service_id FROM mirror_items m JOIN identities i USING (item) WHERE m.source = ? ORDER BY m.item",
    mirrorRow,
  );
  const someRowsOfSource = db.rows(
    `SELECT m.*, i.service_id FROM mirror_items m JOIN identities i USING (item)
     WHERE m.source = ? AND m.item > ? ORDER BY m.item LIMIT ${decodedPerPart}`,
    mirrorRow,
  );
  const countOfSource = db.prepare("SELECT count(*) AS items FROM mirror_items WHERE source = ?");
  const lastChanged = db.prepare(
    `SELECT updated_at FROM mirror_items WHERE source = ? AND updated_at IS NOT NULL
     ORDER BY updated_at DESC LIMIT ?`,
  );
  // The content has far more than the title, so matches are decoded and checked.
  const rowsWithText = db.prepare(
    "SELECT item, content FROM mirror_items WHERE source = ? AND item > ? AND instr(content, ?) > 0 ORDER BY item",
  );
  const lastKnown = db.prepare("SELECT max(item) AS item FROM identities");
  const rowInSource = db.prepare(
    `SELECT m.item, m.content FROM identities i JOIN mirror_items m USING (item)
     WHERE i.kind = ? AND i.service_id = ? AND m.source = ?`,
  );
  const idsOfSource = db.prepare(
    `SELECT m.item, i.service_id FROM mirror_items m JOIN identities i USING (item)
     WHERE m.source = ? AND m.item > ? ORDER BY m.item LIMIT ${rowsPerPart}`,
  );
  const sourcesWithRows = db.rows(
    `SELECT value AS source FROM json_each(?)
     WHERE EXISTS (SELECT 1 FROM mirror_items WHERE source = value)`,
    (found) => textColumn(found, "source"),
  );
  const write = db.prepare(
    upsert("mirror_items", {
      key: ["item"],
      columns: ["source", "content", "by_me", "updated_at"],
    }),
  );
  const sourceOfRow = db.prepare(
    "SELECT m.source, i.service_id FROM mirror_items m JOIN identities i USING (item) WHERE m.item = ?",
  );
  const dropRow = db.prepare("DELETE FROM mirror_items WHERE item = ?");
  const subtasksShown = db.rows("SELECT item FROM view_items WHERE parent_id = ?", itemKeyColumn);
  const dropAbsence = db.prepare("DELETE FROM absences WHERE item = ?");
  // A list holds items of one kind, which is part of its indexed name.
  const countByKind = db.prepare(
    `SELECT (SELECT count(*) FROM mirror_items WHERE source >= 'events:' AND source < 'events;') AS event,
       (SELECT count(*) FROM mirror_items WHERE source >= 'tasks:' AND source < 'tasks;') AS task,
       (SELECT count(*) FROM mirror_items WHERE source >= 'subtasks:' AND source < 'subtasks;') AS subtask`,
  );

  const watches = new RowWatches((source) => bodies.forget(source));

  /** Records that the row of an item, if any, was written. */
  function touch(key: ItemKey): void {
    const found = sourceOfRow.get(key);
    const id = numberOrNull(found, "service_id");
    if (id !== null) watches.touch(textColumn(found, "source") ?? "", serviceId(id));
  }

  function left(source: string, id: ServiceId): void {
    watches.touch(source, id);
    touchParent(source);
  }

  /** A list decides whether to poll subtasks of a task that claims to have none, which depends on the known subtasks. */
  function touchParent(source: string): void {
    const parent = /^subtasks:(\d+)$/.exec(source)?.[1];
    const task = parent === undefined ? null : byId.find("task", Number(parent));
    const above = task && row.find(task.item);
    if (!above) return;
    const plain = plainContent(above.content);
    if (plain.kind === "event" || plain.subtaskCount === 0) touch(above.item);
  }

  function setServiceId(key: ItemKey, id: ServiceId | null): void {
    touch(key);
    setId.run(id, key);
    touch(key);
    uidChanged(byKey.get(key).kind, id);
  }

  function addKey(kind: ItemKind, { id, uid }: { id: ServiceId | null; uid: string }): ItemKey {
    const now = clock().round({ smallestUnit: "second", roundingMode: "floor" }).toString();
    const key = itemKey(Number(addIdentity.run(kind, id, uid, now, now).lastInsertRowid));
    uidChanged(kind, id);
    return key;
  }

  /** Logs the subtasks of a task that has got or lost its UID, which calendars show in them. */
  function uidChanged(kind: ItemKind, id: ServiceId | null): void {
    if (kind !== "task" || id === null) return;
    for (const child of subtasksShown.all(id)) changes.touch(child);
  }

  function decode({ item: key, source, content, ...known }: MirrorRow): Mirrored {
    return { key, source, item: fromPlain(plainContent(content), provenanceOf(known), zone) };
  }

  function keyFor(kind: ItemKind, id: ServiceId): ItemKey {
    const known = byId.find(kind, id);
    if (known) return known.item;
    let uid = uidOf(kind, id, installation);
    for (let taken = byUid.find(uid); taken; taken = byUid.find(uid)) {
      const { item: key, serviceId: other } = taken;
      if (other === null) {
        // The item was to be recreated, maybe as another kind, and came back by itself.
        setKind.run(kind, key);
        setServiceId(key, id);
        return key;
      }
      // The item was recreated with another id, and now the service shows both.
      uid = `again-${uid}`;
    }
    return addKey(kind, { id, uid });
  }

  type Put = Item & { readonly id: ServiceId };
  type Written = { readonly source: string; readonly content: string };

  const putWritten = db.transaction((item: Put, { source, content }: Written) => {
    const key = keyFor(item.kind, item.id);
    const before = row.find(key);
    const updatedAt = item.updatedAt?.toString() ?? null;
    const same = before?.content === content && before.source === source;
    if (before) dropAbsence.run(key);
    if (same && before.updatedAt === updatedAt) return "unchanged";
    write.run({ item: key, source, content, byMe: item.byMe ? 1 : 0, updatedAt });
    if (same) {
      watches.date(source, item.id);
      return "unchanged";
    }
    watches.touch(source, item.id);
    if (before?.source !== source) {
      touchParent(source);
      if (before) left(before.source, item.id);
    }
    if (before) unanswered.seen(key, () => ({ before: decode(before).item, after: item }));
    changes.publish(key);
    return before ? "changed" : "added";
  });

  const bury = db.transaction((key: ItemKey) => {
    const stored = row.find(key);
    dropRow.run(key);
    dropAbsence.run(key);
    if (stored) {
      const { source, serviceId: id } = stored;
      if (id !== null) left(source, serviceId(id));
      unanswered.seen(key, () => ({ before: decode(stored).item, after: null }));
    }
    changes.publish(key);
  });

  function* keysInParts(source: string): Generator<ReadonlyMap<ServiceId, ItemKey>> {
    for (let after = 0; ; ) {
      const rows = idsOfSource.all(source, after);
      if (rows.length === 0) return;
      after = itemKeyColumn(rows.at(-1));
      yield new Map(
        rows.flatMap((found) => {
          const id = numberOrNull(found, "service_id");
          return id === null ? [] : [[serviceId(id), itemKeyColumn(found)]];
        }),
      );
    }
  }

  return {
    /** Adds or changes an item; an unchanged one writes nothing. Returns what happened to its row. */
    put: (
      item: Item & { readonly id: ServiceId },
      source: string,
    ): "added" | "changed" | "unchanged" =>
      putWritten(item, { source, content: contentText(item) }),
    /** The same with content already serialised by `contentText`. */
    putWritten,
    /** Marks an item as gone from the service. Its identity stays, so that it can return as the same item. */
    bury,
    /**
     * Assigns the service's id to an item created here. If a sweep already made a new item for that id, the calendar's UID wins,
     * and edits of the other item become edits of this one.
     */
    adopt: db.transaction((key: ItemKey, id: ServiceId): void => {
      const { kind } = byKey.get(key);
      const duplicate = byId.find(kind, id)?.item ?? null;
      if (duplicate === key) return;
      if (duplicate !== null) {
        moveEdits.run(key, duplicate);
        moveMails.run(key, duplicate);
        moveWrites.run(key, duplicate);
        setServiceId(duplicate, null);
        merge.run({ item: duplicate, into: key });
        bury(duplicate);
      }
      setServiceId(key, id);
    }),
    /**
     * Removes the service's id from a deleted item that is to be recreated with the same UID, and buries the item if it is
     * still mirrored, as no poll could report it missing later. A task may become a subtask, and vice versa.
     */
    clearServiceId(key: ItemKey, as: ItemKind): void {
      touch(key);
      if (row.find(key)) bury(key);
      const { kind, serviceId: id } = byKey.get(key);
      clearId.run(as, key);
      if (id !== null) uidChanged(kind, serviceId(id));
    },
    /** Makes the identity of an item to be created, with the UID of the calendar that made it. */
    createIdentity: (kind: ItemKind, uid: string): ItemKey => addKey(kind, { id: null, uid }),
    get(key: ItemKey): Mirrored | null {
      const stored = row.find(key);
      return stored && decode(stored);
    },
    find: (kind: ItemKind, id: ServiceId): ItemKey | null => byId.find(kind, id)?.item ?? null,
    /** Like `get` by the service's id. */
    byId(kind: ItemKind, id: ServiceId): Mirrored | null {
      const key = byId.find(kind, id)?.item;
      const stored = key === undefined ? null : row.find(key);
      return stored && decode(stored);
    },
    /** Like `get` by the service's id, without decoding the content; null if never known. */
    stored(kind: ItemKind, id: ServiceId): Stored | null {
      const known = byId.find(kind, id);
      if (!known) return null;
      const { item: key } = known;
      const found = row.find(key);
      if (!found) return { key, row: null };
      const { source, content, updatedAt } = found;
      return { key, row: { source, content, updatedAt: instantOf(updatedAt) } };
    },
    /** The identity of a UID that calendars have seen; of the item that took it over, if one did. */
    findUid(uid: string): IdentityRow | null {
      const identity = byUid.find(uid);
      if (!identity) return null;
      const { item, serviceId: id, mergedInto } = identity;
      const isInUse = id !== null || isShown.get(item) !== undefined;
      return isInUse || mergedInto === null ? identity : byKey.get(mergedInto);
    },
    identity: (key: ItemKey): IdentityRow => byKey.get(key),
    ofSource: (source: string): readonly Mirrored[] => rowsOfSource.all(source).map(decode),
    /** The number of items of a source, and the `most` latest change times of items, newest first. */
    lastChanges: (
      source: string,
      most: number,
    ): { readonly items: number; readonly changes: readonly Temporal.Instant[] } => ({
      items: numberColumn(countOfSource.get(source), "items"),
      changes: lastChanged
        .all(source, most)
        .flatMap((found) => instantOf(textColumn(found, "updated_at")) ?? []),
    }),
    /** Items of a source with this exact title that became known after `after`; all if that is null. */
    called(
      title: string,
      { source, after }: { readonly source: string; readonly after: ItemKey | null },
    ): readonly ItemKey[] {
      const rows = rowsWithText.all(source, after ?? 0, JSON.stringify(title));
      const isCalled = (found: unknown) => {
        const content = textColumn(found, "content");
        return content !== null && plainContent(content).title === title;
      };
      return rows.filter(isCalled).map(itemKeyColumn);
    },
    /** The item that became known last; null if none. */
    latest(): ItemKey | null {
      const found = lastKnown.get();
      return numberOrNull(found, "item") === null ? null : itemKeyColumn(found);
    },
    /** Like `ofSource`, in parts, so that other work can run in between. */
    *inParts(source: string): Iterable<readonly Mirrored[]> {
      for (let after = 0; ; ) {
        const rows = someRowsOfSource.all(source, after).map(decode);
        const last = rows.at(-1);
        if (!last) return;
        after = last.key;
        yield rows;
      }
    },
    /** Ids and stored content of a source, to compare a snapshot without decoding unchanged items. */
    contents(
      source: string,
    ): ReadonlyMap<ServiceId, { readonly key: ItemKey; readonly content: string }> {
      const rows = rowsOfSource.all(source);
      return new Map(
        rows.flatMap(({ serviceId: id, item, content }) =>
          id === null ? [] : [[serviceId(id), { key: item, content }]],
        ),
      );
    },
    /** The same for those of the ids that the source has. */
    contentsOf(
      source: string,
      ids: readonly ServiceId[],
    ): ReadonlyMap<ServiceId, { readonly key: ItemKey; readonly content: string }> {
      const kind = kindIn(source);
      return new Map(
        ids.flatMap((id) => {
          const found = rowInSource.get(kind, id, source);
          const content = textColumn(found, "content");
          return content === null ? [] : [[id, { key: itemKeyColumn(found), content }]];
        }),
      );
    },
    /** The ids of a source. */
    keys: (source: string): ReadonlyMap<ServiceId, ItemKey> =>
      new Map(keysInParts(source).flatMap((keys) => [...keys])),
    /** The same, in parts, so that other work can run in between. */
    keysInParts,
    /** Starts recording which rows of a source are written. */
    watch: (source: string): RowWatch => watches.watch(source),
    /** Calls back for each row that is written, with its source and the service's id, also if only its time changed. */
    follow: (listener: (source: string, id: ServiceId) => void): void => watches.follow(listener),
    /** The sources that have items in the mirror. */
    populated: (sources: readonly string[]): ReadonlySet<string> =>
      new Set(sourcesWithRows.all(JSON.stringify(sources)).filter((source) => source !== null)),
    /** Number of mirrored items per kind. */
    counts(): Readonly<Record<ItemKind, number>> {
      const counted = countByKind.get();
      const of = (kind: ItemKind) => numberColumn(counted, kind);
      return { event: of("event"), task: of("task"), subtask: of("subtask") };
    },
  };
}

/** Reading them takes 0.1 ms. */
const rowsPerPart = 100;
/** Decoding them takes 1 ms. */
const decodedPerPart = 50;

/** Looks up mirrored items and names by id; null if not mirrored. Names that are gone are still found. */
export function knownValuesIn({
  mirror,
  directory,
}: {
  readonly mirror: Pick<Mirror, "byId">;
  readonly directory: Pick<Directory, "project" | "todolist" | "person">;
}) {
  return {
    item: (kind: ItemKind, id: ServiceId): Item | null => mirror.byId(kind, id)?.item ?? null,
    project: (id: ProjectId): Project | null => directory.project(id),
    todolist: (id: ListId): Todolist | null => directory.todolist(id),
    person: (id: PersonId): Person | null => directory.person(id),
  };
}
