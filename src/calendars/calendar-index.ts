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

/** A viewer of a calendar. */
export interface CalendarViewer {
  /** The same for all people who see the same members. */
  readonly id: string;
  readonly sees: (facts: Facts) => boolean;
}

/** The members of one calendar for everyone who has it, updated item by item. */
interface CalendarIndex {
  readonly put: (member: Member) => void;
  readonly remove: (key: ItemKey) => void;
  readonly get: (key: ItemKey) => Member | null;
  readonly named: (name: string) => Member | null;
  /** The members that a viewer may see, by item key; all for null. */
  readonly list: (viewer: CalendarViewer | null) => readonly CalendarObject[];
  /** Those that may take place in a span; others may be omitted. */
  readonly listNear: (viewer: CalendarViewer | null, span: TimeSpan) => readonly CalendarObject[];
  /** True if no member is private. */
  readonly isOpen: () => boolean;
}

interface FilledIndex {
  readonly scope: CalendarScope;
  readonly index: CalendarIndex;
}

/** Data read inside an open transaction: a rollback invalidates it, and its revisions are reused. */
interface Provisional {
  readonly begun: number;
  readonly base: Revision;
  readonly keys: Set<ItemKey>;
  /** Ids of the filled indexes. */
  readonly filled: Set<string>;
}

/**
 * Keeps the members of calendars in memory: name, ETag, length and span of each, and octets up to a budget. An item is written
 * once per change, for all calendars. The change log keeps all of it up to date; data read inside a rolled-back transaction is
 * read again.
 */
export function createCalendarIndexes(deps: {
  readonly store: Store;
  readonly renderer: ObjectRenderer;
  /** The account's zone. */
  readonly zone: string;
  /** Number of octets kept in memory. */
  readonly budget: number;
  /** Called after a rollback: data read inside it is invalid. */
  readonly onUndone: () => void;
}) {
  const { store } = deps;
  const cache = createObjectCache(deps);
  const shared = createSharedFacts();
  const indexes = new Map<string, FilledIndex>();
  /** Items reread while indexes are being filled, per index. */
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

  /** Processes changes since the filling began. */
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
    // The indexes were filled with members of the rolled-back transaction.
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
      // The log was not followed, or no longer reaches back that far.
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
    /** Reads the change log to its end; call before every use. Returns the newest revision. */
    refresh,
    /** The result of the last `refresh`. */
    upTo: (): Revision => knownUpTo,
    /** A calendar's index as of the last `refresh`; filled on first use. */
    of(scope: CalendarScope): CalendarIndex {
      const id = idOfScope(scope);
      const known = indexes.get(id);
      if (known) return known.index;
      const filled = fill(scope);
      indexes.set(id, filled);
      provisional?.filled.add(id);
      return filled.index;
    },
    /** Identifies the index that calendars of one scope share. */
    idOf: idOfScope,
    /** True if `of` has nothing to read. */
    isFilled: (scope: CalendarScope): boolean => indexes.has(idOfScope(scope)),
    /**
     * Fills a calendar's index in steps, outside of transactions; others may write in between. If the change log does not reach
     * back far enough, the index is filled on use.
     */
    fillInSteps,
    /** The octets with the object's ETag. Throws an `EarlierObjectError` if the item has changed since. */
    octets: (object: CalendarObject): Buffer => cache.octets(object),
    /** Rereads an item whose octets changed without an entry in the change log. */
    reload(key: ItemKey): void {
      follow(store.transaction());
      // The next refresh processes what is in the log.
      if (!store.changes.hasChangedAfter(knownUpTo, key)) update(key);
    },
  };
}

/** Limit of cached combinations. */
const mostFacts = 2000;

/** Returns equal facts as the same object, as thousands of members share a few. */
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

/** People share a calendar's index; each has an own one for assigned items. */
const idOfScope = ({ kind, collection, person }: CalendarScope): string =>
  collection === null ? `${kind} ${person}` : `${kind} ${collection}`;

const touches = ({ span }: CalendarObject, { from, to }: TimeSpan): boolean =>
  span === null || (span.from <= to && span.to >= from);

/** Limit of viewers with cached lists: the size of a large team. */
const mostViewers = 200;

function createCalendarIndex(): CalendarIndex {
  const members = new Map<ItemKey, Member>();
  /** The holder of each name: of several claimants, the one with the lowest key. */
  const holders = new Map<string, ItemKey>();
  /** The others, by key; they have another name. */
  const others = new Map<string, readonly ItemKey[]>();
  const lists = new Map<string, readonly CalendarObject[]>();
  /** Created on the first request for a span, as most programs never send one. */
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

  /** The member with its visible name. */
  function shown(member: Member): Member {
    const { key, name, uid } = member.object;
    if (holders.get(name) === key) return member;
    return { ...member, object: { ...member.object, name: hashedNameOf(uid) } };
  }

  /** The member visible under the hash of its UID, as another one holds its name. */
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
