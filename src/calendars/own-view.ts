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
 * What the calendars of one person show otherwise than everybody's: edits by that person's programs that wait for
 * approval. A program that was told that its edit is stored finds it so; everybody else sees the item as before.
 */
export interface OwnView {
  /** Items that are not shown as everybody sees them. */
  readonly has: (key: ItemKey) => boolean;
  /** An item as the person is shown it; null for one that is gone for that person, or that all see alike. */
  readonly view: (key: ItemKey) => ViewItem | null;
  /** The members of a calendar among them, by item key. */
  readonly members: (scope: CalendarScope) => readonly CalendarObject[];
}

/** A member of an own view. */
export interface OwnMember {
  readonly view: ViewItem;
  readonly octets: Buffer;
  /** What a program has put, when it is given out as it came. */
  readonly exact: ObjectRow | null;
}

export interface OwnViews {
  /** `latest`: the newest revision of all; null where the person sees what all see, and has since the start. */
  readonly of: (person: PersonId, latest: Revision) => OwnView | null;
  /** The member that an object is; null for one that everybody sees. */
  readonly member: (object: Pick<CalendarObject, "key">) => OwnMember | null;
  /** Forgets what was read: of one item that is put without the log saying so, or all. */
  readonly forget: (key?: ItemKey) => void;
}

/** An item as its editor is shown it; null: not at all. */
interface OwnItem {
  readonly view: ViewItem;
  readonly facts: Facts;
  /** What the last of the edits has put; null for none. */
  readonly held: { readonly name: string; readonly row: ObjectRow | null } | null;
}

type OwnItems = ReadonlyMap<ItemKey, OwnItem | null>;

/** What the waiting edits of one item come to: it, and what goes with it. */
interface HeldChange {
  readonly edits: readonly Edit[];
  readonly items: readonly (readonly [ItemKey, OwnItem | null])[];
  /** It hangs on these edits and this item alone. */
  readonly isAlone: boolean;
  /** Of all that is shown. */
  readonly digest: string;
}

type HeldChanges = ReadonlyMap<ItemKey, HeldChange>;

/** The view of one person as it was read last. */
interface ReadView {
  readonly readAt: Revision;
  /** False once something was put that the log may not tell of. */
  readonly isFresh: boolean;
  /** Of all on which the view depends, "" where no edit waits; null for a view that has to be built again. */
  readonly digest: string | null;
  readonly changes: HeldChanges;
  readonly view: OwnView | null;
}

/** Objects that were rendered for an item. */
type RenderedObjects = WeakMap<OwnItem, Map<ObjectComponent, CalendarObject>>;

export function createOwnViews(deps: {
  readonly store: Store;
  readonly renderer: ObjectRenderer;
  /** The account's zone. */
  readonly zone: string;
}): OwnViews {
  const { store, renderer, zone } = deps;
  const known = new Map<PersonId, ReadView>();
  const members = new WeakMap<Pick<CalendarObject, "key">, OwnMember>();
  /** Tasks are rendered for each view, as they name labels and another task, which may be renamed. */
  const eventObjects: RenderedObjects = new WeakMap();

  function read(person: PersonId, latest: Revision): ReadView {
    const before = known.get(person);
    if (before?.isFresh && before.readAt === latest) return before;
    const edits = store.journal.heldBy(person);
    // A view to be built again is not one in which nothing waited.
    if (edits.length === 0 && (before === undefined || before.digest === "")) {
      return { ...unheld, readAt: latest, view: before?.view ?? null };
    }
    const changes = changesOf(edits, { store, before: before ?? null });
    const digest = edits.length === 0 ? "" : digestOfView(changes, { edits, store });
    const isSame = before !== undefined && digest === before.digest;
    const items = new Map([...changes.values()].flatMap((change) => change.items));
    const view = isSame ? before.view : viewOf(items);
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
    of(person, latest) {
      const now = read(person, latest);
      known.set(person, now);
      return now.view;
    },
    member: (object) => members.get(object) ?? null,
    forget(key) {
      if (key === undefined) known.clear();
      else for (const [person, was] of known) known.set(person, withoutItem(key, was));
    },
  };
}

/** Nothing waits. */
const unheld = { isFresh: true, digest: "", changes: new Map<ItemKey, HeldChange>() };

function withoutItem(key: ItemKey, was: ReadView): ReadView {
  if (!was.changes.has(key)) return { ...was, isFresh: false };
  const changes = new Map(was.changes);
  changes.delete(key);
  return { ...was, isFresh: false, digest: null, changes };
}

function digestOfView(
  changes: HeldChanges,
  { edits, store }: { readonly edits: readonly Edit[]; readonly store: Store },
): string {
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

/** Only what has changed since it was read before is read again: hundreds of edits may wait. */
function changesOf(
  edits: readonly Edit[],
  { store, before }: { readonly store: Store; readonly before: ReadView | null },
): HeldChanges {
  // The log does not tell of what it has let go of.
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

/** The journal gives an edit out as the same one for as long as nothing of it has changed. */
const sameEdits = (a: readonly Edit[], b: readonly Edit[]): boolean =>
  a.length === b.length && a.every((edit, at) => edit === b[at]);

function changeOf(key: ItemKey, edits: readonly Edit[], store: Store): HeldChange {
  const shown = store.view.get(key);
  const item = overlay(shown?.item ?? null, edits);
  const own = item && ownItem({ key, item, shown, edits }, store);
  const isAlone = !shown || staysThere(shown, item);
  const below = isAlone ? [] : belowOf(shown, { item, store });
  const items = [[key, own] as const, ...below];
  return { edits, items, isAlone, digest: digestOfItems(items) };
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
  // A move has put no octets, and goes with those that an edit before it has put.
  const row = held.findLast((one) => one.row !== null)?.row ?? null;
  return {
    view: shown ? inPlace(shown, item) : notCreated(key, { item, store }),
    facts: factsOf(item),
    held: last ? { name: last.name, row } : null,
  };
}

const inPlace = (shown: ViewItem, item: Item): ViewItem => ({
  ...shown,
  item,
  collection: collectionOf(item),
});

function notCreated(
  key: ItemKey,
  { item, store }: { readonly item: Item; readonly store: Store },
): ViewItem {
  const { uid, sequence, modifiedAt, createdAt } = store.mirror.identity(key);
  const about = { key, uid, sequence, modifiedAt, knownAt: createdAt, pending: true };
  return { ...about, item, collection: collectionOf(item) };
}

/** What hangs below a task goes where the task goes, and with it. */
const staysThere = ({ item: shown }: ViewItem, item: Item | null): boolean =>
  shown.kind !== "task" || (item !== null && samePlace(placeOf(item), placeOf(shown)));

function belowOf(
  shown: ViewItem,
  { item, store }: { readonly item: Item | null; readonly store: Store },
): HeldChange["items"] {
  return store.view.below(shown.item.id).map((below) => {
    const placed = item && placedIn(below.item, placeOf(item));
    if (!placed) return [below.key, null];
    return [below.key, { view: inPlace(below, placed), facts: factsOf(placed), held: null }];
  });
}
