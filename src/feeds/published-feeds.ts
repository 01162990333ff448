import { createEventLoopBudget, type EventLoopBudget } from "@dayferry/event-loop";
import { type Colour, writeEvent } from "@dayferry/ical";
import { type FeedChoice, isPlainFeed, privateModeOf } from "../domain/feed-filter.ts";
import type { FeedId, ProjectId, Revision } from "../domain/ids.ts";
import { createSeal } from "../domain/sealed-text.ts";
import type { LinkMaker } from "../domain/signed-links.ts";
import type { Viewer } from "../domain/visibility.ts";
import type { FeedRow } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import { defaultLanguage, type Language } from "../texts/say.ts";
import { addressOf, createFeedAddresses, type FeedAddress } from "./feed-addresses.ts";
import {
  type FeedContent,
  type FeedPresence,
  feedContent,
  type PresenceRules,
  presenceIn,
  presenceRules,
} from "./feed-presence.ts";
import { createNameReader } from "./feed-scope.ts";
import { describeFeedChoice, usualName } from "./feed-words.ts";
import { createFetchLedger, type Fetch } from "./fetch-ledger.ts";
import type { RenderEvent } from "./fragments.ts";
import { feedColourOf, type LiveFeed } from "./live-feed.ts";
import { createLiveFeeds, ownOptions } from "./live-feeds.ts";
import { type OpenFeed, openFeed } from "./open-feed.ts";
import { createCalendarDay, type FeedOptions } from "./window.ts";

interface PublishedFeedsDeps {
  readonly store: Store;
  /** At least 32 bytes, stored outside the database: all secret URLs are derived from it. */
  readonly key: Uint8Array;
  /** For feeds of no person, and of people who have chosen none. Default: English. */
  readonly language?: Language;
  readonly options: FeedOptions;
  readonly clock: () => Temporal.Instant;
  /** What action links are made of; none without it. */
  readonly links?: LinkMaker | null;
  /**
   * True if the lists of a project, or of all (null), were read completely; a feed is not served before. Always true without
   * it.
   */
  readonly hasRead?: (project: ProjectId | null) => boolean;
  /** Called with the projects of requested feeds. */
  readonly onOpened?: (project: ProjectId) => void;
  /** Writes one component; `writeEvent` by default. */
  readonly render?: RenderEvent;
  /** Octets of texts that all feeds together keep in memory, besides the last one used; 24 MB by default. */
  readonly budget?: number;
  /** Shares the main thread; its own share by default. */
  readonly eventLoop?: EventLoopBudget;
  /**
   * Called, in the same transaction, with a URL whose contents change because of another name or filter (`ended` false), or
   * that is revoked.
   */
  readonly onTurned?: (address: FeedAddress & { readonly ended: boolean }) => void;
}

/** A feed for people and scripts. */
export interface PublishedFeed extends FeedChoice {
  readonly id: FeedId;
  readonly name: string;
  /** True if it was created automatically for its project. */
  readonly automatic: boolean;
  /** As chosen: `#RRGGBB`, a CSS name, `project`, or null for none. */
  readonly colour: string | null;
  /** The resolved colour. */
  readonly shownColour: Colour | null;
  /** Opens the feed without signing in: as good as a password. */
  readonly path: string;
  readonly createdAt: Temporal.Instant;
  readonly revokedAt: Temporal.Instant | null;
  readonly lastFetch: { readonly at: Temporal.Instant; readonly agent: string } | null;
  /** Programs that fetch it, most recent first. */
  readonly fetches: readonly Fetch[];
  /** Why it can show nothing; null if it can. */
  readonly problem: string | null;
  /** Items when last shown; null if it was never requested. */
  readonly items: number | null;
  /** Uncompressed size; null if it was never requested. */
  readonly bytes: number | null;
}

/** A new feed. `name` null: named after what it shows. */
export interface FeedWish extends FeedChoice {
  readonly name: string | null;
  readonly colour: string | null;
}

/** A change; absent members stay. */
export type FeedChange = Partial<Pick<FeedWish, "name" | "colour" | "filter">>;

/** Whether a feed shows an item. */
interface ItemPresence {
  readonly feed: PublishedFeed;
  readonly presence: FeedPresence;
}

/** The calendars that can be subscribed to. */
export type PublishedFeeds = ReturnType<typeof createPublishedFeeds>;

/** One feed of 10,000 events takes as much. */
const usualBudget = 24 * 2 ** 20;

/**
 * Publishes projects, or a choice of them, as calendars with secret URLs, and stores what a feed has served, so that calendar
 * programs get the same octets until something changes. Throws `WeakFeedKeyError`.
 */
export function createPublishedFeeds(deps: PublishedFeedsDeps) {
  const {
    store,
    key,
    options,
    clock,
    links = null,
    language = defaultLanguage,
    render = writeEvent,
    hasRead = () => true,
    eventLoop = createEventLoopBudget(),
    budget = usualBudget,
    onOpened,
    onTurned = () => undefined,
  } = deps;
  const today = createCalendarDay(options.zone, clock);
  const readNames = createNameReader(store);
  const ledger = createFetchLedger({ store, clock });
  const rows = new Map<FeedId, FeedRow>();
  const addresses = createFeedAddresses(key);
  const live = createLiveFeeds({
    store,
    readNames,
    render,
    links,
    today,
    clock,
    hasRead,
    eventLoop,
    language,
    budget,
    rowOf,
    seal: createSeal(key, "components of feeds"),
    usual: options,
  });
  /** Titles from which feeds were last named. */
  const titles = new Map<ProjectId, string>();
  /** When the projects of a feed over several were last reported, in milliseconds. */
  const openedAt = new Map<FeedId, number>();
  let followedUpTo: Revision | null = null;
  for (const row of store.feeds.all()) take(row);

  /** Applies a stored row. */
  function take(row: FeedRow): void {
    const before = rows.get(row.id);
    rows.set(row.id, row);
    const isOpen = before !== undefined && !before.revokedAt && !row.revokedAt;
    if (isOpen && before.version === row.version) return;
    if (before) addresses.remove(before);
    if (row.revokedAt) live.drop(row.id);
    else addresses.add(row);
  }

  function takeAgain(id: FeedId): PublishedFeed | null {
    const row = store.feeds.get(id);
    if (row) take(row);
    return row && published(row);
  }

  function rowOf(id: FeedId): FeedRow {
    const row = rows.get(id);
    if (!row) throw new Error(`feed ${id} is not known`);
    return row;
  }

  function published(row: FeedRow): PublishedFeed {
    const { id, name, kind, filter, colour, createdAt, revokedAt, fetchedAt, fetchedBy } = row;
    const state = store.feeds.state(id);
    const fetches = ledger.of(id, { shown: state?.etag ?? null });
    const [last] = fetches;
    const before = fetchedAt && { at: fetchedAt, agent: fetchedBy ?? "unknown" };
    return {
      ...{ id, name, kind, filter, colour, createdAt, revokedAt, fetches },
      projectId: row.projectId,
      personId: row.personId,
      automatic: row.isAutomatic,
      shownColour: feedColourOf(row, store),
      path: addresses.pathOf(addressOf(row)),
      lastFetch: last ? { at: last.at, agent: last.agent } : before,
      problem: revokedAt || isPlainFeed(row) ? null : (live.fault(row)?.reason ?? null),
      items: state?.items ?? null,
      bytes: state?.bytes ?? null,
    };
  }

  const presenceFor = (choice: FeedChoice): PresenceRules =>
    presenceRules(choice, {
      store,
      options: { ...options, ...ownOptions(choice, options) },
      privateLists: readNames().names.privateLists,
      today: today(),
      hasRead,
    });

  /** Null for a feed that does not exist, or is not visible to the viewer. */
  function visible(id: FeedId, viewer: Viewer | undefined): FeedRow | null {
    const row = store.feeds.get(id);
    const isOwn = viewer?.kind !== "person" || row?.personId === viewer.person;
    return isOwn ? row : null;
  }

  function noteOpened({ id, projectId: project }: FeedRow, feed: LiveFeed): void {
    if (!onOpened) return;
    if (project !== null) {
      onOpened(project);
      return;
    }
    const now = clock().epochMilliseconds;
    if (now - (openedAt.get(id) ?? 0) < openedEveryMs) return;
    openedAt.set(id, now);
    for (const one of feed.projects() ?? store.directory.projects().map((found) => found.id)) {
      onOpened(one);
    }
  }

  return {
    /**
     * Creates a feed for every known project that has had none, and follows new titles unless a person chose a name. A revoked
     * feed is not created again.
     */
    ensure(): void {
      const latest = store.changes.revisionOfDirectory();
      if (latest === followedUpTo) return;
      const changed = store.directory
        .projects()
        .filter(({ id, title }) => titles.get(id) !== title);
      const made = store.together(() => [
        ...changed.map(({ id, title }) => store.feeds.ensure(id, title)),
        ...[...rows.values()].map(renamed),
      ]);
      for (const row of made) if (row) take(row);
      for (const { id, title } of changed) titles.set(id, title);
      followedUpTo = latest;
    },
    /** Feeds visible to somebody: all, or those with the person's own permissions. */
    list: (viewer?: Viewer): readonly PublishedFeed[] =>
      (viewer?.kind === "person" ? store.feeds.ofPerson(viewer.person) : store.feeds.all()).map(
        published,
      ),
    /** Null if it does not exist, or is not visible to the viewer. */
    get(id: FeedId, viewer?: Viewer): PublishedFeed | null {
      const row = visible(id, viewer);
      return row && published(row);
    },
    /** For each open feed visible to somebody, whether it shows an item, or why not. */
    presencesOf: (item: ViewItem, viewer?: Viewer): readonly ItemPresence[] =>
      (viewer?.kind === "person" ? store.feeds.ofPerson(viewer.person) : store.feeds.all())
        .filter(({ revokedAt }) => revokedAt === null)
        .map((row) => ({ feed: published(row), presence: presenceIn(item, presenceFor(row)) })),
    /** What a feed shows and leaves out now, in short steps; null if it does not exist, or is not visible to the viewer. */
    contentOf(id: FeedId, viewer?: Viewer): Generator<undefined, FeedContent> | null {
      const row = visible(id, viewer);
      return row && feedContent(row, { store, rules: presenceFor(row) });
    },
    /** The same for a feed that does not exist yet. */
    contentOfChoice: (choice: FeedChoice): Generator<undefined, FeedContent> =>
      feedContent(choice, { store, rules: presenceFor(choice) }),
    /** Number of open feeds. */
    openCount: (): number => addresses.openCount(),
    /** Null for a wrong, old or revoked secret. */
    open(secret: string): OpenFeed | null {
      const id = addresses.find(secret);
      if (id === null) return null;
      const row = rowOf(id);
      const feed = live.use(row);
      noteOpened(row, feed);
      const isForAll = () =>
        row.personId === null && privateModeOf(rowOf(id), options.private) !== "show";
      return openFeed({ row, feed, ledger, isForAll });
    },
    /** Makes a new URL and revokes the old one; null if there is no such open feed. */
    rotate(id: FeedId, viewer?: Viewer): PublishedFeed | null {
      const row = visible(id, viewer);
      return row && endAddress(row, () => store.feeds.rotate(id)) ? takeAgain(id) : null;
    },
    /** Revokes a URL until it is reopened; false if there is no such open feed. */
    revoke(id: FeedId, viewer?: Viewer): boolean {
      const row = visible(id, viewer);
      const revoked = row !== null && endAddress(row, () => store.feeds.revoke(id));
      if (revoked && isOwnColour(row.colour)) store.changes.directoryChanged();
      if (revoked) takeAgain(id);
      return revoked;
    },
    /** Reopens a revoked feed with its URL; null if that is not possible. */
    reopen(id: FeedId, viewer?: Viewer): PublishedFeed | null {
      const row = visible(id, viewer);
      const isOpened =
        row !== null &&
        store.together(() => {
          const isDone = store.feeds.reopen(id);
          if (isDone) onTurned({ ...addressOf(row), ended: false });
          if (isDone && isOwnColour(row.colour)) store.changes.directoryChanged();
          return isDone;
        });
      return isOpened ? takeAgain(id) : null;
    },
    /** A new feed with its own URL. */
    create(wish: FeedWish): PublishedFeed {
      const { name: givenName } = wish;
      const name = givenName ?? usualName(wish, store);
      const made = store.together(() => {
        if (isOwnColour(wish.colour)) store.changes.directoryChanged();
        return store.feeds.add({ ...wish, name, givenName });
      });
      take(made);
      return published(made);
    },
    /** Changes name, colour or filter, keeping the URL; null if there is no such open feed. */
    change(id: FeedId, to: FeedChange, viewer?: Viewer): PublishedFeed | null {
      const row = visible(id, viewer);
      if (!row || row.revokedAt) return null;
      const { colour = row.colour, filter = row.filter } = to;
      const givenName = to.name === undefined ? row.givenName : to.name;
      const name = givenName ?? usualName({ ...row, filter }, store);
      store.together(() => {
        const isShown = isOwnColour(colour) || isOwnColour(row.colour);
        if (isShown && colour !== row.colour) store.changes.directoryChanged();
        store.feeds.change(id, { name, givenName, colour, filter });
        onTurned({ ...addressOf(row), ended: false });
      });
      // Other rules may apply now.
      if (to.filter !== undefined) live.drop(id);
      return takeAgain(id);
    },
    /** The URL of an open feed, and its present ETag if known without any work. */
    versionOf(id: FeedId): (Omit<FeedAddress, "feed"> & { readonly etag: string | null }) | null {
      const row = rows.get(id);
      if (!row || row.revokedAt) return null;
      const { version, slug } = addressOf(row);
      return { version, slug, etag: live.use(row).current()?.etag ?? null };
    },
    /** The path of a present or former URL. */
    pathOf: (address: FeedAddress): string => addresses.pathOf(address),
    /** Writes recorded fetches; at most once a minute unless `now`. */
    keepFetches: (now = false): void => ledger.keep(now),
  };

  /** Ends a feed's present URL, and reports it in the same transaction. */
  function endAddress(row: FeedRow, end: () => boolean): boolean {
    return store.together(() => {
      const hasEnded = end();
      if (hasEnded) onTurned({ ...addressOf(row), ended: true });
      return hasEnded;
    });
  }

  /** The row with its new automatic name, if that has changed. */
  function renamed(row: FeedRow): FeedRow | null {
    if (row.revokedAt || row.isAutomatic || row.givenName !== null) return null;
    const name = usualName(row, store);
    if (name === row.name) return null;
    store.feeds.follow(row.id, name);
    return store.feeds.get(row.id);
  }
}

/** True if it differs from the project's. CalDAV calendars without a colour use it. */
const isOwnColour = (colour: string | null): boolean => colour?.startsWith("#") === true;

/** How often a feed over several projects reports them at most. */
const openedEveryMs = 60_000;

/** A feed for programs: with a description, and its whole URL while it is open. `publicUrl`: without a trailing slash. */
export function asListed(
  { path, ...feed }: PublishedFeed,
  { directory, publicUrl }: { readonly directory: Store["directory"]; readonly publicUrl: string },
) {
  const url = feed.revokedAt === null ? `${publicUrl}${path}` : null;
  return { ...feed, shows: describeFeedChoice(feed, directory), url };
}
