import { startsAt } from "@dayferry/ical";
import type { ItemKey, Revision } from "../domain/ids.ts";
import { isAmongPrivate } from "../domain/sight.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import { type CardContext, cardInputs, type FeedLinks, linksText } from "./card.ts";
import { fieldInputs, fieldsWithDates, fieldView, placeOfView } from "./custom-dates.ts";
import type { FeedScope, WorkspaceNames } from "./feed-scope.ts";
import type { FeedOptions } from "./window.ts";
import {
  type DaySpanWithYears,
  type Days,
  type FeedWindow,
  feedSpanOf,
  inWindow,
  windowAround,
} from "./window.ts";

/** Names an entry: an item, or the date in one of its custom fields. */
interface EntryName {
  readonly key: ItemKey;
  /** The custom field whose date it shows; 0 for the item itself. */
  readonly field: number;
}

/**
 * What a feed keeps in memory of one of its items, or of a date of its custom fields: enough to place it, and to
 * know whether its text still holds.
 */
export interface FeedEntry extends EntryName {
  /** Null for what no feed shows on any day. */
  readonly days: Days | null;
  /** In which years it has times, which a calendar's time zone must cover; null for whole days. */
  readonly years: DaySpanWithYears["years"] | null;
  /** Sorts by start, then UID. */
  readonly order: string;
  readonly inputs: string;
}

/** The items of one feed, kept up to date from the change log. Every method but `fill` belongs inside one transaction. */
export interface FeedEntries {
  /**
   * Whether `refresh` has little to do: not at first, and not where names or links are others now, on which every entry
   * hangs. `fill` is for those times.
   */
  isFollowing(): boolean;
  /**
   * Reads everything, item by item, each of which is answered with. Others may change what they like between two steps:
   * the next `refresh` takes that in.
   */
  fill(): Iterable<readonly FeedEntry[]>;
  /** Takes in what changed since the last call. */
  refresh(): void;
  /** Takes in one item that was changed after `refresh`. */
  reload(key: ItemKey): ViewItem;
  /** Whether the feed shows an entry on a day. */
  isShown(today: Temporal.PlainDate): (entry: FeedEntry) => boolean;
  /** What the feed shows on a day, by start, then UID; the same array as long as nothing of it has changed. */
  shown(today: Temporal.PlainDate): readonly FeedEntry[];
  has(key: ItemKey): boolean;
  /** How many octets they take in memory, about. */
  size(): number;
  get(name: EntryName): FeedEntry;
  viewOf(key: ItemKey): ViewItem;
  context(): CardContext;
  /** Ends one use: everything so far is known, and what was read for it is let go. */
  settle(): void;
}

interface FeedEntriesDeps {
  readonly store: Store;
  readonly scope: FeedScope;
  /** The names of the workspace as they are now. */
  readonly readNames: () => WorkspaceNames;
  readonly options: FeedOptions;
  readonly format: string;
  /** Answers with what action links are made of now; null for none. */
  readonly links: () => FeedLinks | null;
}

/** Thrown when an item that a feed shows cannot be read: entries and view are out of step, and the feed must be built again. */
class MissingItemError extends Error {
  override readonly name = "MissingItemError";
  readonly key: ItemKey;
  constructor(key: ItemKey) {
    super(`item ${key} is in a feed's list but not in the view`);
    this.key = key;
  }
}

export function createFeedEntries(deps: FeedEntriesDeps): FeedEntries {
  const { store, scope, readNames, options, format } = deps;
  const entries = new Map<ItemKey, readonly FeedEntry[]>();
  const read = new Map<ItemKey, ViewItem>();
  const shownEntries = createShownEntries(options);
  let { names } = readNames();
  let links = deps.links();
  let dependencies = "";
  let knownUpTo: Revision | null = null;

  function put(view: ViewItem): readonly FeedEntry[] {
    const present = entriesOf(view, { names, options, links, format });
    replace(view.key, present);
    entries.set(view.key, present);
    return present;
  }

  function replace(key: ItemKey, present: readonly FeedEntry[]): void {
    const before = entries.get(key) ?? [];
    for (const gone of before) {
      shownEntries.replace(
        gone,
        present.find(({ field }) => field === gone.field),
      );
    }
    const fields = new Set(before.map(({ field }) => field));
    for (const entry of present)
      if (!fields.has(entry.field)) shownEntries.replace(undefined, entry);
  }

  /** All that every entry hangs on, as it is now. */
  function presentNames() {
    const [{ names: present, text: namesText }, presentLinks] = [readNames(), deps.links()];
    const text = `${namesText}${presentLinks ? linksText(presentLinks) : ""}${scope.text()}`;
    return { present, presentLinks, text };
  }

  function* fill(): Generator<readonly FeedEntry[]> {
    const now = presentNames();
    const upTo = store.changes.latest();
    knownUpTo = null;
    names = now.present;
    links = now.presentLinks;
    dependencies = now.text;
    entries.clear();
    shownEntries.clear();
    for (const key of scope.keys()) {
      const view = store.view.get(key);
      yield view && scope.holds(view.item) ? put(view) : [];
    }
    knownUpTo = upTo;
  }

  function update(key: ItemKey): void {
    const view = store.view.get(key);
    if (view && scope.holds(view.item)) {
      read.set(key, view);
      put(view);
    } else {
      replace(key, []);
      entries.delete(key);
    }
  }

  function viewOf(key: ItemKey): ViewItem {
    const view = read.get(key) ?? store.view.get(key);
    if (!view) throw new MissingItemError(key);
    return view;
  }

  return {
    isFollowing: () => knownUpTo !== null && presentNames().text === dependencies,
    fill,
    refresh() {
      const isKnown = knownUpTo !== null && presentNames().text === dependencies;
      const changed = isKnown && knownUpTo !== null ? scope.since(knownUpTo) : null;
      if (changed) for (const key of changed) update(key);
      else for (const _ of fill());
    },
    reload(key) {
      const view = store.view.get(key);
      if (!view) throw new MissingItemError(key);
      read.set(key, view);
      put(view);
      return view;
    },
    isShown(today) {
      const window = windowAround(today, options);
      return (entry) => isShown(entry, window);
    },
    shown: (today) => shownEntries.on(today, () => [...entries.values()].flat()),
    has: (key) => entries.has(key),
    size: () => entries.size * sizeOfEntry,
    get({ key, field }) {
      const entry = entries.get(key)?.find((one) => one.field === field);
      if (!entry) throw new MissingItemError(key);
      return entry;
    },
    viewOf,
    context: () => ({ names, options, links }),
    settle() {
      knownUpTo = store.changes.latest();
      read.clear();
    },
  };
}

/** The item's own entry, and those of the dates in its custom fields where the options want them. */
function entriesOf(view: ViewItem, context: Writing): readonly FeedEntry[] {
  const dates = context.options.customDates ? fieldsWithDates(view.item) : [];
  return [0, ...dates].flatMap((field) => {
    const shown = fieldView(view, field);
    return shown ? [entryOf(shown, { ...context, field })] : [];
  });
}

type Writing = CardContext & { readonly format: string };

function entryOf(view: ViewItem, context: Writing & { readonly field: number }): FeedEntry {
  const { key, uid, item } = view;
  const { names, options, field } = context;
  const omitted = options.private === "omit" && isAmongPrivate(item, names.privateLists);
  const place = omitted ? null : placeOfView(view, { field, options });
  if (!place) return { key, field, days: null, years: null, order: "", inputs: "" };
  const start = startsAt(place, options.zone).toString({ smallestUnit: "second" });
  const { days, years } = feedSpanOf(view, place, options.zone);
  return {
    key,
    field,
    days,
    years: place.kind === "times" ? years : null,
    order: `${start} ${uid}`,
    inputs: field === 0 ? cardInputs(view, context) : fieldInputs(view, { ...context, place }),
  };
}

/** What the entry of an item takes in memory, about. */
const sizeOfEntry = 300;

/**
 * The entries that a feed shows on one day, in their order. One that changes is put into its place, so that a change in
 * a long calendar costs neither a new look at every date nor a new sort.
 */
interface ShownEntries {
  /** `all` is asked for on another day than the last, and after `clear`. What was returned before stays as it is. */
  on(today: Temporal.PlainDate, all: () => readonly FeedEntry[]): readonly FeedEntry[];
  /** Undefined = it was not there, or is no longer. */
  replace(before: FeedEntry | undefined, after: FeedEntry | undefined): void;
  clear(): void;
}

function createShownEntries(options: FeedOptions): ShownEntries {
  let filled: { today: Temporal.PlainDate; window: FeedWindow; entries: FeedEntry[] } | null = null;
  let isReturned = false;

  return {
    on(today, all) {
      if (!filled?.today.equals(today)) {
        const window = windowAround(today, options);
        const entries = all().filter((entry) => isShown(entry, window));
        filled = { today, window, entries: entries.sort(byOrder) };
      }
      isReturned = true;
      return filled.entries;
    },
    replace(before, after) {
      if (!filled) return;
      const { window } = filled;
      const [was, is] = [before, after].map((entry) => entry && isShown(entry, window));
      if (!was && !is) return;
      if (isReturned) filled.entries = [...filled.entries];
      isReturned = false;
      const { entries } = filled;
      if (before && was) entries.splice(indexIn(entries, before), 1);
      if (after && is) entries.splice(indexIn(entries, after), 0, after);
    },
    clear() {
      filled = null;
    },
  };
}

const isShown = ({ days }: FeedEntry, window: FeedWindow): boolean =>
  days !== null && inWindow(days, window);

const byOrder = (a: FeedEntry, b: FeedEntry): number => (a.order < b.order ? -1 : 1);

/** The index of an entry, or the one at which it would stand. No two orders are equal, as they end in the UID. */
function indexIn(entries: readonly FeedEntry[], { order }: FeedEntry): number {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle]?.order ?? "") < order) from = middle + 1;
    else to = middle;
  }
  return from;
}
