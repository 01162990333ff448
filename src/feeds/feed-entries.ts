import { startsAt } from "@dayferry/ical";
import type { ItemKey, Revision } from "../domain/ids.ts";
import { isAmongPrivate } from "../domain/visibility.ts";
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

/** Identifies an entry: an item, or the date in one of its custom fields. */
interface EntryName {
  readonly key: ItemKey;
  /** The custom field whose date it shows; 0 for the item itself. */
  readonly field: number;
}

/** What a feed keeps in memory per entry: enough to place it, and to know whether its text is still valid. */
export interface FeedEntry extends EntryName {
  /** Null if no feed shows it on any day. */
  readonly days: Days | null;
  /** The years of its times, which a calendar's time zone must cover; null for whole days. */
  readonly years: DaySpanWithYears["years"] | null;
  /** Sort key: start, then UID. */
  readonly order: string;
  readonly inputs: string;
}

/** The items of one feed, updated from the change log. Call every method but `fill` inside one transaction. */
export type FeedEntries = ReturnType<typeof createFeedEntries>;

interface FeedEntriesDeps {
  readonly store: Store;
  readonly scope: FeedScope;
  /** The workspace's present names. */
  readonly readNames: () => WorkspaceNames;
  readonly options: FeedOptions;
  readonly format: string;
  /** The present content of action links; null for none. */
  readonly links: () => FeedLinks | null;
}

/** Thrown if an item of a feed cannot be read: entries and view are out of sync, and the feed must be rebuilt. */
class MissingItemError extends Error {
  override readonly name = "MissingItemError";
  readonly key: ItemKey;
  constructor(key: ItemKey) {
    super(`item ${key} is in a feed's list but not in the view`);
    this.key = key;
  }
}

export function createFeedEntries(deps: FeedEntriesDeps) {
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

  /** The inputs of every entry. */
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
    /**
     * True if `refresh` has little to do: not at first, and not after names or links have changed, which every entry depends on.
     * `fill` is for those cases.
     */
    isFollowing: (): boolean => knownUpTo !== null && presentNames().text === dependencies,
    /** Reads everything, item by item. Others may write between two steps; the next `refresh` processes that. */
    fill,
    /** Processes changes since the last call. */
    refresh(): void {
      const isKnown = knownUpTo !== null && presentNames().text === dependencies;
      const changed = isKnown && knownUpTo !== null ? scope.since(knownUpTo) : null;
      if (changed) for (const key of changed) update(key);
      else for (const _ of fill());
    },
    /** Processes one item changed after `refresh`. */
    reload(key: ItemKey): ViewItem {
      const view = store.view.get(key);
      if (!view) throw new MissingItemError(key);
      read.set(key, view);
      put(view);
      return view;
    },
    /** True if the feed shows an entry on a day. */
    isShown(today: Temporal.PlainDate): (entry: FeedEntry) => boolean {
      const window = windowAround(today, options);
      return (entry) => isShown(entry, window);
    },
    /** The feed's entries on a day, by start, then UID; the same array while unchanged. */
    shown: (today: Temporal.PlainDate): readonly FeedEntry[] =>
      shownEntries.on(today, () => [...entries.values()].flat()),
    has: (key: ItemKey): boolean => entries.has(key),
    /** Approximate memory use in octets. */
    size: (): number => entries.size * sizeOfEntry,
    get({ key, field }: EntryName): FeedEntry {
      const entry = entries.get(key)?.find((one) => one.field === field);
      if (!entry) throw new MissingItemError(key);
      return entry;
    },
    viewOf,
    context: (): CardContext => ({ names, options, links }),
    /** Ends one use: drops cached data. */
    settle(): void {
      knownUpTo = store.changes.latest();
      read.clear();
    },
  };
}

/** The item's own entry, and those of its custom field dates if configured. */
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
  const place = omitted ? null : placeOfView(view, field, options);
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

/** Approximate memory of an item's entry. */
const sizeOfEntry = 300;

/**
 * A feed's entries on one day, in order. A changed one is moved to its place, so that a change in a long calendar needs neither
 * comparing every date nor a new sort.
 */
function createShownEntries(options: FeedOptions) {
  let filled: { today: Temporal.PlainDate; window: FeedWindow; entries: FeedEntry[] } | null = null;
  let isReturned = false;

  return {
    /** `all` is called on a new day and after `clear`. Returned arrays are never modified. */
    on(today: Temporal.PlainDate, all: () => readonly FeedEntry[]): readonly FeedEntry[] {
      if (!filled?.today.equals(today)) {
        const window = windowAround(today, options);
        const entries = all().filter((entry) => isShown(entry, window));
        filled = { today, window, entries: entries.sort(byOrder) };
      }
      isReturned = true;
      return filled.entries;
    },
    /** Undefined = it did not exist, or no longer does. */
    replace(before: FeedEntry | undefined, after: FeedEntry | undefined): void {
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
    clear(): void {
      filled = null;
    },
  };
}

const isShown = ({ days }: FeedEntry, window: FeedWindow): boolean =>
  days !== null && inWindow(days, window);

const byOrder = (a: FeedEntry, b: FeedEntry): number => (a.order < b.order ? -1 : 1);

/** The index of an entry, or its insertion point. No two sort keys are equal, as they end with the UID. */
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
