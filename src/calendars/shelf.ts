import type { ItemKey, Revision } from "../domain/ids.ts";
import type { CalendarObject } from "./calendar.ts";
import type { Facts } from "./membership.ts";
import { hashedNameOf } from "./names.ts";

/** A member with what decides who may see it. */
export interface Entry {
  readonly object: CalendarObject;
  readonly facts: Facts;
}

/** The members of one calendar for all people who have it, kept in step item by item. */
export interface Shelf {
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

export function createShelf(filledAt: Revision): Shelf {
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
