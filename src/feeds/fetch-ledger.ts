import type { FeedId, Revision } from "../domain/ids.ts";
import { programName } from "../domain/program-name.ts";
import type { FetchRow } from "../store/rows/feed-rows.ts";
import type { Store } from "../store/store.ts";

/** The version of a feed in the answer to a fetch. */
interface FetchedVersion {
  readonly etag: string;
  readonly modifiedAt: Temporal.Instant;
  readonly revision: Revision;
}

/** How one program fetches a feed, for people and scripts. */
export interface Fetch {
  readonly program: string;
  /** Its last User-Agent. */
  readonly agent: string;
  readonly at: Temporal.Instant;
  readonly firstAt: Temporal.Instant;
  readonly visits: number;
  /** The version in its last answer, including 304. */
  readonly holds: FetchedVersion & { readonly isShownNow: boolean };
  /** Its usual interval: the median of the last ones; null before there are three. */
  readonly interval: Temporal.Duration | null;
  /** A sentence about the program and its fetches. */
  readonly says: string;
}

/** Who fetches which feed. Notes are written in batches. */
export type FetchLedger = ReturnType<typeof createFetchLedger>;

/** Stored programs per feed, as anyone with the URL may send any name. */
const mostPrograms = 12;
/** Number of intervals for the median. */
const mostGaps = 15;
const fewestGaps = 3;
/** A repetition within a minute belongs to the same visit: a HEAD before a GET, a second calendar of the program. */
const sameVisitSeconds = 60;
const longestAgent = 200;

interface Visitor extends FetchRow {
  readonly lastMs: number;
}

/** A feed's data in memory. */
interface Visited {
  readonly byProgram: Map<string, Visitor>;
  readonly unkept: Set<string>;
  /** The last note, which most fetches repeat. */
  last: { readonly agent: string; readonly etag: string; readonly ms: number } | null;
}

export function createFetchLedger({
  store,
  clock,
}: {
  readonly store: Pick<Store, "feedFetches" | "together">;
  readonly clock: () => Temporal.Instant;
}) {
  const feeds = new Map<FeedId, Visited>();
  const unkept = new Set<FeedId>();
  let keptMs = Number.NEGATIVE_INFINITY;

  function visitedOf(feed: FeedId): Visited {
    const known = feeds.get(feed);
    if (known) return known;
    const rows = store.feedFetches.of(feed);
    const visitors = rows.map((row) => [row.program, visitorOf(row)] as const);
    const read: Visited = { byProgram: new Map(visitors), unkept: new Set(), last: null };
    feeds.set(feed, read);
    return read;
  }

  function visit(visited: Visited, row: Visitor): void {
    const { byProgram } = visited;
    byProgram.set(row.program, row);
    visited.unkept.add(row.program);
    if (byProgram.size <= mostPrograms) return;
    const [oldest] = [...byProgram.values()].toSorted((a, b) => a.lastMs - b.lastMs);
    if (!oldest) return;
    byProgram.delete(oldest.program);
    visited.unkept.delete(oldest.program);
  }

  return {
    /** Records a fetch; written by `keep`. */
    note(feed: FeedId, agent: string, version: FetchedVersion): void {
      const visited = visitedOf(feed);
      const now = clock();
      const ms = now.epochMilliseconds;
      const { last } = visited;
      const isAgain = last?.agent === agent && last.etag === version.etag;
      if (isAgain && ms >= last.ms && ms - last.ms < sameVisitSeconds * 1000) return;
      visited.last = { agent, etag: version.etag, ms };
      const program = programName(agent) ?? "a program without a name";
      const before = visited.byProgram.get(program);
      const gap = before ? Math.round((ms - before.lastMs) / 1000) : 0;
      const isNew = before !== undefined && gap >= sameVisitSeconds;
      const { etag, revision, modifiedAt } = version;
      visit(visited, {
        ...{ program, etag, revision, modifiedAt },
        agent: agent.slice(0, longestAgent),
        firstAt: before?.firstAt ?? now,
        lastAt: before && !isNew ? before.lastAt : now,
        lastMs: before && !isNew ? before.lastMs : ms,
        visits: (before?.visits ?? 0) + (before && !isNew ? 0 : 1),
        gaps: [...(before?.gaps ?? []), ...(isNew ? [gap] : [])].slice(-mostGaps),
      });
      unkept.add(feed);
    },
    /** Most recent first. `shown`: the feed's present ETag; null if it was never built. */
    of(feed: FeedId, { shown }: { readonly shown: string | null }): readonly Fetch[] {
      const now = clock();
      return [...visitedOf(feed).byProgram.values()]
        .toSorted((a, b) => b.lastMs - a.lastMs)
        .map((row) => fetchOf(row, shown, now));
    },
    /** Writes new notes; at most once a minute unless `now`. */
    keep(now: boolean): void {
      const ms = clock().epochMilliseconds;
      if (unkept.size === 0 || (!now && ms - keptMs < 60_000)) return;
      keptMs = ms;
      store.together(() => {
        for (const feed of unkept) {
          const { byProgram, unkept: programs } = visitedOf(feed);
          const rows = [...programs].flatMap((name) => byProgram.get(name) ?? []);
          store.feedFetches.put(feed, rows, mostPrograms);
        }
      });
      for (const feed of unkept) feeds.get(feed)?.unkept.clear();
      unkept.clear();
    },
  };
}

const visitorOf = (row: FetchRow): Visitor => ({ ...row, lastMs: row.lastAt.epochMilliseconds });

function fetchOf(row: Visitor, shown: string | null, now: Temporal.Instant): Fetch {
  const { program, agent, lastAt, firstAt, visits, etag, modifiedAt, revision, gaps } = row;
  const interval = usualGap(gaps);
  const isShownNow = etag === shown;
  const away = Math.max(0, Math.round((now.epochMilliseconds - row.lastMs) / 1000));
  const often =
    interval === null
      ? `fetched ${visits === 1 ? "once" : `${visits} times`}`
      : `every ${inWords(interval)}${paceOf(program)}`;
  const holds = isShownNow ? "up to date" : "older version until the next fetch";
  return {
    ...{ program, agent, firstAt, visits },
    at: lastAt,
    holds: { etag, modifiedAt, revision, isShownNow },
    interval: interval === null ? null : Temporal.Duration.from({ seconds: interval }),
    says: `${program} · ${often} · last ${inWords(away)} ago · ${holds}`,
  };
}

function usualGap(gaps: readonly number[]): number | null {
  if (gaps.length < fewestGaps) return null;
  const sorted = gaps.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

/** Seconds in a suitable unit. */
function inWords(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** Where the refresh interval of a program is decided: Google and Microsoft fetch from their own servers. */
const paces: Readonly<Record<string, string>> = {
  Google: " (set by Google)",
  Outlook: " (set by Microsoft)",
  Yahoo: " (set by Yahoo)",
  "Proton Calendar": " (set by Proton)",
  Fastmail: " (set by Fastmail)",
};

const bySettings = [
  ...["Betterbird", "Thunderbird", "ICSx5", "DAVx5", "Apple Calendar", "iPhone or iPad"],
  ...["Apple Watch", "Evolution", "GNOME Calendar", "KOrganizer", "BusyCal", "Fantastical"],
];

function paceOf(program: string): string {
  return paces[program] ?? (bySettings.includes(program) ? " (set in the program)" : "");
}
