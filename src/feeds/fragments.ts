import {
  type Colour,
  calendarEnd,
  type EventCard,
  isUtc,
  writeHeader,
  writeTimeZone,
} from "@dayferry/ical";
import { fingerprint } from "../domain/fingerprint.ts";
import { type FeedId, feedId, type ItemKey } from "../domain/ids.ts";
import { isSealed, type Seal } from "../domain/sealed-text.ts";
import type { LinkMaker } from "../domain/signed-links.ts";
import { sampleLabel, samplePerson, sampleViews } from "../store/reading/sample-views.ts";
import type { Fragment } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import { type CardNames, cardOf } from "./card.ts";
import { fieldView, placeOfView } from "./custom-dates.ts";
import type { FeedEntries, FeedEntry } from "./feed-entries.ts";
import type { FeedOptions } from "./window.ts";
import { feedPlaceOf } from "./window.ts";

/** Writes one component, folded, ended by CRLF; equal cards give equal text. */
export type RenderEvent = (card: EventCard) => string;

/** The published components of one feed. Call every method inside one transaction. */
export type Fragments = ReturnType<typeof createFragments>;

interface FragmentsDeps {
  readonly store: Store;
  readonly feed: FeedId;
  readonly entries: FeedEntries;
  readonly render: RenderEvent;
  /** Encrypts components with signed links, which work without signing in, as copies of the database may be made. */
  readonly seal: Seal;
}

/** Thrown if an item's component cannot be written. */
export class FragmentError extends Error {
  override readonly name = "FragmentError";
  readonly uid: string;
  constructor(uid: string, cause: unknown) {
    super(`item ${uid} cannot be written`, { cause });
    this.uid = uid;
  }
}

/**
 * Keeps one text per item and SEQUENCE. If something other than an edit changes the text (a renamed label, an option, a newer
 * build), SEQUENCE and LAST-MODIFIED rise first, as calendars look at nothing else.
 */
export function createFragments({ store, feed, entries, render, seal }: FragmentsDeps) {
  /** Published components of the items processed so far. */
  const published = new Map<ItemKey, readonly Fragment[]>();
  let isTidied = false;
  let size = 0;
  let touched = 0;
  /** The last result of `textsOn`, while nothing was published since. */
  let returned: { shown: readonly FeedEntry[]; texts: readonly string[] } | null = null;

  function publishedOf(key: ItemKey): readonly Fragment[] {
    const known = published.get(key);
    if (known) return known;
    const read = opened(store.feeds.fragmentsOf(feed, key));
    set(key, read);
    return read;
  }

  function set(key: ItemKey, present: readonly Fragment[]): void {
    size += sizeOf(present) - sizeOf(published.get(key) ?? []);
    published.set(key, present);
    returned = null;
  }

  /** Components that can no longer be decrypted are rewritten. Plain ones of an earlier version are encrypted. */
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

  function write({ field }: FeedEntry, view: ViewItem): string {
    const own = entries.context();
    const context = field === 0 ? own : { ...own, links: null };
    const shown = fieldView(view, field);
    const place = shown && placeOfView(shown, field, context.options);
    if (!place) throw new FragmentError(view.uid, new Error("it has no place in a calendar"));
    try {
      return render(cardOf(shown, { ...context, place }));
    } catch (error) {
      throw new FragmentError(shown.uid, error);
    }
  }

  function keep(fragment: Fragment): string {
    const { key, field } = fragment;
    set(key, [...publishedOf(key).filter((one) => one.field !== field), fragment]);
    store.feeds.putFragment(feed, closed(fragment));
    return fragment.body;
  }

  function publish(entry: FeedEntry, before: Fragment | undefined): string {
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

  function textOf(entry: FeedEntry): string {
    const before = publishedOf(entry.key).find(({ field }) => field === entry.field);
    return before?.inputs === entry.inputs ? before.body : publish(entry, before);
  }

  return {
    /**
     * The components shown on a day: as published, or written again if an input changed; the same array while unchanged.
     * Rewriting a component may raise others.
     */
    textsOn(today: Temporal.PlainDate): readonly string[] {
      for (;;) {
        const shown = entries.shown(today);
        if (returned?.shown === shown) return returned.texts;
        const before = touched;
        const texts = shown.map(textOf);
        // A raised SEQUENCE applies to the item's other components too, which may have been written already.
        if (touched > before) continue;
        returned = { shown, texts };
        return texts;
      }
    },
    /** Writes missing and outdated components of an item's entries, so that little is left to `textsOn`. */
    prepare(shown: readonly FeedEntry[]): void {
      for (const entry of shown) textOf(entry);
    },
    /** Approximate memory of the texts in octets. */
    size: (): number => size,
    /** Deletes components of items that no longer belong to the feed. */
    dropGone(): void {
      const known = isTidied ? published.keys() : store.feeds.publishedKeys(feed);
      isTidied = true;
      const gone = [...known].filter((key) => !entries.has(key));
      if (gone.length === 0) return;
      store.feeds.dropFragments(feed, gone);
      for (const key of gone) {
        set(key, []);
        published.delete(key);
      }
    },
  };
}

/** One octet per character, plus overhead. */
const sizeOf = (fragments: readonly Fragment[]): number =>
  fragments.reduce((sum, { body }) => sum + body.length + sizeOfEntry, 0);

/** Approximate memory of the rest of an entry. */
const sizeOfEntry = 600;

/** Lines may be folded anywhere. */
const hasLink = (body: string): boolean => body.replaceAll("\r\n ", "").includes("/act/");

/**
 * A hash of the options and of how this build writes, from samples: a newer writer, other options or other time zone data
 * change it, so that components of the last build are not reused.
 */
export function fragmentFormatOf(
  options: FeedOptions,
  render: RenderEvent,
  links: LinkMaker | null,
): string {
  const { zone } = options;
  const sampleLinks = links && { ...links, ...sampleClaim };
  const shown = [{ years: { from: 1900, to: 2100 } }];
  const components = sampleViews.map((view) => {
    const place = feedPlaceOf(view.item, options);
    return place
      ? render(cardOf(view, { place, names: sampleNames, options, links: sampleLinks }))
      : "";
  });
  const calendar = calendarBody(
    calendarHead({ name: "Sample", zone, shown, writeZone: writeTimeZone }),
    components,
  );
  return fingerprint(JSON.stringify([optionsText(options), calendar.toString()]));
}

function optionsText(options: FeedOptions): readonly unknown[] {
  const { zone, past, future, completed, tasks, customDates, assignees, webUrl } = options;
  return [zone, past, future, completed, options.private, tasks, customDates, assignees, webUrl];
}

/** Signed with the real key, so that a new key changes the hash: links signed with another one are void. */
const sampleClaim = {
  feed: feedId(1),
  feedVersion: 1,
  until: new Temporal.PlainDate(2026, 3, 31),
} as const;

const sampleNames: CardNames = {
  labels: new Map([[sampleLabel, "Label"]]),
  people: new Map([[samplePerson, "Person"]]),
  privateLists: new Set(),
};

/** How soon subscribers are asked to refresh; most use their own interval. */
const refresh = Temporal.Duration.from({ minutes: 15 });

/** The part of a published calendar before its events: its name, and the zone for the years in use. */
export function calendarHead(options: {
  readonly name: string;
  readonly zone: string;
  readonly shown: readonly Pick<FeedEntry, "years">[];
  readonly colour?: Colour | null;
  readonly writeZone: WriteZone;
}): string {
  const { name, zone, shown, colour = null, writeZone } = options;
  const header = writeHeader({ name, description: "", zone, refresh, colour });
  // Not Math.min(...years): a feed may have more items than a call has arguments.
  let fromYear = Number.POSITIVE_INFINITY;
  let toYear = Number.NEGATIVE_INFINITY;
  for (const { years } of shown) {
    if (!years) continue;
    fromYear = Math.min(fromYear, years.from);
    toYear = Math.max(toYear, years.to);
  }
  if (fromYear > toYear || isUtc(zone)) return header;
  return header + writeZone({ zone, fromYear, toYear });
}

type WriteZone = typeof writeTimeZone;

/** Writes a time zone, which takes some milliseconds, only if the zone or its years have changed. */
export function createZoneCache(): WriteZone {
  let last: { readonly key: string; readonly text: string } | null = null;
  return (options) => {
    const key = JSON.stringify(options);
    if (last?.key !== key) last = { key, text: writeTimeZone(options) };
    return last.text;
  };
}

/** The whole calendar, in UTF-8. */
export function calendarBody(head: string, components: readonly string[]): Buffer {
  return Buffer.from(`${head}${components.join("")}${calendarEnd}`);
}
