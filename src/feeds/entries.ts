import type { ItemKey, ProjectId, Revision } from "../domain/ids.ts";
import { startsAt } from "../domain/when.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view.ts";
import { type CardContext, cardInputs, isPrivate, type Names } from "./card.ts";
import type { FeedOptions } from "./options.ts";
import { createShelf } from "./shelf.ts";
import { type Days, daysOf, placeOf } from "./window.ts";

interface Years {
  readonly from: number;
  readonly to: number;
}

/** What a feed keeps in memory of one item of its project: enough to place it, and to know whether its text still holds. */
export interface Entry {
  readonly key: ItemKey;
  /** Null for what no feed shows on any day. */
  readonly days: Days | null;
  /** In which years it has times, which a calendar's time zone must cover; null for whole days. */
  readonly years: Years | null;
  /** Sorts by start, then UID. */
  readonly order: string;
  readonly inputs: string;
}

/** The items of one project, kept up to date from the change log. Every method belongs inside one transaction. */
export interface Entries {
  /** Takes in what changed since the last call. */
  refresh(): void;
  /** Takes in one item that was changed after `refresh`. */
  reload(key: ItemKey): ViewItem;
  /** What the feed shows on a day, by start, then UID. */
  shown(today: Temporal.PlainDate): readonly Entry[];
  has(key: ItemKey): boolean;
  get(key: ItemKey): Entry;
  viewOf(key: ItemKey): ViewItem;
  context(): CardContext;
  /** Ends one use: everything so far is known, and what was read for it is let go. */
  settle(): void;
}

export interface EntriesDeps {
  readonly store: Store;
  readonly project: ProjectId;
  readonly options: FeedOptions;
  readonly format: string;
}

/** Thrown when an item that a feed shows cannot be read: entries and view are out of step, and the feed must be built anew. */
class MissingItemError extends Error {
  override readonly name = "MissingItemError";
  readonly key: ItemKey;
  constructor(key: ItemKey) {
    super(`item ${key} is in a feed's list but not in the view`);
    this.key = key;
  }
}

export function createEntries({ store, project, options, format }: EntriesDeps): Entries {
  const entries = new Map<ItemKey, Entry>();
  const read = new Map<ItemKey, ViewItem>();
  const shelf = createShelf(options);
  let names = namesOf(store);
  let namesText = "";
  let knownUpTo: Revision | null = null;

  function put(view: ViewItem): void {
    const entry = entryOf(view, { names, options, format });
    read.set(view.key, view);
    shelf.replace(entries.get(view.key), entry);
    entries.set(view.key, entry);
  }

  function load(): void {
    entries.clear();
    shelf.clear();
    for (const view of store.view.ofProject(project)) put(view);
  }

  function update(key: ItemKey): void {
    const view = store.view.get(key);
    if (view?.item.projectId === project) put(view);
    else {
      shelf.replace(entries.get(key), undefined);
      entries.delete(key);
    }
  }

  function viewOf(key: ItemKey): ViewItem {
    const view = read.get(key) ?? store.view.get(key);
    if (!view) throw new MissingItemError(key);
    return view;
  }

  return {
    refresh() {
      const present = namesOf(store);
      const text = textOfNames(present);
      if (knownUpTo === null || text !== namesText) {
        names = present;
        namesText = text;
        load();
      } else {
        for (const key of store.changes.itemsSince(project, knownUpTo)) update(key);
      }
    },
    reload(key) {
      const view = store.view.get(key);
      if (!view) throw new MissingItemError(key);
      put(view);
      return view;
    },
    shown: (today) => shelf.on(today, entries.values()),
    has: (key) => entries.has(key),
    get(key) {
      const entry = entries.get(key);
      if (!entry) throw new MissingItemError(key);
      return entry;
    },
    viewOf,
    context: () => ({ names, options }),
    settle() {
      knownUpTo = store.changes.latest();
      read.clear();
    },
  };
}

function entryOf(view: ViewItem, context: CardContext & { readonly format: string }): Entry {
  const { key, uid, item } = view;
  const { names, options } = context;
  const omitted = options.private === "omit" && isPrivate(item, names);
  const place = omitted ? null : placeOf(item, options);
  if (!place) return { key, days: null, years: null, order: "", inputs: "" };
  const start = startsAt(place, options.zone).toString({ smallestUnit: "second" });
  const days = daysOf(view, place, options.zone);
  return {
    key,
    days,
    years: place.kind === "times" ? { from: days.first.year, to: days.last.year } : null,
    order: `${start} ${uid}`,
    inputs: cardInputs(view, context),
  };
}

function namesOf({ directory }: Store): Names {
  const hidden = directory.todolists().filter((list) => list.private);
  return {
    labels: directory.labelNames(),
    people: directory.personNames(),
    privateLists: new Set(hidden.map(({ id }) => id)),
  };
}

const textOfNames = ({ labels, people, privateLists }: Names): string =>
  JSON.stringify([[...labels], [...people], [...privateLists]]);
