import { type ItemKey, type Revision, revision } from "../domain/ids.ts";
import type { Store, TransactionState } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import type { CalendarObject, TimeSpan } from "./calendar-types.ts";
import { createObjectCache } from "./object-cache.ts";
import type { ObjectRenderer } from "./object-renderer.ts";
import { type CalendarScope, componentIn, type Facts, factsOf, holds } from "./person-calendars.ts";
import { hashedNameOf } from "./resource-names.ts";
import { createSpanIndex, type SpanIndex } from "./span-index.ts";

/** A member of a calendar, with the facts that decide who may see it. */
export interface Member {
  readonly object: CalendarObject;
  readonly facts: Facts;
}

/** Who looks at a calendar. */
export interface CalendarViewer {
  /** One id for all people who see the same members. */
  readonly id: string;
  readonly sees: (facts: Facts) => boolean;
}

/** The members of one calendar for all people who have it, brought up to date item by item. */
interface CalendarIndex {
  readonly put: (member: Member) => void;
  readonly remove: (key: ItemKey) => void;
  readonly get: (key: ItemKey) => Member | null;
  readonly named: (name: string) => Member | null;
  /** The members that a viewer may see, by item key; all members for null. */
  readonly list: (viewer: CalendarViewer | null) => readonly CalendarObject[];
  /** Those of them that may take place in a span; what is outside of it may be left out. */
  readonly listNear: (viewer: CalendarViewer | null, span: TimeSpan) => readonly CalendarObject[];
  /** Whether no member is private. */
  readonly isOpen: () => boolean;
}

/** The indexes of all calendars that were asked for, and the octets of their members. */
interface CalendarIndexes {
  /** Reads the change log up to its end, before every use of what is in memory. Returns the newest revision of all. */
  readonly refresh: () => Revision;
  /** What the last `refresh` returned. */
  readonly upTo: () => Revision;
  /** The index of a calendar as of the last `refresh`, filled when it is asked for first. */
  readonly of: (scope: CalendarScope) => CalendarIndex;
  /** Names the index that calendars of one scope share. */
  readonly idOf: (scope: CalendarScope) => string;
  /** Whether `of` has nothing to read. */
  readonly isFilled: (scope: CalendarScope) => boolean;
  /**
   * Fills the index of a calendar in steps, none of which belongs inside a transaction; others may change what they like in
   * between. Where the change log has not kept up with that, the index is filled when it is asked for.
   */
  readonly fillInSteps: (scope: CalendarScope) => Iterator<unknown, void, undefined>;
  /** The octets whose ETag the object names. Throws an `EarlierObjectError` when the item has changed since. */
  readonly octets: (object: CalendarObject) => Buffer;
  /** Rereads an item whose octets changed without an entry in the change log. */
  readonly reload: (key: ItemKey) => void;
}

interface FilledIndex {
  readonly scope: CalendarScope;
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
  const shared = createSharedFacts();
  const indexes = new Map<string, FilledIndex>();
  /** What was read again while indexes are being filled, of each of those. */
  const readAgain = new Set<Set<ItemKey>>();
  let provisional: Provisional | null = null;
  let knownUpTo = revision(0);
  let undone = store.transaction().undone;

  function update(key: ItemKey): void {
    cache.drop(key);
    for (const keys of readAgain) keys.add(key);
    provisional?.keys.add(key);
    const view = store.view.get(key);
    const facts = view && factsOf(view.item);
    for (const filled of indexes.values()) place(filled, { key, view, facts });
  }

  function place(
    { scope, index }: FilledIndex,
    item: {
      readonly key: ItemKey;
      readonly view: ViewItem | null;
      readonly facts: Facts | null;
    },
  ): void {
    const { key, view, facts } = item;
    if (view && facts && holds(scope, facts)) index.put(memberOf(view, facts, scope));
    else index.remove(key);
  }

  function memberOf(view: ViewItem, facts: Facts, { kind }: CalendarScope): Member {
    return { facts: shared(facts), object: cache.object(view, componentIn(kind, facts)) };
  }

  function fill(scope: CalendarScope): FilledIndex {
    const { collection, person } = scope;
    const index = createCalendarIndex();
    const views =
      collection === null ? store.view.assignedTo(person) : store.view.ofCollection(collection);
    for (const view of views) {
      const facts = factsOf(view.item);
      if (holds(scope, facts)) index.put(memberOf(view, facts, scope));
    }
    return { scope, index };
  }

  function* fillInSteps(scope: CalendarScope): Generator<void> {
    const { collection, person } = scope;
    const from = store.changes.latest();
    const filled = { scope, index: createCalendarIndex() };
    const again = new Set<ItemKey>();
    readAgain.add(again);
    const parts =
      collection === null
        ? store.view.keysAssignedTo(person)
        : [store.view.keysOfCollection(collection)];
    try {
      for (const keys of parts) {
        yield;
        for (const key of keys) yield putNow(filled, key);
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
    const changed = store.changes.changedAfter(from).map(({ item }) => item);
    for (const key of [...again, ...changed]) {
      cache.drop(key);
      putNow(filled, key);
    }
    indexes.set(id, filled);
  }

  function putNow(filled: FilledIndex, key: ItemKey): void {
    const view = store.view.get(key);
    place(filled, { key, view, facts: view && factsOf(view.item) });
  }

  function undo({ base, keys, filled }: Provisional): void {
    for (const id of filled) indexes.delete(id);
    // The indexes were filled with members as the undone steps had made them.
    if (filled.size > 0) cache.clear();
    for (const key of keys) update(key);
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
      for (const { item } of store.changes.changedAfter(knownUpTo)) update(item);
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
      if (!store.changes.hasChangedAfter(knownUpTo, key)) update(key);
    },
  };
}

/** So many combinations of them are known at a time. */
const mostFacts = 2000;

/** Gives equal facts as the same object: a list has thousands of members, and few different ones. */
function createSharedFacts(): (facts: Facts) => Facts {
  const known = new Map<string, Facts>();
  return (facts) => {
    const { collection, isEvent, isMilestone, isPrivate, assigned, creatorId } = facts;
    const text = `${collection} ${isEvent} ${isMilestone} ${isPrivate} ${creatorId} ${assigned.join()}`;
    const same = known.get(text);
    if (same) return same;
    if (known.size >= mostFacts) known.clear();
    known.set(text, facts);
    return facts;
  };
}

/** People share the index of a calendar; each has an index of their own for assigned items. */
const idOfScope = ({ kind, collection, person }: CalendarScope): string =>
  collection === null ? `${kind} ${person}` : `${kind} ${collection}`;

const touches = ({ span }: CalendarObject, { from, to }: TimeSpan): boolean =>
  span === null || (span.from <= to && span.to >= from);

/** Lists are cached for at most so many viewers: as many as a large team has people. */
const mostViewers = 200;

function createCalendarIndex(): CalendarIndex {
  const members = new Map<ItemKey, Member>();
  /** Who is shown under the name that it claims: of those that claim the same, the one of the lowest key. */
  const holders = new Map<string, ItemKey>();
  /** The others, in the order of their keys; they are shown under another name. */
  const others = new Map<string, readonly ItemKey[]>();
  const lists = new Map<string, readonly CalendarObject[]>();
  /** Made when somebody asks for a span first: most programs never do. */
  let spans: SpanIndex | null = null;
  let privates = 0;

  const claimants = (name: string): readonly ItemKey[] => {
    const holder = holders.get(name);
    return holder === undefined ? [] : [holder, ...(others.get(name) ?? [])];
  };

  function setClaims(name: string, [holder, ...rest]: readonly ItemKey[]): void {
    if (holder === undefined) holders.delete(name);
    else holders.set(name, holder);
    if (rest.length > 0) others.set(name, rest);
    else others.delete(name);
  }

  function claim(key: ItemKey, name: string): void {
    setClaims(
      name,
      [...claimants(name), key].toSorted((a, b) => a - b),
    );
  }

  function release(key: ItemKey, name: string): void {
    setClaims(
      name,
      claimants(name).filter((one) => one !== key),
    );
  }

  function drop(key: ItemKey): boolean {
    const before = members.get(key);
    if (!before) return false;
    release(key, before.object.name);
    if (before.facts.isPrivate) privates -= 1;
    spans?.remove(before.object);
    return members.delete(key);
  }

  /** The member under the name by which it is shown. */
  function shown(member: Member): Member {
    const { key, name, uid } = member.object;
    if (holders.get(name) === key) return member;
    return { ...member, object: { ...member.object, name: hashedNameOf(uid) } };
  }

  /** The member that is shown under the hash of its UID, as another one holds the name that it claims. */
  function underHashedName(name: string): Member | null {
    const found = [...others.values()]
      .flat()
      .map((key) => members.get(key))
      .find((one) => one && shown(one).object.name === name);
    return found ? shown(found) : null;
  }

  function sorted(
    among: readonly Member[],
    viewer: CalendarViewer | null,
  ): readonly CalendarObject[] {
    const seen = viewer ? among.filter(({ facts }) => viewer.sees(facts)) : among;
    return seen.map((member) => shown(member).object).sort((a, b) => a.key - b.key);
  }

  function spansOfAll(): SpanIndex {
    const made = createSpanIndex();
    for (const { object } of members.values()) made.put(object);
    return made;
  }

  return {
    put(member) {
      const { key, name } = member.object;
      drop(key);
      claim(key, name);
      members.set(key, member);
      spans?.put(member.object);
      if (member.facts.isPrivate) privates += 1;
      lists.clear();
    },
    remove(key) {
      if (drop(key)) lists.clear();
    },
    get(key) {
      const member = members.get(key);
      return member ? shown(member) : null;
    },
    named(name) {
      const key = holders.get(name);
      const member = key === undefined ? undefined : members.get(key);
      return member ?? underHashedName(name);
    },
    list(viewer) {
      const id = viewer?.id ?? "";
      const known = lists.get(id) ?? sorted([...members.values()], viewer);
      if (lists.size >= mostViewers) lists.clear();
      lists.set(id, known);
      return known;
    },
    listNear(viewer, span) {
      spans ??= spansOfAll();
      const touching: Member[] = [];
      for (const key of spans.near(span)) {
        const member = members.get(key);
        if (member && touches(member.object, span)) touching.push(member);
      }
      return sorted(touching, viewer);
    },
    isOpen: () => privates === 0,
  };
}
