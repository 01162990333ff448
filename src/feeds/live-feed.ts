import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, gzip, constants as zlib } from "node:zlib";
import { type EventLoopBudget, inTurns } from "@dayferry/event-loop";
import type { Coding } from "@dayferry/http-values";
import type { Colour } from "@dayferry/ical";
import { readColour } from "../domain/colour.ts";
import { type FeedFault, isPlainFeed } from "../domain/feed-filter.ts";
import { type ProjectId, type Revision, revision } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import type { Seal } from "../domain/sealed-text.ts";
import { type LinkMaker, linkUntil } from "../domain/signed-links.ts";
import type { FeedRow, FeedState } from "../store/rows/feed-rows.ts";
import { isStorageFault } from "../store/storage-health.ts";
import type { Store } from "../store/store.ts";
import { inLanguage, type Language } from "../texts/say.ts";
import { type CalendarOctets, createCalendarOctets } from "./calendar-octets.ts";
import { type FeedLinks, linksText } from "./card.ts";
import { createFeedEntries, type FeedEntries } from "./feed-entries.ts";
import { createFeedScope, type WorkspaceNames } from "./feed-scope.ts";
import {
  calendarHead,
  createFragments,
  createZoneCache,
  type Fragments,
  type RenderEvent,
} from "./fragments.ts";
import type { FeedOptions } from "./window.ts";

export interface LiveFeedDeps {
  readonly store: Store;
  /** This feed's options. */
  readonly options: FeedOptions;
  /** Identifies the options and this build's writer. */
  readonly format: string;
  /** Of what is added to descriptions. */
  readonly language: Language;
  readonly readNames: () => WorkspaceNames;
  readonly render: RenderEvent;
  readonly seal: Seal;
  /** Null for feeds without action links. */
  readonly links: LinkMaker | null;
  readonly today: () => Temporal.PlainDate;
  /** True if everything of a project, or of all (null), was read that its first calendar needs. */
  readonly hasRead: (project: ProjectId | null) => boolean;
  readonly clock: () => Temporal.Instant;
  /** Called when memory use has grown. */
  readonly onGrown: () => void;
  /** Long calendars are built in turns. */
  readonly eventLoop: EventLoopBudget;
}

/** The bytes of one ETag. */
export interface BuiltFeed {
  readonly etag: string;
  readonly body: Buffer;
  /** Compressed in the thread pool, once per coding. */
  compressed(coding: Coding): Promise<Buffer>;
  /** Memory use in octets. */
  size(): number;
}

/** One feed's present state, served from memory while no input has changed. */
export type LiveFeed = ReturnType<typeof createLiveFeed>;

/** Thrown if a feed cannot be built. Subscribers then keep their last version. */
export class FeedBuildError extends Error {
  override readonly name = "FeedBuildError";
  constructor(feed: FeedRow, cause: unknown) {
    super(`feed ${feed.id} (${feed.name}) cannot be built`, { cause });
  }
}

/** Thrown for a feed that was never built while its project is still being read, as a part would look like the whole. */
export class FeedUnreadError extends Error {
  override readonly name = "FeedUnreadError";
  constructor(feed: FeedRow) {
    super(`feed ${feed.id} (${feed.name}) has not been read as a whole yet`);
  }
}

/** Number of items written at once, in a millisecond or two. */
const itemsPerStep = 5;

/** After more changes the feed is built to see whether they concern it. */
const changesToLookAt = 200;

/** The state of all inputs when a feed was last up to date. */
interface Look {
  readonly state: FeedState;
  readonly row: FeedRow;
  readonly day: Temporal.PlainDate;
  readonly revision: Revision;
  readonly undone: number;
}

const isSameLook = (one: Look, other: Look): boolean =>
  one.revision === other.revision &&
  one.state === other.state &&
  one.row === other.row &&
  one.day === other.day &&
  one.undone === other.undone;

interface Working {
  readonly entries: FeedEntries;
  readonly fragments: Fragments;
  readonly octets: CalendarOctets;
  readonly writeZone: ReturnType<typeof createZoneCache>;
}

const zip = promisify(gzip);
const brotli = promisify(brotliCompress);
// The default quality takes a hundred times as long for an output smaller by a fifth.
const brotliQuality = { [zlib.BROTLI_PARAM_QUALITY]: 5 };

/** `feed`: returns the feed's row, whose name, colour and filter may change; `deps.options` includes the filter. */
export function createLiveFeed(feed: () => FeedRow, deps: LiveFeedDeps) {
  const { store, options, format, render, seal, links, today, clock, language } = deps;
  const { id } = feed();
  const scope = createFeedScope(feed, store);
  let known: FeedState | null = store.feeds.state(id);
  /** As stored. */
  let kept = known;
  let built: BuiltFeed | null = null;
  let working: Working | null = null;
  let preparing: Promise<void> | null = null;
  let looked: Look | null = null;

  const linksOn = (day: Temporal.PlainDate): FeedLinks | null =>
    links && { ...links, feed: id, feedVersion: feed().version, until: linkUntil(day) };

  /** The feed's inputs on a day. */
  function inputsOn(day: Temporal.PlainDate): string {
    const made = linksOn(day);
    const row = feed();
    const chosen = isPlainFeed(row) ? "" : ` ${JSON.stringify([row.filter, row.personId])}`;
    const colour = feedColourOf(row, store)?.hex;
    return `${scope.revision()} ${day.toString()} ${format} ${made ? linksText(made) : ""} ${row.name}${chosen}${colour ? ` ${colour}` : ""}`;
  }

  function current(): FeedState | null {
    if (!known) return null;
    const look = lookNow(known);
    if (looked && isSameLook(looked, look)) return known;
    const inputs = inputsOn(look.day);
    if (known.inputs !== inputs) {
      if (isPlainFeed(feed()) || !goesOn(known.inputs, inputs)) return null;
      known = { ...known, inputs };
    }
    looked = { ...look, state: known };
    return known;
  }

  const lookNow = (state: FeedState): Look => ({
    ...{ state, row: feed(), day: today() },
    revision: store.changes.latest(),
    undone: store.transaction().undone,
  });

  /** True if no change since concerns the feed, which then need not be built. */
  function goesOn(before: string, now: string): boolean {
    const [was, is] = [splitInputs(before), splitInputs(now)];
    if (was.rest !== is.rest || was.revision < store.changes.completeFrom()) return false;
    const changes = store.changes.since(was.revision, changesToLookAt + 1);
    if (changes.length > changesToLookAt) return false;
    const items = new Set(changes.map(({ item }) => item));
    return [...items].every((key) => {
      // Names, which may concern any feed.
      if (key === null || store.feeds.fragmentsOf(id, key).length > 0) return false;
      const view = store.view.get(key);
      return !view || !scope.holds(view.item);
    });
  }

  function startWork(): Working {
    const { readNames } = deps;
    const entries = createFeedEntries({
      ...{ store, scope, readNames, options, format },
      links: () => linksOn(today()),
    });
    return {
      entries,
      fragments: createFragments({ store, feed: id, entries, render, seal }),
      octets: createCalendarOctets(),
      writeZone: createZoneCache(),
    };
  }

  /** Renders changes and stores the new state, in one transaction: nothing is served that is not stored. */
  function build(): { readonly state: FeedState; readonly made: BuiltFeed } {
    working ??= startWork();
    const { entries, fragments, octets } = working;
    // After midnight the next request builds it again.
    const day = today();
    entries.refresh();
    fragments.dropGone();
    const texts = fragments.textsOn(day);
    const body = octets.write(headOf(working, day), texts);
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 32)}"`;
    const state = {
      inputs: inputsOn(day),
      etag,
      modifiedAt: known?.etag === etag ? known.modifiedAt : nextModified(known, clock()),
      items: texts.length,
      bytes: body.byteLength,
    };
    if (!isSameState(kept, state)) store.feeds.setState(id, state);
    entries.settle();
    return { state, made: built?.etag === etag ? built : builtFeed(etag, body) };
  }

  const headOf = ({ entries, writeZone }: Working, day: Temporal.PlainDate): string =>
    calendarHead({
      name: feed().name,
      zone: options.zone,
      shown: entries.shown(day),
      colour: feedColourOf(feed(), store),
      writeZone,
    });

  function rebuild(): BuiltFeed {
    if (known === null && !scope.isRead(deps.hasRead)) throw new FeedUnreadError(feed());
    const tried: { whole: ReturnType<typeof build> | null; isRaised: boolean } = {
      whole: null,
      isRaised: false,
    };
    try {
      store.together(() => {
        const before = store.changes.latest();
        tried.whole = inLanguage(() => language, build);
        tried.isRaised = store.changes.latest() !== before;
      });
      kept = tried.whole?.state ?? kept;
    } catch (error) {
      // The transaction was rolled back, so memory may be ahead of it.
      working = null;
      // What could not be stored is generated identically later, unless a SEQUENCE was raised.
      const isHarmless = isStorageFault(error) && !tried.isRaised;
      if (!tried.whole || !isHarmless) throw new FeedBuildError(feed(), error);
    }
    if (!tried.whole) throw new FeedBuildError(feed(), new Error("it was not built"));
    known = tried.whole.state;
    built = tried.whole.made;
    deps.onGrown();
    return built;
  }

  /** Some items per step, each stored as a whole. */
  function* readInSteps(made: Working): Generator<void> {
    const { entries, fragments, octets } = made;
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
    // Others may have changed what was read: everything written must be of one moment.
    const now = <Result>(step: () => Result): Result =>
      store.together(() => {
        entries.refresh();
        return step();
      });
    now(() => fragments.dropGone());
    yield;
    now(() => headOf(made, today()));
    yield;
    const texts = now(() => fragments.textsOn(today()));
    yield;
    yield* octets.prepare(texts);
  }

  async function prepareWork(): Promise<void> {
    const made = startWork();
    try {
      await inLanguage(
        () => language,
        () => inTurns(readInSteps(made), deps.eventLoop),
      );
    } catch (error) {
      // It is then built at once, and served although it cannot be stored.
      if (isStorageFault(error)) return;
      throw new FeedBuildError(feed(), error);
    } finally {
      preparing = null;
    }
    working = made;
  }

  return {
    language,
    /** Why it can show nothing; null if it can. */
    fault: (): FeedFault | null => scope.fault(),
    /** The projects of which it shows something; null = all. */
    projects: (): readonly ProjectId[] | null => scope.projects(),
    /** The present state, if nothing has changed since the last call; else null. */
    current,
    /**
     * Reads and writes what a long calendar needs while others run, so that little is left to do at once; null if that is so
     * already. Rejects with a `FeedBuildError`.
     */
    prepare(): Promise<void> | null {
      if (working?.entries.isFollowing()) return null;
      if (known === null && !scope.isRead(deps.hasRead)) return null;
      preparing ??= prepareWork();
      return preparing;
    },
    /** Approximate memory use in octets. */
    size: (): number =>
      (built?.size() ?? 0) + (working ? working.fragments.size() + working.entries.size() : 0),
    /** Drops everything that can be read or generated again. */
    release(): void {
      built = null;
      working = null;
    },
    /** The present state. Throws `FeedBuildError` if it cannot be built, rather than an emptier calendar. */
    state(): FeedState {
      if (!current()) rebuild();
      if (!known) throw new FeedBuildError(feed(), new Error("it has no state"));
      return known;
    },
    /** The bytes of the present state; throws like `state`. */
    built(): BuiltFeed {
      return built && current() ? built : rebuild();
    },
    /** The bytes of the last returned state, if in memory. */
    kept: (): BuiltFeed | null => (built?.etag === known?.etag ? built : null),
  };
}

/** A feed's colour; null for none. */
export function feedColourOf(
  { colour, projectId: project }: Pick<FeedRow, "colour" | "projectId">,
  { directory }: Pick<Store, "directory">,
): Colour | null {
  if (colour !== "project") return readColour(colour);
  return project === null ? null : readColour(directory.project(project)?.color ?? null);
}

/** The newest change in a state. */
export const revisionIn = ({ inputs }: FeedState): Revision => splitInputs(inputs).revision;

function splitInputs(inputs: string): { readonly revision: Revision; readonly rest: string } {
  const at = inputs.indexOf(" ");
  return { revision: revision(Number(inputs.slice(0, at))), rest: inputs.slice(at) };
}

const isSameState = (one: FeedState | null, other: FeedState): boolean =>
  one !== null &&
  one.inputs === other.inputs &&
  one.etag === other.etag &&
  one.modifiedAt.equals(other.modifiedAt) &&
  one.items === other.items &&
  one.bytes === other.bytes;

/** HTTP dates have whole seconds, so a second change within a second must move the date too. */
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
