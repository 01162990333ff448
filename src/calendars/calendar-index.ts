import { type ItemKey, type Revision, revision } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { endsAt, startsAt } from "../domain/when.ts";
import type { Store, TransactionState } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { CalendarObject, ObjectComponent } from "./calendar-types.ts";
import type { ObjectRenderer, Written } from "./object-renderer.ts";
import { componentIn, type Facts, factsOf, holds, type Scope } from "./person-calendars.ts";
import { hashedNameOf, nameOfUid } from "./resource-names.ts";

/** A member of a calendar, with the facts that decide who may see it. */
export interface Member {
  readonly object: CalendarObject;
  readonly facts: Facts;
}

/** Who looks at a calendar. */
export interface Viewer {
  /** One id for all people who see the same members. */
  readonly id: string;
  readonly sees: (facts: Facts) => boolean;
}

/** The members of one calendar for all people who have it, brought up to date item by item. */
interface CalendarIndex {
  readonly put: (member: Member, at: Revision) => void;
  readonly remove: (key: ItemKey, at: Revision) => void;
  readonly get: (key: ItemKey) => Member | null;
  readonly named: (name: string) => Member | null;
  /** The members that a viewer may see, by item key; all members for null. */
  readonly list: (viewer: Viewer | null) => readonly CalendarObject[];
  /** Whether no member is private. */
  readonly isOpen: () => boolean;
  /** The newest change of a member since the index was filled. */
  readonly revision: () => Revision;
  /** Takes back the revisions after `to`, as some of them were undone; those that stand are at most as new as `latest`. */
  readonly undo: (to: Revision, latest: Revision) => void;
}

/** The indexes of all calendars that were asked for, and the octets of their members. */
interface CalendarIndexes {
  /** Reads the change log up to its end, before every use of what is in memory. Returns the newest revision of all. */
  readonly refresh: () => Revision;
  /** What the last `refresh` returned. */
  readonly upTo: () => Revision;
  /** The index of a calendar as of the last `refresh`, filled when it is asked for first. */
  readonly of: (scope: Scope) => CalendarIndex;
  /** Names the index that calendars of one scope share. */
  readonly idOf: (scope: Scope) => string;
  /** Whether `of` has nothing to read. */
  readonly isFilled: (scope: Scope) => boolean;
  /**
   * Fills the index of a calendar in steps, none of which belongs inside a transaction; others may change what they like in
   * between. Where the change log has not kept up with that, the index is filled when it is asked for.
   */
  readonly fillInSteps: (scope: Scope) => Iterable<unknown>;
  /** The octets whose ETag the object names. Throws an `EarlierObjectError` when the item has changed since. */
  readonly octets: (object: CalendarObject) => Buffer;
  /** Rereads an item whose octets changed without an entry in the change log. */
  readonly reload: (key: ItemKey) => void;
}

/** Thrown when the octets of a member are asked for that has changed since. */
export class EarlierObjectError extends Error {
  override readonly name = "EarlierObjectError";
  constructor({ uid }: CalendarObject) {
    super(`the calendar object of ${JSON.stringify(uid)} is of an earlier revision`);
  }
}

interface FilledIndex {
  readonly scope: Scope;
  readonly index: CalendarIndex;
}

/** What was read inside an open transaction: a rollback takes it back, and its revisions are handed out again. */
interface Provisional {
  readonly begun: number;
  readonly base: Revision;
  readonly keys: Set<ItemKey>;
  /** Ids of the indexes that were filled. */
  readonly filled: Set<string>;
}

/**
 * Keeps the members of calendars in memory: name, ETag, length and span of each, and octets up to a budget. An item is
 * written once per change, for all calendars that show it. The change log brings all of it up to date; what was read
 * inside a transaction that is undone is read again.
 */
export function createCalendarIndexes(deps: {
  readonly store: Store;
  readonly renderer: ObjectRenderer;
  /** The account's zone. */
  readonly zone: string;
  /** How many octets are kept in memory. */
  readonly budget: number;
  /** Called when steps were undone: nothing that was read inside them counts. */
  readonly onUndone: () => void;
}): CalendarIndexes {
  const { store } = deps;
  const cache = createObjectCache(deps);
  const indexes = new Map<string, FilledIndex>();
  /** What was read again while indexes are being filled, of each of those. */
  const readAgain = new Set<Set<ItemKey>>();
  let provisional: Provisional | null = null;
  let knownUpTo = revision(0);
  let undone = store.transaction().undone;

  function update(key: ItemKey, at: Revision): void {
    cache.drop(key);
    for (const keys of readAgain) keys.add(key);
    provisional?.keys.add(key);
    const view = store.view.get(key);
    const facts = view && factsOf(view.item);
    for (const filled of indexes.values()) place(filled, { key, view, facts, at });
  }

  function place(
    { scope, index }: FilledIndex,
    item: {
      readonly key: ItemKey;
      readonly view: ViewItem | null;
      readonly facts: Facts | null;
      readonly at: Revision;
    },
  ): void {
    const { key, view, facts, at } = item;
    if (view && facts && holds(scope, facts)) index.put(memberOf(view, facts, scope), at);
    else index.remove(key, at);
  }

  function memberOf(view: ViewItem, facts: Facts, { kind }: Scope): Member {
    return { facts, object: cache.object(view, componentIn(kind, facts)) };
  }

  function fill(scope: Scope): FilledIndex {
    const { kind, collection, person } = scope;
    const filledAt = kind === "assigned" ? store.changes.latest() : revision(0);
    const index = createCalendarIndex(filledAt);
    const views =
      collection === null ? store.view.assignedTo(person) : store.view.ofCollection(collection);
    for (const view of views) {
      const facts = factsOf(view.item);
      if (holds(scope, facts)) index.put(memberOf(view, facts, scope), revision(0));
    }
    return { scope, index };
  }

  function* fillInSteps(scope: Scope): Generator<void> {
    const { kind, collection, person } = scope;
    const from = store.changes.latest();
    const filled = { scope, index: createCalendarIndex(kind === "assigned" ? from : revision(0)) };
    const again = new Set<ItemKey>();
    readAgain.add(again);
    const parts =
      collection === null
        ? store.view.keysAssignedTo(person)
        : [store.view.keysOfCollection(collection)];
    try {
      for (const keys of parts) {
        yield;
        for (const key of keys) yield putNow(filled, key, revision(0));
      }
    } finally {
      readAgain.delete(again);
    }
    finish(filled, { from, again });
  }

  /** Takes in what has changed since the filling began. */
  function finish(
    filled: FilledIndex,
    { from, again }: { readonly from: Revision; readonly again: ReadonlySet<ItemKey> },
  ): void {
    refresh();
    const id = idOfScope(filled.scope);
    if (from < store.changes.completeFrom() || indexes.has(id)) return;
    const changed = store.changes.changedAfter(from, null);
    const late = [...[...again].map((item) => ({ item, revision: from })), ...changed];
    for (const { item, revision: at } of late) {
      cache.drop(item);
      putNow(filled, item, at);
    }
    indexes.set(id, filled);
  }

  function putNow(filled: FilledIndex, key: ItemKey, at: Revision): void {
    const view = store.view.get(key);
    place(filled, { key, view, facts: view && factsOf(view.item), at });
  }

  function undo({ base, keys, filled }: Provisional): void {
    for (const id of filled) indexes.delete(id);
    // The indexes were filled with members as the undone steps had made them.
    if (filled.size > 0) cache.clear();
    const latest = store.changes.latest();
    for (const { index } of indexes.values()) index.undo(base, latest);
    for (const key of keys) update(key, latest);
    knownUpTo = base;
  }

  function follow(transaction: TransactionState): void {
    if (transaction.undone !== undone) {
      undone = transaction.undone;
      deps.onUndone();
      if (provisional) undo(provisional);
    }
    const isOver = provisional && !(transaction.isOpen && transaction.begun === provisional.begun);
    if (isOver) provisional = null;
    if (transaction.isOpen && !provisional) {
      const { begun } = transaction;
      provisional = { begun, base: knownUpTo, keys: new Set(), filled: new Set() };
    }
  }

  function refresh(): Revision {
    follow(store.transaction());
    const latest = store.changes.latest();
    if (latest === knownUpTo) return latest;
    const isUsed = indexes.size + readAgain.size > 0;
    if (!isUsed || knownUpTo < store.changes.completeFrom()) {
      // Nobody has followed the log, or it does not reach back that far any more.
      indexes.clear();
      cache.clear();
    }
    if (isUsed) {
      for (const { item, revision: at } of store.changes.changedAfter(knownUpTo, null)) {
        update(item, at);
      }
    }
    knownUpTo = latest;
    return latest;
  }

  return {
    refresh,
    upTo: () => knownUpTo,
    of(scope) {
      const id = idOfScope(scope);
      const known = indexes.get(id);
      if (known) return known.index;
      const filled = fill(scope);
      indexes.set(id, filled);
      provisional?.filled.add(id);
      return filled.index;
    },
    idOf: idOfScope,
    isFilled: (scope) => indexes.has(idOfScope(scope)),
    fillInSteps,
    octets: (object) => cache.octets(object),
    reload(key) {
      follow(store.transaction());
      // What is in the log is taken in by the next refresh.
      if (!store.changes.hasChangedAfter(knownUpTo, key)) update(key, knownUpTo);
    },
  };
}

/** People share the index of a calendar; each has an index of their own for assigned items. */
const idOfScope = ({ kind, collection, person }: Scope): string =>
  collection === null ? `${kind} ${person}` : `${kind} ${collection}`;

/** Lists are cached for at most so many viewers: as many as a large team has people. */
const mostViewers = 200;

function createCalendarIndex(filledAt: Revision): CalendarIndex {
  const members = new Map<ItemKey, Member>();
  /** Keys by the name that their items claim; all but the first are shown under another one. */
  const claims = new Map<string, readonly ItemKey[]>();
  const contested = new Set<string>();
  const lists = new Map<string, readonly CalendarObject[]>();
  let revision = filledAt;
  let privates = 0;

  function setClaims(name: string, keys: readonly ItemKey[]): void {
    if (keys.length > 0) claims.set(name, keys);
    else claims.delete(name);
    if (keys.length > 1) contested.add(name);
    else contested.delete(name);
  }

  function claim(key: ItemKey, name: string): void {
    setClaims(
      name,
      [...(claims.get(name) ?? []), key].toSorted((a, b) => a - b),
    );
  }

  function release(key: ItemKey, name: string): void {
    setClaims(
      name,
      (claims.get(name) ?? []).filter((one) => one !== key),
    );
  }

  function drop(key: ItemKey): boolean {
    const before = members.get(key);
    if (!before) return false;
    release(key, before.object.name);
    if (before.facts.isPrivate) privates -= 1;
    return members.delete(key);
  }

  /** The member under the name by which it is shown. */
  function shown(member: Member): Member {
    const { key, name, uid } = member.object;
    if (claims.get(name)?.[0] === key) return member;
    return { ...member, object: { ...member.object, name: hashedNameOf(uid) } };
  }

  /** The member that is shown under the hash of its UID, as another one holds the name that it claims. */
  function underHashedName(name: string): Member | null {
    const keys = [...contested].flatMap((one) => claims.get(one)?.slice(1) ?? []);
    const found = keys
      .map((key) => members.get(key))
      .find((one) => one && shown(one).object.name === name);
    return found ? shown(found) : null;
  }

  function sorted(viewer: Viewer | null): readonly CalendarObject[] {
    const seen = viewer
      ? [...members.values()].filter(({ facts }) => viewer.sees(facts))
      : members.values();
    return [...seen].map((member) => shown(member).object).sort((a, b) => a.key - b.key);
  }

  function changed(at: Revision): void {
    lists.clear();
    if (at > revision) revision = at;
  }

  return {
    put(member, at) {
      const { key, name } = member.object;
      drop(key);
      claim(key, name);
      members.set(key, member);
      if (member.facts.isPrivate) privates += 1;
      changed(at);
    },
    remove(key, at) {
      if (drop(key)) changed(at);
    },
    get(key) {
      const member = members.get(key);
      return member ? shown(member) : null;
    },
    named(name) {
      const [key] = claims.get(name) ?? [];
      const member = key === undefined ? undefined : members.get(key);
      return member ?? underHashedName(name);
    },
    list(viewer) {
      const id = viewer?.id ?? "";
      const known = lists.get(id) ?? sorted(viewer);
      if (lists.size >= mostViewers) lists.clear();
      lists.set(id, known);
      return known;
    },
    isOpen: () => privates === 0,
    revision: () => revision,
    undo(to, latest) {
      if (revision > to) revision = latest;
    },
  };
}

const components = ["VEVENT", "VTODO"] as const;

/** The calendar objects of items as they are now, and their octets up to a budget. */
function createObjectCache({
  store,
  renderer,
  zone,
  budget,
}: Pick<Parameters<typeof createCalendarIndexes>[0], "store" | "renderer" | "zone" | "budget">) {
  const objects = new Map<number, CalendarObject>();
  const cache = createOctetCache(budget);

  function make(view: ViewItem, component: ObjectComponent): CalendarObject {
    const { key, uid } = view;
    const written = renderer.write(view, component);
    cache.put(idOf(key, component), written);
    const name = store.objectNames.of(key) ?? nameOfUid(uid);
    return memberObject(view, component, { name, written, zone });
  }

  return {
    object(view: ViewItem, component: ObjectComponent): CalendarObject {
      const id = idOf(view.key, component);
      const object = objects.get(id) ?? make(view, component);
      objects.set(id, object);
      return object;
    },
    octets(object: CalendarObject): Buffer {
      const { key, component, etag } = object;
      const id = idOf(key, component);
      const cached = cache.get(id, etag);
      if (cached) return cached;
      const view = store.view.get(key);
      const written = view && renderer.write(view, component);
      if (written?.etag !== etag) throw new EarlierObjectError(object);
      cache.put(id, written);
      return written.octets;
    },
    /** Forgets an item that changed. */
    drop(key: ItemKey): void {
      for (const component of components) {
        objects.delete(idOf(key, component));
        cache.drop(idOf(key, component));
      }
    },
    /** Octets stay: their ETag tells whether they are still right. */
    clear(): void {
      objects.clear();
    },
  };
}

/** The key of the caches is a number, as it is made and looked up for each member of a long list. */
const idOf = (key: ItemKey, component: ObjectComponent): number =>
  2 * key + (component === "VTODO" ? 1 : 0);

/** Octets in memory up to a budget; the oldest are evicted first. */
interface OctetCache {
  readonly get: (id: number, etag: string) => Buffer | null;
  readonly put: (id: number, text: { readonly etag: string; readonly octets: Buffer }) => void;
  readonly drop: (id: number) => void;
}

/** `budget`: in octets. */
function createOctetCache(budget: number): OctetCache {
  const kept = new Map<number, { readonly etag: string; readonly octets: Buffer }>();
  let size = 0;

  function drop(id: number): void {
    size -= kept.get(id)?.octets.byteLength ?? 0;
    kept.delete(id);
  }

  return {
    get(id, etag) {
      const found = kept.get(id);
      return found?.etag === etag ? found.octets : null;
    },
    put(id, text) {
      drop(id);
      kept.set(id, text);
      size += text.octets.byteLength;
      for (const oldest of kept.keys()) {
        if (size <= budget) break;
        drop(oldest);
      }
    },
    drop,
  };
}

/** A calendar object without its octets. */
export function memberObject(
  { key, uid, item }: ViewItem,
  component: ObjectComponent,
  as: { readonly name: string; readonly written: Written; readonly zone: string },
): CalendarObject {
  const { octets, etag, modifiedAt } = as.written;
  const size = { length: octets.byteLength, span: spanOf(item, as.zone) };
  return { key, uid, component, name: as.name, etag, modifiedAt, ...size };
}

/** Whole days may be meant in another zone than the account's, by programs and by their questions. */
const otherZones = Temporal.Duration.from({ hours: 26 }).total("milliseconds");

/** The coarse span of an item: outside of it no time range matches, inside it has to be looked at. */
export function spanOf(item: Item, zone: string): CalendarObject["span"] {
  if (item.kind !== "event") return daysSpan(item.startOn ?? item.dueOn, item.dueOn, zone);
  const [from, to] = [startsAt(item.when, zone), endsAt(item.when, zone)];
  const isWhole = item.when.kind === "dates" || item.milestone;
  return widened(from.epochMilliseconds, to.epochMilliseconds, isWhole);
}

function daysSpan(
  first: Temporal.PlainDate | null,
  last: Temporal.PlainDate | null,
  zone: string,
): CalendarObject["span"] {
  if (!first) return null;
  const days = [first, last ?? first];
  const from = Math.min(...days.map((day) => day.toZonedDateTime(zone).epochMilliseconds));
  const ends = days.map((day) => day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds);
  return widened(from, Math.max(...ends), true);
}

function widened(from: number, to: number, isWhole: boolean): CalendarObject["span"] {
  // Ranges that only touch an item of no length, or the due time of a to-do, match it.
  const margin = isWhole ? otherZones : 1;
  return { from: from - margin, to: to + margin };
}
