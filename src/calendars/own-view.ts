import { hash } from "node:crypto";
import type { Edit } from "../domain/edit.ts";
import { overlay } from "../domain/edit.ts";
import type { ItemKey, PersonId, Revision } from "../domain/ids.ts";
import { collectionOf, type Item } from "../domain/item.ts";
import { placedIn, placeOf } from "../domain/patch.ts";
import { samePlace } from "../domain/sameness.ts";
import type { ObjectRow } from "../store/rows/calendar-rows.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { CalendarObject, ObjectComponent } from "./calendar-types.ts";
import { memberObject } from "./object-cache.ts";
import type { ObjectRenderer } from "./object-renderer.ts";
import {
  type CalendarScope,
  componentIn,
  type Facts,
  factsOf,
  holds,
  sees,
} from "./person-calendars.ts";
import { nameOfUid } from "./resource-names.ts";

/**
 * How one person's calendars differ from everyone's: held edits by that person's programs. A program whose PUT was
 * accepted sees its edit applied; everyone else sees the item as before.
 */
export interface OwnView {
  /** Items that differ from what everyone sees. */
  readonly has: (key: ItemKey) => boolean;
  /** An item as the person sees it; null if it is gone for them, or the same for everyone. */
  readonly view: (key: ItemKey) => ViewItem | null;
  /** The members of a calendar among them, by item key. */
  readonly members: (scope: CalendarScope) => readonly CalendarObject[];
}

/** A member of an own view. */
export interface OwnMember {
  readonly view: ViewItem;
  readonly octets: Buffer;
  /** What a program has put, if it is returned unchanged. */
  readonly exact: ObjectRow | null;
}

/** An item as its editor sees it; null: hidden. */
interface OwnItem {
  readonly view: ViewItem;
  readonly facts: Facts;
  /** The object of the last edit; null if none. */
  readonly held: { readonly name: string; readonly row: ObjectRow | null } | null;
}

type OwnItems = ReadonlyMap<ItemKey, OwnItem | null>;

/** The combined effect of one item's waiting edits. */
interface HeldChange {
  readonly edits: readonly Edit[];
  /** The item, and after it the subtasks that move with it or disappear. */
  readonly items: readonly (readonly [ItemKey, OwnItem | null])[];
  /** It depends on these edits and this item only. */
  readonly isAlone: boolean;
  /** Of everything shown. */
  readonly digest: string;
}

type HeldChanges = ReadonlyMap<ItemKey, HeldChange>;

/** The cached view of one person. */
interface ReadView {
  readonly readAt: Revision;
  /** False after a change that may not be in the log. */
  readonly isFresh: boolean;
  /** Hash of everything the view depends on, "" if no edit waits; null if the view must be rebuilt. */
  readonly digest: string | null;
  readonly changes: HeldChanges;
  readonly view: OwnView | null;
}

/** Objects rendered for an item. */
type RenderedObjects = WeakMap<OwnItem, Map<ObjectComponent, CalendarObject>>;

export function createOwnViews(deps: {
  readonly store: Store;
  readonly renderer: ObjectRenderer;
  /** The account's zone. */
  readonly zone: string;
}) {
  const { store, renderer, zone } = deps;
  const known = new Map<PersonId, ReadView>();
  const members = new WeakMap<Pick<CalendarObject, "key">, OwnMember>();
  /** Tasks are rendered for each view, as they name labels and another task, which may be renamed. */
  const eventObjects: RenderedObjects = new WeakMap();

  function read(person: PersonId, latest: Revision): ReadView {
    const before = known.get(person);
    if (before?.isFresh && before.readAt === latest) return before;
    const edits = store.journal.heldBy(person);
    // A view to be rebuilt may have had waiting edits.
    if (edits.length === 0 && (before === undefined || before.digest === "")) {
      return { ...unheld, readAt: latest, view: before?.view ?? null };
    }
    const changes = changesOf(edits, store, before ?? null);
    const digest = edits.length === 0 ? "" : digestOfView(changes, edits, store);
    const isSame = before !== undefined && digest === before.digest;
    const view = isSame ? before.view : viewOf(itemsOf([...changes.values()]));
    return { readAt: latest, isFresh: true, digest, changes, view };
  }

  function viewOf(items: OwnItems): OwnView {
    const shown = [...items.values()].filter((item) => item !== null);
    const taskObjects: RenderedObjects = new WeakMap();
    function objectOf(item: OwnItem, component: ObjectComponent): CalendarObject {
      const rendered = item.facts.isEvent ? eventObjects : taskObjects;
      const objects = rendered.get(item) ?? new Map<ObjectComponent, CalendarObject>();
      const object = objects.get(component) ?? render(item, component);
      rendered.set(item, objects.set(component, object));
      return object;
    }
    return {
      has: (key) => items.has(key),
      view: (key) => items.get(key)?.view ?? null,
      members: (scope) =>
        shown
          .filter(({ facts }) => holds(scope, facts) && sees(scope, facts))
          .map((item) => objectOf(item, componentIn(scope.kind, item.facts)))
          .sort((a, b) => a.key - b.key),
    };
  }

  function render({ view, held }: OwnItem, component: ObjectComponent): CalendarObject {
    const { key, uid } = view;
    const put = held?.row?.component === component ? held.row : null;
    const row = put ?? store.objects.get({ item: key, component });
    const written = renderer.write(view, component, row);
    const name = held?.name ?? store.objectNames.of(key) ?? nameOfUid(uid);
    const object = memberObject(view, component, { name, written, zone });
    const exact = renderer.exact(view, component, row);
    members.set(object, { view, octets: written.octets, exact });
    return object;
  }

  return {
    /** `latest`: the newest revision; null if the person sees what everyone sees, and always has. */
    of(person: PersonId, latest: Revision): OwnView | null {
      const now = read(person, latest);
      known.set(person, now);
      return now.view;
    },
    /** An object's member; null if everyone sees it. */
    member: (object: Pick<CalendarObject, "key">): OwnMember | null => members.get(object) ?? null,
    /** Forgets cached data: of one item changed without a log entry, or all. */
    forget(key?: ItemKey): void {
      if (key === undefined) known.clear();
      else for (const [person, was] of known) known.set(person, withoutItem(key, was));
    },
  };
}

/** No edit waits. */
const unheld = { isFresh: true, digest: "", changes: new Map<ItemKey, HeldChange>() };

function withoutItem(key: ItemKey, was: ReadView): ReadView {
  if (!was.changes.has(key)) return { ...was, isFresh: false };
  const changes = new Map(was.changes);
  changes.delete(key);
  return { ...was, isFresh: false, digest: null, changes };
}

function digestOfView(changes: HeldChanges, edits: readonly Edit[], store: Store): string {
  const shown = [...changes.values()].map(({ digest }) => digest);
  const ids = edits.map(({ id }) => id);
  return JSON.stringify([ids, store.changes.revisionOfDirectory(), shown]);
}

function digestOfItems(items: HeldChange["items"]): string {
  const shown = items.map(([key, own]) => [
    key,
    own && [contentText(own.view.item), own.view.sequence, own.held?.name, octetsOf(own.held?.row)],
  ]);
  return hash("sha256", JSON.stringify(shown), "base64");
}

/** Two texts may be put within one moment. */
const octetsOf = (row: ObjectRow | null | undefined) =>
  row?.body ? [row.rendered, row.stale, hash("sha256", row.body, "base64")] : null;

/** Rereads only what has changed, as hundreds of edits may wait. */
function changesOf(edits: readonly Edit[], store: Store, before: ReadView | null): HeldChanges {
  // The log does not cover what it has dropped.
  const isInLog = before !== null && before.readAt >= store.changes.completeFrom();
  const changed = isInLog ? store.changes.changedAfter(before.readAt) : [];
  const isChanged = new Set(changed.map(({ item }) => item));
  const changes = new Map<ItemKey, HeldChange>();
  for (const [key, own] of Map.groupBy(edits, ({ item }) => item)) {
    const was = isInLog && !isChanged.has(key) ? before.changes.get(key) : undefined;
    const isSame = was?.isAlone && sameEdits(was.edits, own);
    changes.set(key, isSame ? was : changeOf(key, own, store));
  }
  return changes;
}

/** The journal returns the same object for an unchanged edit. */
const sameEdits = (a: readonly Edit[], b: readonly Edit[]): boolean =>
  a.length === b.length && a.every((edit, at) => edit === b[at]);

function changeOf(key: ItemKey, edits: readonly Edit[], store: Store): HeldChange {
  const shown = store.view.get(key);
  const item = overlay(shown?.item ?? null, edits);
  const own = item && ownItem({ key, item, shown, edits }, store);
  const isAlone = !shown || staysThere(shown, item);
  const below = isAlone ? [] : belowOf(shown, item, store);
  const items = [[key, own] as const, ...below];
  return { edits, items, isAlone, digest: digestOfItems(items) };
}

/** A subtask that moves with its task keeps its own waiting edits, in whatever order both were made. */
function itemsOf(changes: readonly HeldChange[]): OwnItems {
  const items = new Map(changes.flatMap((change) => change.items.slice(0, 1)));
  for (const [key, moved] of changes.flatMap((change) => change.items.slice(1))) {
    const own = items.get(key);
    items.set(key, own === undefined ? moved : own && moved && ownItemAt(own, moved));
  }
  return items;
}

function ownItemAt(own: OwnItem, moved: OwnItem): OwnItem {
  const item = placedIn(own.view.item, placeOf(moved.view.item));
  return { view: inPlace(own.view, item), facts: factsOf(item), held: own.held };
}

function ownItem(
  about: {
    readonly key: ItemKey;
    readonly item: Item;
    readonly shown: ViewItem | null;
    readonly edits: readonly Edit[];
  },
  store: Store,
): OwnItem {
  const { key, item, shown, edits } = about;
  const held = edits.map(({ id }) => store.heldObjects.get(id)).filter((one) => one !== null);
  const last = held.at(-1);
  // A move has no octets of its own, and uses those of an earlier edit.
  const row = held.findLast((one) => one.row !== null)?.row ?? null;
  return {
    view: shown ? inPlace(shown, item) : notCreated(key, item, store),
    facts: factsOf(item),
    held: last ? { name: last.name, row } : null,
  };
}

const inPlace = (shown: ViewItem, item: Item): ViewItem => ({
  ...shown,
  item,
  collection: collectionOf(item),
});

function notCreated(key: ItemKey, item: Item, store: Store): ViewItem {
  const { uid, sequence, modifiedAt, createdAt } = store.mirror.identity(key);
  const about = { key, uid, sequence, modifiedAt, knownAt: createdAt, pending: true };
  return { ...about, item, collection: collectionOf(item) };
}

/** Subtasks move with their task. */
const staysThere = ({ item: shown }: ViewItem, item: Item | null): boolean =>
  shown.kind !== "task" || (item !== null && samePlace(placeOf(item), placeOf(shown)));

function belowOf(shown: ViewItem, item: Item | null, store: Store): HeldChange["items"] {
  return store.view.below(shown.item.id).map((below) => {
    const placed = item && placedIn(below.item, placeOf(item));
    if (!placed) return [below.key, null];
    return [below.key, { view: inPlace(below, placed), facts: factsOf(placed), held: null }];
  });
}
