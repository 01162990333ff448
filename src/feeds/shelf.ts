import type { Entry } from "./entries.ts";
import type { FeedOptions } from "./options.ts";
import { inWindow, type Window, windowAround } from "./window.ts";

/**
 * The entries that a feed shows on one day, in their order. One that changes is put into its place, so that a change in
 * a long calendar costs neither a new look at every date nor a new sort.
 */
export interface Shelf {
  /** `all` is looked at on another day than the last, and after `clear`. */
  on(today: Temporal.PlainDate, all: Iterable<Entry>): readonly Entry[];
  /** Undefined = it was not there, or is no longer. */
  replace(before: Entry | undefined, after: Entry | undefined): void;
  clear(): void;
}

export function createShelf(options: FeedOptions): Shelf {
  let filled: { today: Temporal.PlainDate; window: Window; entries: Entry[] } | null = null;

  return {
    on(today, all) {
      if (!filled?.today.equals(today)) {
        const window = windowAround(today, options);
        const entries = [...all].filter((entry) => isShown(entry, window));
        filled = { today, window, entries: entries.sort(byOrder) };
      }
      return filled.entries;
    },
    replace(before, after) {
      if (!filled) return;
      const { entries, window } = filled;
      if (before && isShown(before, window)) entries.splice(placeOf(entries, before), 1);
      if (after && isShown(after, window)) entries.splice(placeOf(entries, after), 0, after);
    },
    clear() {
      filled = null;
    },
  };
}

const isShown = ({ days }: Entry, window: Window): boolean =>
  days !== null && inWindow(days, window);

const byOrder = (a: Entry, b: Entry): number => (a.order < b.order ? -1 : 1);

/** Where an entry stands, or would stand. No two orders are equal, as they end in the UID. */
function placeOf(entries: readonly Entry[], { order }: Entry): number {
  let from = 0;
  let to = entries.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((entries[middle]?.order ?? "") < order) from = middle + 1;
    else to = middle;
  }
  return from;
}
