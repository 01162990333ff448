import type { FeedId, ItemKey } from "../domain/ids.ts";
import type { EventCard } from "../ics/write-event.ts";
import type { Fragment } from "../store/rows-feeds.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view.ts";
import { cardOf } from "./card.ts";
import type { Entries, Entry } from "./entries.ts";
import { placeOf } from "./window.ts";

/** Writes one component, folded, ended by CRLF; equal cards give equal text. */
export type RenderEvent = (card: EventCard) => string;

/** The published components of one feed. Every method belongs inside one transaction. */
export interface Fragments {
  /** The component of a shown item: as it was published, or written anew when anything that it is made of changed. */
  textOf(entry: Entry): string;
  /** Forgets what was published of items that are no longer the project's. */
  dropGone(): void;
}

export interface FragmentsDeps {
  readonly store: Store;
  readonly feed: FeedId;
  readonly entries: Entries;
  readonly render: RenderEvent;
}

/** Thrown when the component of an item cannot be written. */
export class FragmentError extends Error {
  override readonly name = "FragmentError";
  readonly uid: string;
  constructor(uid: string, cause: unknown) {
    super(`item ${uid} cannot be written`, { cause });
    this.uid = uid;
  }
}

/**
 * Keeps one text per item and SEQUENCE. Where another reason than an edit changes the text (a renamed label, an option,
 * a newer build), SEQUENCE and LAST-MODIFIED rise first: calendars look at nothing else.
 */
export function createFragments({ store, feed, entries, render }: FragmentsDeps): Fragments {
  const published = new Map(store.feeds.fragments(feed));

  function write(view: ViewItem): string {
    const context = entries.context();
    const place = placeOf(view.item, context.options);
    if (!place) throw new FragmentError(view.uid, new Error("it has no place in a calendar"));
    try {
      return render(cardOf(view, { ...context, place }));
    } catch (error) {
      throw new FragmentError(view.uid, error);
    }
  }

  function keep(fragment: Fragment): string {
    published.set(fragment.key, fragment);
    store.feeds.putFragment(feed, fragment);
    return fragment.body;
  }

  function publish(entry: Entry, before: Fragment | undefined): string {
    const { key, inputs } = entry;
    const view = entries.viewOf(key);
    const body = write(view);
    const { sequence } = view;
    if (!before || before.body === body || before.sequence < sequence) {
      return keep({ key, inputs, sequence, body });
    }
    store.changes.touch(key);
    const raised = entries.reload(key);
    return keep({
      key,
      inputs: entries.get(key).inputs,
      sequence: raised.sequence,
      body: write(raised),
    });
  }

  return {
    textOf(entry) {
      const before = published.get(entry.key);
      return before?.inputs === entry.inputs ? before.body : publish(entry, before);
    },
    dropGone() {
      const gone = [...published.keys()].filter((key: ItemKey) => !entries.has(key));
      if (gone.length === 0) return;
      store.feeds.dropFragments(feed, gone);
      for (const key of gone) published.delete(key);
    },
  };
}
