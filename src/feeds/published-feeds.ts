import { createHmac, hash } from "node:crypto";
import { createEventLoopBudget, type EventLoopBudget } from "@dayferry/event-loop";
import type { Coding } from "@dayferry/http-values";
import { type Colour, writeEvent } from "@dayferry/ical";
import {
  assignedOf,
  type FeedChoice,
  type FeedFault,
  isPlainFeed,
  privateModeOf,
} from "../domain/feed-filter.ts";
import type { FeedId, ProjectId, Revision } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import { createSeal } from "../domain/sealed-text.ts";
import type { LinkMaker } from "../domain/signed-links.ts";
import { slugOf } from "../domain/slug.ts";
import { seesProject, type Viewer } from "../domain/visibility.ts";
import type { FeedRow, FeedState } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view/view.ts";
import { defaultLanguage, inLanguage, type Language, say } from "../texts/say.ts";
import {
  type FeedContent,
  type FeedPresence,
  feedContent,
  type PresenceRules,
  presenceIn,
  presenceRules,
} from "./feed-presence.ts";
import { createNameReader } from "./feed-scope.ts";
import { describeFeedChoice, kindsInWords } from "./feed-words.ts";
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
  /** Octets of texts that all feeds together keep in memory, besides the last one used; 32 MB by default. */
  readonly budget?: number;
  /** Shares the main thread; its own share by default. */
  readonly eventLoop?: EventLoopBudget;
  /**
   * Called, in the same transaction, with a URL whose contents change because of another name or filter (`ended` false), or
   * that is revoked.
   */
  readonly onTurned?: (address: FeedAddress & { readonly ended: boolean }) => void;
}

/** A feed's URL without its secret. */
export interface FeedAddress {
  readonly feed: FeedId;
  readonly version: number;
  readonly slug: string;
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

/** The version of a feed. */
interface Head {
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
}

/** A feed opened with a valid URL. */
export interface OpenFeed {
  readonly id: FeedId;
  readonly slug: string;
  /** True if it shows the same to everyone with its URL, and nothing private. */
  isForAll(): boolean;
  /** The ETag last returned by `head` or `current`; null before. */
  announced(): string | null;
  /** Why it can show nothing; null if it can. Then nothing else is called. */
  fault(): FeedFault | null;
  /** Like `head`, if known without any work; else null. */
  current(): Head | null;
  /** Prepares what `head` and `body` need while others run; null if little is left to do. Rejects with a `FeedBuildError`. */
  prepare(): Promise<void> | null;
  /** True if the bytes of the last `head` are in memory. */
  isAtHand(): boolean;
  /** ETag (quoted, strong) and Last-Modified of the present state. Renders only what changed. Throws `FeedBuildError`. */
  head(): Head;
  /** The bytes of the ETag that `head` last returned. Throws `FeedBuildError`, or `FeedMovedError`. */
  body(): Buffer;
  /** The same bytes, compressed off the event loop, once per ETag and coding. */
  compressed(coding: Coding): Promise<Buffer>;
  /** Records who fetched it and got the version last returned by `head` or `current`. */
  fetched(agent: string): void;
}

/** Whether a feed shows an item. */
interface ItemPresence {
  readonly feed: PublishedFeed;
  readonly presence: FeedPresence;
}

/** The calendars that can be subscribed to. */
export interface PublishedFeeds {
  /**
   * Creates a feed for every known project that has had none, and follows new titles unless a person chose a name. A revoked
   * feed is not created again.
   */
  ensure(): void;
  /** Feeds visible to somebody: all, or those with the person's own permissions. */
  list(viewer?: Viewer): readonly PublishedFeed[];
  /** Null if it does not exist, or is not visible to the viewer. */
  get(id: FeedId, viewer?: Viewer): PublishedFeed | null;
  /** For each open feed visible to somebody, whether it shows an item, or why not. */
  presencesOf(item: ViewItem, viewer?: Viewer): readonly ItemPresence[];
  /** What a feed shows and leaves out now, in short steps; null if it does not exist, or is not visible to the viewer. */
  contentOf(id: FeedId, viewer?: Viewer): Generator<undefined, FeedContent> | null;
  /** The same for a feed that does not exist yet. */
  contentOfChoice(choice: FeedChoice): Generator<undefined, FeedContent>;
  /** Number of open feeds. */
  openCount(): number;
  /** Null for a wrong, old or revoked secret. */
  open(secret: string): OpenFeed | null;
  /** Makes a new URL and revokes the old one; null if there is no such open feed. */
  rotate(id: FeedId, viewer?: Viewer): PublishedFeed | null;
  /** Revokes a URL until it is reopened; false if there is no such open feed. */
  revoke(id: FeedId, viewer?: Viewer): boolean;
  /** Reopens a revoked feed with its URL; null if that is not possible. */
  reopen(id: FeedId, viewer?: Viewer): PublishedFeed | null;
  /** A new feed with its own URL. */
  create(wish: FeedWish): PublishedFeed;
  /** Changes name, colour or filter, keeping the URL; null if there is no such open feed. */
  change(id: FeedId, to: FeedChange, viewer?: Viewer): PublishedFeed | null;
  /** The URL of an open feed, and its present ETag if known without any work. */
  versionOf(id: FeedId): (Omit<FeedAddress, "feed"> & { readonly etag: string | null }) | null;
  /** The path of a present or former URL. */
  pathOf(address: FeedAddress): string;
  /** Writes recorded fetches; at most once a minute unless `now`. */
  keepFetches(now?: boolean): void;
}

/** Thrown if the bytes of an announced ETag can no longer be generated; the next `head` returns another one. */
export class FeedMovedError extends Error {
  override readonly name = "FeedMovedError";
  constructor(id: FeedId) {
    super(`feed ${id} says something else than was announced`);
  }
}

/** Thrown for a key that is too short. */
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
 * Publishes projects, or a choice of them, as calendars with secret URLs, and stores what a feed has served, so that calendar
 * programs get the same octets until something changes. Throws `WeakFeedKeyError`.
 */
export function createPublishedFeeds(deps: PublishedFeedsDeps): PublishedFeeds {
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
  if (key.byteLength < shortestKey) throw new WeakFeedKeyError(key.byteLength);
  const formats = new Map<Language, string>();
  const formatIn = (spoken: Language): string => {
    const format =
      formats.get(spoken) ??
      inLanguage(
        () => spoken,
        () => fragmentFormatOf(options, render, links),
      );
    formats.set(spoken, format);
    return format;
  };
  /** A person's feeds are in their language. */
  const languageOf = ({ personId: person }: FeedRow): Language =>
    (person === null ? null : store.personLanguages.of(person)) ?? language;
  const seal = createSeal(key, "components of feeds");
  const today = createCalendarDay(options.zone, clock);
  const readNames = createNameReader(store);
  const ledger = createFetchLedger({ store, clock });
  const rows = new Map<FeedId, FeedRow>();
  /** Most recently used last. */
  const live = new Map<FeedId, LiveFeed>();
  const openAddresses = new Map<string, FeedId>();
  const searchKeyOf = createSearchKeys(key);
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
    const known = live.get(id);
    const found = known?.language === languageOf(row) ? known : startLive(row);
    live.delete(id);
    live.set(id, found);
    return found;
  }

  /** Drops the least recently used feeds while the total exceeds the budget. */
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
    const spoken = languageOf(row);
    return createLiveFeed(() => rowOf(row.id), {
      ...{ store, readNames, render, seal, links, today, clock, hasRead, eventLoop },
      language: spoken,
      options: own,
      format: `${formatIn(spoken)}${formatSuffix(own, options)}`,
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

  const presenceFor = (choice: FeedChoice): PresenceRules =>
    presenceRules(choice, {
      store,
      options: { ...options, ...ownOptions(choice, options) },
      privateLists: readNames().names.privateLists,
      today: today(),
      hasRead,
    });

  const faultOf = (row: FeedRow): FeedFault | null => (live.get(row.id) ?? startLive(row)).fault();

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
    presencesOf: (item, viewer) =>
      (viewer?.kind === "person" ? store.feeds.ofPerson(viewer.person) : store.feeds.all())
        .filter(({ revokedAt }) => revokedAt === null)
        .map((row) => ({ feed: published(row), presence: presenceIn(item, presenceFor(row)) })),
    contentOf(id, viewer) {
      const row = visible(id, viewer);
      return row && feedContent(row, { store, rules: presenceFor(row) });
    },
    contentOfChoice: (choice) => feedContent(choice, { store, rules: presenceFor(choice) }),
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
      // Other rules may apply now.
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

/** Options that a feed's filter overrides. */
function ownOptions(feed: FeedChoice, usual: FeedOptions): Partial<FeedOptions> {
  const { filter } = feed;
  const length = filter?.completed;
  return {
    private: privateModeOf(feed, usual.private),
    ...(length !== undefined && length !== "none" && { completed: Temporal.Duration.from(length) }),
    ...(filter?.reminders === false && { reminders: false }),
  };
}

/** The part of a feed's own options that shows in its components. */
const formatSuffix = (own: FeedOptions, usual: FeedOptions): string =>
  (own.private === usual.private ? "" : ` ${own.private}`) +
  (own.reminders === false ? " silent" : "");

/** The automatic name of a feed: what it shows, and whose it is. */
function usualName(choice: FeedChoice, { directory }: Pick<Store, "directory">): string {
  const { kind, projectId: project, personId: person, filter } = choice;
  const whose =
    person === null
      ? null
      : (directory.person(person)?.name ?? say("unnamed.Person", { id: person }));
  const found = project === null ? null : directory.project(project);
  // It follows the project's title only while the person may see the project.
  const title = person === null || seesProject(person, found) ? found?.title : null;
  const chosen = kindsInWords(filter);
  const kinds = chosen && `${chosen.charAt(0).toUpperCase()}${chosen.slice(1)}`;
  switch (kind) {
    case "project": {
      const what = chosen === null ? "" : `: ${chosen}`;
      const named = title ?? say("feedName.unnamed", { id: project ?? "" });
      return `${named}${what}${whose === null ? "" : ` (${whose})`}`;
    }
    case "person": {
      const name = whose ?? say("feedName.nobody");
      const isTheirs = assignedOf(choice)?.size === 1 && (filter?.assigned ?? "me") === "me";
      if (kinds === null)
        return say(isTheirs ? "feedName.assigned" : "feedName.projects", { name });
      return say(isTheirs ? "feedName.assignedTo" : "feedName.of", { kinds, name });
    }
    case "all":
      return kinds === null ? say("calendar.allProjects") : say("feedName.ofAll", { kinds });
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
  let sent: FeedState | null = null;
  let built: BuiltFeed | null = null;

  function announce(state: FeedState): Head {
    const { etag, modifiedAt } = state;
    if (etag !== announced) built = null;
    announced = etag;
    built ??= feed.kept();
    sent = state;
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
      if (!sent) return;
      const { etag, modifiedAt } = sent;
      ledger.note(row.id, agent, { etag, modifiedAt, revision: revisionIn(sent) });
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

/** A secret in a URL: 160 bits in 32 digits. */
export const secretPattern = /^[0-9a-v]{32}$/;

/**
 * The secret in a feed's URL, derived from a key outside the database: neither a stolen copy of the database nor an older URL
 * reveals it. Another version gives another secret.
 */
export function secretOf(key: Uint8Array, feed: { id: FeedId; version: number }): string {
  const digest = createHmac("sha256", key).update(`feed:${feed.id}:${feed.version}`).digest("hex");
  return BigInt(`0x${digest.slice(0, 40)}`)
    .toString(32)
    .padStart(32, "0");
}

/**
 * Presented secrets are looked up by hash, so that timing reveals nothing. A plain hash of key and secret takes a third of an
 * HMAC's time per request, and is enough, as nobody sees it and secrets have one length.
 */
function createSearchKeys(key: Uint8Array): (secret: string) => string {
  const prefix = `${Buffer.from(key).toString("base64")}:open:`;
  return (secret) => hash("sha256", prefix + secret, "base64");
}

/** The present day in a zone, computed once a day, as it is needed at every request. */
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

/** A feed for programs: with a description, and its whole URL while it is open. `publicUrl`: without a trailing slash. */
export function asListed(
  { path, ...feed }: PublishedFeed,
  { directory, publicUrl }: { readonly directory: Store["directory"]; readonly publicUrl: string },
) {
  const url = feed.revokedAt === null ? `${publicUrl}${path}` : null;
  return { ...feed, shows: describeFeedChoice(feed, directory), url };
}
