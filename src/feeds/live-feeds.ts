import type { EventLoopBudget } from "@dayferry/event-loop";
import { type FeedChoice, type FeedFault, privateModeOf } from "../domain/feed-filter.ts";
import type { FeedId, ProjectId } from "../domain/ids.ts";
import type { Seal } from "../domain/sealed-text.ts";
import type { LinkMaker } from "../domain/signed-links.ts";
import type { FeedRow } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";
import { inLanguage, type Language } from "../texts/say.ts";
import type { WorkspaceNames } from "./feed-scope.ts";
import { fragmentFormatOf, type RenderEvent } from "./fragments.ts";
import { createLiveFeed, type LiveFeed } from "./live-feed.ts";
import type { FeedOptions } from "./window.ts";

interface LiveFeedsOptions {
  readonly store: Store;
  readonly readNames: () => WorkspaceNames;
  readonly render: RenderEvent;
  readonly seal: Seal;
  readonly links: LinkMaker | null;
  readonly today: () => Temporal.PlainDate;
  readonly clock: () => Temporal.Instant;
  readonly hasRead: (project: ProjectId | null) => boolean;
  readonly eventLoop: EventLoopBudget;
  /** Options of feeds without options of their own. */
  readonly usual: FeedOptions;
  /** For feeds of no person, and of people who have chosen none. */
  readonly language: Language;
  /** Octets of texts that all feeds together keep in memory, besides the last one used. */
  readonly budget: number;
  /** A feed's present row. */
  readonly rowOf: (id: FeedId) => FeedRow;
}

/** Feeds in memory. The least recently used drop their texts while all together exceed the budget. */
export function createLiveFeeds({ usual, language, budget, rowOf, ...shared }: LiveFeedsOptions) {
  const { store, render, links } = shared;
  /** Most recently used last. */
  const live = new Map<FeedId, LiveFeed>();
  const formats = new Map<Language, string>();
  const formatIn = (spoken: Language): string => {
    const format =
      formats.get(spoken) ??
      inLanguage(
        () => spoken,
        () => fragmentFormatOf(usual, render, links),
      );
    formats.set(spoken, format);
    return format;
  };
  /** A person's feeds are in their language. */
  const languageOf = ({ personId: person }: FeedRow): Language =>
    (person === null ? null : store.personLanguages.of(person)) ?? language;

  function use(row: FeedRow): LiveFeed {
    const { id } = row;
    const known = live.get(id);
    const found = known?.language === languageOf(row) ? known : start(row);
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

  function start(row: FeedRow): LiveFeed {
    const own = { ...usual, ...ownOptions(row, usual) };
    const spoken = languageOf(row);
    return createLiveFeed(() => rowOf(row.id), {
      ...shared,
      language: spoken,
      options: own,
      format: `${formatIn(spoken)}${formatSuffix(own, usual)}`,
      onGrown: keepWithinBudget,
    });
  }

  return {
    /** The feed, kept in memory until others were used more recently. */
    use,
    /** Why a feed can show nothing; null if it can. */
    fault: (row: FeedRow): FeedFault | null => (live.get(row.id) ?? start(row)).fault(),
    drop: (id: FeedId): void => void live.delete(id),
  };
}

/** Options that a feed's filter overrides. */
export function ownOptions(feed: FeedChoice, usual: FeedOptions): Partial<FeedOptions> {
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
