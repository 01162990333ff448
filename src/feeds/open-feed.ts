import type { Coding } from "@dayferry/http-values";
import type { FeedFault } from "../domain/feed-filter.ts";
import type { FeedId } from "../domain/ids.ts";
import type { FeedRow, FeedState } from "../store/rows/feed-rows.ts";
import { slugOfFeed } from "./feed-addresses.ts";
import type { FetchLedger } from "./fetch-ledger.ts";
import { type BuiltFeed, type LiveFeed, revisionIn } from "./live-feed.ts";

/** The version of a feed. */
interface Head {
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
}

/** A feed opened with a valid URL. */
export type OpenFeed = ReturnType<typeof openFeed>;

/** Thrown if the bytes of an announced ETag can no longer be generated; the next `head` returns another one. */
export class FeedMovedError extends Error {
  override readonly name = "FeedMovedError";
  constructor(id: FeedId) {
    super(`feed ${id} says something else than was announced`);
  }
}

interface OpenFeedOptions {
  readonly row: FeedRow;
  readonly feed: LiveFeed;
  readonly ledger: FetchLedger;
  /** True if it shows the same to everyone with its URL, and nothing private. */
  readonly isForAll: () => boolean;
}

/** Opens a feed for a request with a valid URL. */
export function openFeed({ row, feed, ledger, isForAll }: OpenFeedOptions) {
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
    get slug(): string {
      return slugOfFeed(row);
    },
    isForAll,
    /** The ETag last returned by `head` or `current`; null before. */
    announced: (): string | null => announced,
    /** Why it can show nothing; null if it can. Then nothing else is called. */
    fault: (): FeedFault | null => feed.fault(),
    /** Like `head`, if known without any work; else null. */
    current(): Head | null {
      const state = feed.current();
      return state && announce(state);
    },
    /** Prepares what `head` and `body` need while others run; null if little is left to do. Rejects with a `FeedBuildError`. */
    prepare: (): Promise<void> | null => feed.prepare(),
    /** True if the bytes of the last `head` are in memory. */
    isAtHand: (): boolean => built !== null,
    /** ETag (quoted, strong) and Last-Modified of the present state. Renders only what changed. Throws `FeedBuildError`. */
    head: (): Head => announce(feed.state()),
    /** The bytes of the ETag that `head` last returned. Throws `FeedBuildError`, or `FeedMovedError`. */
    body: (): Buffer => bytes().body,
    /** The same bytes, compressed off the event loop, once per ETag and coding. */
    compressed: async (coding: Coding): Promise<Buffer> => bytes().compressed(coding),
    /** Records who fetched it and got the version last returned by `head` or `current`. */
    fetched(agent: string): void {
      if (!sent) return;
      const { etag, modifiedAt } = sent;
      ledger.note(row.id, agent, { etag, modifiedAt, revision: revisionIn(sent) });
    },
  };
}
