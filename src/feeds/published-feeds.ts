import { createHmac, hash } from "node:crypto";
import { type Colour, writeEvent } from "@dayferry/ical";
import type { Coding } from "../domain/accept-encoding.ts";
import {
  assignedOf,
  type FeedChoice,
  type FeedFault,
  isPlainFeed,
  privateModeOf,
} from "../domain/feed-filter.ts";
import type { FeedId, ProjectId, Revision } from "../domain/ids.ts";
import { lazy } from "../domain/lazy.ts";
import { unreachable } from "../domain/result.ts";
import { createSeal } from "../domain/sealed-text.ts";
import { seesProject, type Viewer } from "../domain/sight.ts";
import type { LinkMaker } from "../domain/signed-links.ts";
import { slugOf } from "../domain/slug.ts";
import type { FeedRow, FeedState } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import { createTurns, type Turns } from "../turns.ts";
import { createNameReader } from "./feed-scope.ts";
import { describeFeedChoice } from "./feed-words.ts";
import { createFetchLedger, type Fetch, type FetchLedger } from "./fetch-ledger.ts";
import { fragmentFormatOf, type RenderEvent } from "./fragments.ts";
import {
  type BuiltFeed,
  createLiveFeed,
  feedColourOf,
  type LiveFeed,
  revisionIn,
} from "./live-feed.ts";
import type { FeedOptions } from "./window.ts";

interface PublishedFeedsDeps {
  readonly store: Store;
  /** At least 32 bytes, kept outside the database: the secrets of all addresses come from it. */
  readonly key: Uint8Array;
  readonly options: FeedOptions;
  readonly clock: () => Temporal.Instant;
  /** What action links are made of; none without it. */
  readonly links?: LinkMaker | null;
  /** Whether the lists of a project, or of all (null), have been read as a whole; a feed says nothing before. Always, without it. */
  readonly hasRead?: (project: ProjectId | null) => boolean;
  /** Told of requests for a feed by its projects. */
  readonly onOpened?: (project: ProjectId) => void;
  /** Writes one component; `writeEvent` unless another is given. */
  readonly render?: RenderEvent;
  /** How many octets of texts all feeds together keep in memory, but for the one that was asked for last; 32 MB unless given. */
  readonly budget?: number;
  /** Shares out the main thread; a share of its own unless given. */
  readonly turns?: Turns;
  /**
   * Told of an address that another name or filter gives other contents (`ended` false), or that opens nothing any more, inside the
   * transaction in which that is kept.
   */
  readonly onTurned?: (address: FeedAddress & { readonly ended: boolean }) => void;
}

/** An address of a feed, without its secret. */
export interface FeedAddress {
  readonly feed: FeedId;
  readonly version: number;
  readonly slug: string;
}

/** One feed as people and scripts see it. */
export interface PublishedFeed extends FeedChoice {
  readonly id: FeedId;
  readonly name: string;
  /** Whether its project has got it by itself. */
  readonly automatic: boolean;
  /** As it was chosen: `#RRGGBB`, a name of CSS, `project`, or null for none. */
  readonly colour: string | null;
  /** The colour that it tells now. */
  readonly shownColour: Colour | null;
  /** Opens the feed without login: as good as a password. */
  readonly path: string;
  readonly createdAt: Temporal.Instant;
  readonly revokedAt: Temporal.Instant | null;
  readonly lastFetch: { readonly at: Temporal.Instant; readonly agent: string } | null;
  /** Which programs fetch it, who came last first. */
  readonly fetches: readonly Fetch[];
  /** Why it has nothing to say any more; null while it has. */
  readonly problem: string | null;
  /** Items that the feed last showed; null when it was never asked for. */
  readonly items: number | null;
  /** Its size, uncompressed; null when it was never asked for. */
  readonly bytes: number | null;
}

/** A feed as somebody wants it. `name` null: it is called after what it is of. */
export interface FeedWish extends FeedChoice {
  readonly name: string | null;
  readonly colour: string | null;
}

/** What somebody wants otherwise; what is absent stays. */
export type FeedChange = Partial<Pick<FeedWish, "name" | "colour" | "filter">>;

/** Which version a feed is in. */
interface Head {
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
}

/** A feed whose address was right. */
export interface OpenFeed {
  readonly id: FeedId;
  readonly slug: string;
  /** Whether it says the same to everybody who has its address, and shows nothing private. */
  isForAll(): boolean;
  /** The ETag that `head` or `current` named last; null before. */
  announced(): string | null;
  /** Why it has nothing to say any more; null while it has. Nothing else is asked of it then. */
  fault(): FeedFault | null;
  /** As `head`, where that is known without any work; else null. */
  current(): Head | null;
  /**
   * Gets ready what `head` and `body` need while others have their turn; null where little is left to do. Rejects with a
   * `FeedBuildError`.
   */
  prepare(): Promise<void> | null;
  /** Whether the bytes of what `head` named last are in memory. */
  isAtHand(): boolean;
  /**
   * ETag (quoted, strong) and Last-Modified of what the feed says now. Renders only what changed since it was last
   * known, and nothing when nothing did. Throws `FeedBuildError`.
   */
  head(): Head;
  /** The bytes of the ETag that `head` named last. Throws `FeedBuildError`, or `FeedMovedError`. */
  body(): Buffer;
  /** The same bytes, compressed off the event loop, once per ETag and coding. */
  compressed(coding: Coding): Promise<Buffer>;
  /** Notes who fetched it, and was told of what `head` or `current` named last. */
  fetched(agent: string): void;
}

/** The calendars that can be subscribed to. */
export interface PublishedFeeds {
  /** Makes a feed for every known project that has none, and takes new titles over where nobody gave a name; a revoked one is not made again. */
  ensure(): void;
  /** Those that somebody may see: all, or those through the person's own eyes. */
  list(viewer?: Viewer): readonly PublishedFeed[];
  /** Null for one that is not there, or not for the viewer. */
  get(id: FeedId, viewer?: Viewer): PublishedFeed | null;
  /** How many addresses open a feed. */
  openCount(): number;
  /** Null for a secret that is wrong, old or revoked. */
  open(secret: string): OpenFeed | null;
  /** A new address, which ends the old one; null when there is no such open feed. */
  rotate(id: FeedId, viewer?: Viewer): PublishedFeed | null;
  /** Ends an address, until it is reopened; false when there is no such open feed. */
  revoke(id: FeedId, viewer?: Viewer): boolean;
  /** Opens an ended feed again under its address; null when there is none that can be. */
  reopen(id: FeedId, viewer?: Viewer): PublishedFeed | null;
  /** A new feed with an address of its own, each time. */
  create(wish: FeedWish): PublishedFeed;
  /** Another name, colour or filter, under the same address; null when there is no such open feed. */
  change(id: FeedId, to: FeedChange, viewer?: Viewer): PublishedFeed | null;
  /** The address of an open feed, and the ETag of what it says now where that is known without any work; else null. */
  versionOf(id: FeedId): (Omit<FeedAddress, "feed"> & { readonly etag: string | null }) | null;
  /** The path of an address as it is or was. */
  pathOf(address: FeedAddress): string;
  /** Keeps what was noted of fetches; at most once a minute unless `now`. */
  keepFetches(now?: boolean): void;
}

/** Thrown when the bytes of an announced ETag can no longer be made; the next `head` names another one. */
export class FeedMovedError extends Error {
  override readonly name = "FeedMovedError";
  constructor(id: FeedId) {
    super(`feed ${id} says something else than was announced`);
  }
}

/** Thrown for a key from which secrets could be guessed. */
export class WeakFeedKeyError extends Error {
  override readonly name = "WeakFeedKeyError";
  constructor(bytes: number) {
    super(`the key of feed addresses has ${bytes} bytes; at least ${shortestKey} are needed`);
  }
}

const shortestKey = 32;
/** One feed of 10,000 events takes as much. */
const usualBudget = 24 * 2 ** 20;

/**
 * Publishes projects, or what of them was chosen, as calendars behind secret addresses, and keeps what a feed has said, so that a calendar program
 * gets the same octets until something has changed. Throws `WeakFeedKeyError`.
 */
export function createPublishedFeeds(deps: PublishedFeedsDeps): PublishedFeeds {
  const {
    store,
    key,
    options,
    clock,
    links = null,
    render = writeEvent,
    hasRead = () => true,
    turns = createTurns(),
    budget = usualBudget,
    onOpened,
    onTurned = () => undefined,
  } = deps;
  if (key.byteLength < shortestKey) throw new WeakFeedKeyError(key.byteLength);
  const format = lazy(() => fragmentFormatOf(options, { render, links }));
  const seal = createSeal(key, "components of feeds");
  const today = createCalendarDay(options.zone, clock);
  const readNames = createNameReader(store);
  const ledger = createFetchLedger({ store, clock });
  const rows = new Map<FeedId, FeedRow>();
  /** The one that was asked for last stands last. */
  const live = new Map<FeedId, LiveFeed>();
  const openAddresses = new Map<string, FeedId>();
  const searchKeyOf = createSearchKeys(key);
  /** Titles by which feeds were made or named last. */
  const titles = new Map<ProjectId, string>();
  /** When the projects of a feed over several were last told of, in milliseconds. */
  const openedAt = new Map<FeedId, number>();
  let followedUpTo: Revision | null = null;
  for (const row of store.feeds.all()) take(row);

  /** Takes a row over as it is stored now. */
  function take(row: FeedRow): void {
    const before = rows.get(row.id);
    rows.set(row.id, row);
    const isOpen = before !== undefined && !before.revokedAt && !row.revokedAt;
    if (isOpen && before.version === row.version) return;
    if (before) openAddresses.delete(searchKeyOf(secretOf(key, before)));
    if (row.revokedAt) live.delete(row.id);
    else openAddresses.set(searchKeyOf(secretOf(key, row)), row.id);
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

  function liveOf(row: FeedRow): LiveFeed {
    const { id } = row;
    const found = live.get(id) ?? startLive(row);
    live.delete(id);
    live.set(id, found);
    return found;
  }

  /** Lets go of what was not asked for the longest, as far as all together is over the budget. */
  function keepWithinBudget(): void {
    let size = live.values().reduce((sum, feed) => sum + feed.size(), 0);
    let others = live.size - 1;
    for (const feed of live.values()) {
      if (size <= budget || others === 0) return;
      size -= feed.size();
      others -= 1;
      feed.release();
    }
  }

  function startLive(row: FeedRow): LiveFeed {
    const own = { ...options, ...ownOptions(row, options) };
    return createLiveFeed(() => rowOf(row.id), {
      ...{ store, readNames, render, seal, links, today, clock, hasRead, turns },
      options: own,
      format: `${format()}${formatSuffix(own, options)}`,
      onGrown: keepWithinBudget,
    });
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
      path: `/feeds/${secretOf(key, row)}/${slugOfFeed(row)}.ics`,
      lastFetch: last ? { at: last.at, agent: last.agent } : before,
      problem: revokedAt || isPlainFeed(row) ? null : (faultOf(row)?.reason ?? null),
      items: state?.items ?? null,
      bytes: state?.bytes ?? null,
    };
  }

  const faultOf = (row: FeedRow): FeedFault | null => (live.get(row.id) ?? startLive(row)).fault();

  /** Null for a feed that is not there, or not for the viewer. */
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
    ensure() {
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
    list: (viewer) =>
      (viewer?.kind === "person" ? store.feeds.ofPerson(viewer.person) : store.feeds.all()).map(
        published,
      ),
    get(id, viewer) {
      const row = visible(id, viewer);
      return row && published(row);
    },
    openCount: () => openAddresses.size,
    open(secret) {
      const id = secretPattern.test(secret) ? openAddresses.get(searchKeyOf(secret)) : undefined;
      if (id === undefined) return null;
      const row = rowOf(id);
      const feed = liveOf(row);
      noteOpened(row, feed);
      const isForAll = () =>
        row.personId === null && privateModeOf(rowOf(id), options.private) !== "show";
      return openFeed({ row, feed, ledger, isForAll });
    },
    rotate(id, viewer) {
      const row = visible(id, viewer);
      return row && endAddress(row, () => store.feeds.rotate(id)) ? takeAgain(id) : null;
    },
    revoke(id, viewer) {
      const row = visible(id, viewer);
      const revoked = row !== null && endAddress(row, () => store.feeds.revoke(id));
      if (revoked && isOwnColour(row.colour)) store.changes.directoryChanged();
      if (revoked) takeAgain(id);
      return revoked;
    },
    reopen(id, viewer) {
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
    create(wish) {
      const { name: givenName } = wish;
      const name = givenName ?? usualName(wish, store);
      const made = store.together(() => {
        if (isOwnColour(wish.colour)) store.changes.directoryChanged();
        return store.feeds.add({ ...wish, name, givenName });
      });
      take(made);
      return published(made);
    },
    change(id, to, viewer) {
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
      // What it shows may hang on other rules now.
      if (to.filter !== undefined) live.delete(id);
      return takeAgain(id);
    },
    versionOf(id) {
      const row = rows.get(id);
      if (!row || row.revokedAt) return null;
      const { version, slug } = addressOf(row);
      return { version, slug, etag: liveOf(row).current()?.etag ?? null };
    },
    pathOf: ({ feed, version, slug }) =>
      `/feeds/${secretOf(key, { id: feed, version })}/${slug}.ics`,
    keepFetches: (now = false) => ledger.keep(now),
  };

  /** Does what ends the present address of a feed, which is told in the same transaction. */
  function endAddress(row: FeedRow, end: () => boolean): boolean {
    return store.together(() => {
      const hasEnded = end();
      if (hasEnded) onTurned({ ...addressOf(row), ended: true });
      return hasEnded;
    });
  }

  /** The row under the name that it has from what it is of, where that is another one now. */
  function renamed(row: FeedRow): FeedRow | null {
    if (row.revokedAt || row.isAutomatic || row.givenName !== null) return null;
    const name = usualName(row, store);
    if (name === row.name) return null;
    store.feeds.follow(row.id, name);
    return store.feeds.get(row.id);
  }
}

/** Whether it is none of the project's: two-way calendars that have none take it over. */
const isOwnColour = (colour: string | null): boolean => colour?.startsWith("#") === true;

/** A feed over several projects tells of them so often at most. */
const openedEveryMs = 60_000;

/** What a feed's filter says instead of the configuration. */
function ownOptions(feed: FeedChoice, usual: FeedOptions): Partial<FeedOptions> {
  const { filter } = feed;
  const length = filter?.completed;
  return {
    private: privateModeOf(feed, usual.private),
    ...(length !== undefined && length !== "none" && { completed: Temporal.Duration.from(length) }),
    ...(filter?.reminders === false && { reminders: false }),
  };
}

/** What of a feed's own options shows in its components. */
const formatSuffix = (own: FeedOptions, usual: FeedOptions): string =>
  (own.private === usual.private ? "" : ` ${own.private}`) +
  (own.reminders === false ? " silent" : "");

/** What a feed is called that nobody has named: whose it is. */
function usualName(choice: FeedChoice, { directory }: Pick<Store, "directory">): string {
  const { kind, projectId: project, personId: person } = choice;
  const whose = person === null ? null : (directory.person(person)?.name ?? `Person ${person}`);
  const found = project === null ? null : directory.project(project);
  // It follows the project's title only while the person sees the project.
  const title = person === null || seesProject(person, found) ? found?.title : null;
  switch (kind) {
    case "project":
      return `${title ?? `Project ${project ?? ""}`}${whose === null ? "" : ` (${whose})`}`;
    case "person":
      return assignedOf(choice)?.size === 1 && (choice.filter?.assigned ?? "me") === "me"
        ? `Assigned to ${whose ?? "nobody"}`
        : `Projects of ${whose ?? "nobody"}`;
    case "all":
      return "All projects";
    default:
      return unreachable(kind);
  }
}

function openFeed({
  row,
  feed,
  ledger,
  isForAll,
}: {
  readonly row: FeedRow;
  readonly feed: LiveFeed;
  readonly ledger: FetchLedger;
  readonly isForAll: () => boolean;
}): OpenFeed {
  let announced: string | null = null;
  let told: FeedState | null = null;
  let built: BuiltFeed | null = null;

  function announce(state: FeedState): Head {
    const { etag, modifiedAt } = state;
    if (etag !== announced) built = null;
    announced = etag;
    built ??= feed.kept();
    told = state;
    return { etag, modifiedAt };
  }

  function bytes(): BuiltFeed {
    if (built) return built;
    const made = feed.built();
    if (announced !== null && made.etag !== announced) throw new FeedMovedError(row.id);
    announced = made.etag;
    built = made;
    return made;
  }

  return {
    id: row.id,
    get slug() {
      return slugOfFeed(row);
    },
    isForAll,
    announced: () => announced,
    fault: () => feed.fault(),
    current() {
      const state = feed.current();
      return state && announce(state);
    },
    prepare: () => feed.prepare(),
    isAtHand: () => built !== null,
    head: () => announce(feed.state()),
    body: () => bytes().body,
    compressed: async (coding) => bytes().compressed(coding),
    fetched(agent) {
      if (!told) return;
      const { etag, modifiedAt } = told;
      ledger.note(row.id, agent, { etag, modifiedAt, revision: revisionIn(told) });
    },
  };
}

const addressOf = (row: FeedRow): FeedAddress => ({
  feed: row.id,
  version: row.version,
  slug: slugOfFeed(row),
});

const slugOfFeed = ({ id, name, kind, projectId: project }: FeedRow): string =>
  slugOf(name, kind === "project" ? `project-${project ?? id}` : `feed-${id}`);

/** A secret as it stands in an address: 160 bits in 32 digits. */
export const secretPattern = /^[0-9a-v]{32}$/;

/**
 * The secret of a feed's address, derived from a key that is not in the database: neither a stolen copy of the database
 * nor an older address tells it. Another version gives another secret.
 */
export function secretOf(key: Uint8Array, feed: { id: FeedId; version: number }): string {
  const digest = createHmac("sha256", key).update(`feed:${feed.id}:${feed.version}`).digest("hex");
  return BigInt(`0x${digest.slice(0, 40)}`)
    .toString(32)
    .padStart(32, "0");
}

/**
 * By which presented secrets are looked up: how long a search takes then says nothing about the secrets. A plain hash of key and
 * secret, a third of the work of an HMAC at each request, as nobody ever sees it, and secrets have one length.
 */
function createSearchKeys(key: Uint8Array): (secret: string) => string {
  const prefix = `${Buffer.from(key).toString("base64")}:open:`;
  return (secret) => hash("sha256", prefix + secret, "base64");
}

/** The present day in a zone; asked for at every request, so the zone is asked only once a day. */
function createCalendarDay(zone: string, clock: () => Temporal.Instant): () => Temporal.PlainDate {
  let day: Temporal.PlainDate | null = null;
  let startsAt = Number.POSITIVE_INFINITY;
  let endsAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    const { epochMilliseconds } = now;
    if (day && epochMilliseconds >= startsAt && epochMilliseconds < endsAt) return day;
    day = now.toZonedDateTimeISO(zone).toPlainDate();
    startsAt = day.toZonedDateTime(zone).epochMilliseconds;
    endsAt = day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds;
    return day;
  };
}

/**
 * A feed as programs see it: with what it shows in words, and its whole address while it is open. `publicUrl` has no slash at its
 * end.
 */
export function asListed(
  { path, ...feed }: PublishedFeed,
  { directory, publicUrl }: { readonly directory: Store["directory"]; readonly publicUrl: string },
) {
  const url = feed.revokedAt === null ? `${publicUrl}${path}` : null;
  return { ...feed, shows: describeFeedChoice(feed, directory), url };
}
