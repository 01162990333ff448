import { type ItemKey, type Revision, revision } from "../domain/ids.ts";
import type { Standing, Store } from "../store/store.ts";

import type { ViewItem } from "../store/view/view.ts";
import type { CalendarObject } from "./calendar-types.ts";
import type { ObjectCache } from "./object-cache.ts";
import { componentIn, type Facts, factsOf, holds, type Scope } from "./person-calendars.ts";
import { hashedNameOf } from "./resource-names.ts";

/** A member with what decides who may see it. */
export interface Entry {
  readonly object: CalendarObject;
  readonly facts: Facts;
}

/** The members of one calendar for all people who have it, kept in step item by item. */
interface CalendarIndex {
  readonly put: (entry: Entry, at: Revision) => void;
  readonly remove: (key: ItemKey, at: Revision) => void;
  readonly get: (key: ItemKey) => Entry | null;
  readonly named: (name: string) => Entry | null;
  /** What somebody may see, by item key; `sight` names the view, null for all. */
  readonly list: (sight: Sight | null) => readonly CalendarObject[];
  /** Whether nothing in it is private. */
  readonly isOpen: () => boolean;
  /** The newest change of a member since it was filled. */
  readonly revision: () => Revision;
  /** Takes back revisions after one, of which some were undone; what was not is at most as new as `latest`. */
  readonly undo: (to: Revision, latest: Revision) => void;
}

/** What one person sees of it. */
export interface Sight {
  readonly id: string;
  readonly sees: (facts: Facts) => boolean;
}

/** As many as a busy home or team has people. */
const mostSights = 200;

function createCalendarIndex(filledAt: Revision): CalendarIndex {
  const entries = new Map<ItemKey, Entry>();
  /** Keys by the name that their items wish for; all but the first are shown under another one. */
  const wishes = new Map<string, readonly ItemKey[]>();
  const contested = new Set<string>();
  const lists = new Map<string, readonly CalendarObject[]>();
  let revision = filledAt;
  let privates = 0;

  function setWishes(name: string, keys: readonly ItemKey[]): void {
    if (keys.length > 0) wishes.set(name, keys);
    else wishes.delete(name);
    if (keys.length > 1) contested.add(name);
    else contested.delete(name);
  }

  function wish(key: ItemKey, name: string): void {
    setWishes(
      name,
      [...(wishes.get(name) ?? []), key].toSorted((a, b) => a - b),
    );
  }

  function withdraw(key: ItemKey, name: string): void {
    setWishes(
      name,
      (wishes.get(name) ?? []).filter((one) => one !== key),
    );
  }

  function drop(key: ItemKey): boolean {
    const before = entries.get(key);
    if (!before) return false;
    withdraw(key, before.object.name);
    if (before.facts.isPrivate) privates -= 1;
    return entries.delete(key);
  }

  /** The entry under the name by which it is shown. */
  function shown(entry: Entry): Entry {
    const { key, name, uid } = entry.object;
    if (wishes.get(name)?.[0] === key) return entry;
    return { ...entry, object: { ...entry.object, name: hashedNameOf(uid) } };
  }

  /** What is shown under a name that it did not wish for. */
  function overruled(name: string): Entry | null {
    const keys = [...contested].flatMap((one) => wishes.get(one)?.slice(1) ?? []);
    const found = keys
      .map((key) => entries.get(key))
      .find((one) => one && shown(one).object.name === name);
    return found ? shown(found) : null;
  }

  function sorted(sight: Sight | null): readonly CalendarObject[] {
    const seen = sight
      ? [...entries.values()].filter(({ facts }) => sight.sees(facts))
      : entries.values();
    return [...seen].map((entry) => shown(entry).object).sort((a, b) => a.key - b.key);
  }

  function changed(at: Revision): void {
    lists.clear();
    if (at > revision) revision = at;
  }

  return {
    put(entry, at) {
      const { key, name } = entry.object;
      drop(key);
      wish(key, name);
      entries.set(key, entry);
      if (entry.facts.isPrivate) privates += 1;
      changed(at);
    },
    remove(key, at) {
      if (drop(key)) changed(at);
    },
    get(key) {
      const entry = entries.get(key);
      return entry ? shown(entry) : null;
    },
    named(name) {
      const [key] = wishes.get(name) ?? [];
      const entry = key === undefined ? undefined : entries.get(key);
      return entry ?? overruled(name);
    },
    list(sight) {
      const id = sight?.id ?? "";
      const known = lists.get(id) ?? sorted(sight);
      if (lists.size >= mostSights) lists.clear();
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

/** The calendarIndexes of all calendars that were asked for, kept up to date from the change log. */
interface CalendarIndexes {
  /** Takes in what changed; every use of what is in memory begins with it. Returns the newest revision of all. */
  readonly refresh: () => Revision;
  /** What the last `refresh` returned. */
  readonly upTo: () => Revision;
  /** The calendarIndex of a calendar as of the last `refresh`, filled when it is asked for first. */
  readonly of: (scope: Scope) => CalendarIndex;
  /** Takes in an item whose octets changed without the log saying so. */
  readonly reload: (key: ItemKey) => void;
}

interface Filled {
  readonly scope: Scope;
  readonly calendarIndex: CalendarIndex;
}

/** What was read inside a transaction that may yet be undone, after which its revisions are handed out again. */
interface Provisional {
  readonly begun: number;
  readonly base: Revision;
  readonly keys: Set<ItemKey>;
  readonly calendarIndexes: Set<string>;
}

export function createCalendarIndexes(deps: {
  readonly store: Store;
  readonly objectCache: ObjectCache;
  /** Called when steps were undone: nothing that was read inside them counts. */
  readonly onUndone: () => void;
}): CalendarIndexes {
  const { store, objectCache } = deps;
  const calendarIndexes = new Map<string, Filled>();
  let provisional: Provisional | null = null;
  let knownUpTo = revision(0);
  let undone = store.standing().undone;

  function update(key: ItemKey, at: Revision): void {
    objectCache.drop(key);
    provisional?.keys.add(key);
    const view = store.view.get(key);
    const facts = view && factsOf(view.item);
    for (const { scope, calendarIndex } of calendarIndexes.values()) {
      if (view && facts && holds(scope, facts)) calendarIndex.put(entryOf(view, facts, scope), at);
      else calendarIndex.remove(key, at);
    }
  }

  function entryOf(view: ViewItem, facts: Facts, { kind }: Scope): Entry {
    return { facts, object: objectCache.object(view, componentIn(kind, facts)) };
  }

  function fill(scope: Scope): Filled {
    const { kind, collection, person } = scope;
    const calendarIndex = createCalendarIndex(
      kind === "assigned" ? store.changes.latest() : revision(0),
    );
    const views =
      collection === null ? store.view.assignedTo(person) : store.view.ofCollection(collection);
    for (const view of views) {
      const facts = factsOf(view.item);
      if (holds(scope, facts)) calendarIndex.put(entryOf(view, facts, scope), revision(0));
    }
    return { scope, calendarIndex };
  }

  function undo({ base, keys, calendarIndexes: filled }: Provisional): void {
    for (const id of filled) calendarIndexes.delete(id);
    // They were filled with members as the undone steps had made them.
    if (filled.size > 0) objectCache.clear();
    const latest = store.changes.latest();
    for (const { calendarIndex } of calendarIndexes.values()) calendarIndex.undo(base, latest);
    for (const key of keys) update(key, latest);
    knownUpTo = base;
  }

  function follow(standing: Standing): void {
    if (standing.undone !== undone) {
      undone = standing.undone;
      deps.onUndone();
      if (provisional) undo(provisional);
    }
    const isOver = provisional && !(standing.isOpen && standing.begun === provisional.begun);
    if (isOver) provisional = null;
    if (standing.isOpen && !provisional) {
      const { begun } = standing;
      provisional = { begun, base: knownUpTo, keys: new Set(), calendarIndexes: new Set() };
    }
  }

  return {
    refresh() {
      follow(store.standing());
      const latest = store.changes.latest();
      if (latest === knownUpTo) return latest;
      if (calendarIndexes.size > 0 && knownUpTo < store.changes.completeFrom()) {
        // The log does not reach back that far any more.
        calendarIndexes.clear();
        objectCache.clear();
      }
      if (calendarIndexes.size > 0) {
        for (const { item, revision: at } of store.changes.changedAfter(knownUpTo, null)) {
          update(item, at);
        }
      }
      knownUpTo = latest;
      return latest;
    },
    upTo: () => knownUpTo,
    of(scope) {
      const id = idOf(scope);
      const known = calendarIndexes.get(id);
      if (known) return known.calendarIndex;
      const made = fill(scope);
      calendarIndexes.set(id, made);
      provisional?.calendarIndexes.add(id);
      return made.calendarIndex;
    },
    reload(key) {
      follow(store.standing());
      // What is in the log is taken in by the next refresh.
      if (!store.changes.hasChangedAfter(knownUpTo, key)) update(key, knownUpTo);
    },
  };
}

/** People share the calendarIndex of a calendar; what is assigned to one is that one's own. */
const idOf = ({ kind, collection, person }: Scope): string =>
  collection === null ? `${kind} ${person}` : `${kind} ${collection}`;
