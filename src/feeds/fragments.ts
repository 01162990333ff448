import type { FeedId } from "../domain/ids.ts";
import { isSealed, type Seal } from "../domain/sealed-text.ts";
import type { EventCard } from "../ics/write/write-event.ts";
import type { Fragment } from "../store/rows/feeds.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import { cardOf } from "./card.ts";
import { fieldView, placeOfView } from "./custom-dates.ts";
import { type Entries, type Entry, entryId } from "./entries.ts";

/** Writes one component, folded, ended by CRLF; equal cards give equal text. */
export type RenderEvent = (card: EventCard) => string;

/** The published components of one feed. Every method belongs inside one transaction. */
export interface Fragments {
  /** The components of shown entries: as they were published, or written anew where anything that they are made of changed. */
  textsOf(shown: readonly Entry[]): readonly string[];
  /** Forgets what was published of items that are no longer the project's. */
  dropGone(): void;
}

export interface FragmentsDeps {
  readonly store: Store;
  readonly feed: FeedId;
  readonly entries: Entries;
  readonly render: RenderEvent;
  /** Closes components with signed links, which open what they name: the database keeps them, and may be copied. */
  readonly seal: Seal;
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
export function createFragments({ store, feed, entries, render, seal }: FragmentsDeps): Fragments {
  const published = new Map(opened(store.feeds.fragments(feed)).map((it) => [entryId(it), it]));
  let touched = 0;

  /** Those that cannot be opened any more are written anew. One that an earlier version has kept open is closed. */
  function opened(kept: readonly Fragment[]): readonly Fragment[] {
    return kept.flatMap((fragment) => {
      if (!isSealed(fragment.body)) {
        if (hasLink(fragment.body)) store.feeds.putFragment(feed, closed(fragment));
        return [fragment];
      }
      const body = seal.open(fragment.body);
      return body === null ? [] : [{ ...fragment, body }];
    });
  }

  function closed(fragment: Fragment): Fragment {
    const { body } = fragment;
    return hasLink(body) ? { ...fragment, body: seal.close(body) } : fragment;
  }

  function write({ field }: Entry, view: ViewItem): string {
    const own = entries.context();
    const context = field === 0 ? own : { ...own, links: null };
    const shown = fieldView(view, field);
    const place = shown && placeOfView(shown, { field, options: context.options });
    if (!place) throw new FragmentError(view.uid, new Error("it has no place in a calendar"));
    try {
      return render(cardOf(shown, { ...context, place }));
    } catch (error) {
      throw new FragmentError(shown.uid, error);
    }
  }

  function keep(fragment: Fragment): string {
    published.set(entryId(fragment), fragment);
    store.feeds.putFragment(feed, closed(fragment));
    return fragment.body;
  }

  function publish(entry: Entry, before: Fragment | undefined): string {
    const { key, field, inputs } = entry;
    const view = entries.viewOf(key);
    const body = write(entry, view);
    const { sequence } = view;
    if (!before || before.body === body || before.sequence < sequence) {
      return keep({ key, field, inputs, sequence, body });
    }
    store.changes.touch(key);
    touched += 1;
    const raised = entries.reload(key);
    const now = entries.get(entry);
    return keep({
      key,
      field,
      inputs: now.inputs,
      sequence: raised.sequence,
      body: write(now, raised),
    });
  }

  function textOf(entry: Entry): string {
    const before = published.get(entryId(entry));
    return before?.inputs === entry.inputs ? before.body : publish(entry, before);
  }

  return {
    textsOf(shown) {
      for (;;) {
        const before = touched;
        const texts = shown.map(textOf);
        // A raised SEQUENCE is that of the item's other components as well, which may have been written already.
        if (touched === before) return texts;
      }
    },
    dropGone() {
      const gone = [...published.values()].filter(({ key }) => !entries.has(key));
      if (gone.length === 0) return;
      store.feeds.dropFragments(feed, [...new Set(gone.map(({ key }) => key))]);
      for (const fragment of gone) published.delete(entryId(fragment));
    },
  };
}

/** Lines may be folded anywhere. */
const hasLink = (body: string): boolean => body.replaceAll("\r\n ", "").includes("/act/");
