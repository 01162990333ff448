import { type ItemKey, type Revision, revision } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import type { Standing } from "../store/transactions.ts";
import type { ViewItem } from "../store/view/view.ts";
import { componentIn, type Facts, factsOf, holds, type Scope } from "./membership.ts";
import { createShelf, type Entry, type Shelf } from "./shelf.ts";
import type { Wardrobe } from "./wardrobe.ts";

/** The shelves of all calendars that were asked for, kept up to date from the change log. */
export interface Shelves {
  /** Takes in what changed; every use of what is in memory begins with it. Returns the newest revision of all. */
  readonly refresh: () => Revision;
  /** What the last `refresh` returned. */
  readonly upTo: () => Revision;
  /** The shelf of a calendar as of the last `refresh`, filled when it is asked for first. */
  readonly of: (scope: Scope) => Shelf;
  /** Takes in an item whose octets changed without the log saying so. */
  readonly reload: (key: ItemKey) => void;
}

interface Filled {
  readonly scope: Scope;
  readonly shelf: Shelf;
}

/** What was read inside a transaction that may yet be undone, after which its revisions are handed out again. */
interface Provisional {
  readonly begun: number;
  readonly base: Revision;
  readonly keys: Set<ItemKey>;
  readonly shelves: Set<string>;
}

export function createShelves(deps: {
  readonly store: Store;
  readonly wardrobe: Wardrobe;
  /** Called when steps were undone: nothing that was read inside them counts. */
  readonly onUndone: () => void;
}): Shelves {
  const { store, wardrobe } = deps;
  const shelves = new Map<string, Filled>();
  let provisional: Provisional | null = null;
  let knownUpTo = revision(0);
  let undone = store.standing().undone;

  function update(key: ItemKey, at: Revision): void {
    wardrobe.drop(key);
    provisional?.keys.add(key);
    const view = store.view.get(key);
    const facts = view && factsOf(view.item);
    for (const { scope, shelf } of shelves.values()) {
      if (view && facts && holds(scope, facts)) shelf.put(entryOf(view, facts, scope), at);
      else shelf.remove(key, at);
    }
  }

  function entryOf(view: ViewItem, facts: Facts, { kind }: Scope): Entry {
    return { facts, object: wardrobe.object(view, componentIn(kind, facts)) };
  }

  function fill(scope: Scope): Filled {
    const { kind, collection, person } = scope;
    const shelf = createShelf(kind === "assigned" ? store.changes.latest() : revision(0));
    const views =
      collection === null ? store.view.assignedTo(person) : store.view.ofCollection(collection);
    for (const view of views) {
      const facts = factsOf(view.item);
      if (holds(scope, facts)) shelf.put(entryOf(view, facts, scope), revision(0));
    }
    return { scope, shelf };
  }

  function undo({ base, keys, shelves: filled }: Provisional): void {
    for (const id of filled) shelves.delete(id);
    // They were filled with members as the undone steps had made them.
    if (filled.size > 0) wardrobe.clear();
    const latest = store.changes.latest();
    for (const { shelf } of shelves.values()) shelf.undo(base, latest);
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
      provisional = { begun, base: knownUpTo, keys: new Set(), shelves: new Set() };
    }
  }

  return {
    refresh() {
      follow(store.standing());
      const latest = store.changes.latest();
      if (latest === knownUpTo) return latest;
      if (shelves.size > 0 && knownUpTo < store.changes.completeFrom()) {
        // The log does not reach back that far any more.
        shelves.clear();
        wardrobe.clear();
      }
      if (shelves.size > 0) {
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
      const known = shelves.get(id);
      if (known) return known.shelf;
      const made = fill(scope);
      shelves.set(id, made);
      provisional?.shelves.add(id);
      return made.shelf;
    },
    reload(key) {
      follow(store.standing());
      // What is in the log is taken in by the next refresh.
      if (!store.changes.hasChangedAfter(knownUpTo, key)) update(key, knownUpTo);
    },
  };
}

/** People share the shelf of a calendar; what is assigned to one is that one's own. */
const idOf = ({ kind, collection, person }: Scope): string =>
  collection === null ? `${kind} ${person}` : `${kind} ${collection}`;
