import { createHmac, timingSafeEqual } from "node:crypto";
import type { Coding } from "../domain/accept-encoding.ts";
import {
  type FeedId,
  type PersonId,
  type ProjectId,
  personId,
  projectId,
  type Revision,
} from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { createSeal } from "../domain/sealed-text.ts";
import type { LinkMaker } from "../domain/signed-links.ts";
import { slugOf } from "../domain/slug.ts";
import { writeEvent } from "../ics/write/write-event.ts";
import type { FeedRow } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import { formatOf, type RenderEvent } from "./fragments.ts";
import { type BuiltFeed, createLiveFeed, type LiveFeed } from "./live-feed.ts";
import type { FeedOptions } from "./window.ts";

interface PublishedFeedsDeps {
  readonly store: Store;
  /** At least 32 bytes, kept outside the database: the secrets of all addresses come from it. */
  readonly key: Uint8Array;
  readonly options: FeedOptions;
  readonly clock: () => Temporal.Instant;
  /** What action links are made of; none without it. */
  readonly links?: LinkMaker | null;
  /** Whether the lists of a project have been read as a whole; a feed says nothing before. Always, without it. */
  readonly hasRead?: (project: ProjectId) => boolean;
  /** Told of each request for a feed by its project. */
  readonly onOpened?: (project: ProjectId) => void;
  /** Writes one component; `writeEvent` unless another is given. */
  readonly render?: RenderEvent;
  /** How many octets of texts all feeds together keep in memory, but for the one that was asked for last; 32 MB unless given. */
  readonly budget?: number;
}

/** One feed as people and scripts see it. */
export interface PublishedFeed {
  readonly id: FeedId;
  readonly name: string;
  readonly kind: "project";
  readonly projectId: ProjectId | null;
  readonly personId: PersonId | null;
  /** Which items of the project; null = all. */
  readonly filter: null;
  /** Opens the feed without login: as good as a password. */
  readonly path: string;
  readonly createdAt: Temporal.Instant;
  readonly revokedAt: Temporal.Instant | null;
  readonly lastFetch: { readonly at: Temporal.Instant; readonly agent: string } | null;
  /** Items that the feed last showed; null when it was never asked for. */
  readonly items: number | null;
  /** Its size, uncompressed; null when it was never asked for. */
  readonly bytes: number | null;
}

/** Which version a feed is in. */
interface Head {
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
}

/** A feed whose address was right. */
export interface OpenFeed {
  readonly id: FeedId;
  readonly slug: string;
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
  /** Notes who fetched it. */
  fetched(agent: string): void;
}

/** The calendars that can be subscribed to. */
export interface PublishedFeeds {
  /** Makes a feed for every known project that has none, and takes new titles over where nobody gave a name; a revoked one is not made again. */
  ensure(): void;
  list(): readonly PublishedFeed[];
  /** How many addresses open a feed. */
  openCount(): number;
  /** Null for a secret that is wrong, old or revoked. */
  open(secret: string): OpenFeed | null;
  /** A new address, which ends the old one; null when there is no such open feed. */
  rotate(id: FeedId): PublishedFeed | null;
  /** Ends an address for good; false when there is no such open feed. */
  revoke(id: FeedId): boolean;
  /**
   * The open feed of a project, made when there is none; null for an unknown project. `name`: what it is called from now
   * on, whatever the project is called; null = as the project again; it keeps its name unless said.
   */
  create(project: ProjectId, name?: string | null): PublishedFeed | null;
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
const usualBudget = 32 * 2 ** 20;

/** An address that opens a feed, by what it is looked up with. */
interface OpenAddress {
  readonly searchKey: Buffer;
  readonly id: FeedId;
}

/**
 * Publishes each project as a calendar behind a secret address, and keeps what a feed has said, so that a calendar program
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
    budget = usualBudget,
    onOpened,
  } = deps;
  if (key.byteLength < shortestKey) throw new WeakFeedKeyError(key.byteLength);
  const format = formatOf(options, { render, links });
  const seal = createSeal(key, "components of feeds");
  const today = createCalendarDay(options.zone, clock);
  const rows = new Map<FeedId, FeedRow>();
  /** The one that was asked for last stands last. */
  const live = new Map<FeedId, LiveFeed>();
  const openAddresses = new Map<string, OpenAddress>();
  /** Titles by which feeds were made or named last. */
  const titles = new Map<ProjectId, string>();
  let followedUpTo: Revision | null = null;
  for (const row of store.feeds.all()) take(row);

  /** Takes a row over as it is stored now. */
  function take(row: FeedRow): void {
    const before = rows.get(row.id);
    rows.set(row.id, row);
    if (before?.version === row.version && !row.revokedAt) return;
    if (before) openAddresses.delete(searchKeyIn(before).toString("base64"));
    if (row.revokedAt) live.delete(row.id);
    else {
      const searchKey = searchKeyIn(row);
      openAddresses.set(searchKey.toString("base64"), { searchKey, id: row.id });
    }
  }

  function searchKeyIn(row: FeedRow): Buffer {
    return searchKeyOf(key, secretOf(key, row));
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

  function startLive({ id, projectId: project }: FeedRow): LiveFeed {
    if (project === null) throw new Error(`feed ${id} belongs to no project`);
    return createLiveFeed(
      { feed: () => rowOf(id), project: projectId(project) },
      {
        ...{ store, options, format, render, seal, links, today, clock, hasRead },
        onGrown: keepWithinBudget,
      },
    );
  }

  function published(row: FeedRow): PublishedFeed {
    const { id, name, kind, createdAt, revokedAt, fetchedAt, fetchedBy } = row;
    const state = store.feeds.state(id);
    return {
      id,
      name,
      kind,
      projectId: row.projectId === null ? null : projectId(row.projectId),
      personId: row.personId === null ? null : personId(row.personId),
      filter: null,
      path: `/feeds/${secretOf(key, row)}/${slugOfFeed(row)}.ics`,
      createdAt,
      revokedAt,
      lastFetch: fetchedAt && { at: fetchedAt, agent: fetchedBy ?? "unknown" },
      items: state?.items ?? null,
      bytes: state?.bytes ?? null,
    };
  }

  function openAddressOf(secret: string): OpenAddress | null {
    if (!secretPattern.test(secret)) return null;
    const searchKey = searchKeyOf(key, secret);
    const address = openAddresses.get(searchKey.toString("base64"));
    return address && timingSafeEqual(address.searchKey, searchKey) ? address : null;
  }

  return {
    ensure() {
      const latest = store.changes.revisionOfDirectory();
      if (latest === followedUpTo) return;
      const changed = store.directory
        .projects()
        .filter(({ id, title }) => titles.get(id) !== title);
      const made = store.together(() =>
        changed.map(({ id, title }) => store.feeds.ensure(id, title)),
      );
      for (const row of made) if (row) take(row);
      for (const { id, title } of changed) titles.set(id, title);
      followedUpTo = latest;
    },
    list: () => store.feeds.all().map(published),
    openCount: () => openAddresses.size,
    open(secret) {
      const address = openAddressOf(secret);
      if (!address) return null;
      const row = rowOf(address.id);
      if (row.projectId !== null) onOpened?.(projectId(row.projectId));
      return openFeed({ row, feed: liveOf(row), store });
    },
    rotate(id) {
      return store.feeds.rotate(id) ? takeAgain(id) : null;
    },
    revoke(id) {
      const revoked = store.feeds.revoke(id);
      if (revoked) takeAgain(id);
      return revoked;
    },
    create(project, name) {
      const found = store.directory.project(project);
      if (!found) return null;
      const { title } = found;
      const id = store.together(() => {
        const { id: made } = store.feeds.create(project, title);
        if (name !== undefined) store.feeds.call(made, { given: name, title });
        return made;
      });
      return takeAgain(id);
    },
  };
}

function openFeed({
  row,
  feed,
  store,
}: {
  readonly row: FeedRow;
  readonly feed: LiveFeed;
  readonly store: Store;
}): OpenFeed {
  let announced: string | null = null;
  let built: BuiltFeed | null = null;

  function announce({ etag, modifiedAt }: Head): Head {
    if (etag !== announced) built = null;
    announced = etag;
    built ??= feed.kept();
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
    slug: slugOfFeed(row),
    current() {
      const state = feed.current();
      return state && announce(state);
    },
    prepare: () => feed.prepare(),
    isAtHand: () => built !== null,
    head: () => announce(feed.state()),
    body: () => bytes().body,
    compressed: async (coding) => bytes().compressed(coding),
    fetched: (agent) => store.feeds.fetched(row.id, agent),
  };
}

const slugOfFeed = ({ id, name, projectId: project }: FeedRow): string =>
  slugOf(name, `project-${project ?? id}`);

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

/** By which a presented secret is looked up: how long a search takes then says nothing about the secrets. */
function searchKeyOf(key: Uint8Array, secret: string): Buffer {
  return createHmac("sha256", key).update(`open:${secret}`).digest();
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

/** What asking for a feed has done, for programs and people. `outcome`: `made`, `renamed` or `unchanged`. */
export function creationOf(
  feed: PublishedFeed,
  before: readonly PublishedFeed[],
): { readonly outcome: "made" | "renamed" | "unchanged"; readonly message: string } {
  const known = before.find(({ id }) => id === feed.id);
  if (!known) return { outcome: "made", message: "a new feed was made for the project" };
  if (known.name === feed.name) {
    return { outcome: "unchanged", message: "the project had this feed already: nothing was made" };
  }
  const message = `the project had this feed already, and its address goes on working: it was only renamed, from "${known.name}" to "${feed.name}"`;
  return { outcome: "renamed", message };
}

/** A feed as programs see it: with its whole address while it is open. `publicUrl` has no slash at its end. */
export function withUrl({ path, ...feed }: PublishedFeed, publicUrl: string) {
  return { ...feed, url: feed.revokedAt === null ? `${publicUrl}${path}` : null };
}

const longestName = 200;

/** Reads the name that a person gives a feed. Fails with what a name has to be. */
export function readFeedName(text: unknown): Result<string, string> {
  const name = typeof text === "string" ? text.trim() : "";
  const isName = name !== "" && name.length <= longestName && !/\p{Cc}/u.test(name);
  return isName ? ok(name) : fail(`one line of 1 to ${longestName} characters`);
}
