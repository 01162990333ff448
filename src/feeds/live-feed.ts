import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, gzip, constants as zlib } from "node:zlib";
import type { Coding } from "../domain/accept-encoding.ts";
import type { ProjectId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import type { Seal } from "../domain/sealed-text.ts";
import { type LinkMaker, linkUntil } from "../domain/signed-links.ts";
import { inTurns } from "../loop.ts";
import type { FeedRow, FeedState } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import { type FeedLinks, linksText } from "./card.ts";
import { createFeedEntries, type FeedEntries } from "./feed-entries.ts";
import {
  calendarBody,
  calendarHead,
  createFragments,
  type Fragments,
  type RenderEvent,
} from "./fragments.ts";
import type { FeedOptions } from "./window.ts";

export interface LiveFeedDeps {
  readonly store: Store;
  readonly options: FeedOptions;
  /** Stands for the options and for how this build writes. */
  readonly format: string;
  readonly render: RenderEvent;
  readonly seal: Seal;
  /** Null for feeds without action links. */
  readonly links: LinkMaker | null;
  readonly today: () => Temporal.PlainDate;
  /** Whether everything of a project has been read that its first calendar needs. */
  readonly hasRead: (project: ProjectId) => boolean;
  readonly clock: () => Temporal.Instant;
  /** Called when more is in memory than before. */
  readonly onGrown: () => void;
}

/** The bytes of one ETag. */
export interface BuiltFeed {
  readonly etag: string;
  readonly body: Buffer;
  /** Compressed in the thread pool, once per coding. */
  compressed(coding: Coding): Promise<Buffer>;
  /** What it has in memory, in octets. */
  size(): number;
}

/** One feed as it stands: answers from memory while nothing that it is made of has changed. */
export interface LiveFeed {
  /** What the feed says now, where nothing has changed since it was asked last; else null. */
  current(): FeedState | null;
  /** What the feed says now. Throws `FeedBuildError` when it cannot be built: never an emptier calendar instead. */
  state(): FeedState;
  /** The bytes of what the feed says now; throws as `state` does. */
  built(): BuiltFeed;
  /** The bytes of the state that was answered last, when they are in memory. */
  kept(): BuiltFeed | null;
  /**
   * Reads and writes what a long calendar needs while others have their turn, so that little is left to do at once; null
   * where that is so already. Rejects with a `FeedBuildError`.
   */
  prepare(): Promise<void> | null;
  /** What it has in memory, in octets, about. */
  size(): number;
  /** Lets go of all that can be read or made again. */
  release(): void;
}

/** Thrown when a feed cannot be built. Subscribers then keep what they have, which is as good as a last good body. */
export class FeedBuildError extends Error {
  override readonly name = "FeedBuildError";
  constructor(feed: FeedRow, cause: unknown) {
    super(`feed ${feed.id} (${feed.name}) cannot be built`, { cause });
  }
}

/** Thrown for a feed that has never said anything, while its project is still being read: a part would look like the whole. */
export class FeedUnreadError extends Error {
  override readonly name = "FeedUnreadError";
  constructor(feed: FeedRow) {
    super(`feed ${feed.id} (${feed.name}) has not been read as a whole yet`);
  }
}

/** They take a few milliseconds. */
const itemsPerStep = 20;

interface Working {
  readonly entries: FeedEntries;
  readonly fragments: Fragments;
}

const zip = promisify(gzip);
const brotli = promisify(brotliCompress);
// Its default takes a hundred times as long for a fifth less.
const brotliQuality = { [zlib.BROTLI_PARAM_QUALITY]: 5 };

/** `feed` answers the feed's row, whose name may change; project and id may not. */
export function createLiveFeed(
  { feed, project }: { readonly feed: () => FeedRow; readonly project: ProjectId },
  deps: LiveFeedDeps,
): LiveFeed {
  const { store, options, format, render, seal, links, today, clock } = deps;
  const { id } = feed();
  let known: FeedState | null = store.feeds.state(id);
  let built: BuiltFeed | null = null;
  let working: Working | null = null;
  let preparing: Promise<void> | null = null;

  const linksNow = (): FeedLinks | null =>
    links && { ...links, feed: id, feedVersion: feed().version, until: linkUntil(today()) };

  function inputsNow(): string {
    const made = linksNow();
    const revision = store.changes.revisionOf(project);
    return `${revision} ${today().toString()} ${format} ${made ? linksText(made) : ""} ${feed().name}`;
  }

  const current = (): FeedState | null => (known?.inputs === inputsNow() ? known : null);

  function startWork(): Working {
    const entries = createFeedEntries({ store, project, options, format, links: linksNow });
    return {
      entries,
      fragments: createFragments({ store, feed: id, project, entries, render, seal }),
    };
  }

  /** Renders what changed and notes what the feed says now, in one transaction: nothing is served that is not kept. */
  function build(): { readonly state: FeedState; readonly made: BuiltFeed } {
    working ??= startWork();
    const { entries, fragments } = working;
    entries.refresh();
    fragments.dropGone();
    const shown = entries.shown(today());
    const head = calendarHead({ name: feed().name, zone: options.zone, shown });
    const body = calendarBody(head, fragments.textsOf(shown));
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
    const state = {
      inputs: inputsNow(),
      etag,
      modifiedAt: known?.etag === etag ? known.modifiedAt : nextModified(known, clock()),
      items: shown.length,
      bytes: body.byteLength,
    };
    store.feeds.setState(id, state);
    entries.settle();
    return { state, made: built?.etag === etag ? built : builtFeed(etag, body) };
  }

  function rebuild(): BuiltFeed {
    if (known === null && !deps.hasRead(project)) throw new FeedUnreadError(feed());
    try {
      const { state, made } = store.together(build);
      known = state;
      built = made;
      deps.onGrown();
      return made;
    } catch (error) {
      // The transaction is undone, so what memory holds may be ahead of it.
      working = null;
      throw new FeedBuildError(feed(), error);
    }
  }

  /** Some items at a step, each of which is kept as a whole. */
  function* readInSteps({ entries, fragments }: Working): Generator<void> {
    const isShown = entries.isShown(today());
    const items = entries.fill()[Symbol.iterator]();
    const readSome = (): boolean => {
      for (let count = 0; count < itemsPerStep; count += 1) {
        const { value, done } = items.next();
        if (done === true) return false;
        fragments.prepare(value.filter(isShown));
      }
      return true;
    };
    while (store.together(readSome)) yield;
  }

  async function prepareWork(): Promise<void> {
    const made = startWork();
    try {
      await inTurns(readInSteps(made));
    } catch (error) {
      throw new FeedBuildError(feed(), error);
    } finally {
      preparing = null;
    }
    working = made;
  }

  return {
    current,
    prepare() {
      if (working?.entries.isFollowing()) return null;
      if (known === null && !deps.hasRead(project)) return null;
      preparing ??= prepareWork();
      return preparing;
    },
    size: () => (built?.size() ?? 0) + (working?.fragments.size() ?? 0),
    release() {
      built = null;
      working = null;
    },
    state() {
      if (!current()) rebuild();
      if (!known) throw new FeedBuildError(feed(), new Error("it has no state"));
      return known;
    },
    built() {
      return built && current() ? built : rebuild();
    },
    kept: () => (built?.etag === known?.etag ? built : null),
  };
}

/** HTTP dates have whole seconds, so a second change in one second must move the date as well. */
function nextModified(before: FeedState | null, now: Temporal.Instant): Temporal.Instant {
  const second = now.round({ smallestUnit: "second", roundingMode: "floor" });
  if (!before || Temporal.Instant.compare(second, before.modifiedAt) > 0) return second;
  return before.modifiedAt.add({ seconds: 1 });
}

function builtFeed(etag: string, body: Buffer): BuiltFeed {
  const made = new Map<Coding, Promise<Buffer>>();
  let size = body.byteLength;
  return {
    size: () => size,
    etag,
    body,
    compressed(coding) {
      const known = made.get(coding);
      if (known) return known;
      const compressing = compress(body, coding).then(
        (compressed) => {
          size += compressed.byteLength;
          return compressed;
        },
        (error: unknown) => {
          made.delete(coding);
          throw error;
        },
      );
      made.set(coding, compressing);
      return compressing;
    },
  };
}

function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  switch (coding) {
    case "gzip":
      return zip(body);
    case "br":
      return brotli(body, { params: brotliQuality });
    default:
      return unreachable(coding);
  }
}
