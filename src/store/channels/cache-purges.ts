import { type CachePurgeRow, cachePurgeRow } from "../rows/channel-rows.ts";
import { instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A purge of a feed's address in one version. */
export interface WantedPurge extends Pick<CachePurgeRow, "feed" | "version" | "slug"> {
  /** True if the address was revoked. */
  readonly ended: boolean;
}

/** State of the purges. */
export interface PurgeState {
  readonly waiting: number;
  /** How many of them are for revoked addresses. */
  readonly ended: number;
  /** When the oldest one was requested. */
  readonly since: Temporal.Instant | null;
  /** Error of the last attempt; null if none. */
  readonly problem: string | null;
}

/** Purges that HTTP caches in front still need. */
export function createCachePurges({ db, clock }: StoreDeps) {
  const want = db.prepare(
    `INSERT INTO cache_purges (feed, version, slug, ended, asked_at, due_at) VALUES (@feed, @version, @slug, @ended, @now, @now)
     ON CONFLICT (feed, version) DO UPDATE SET slug = excluded.slug, ended = max(ended, excluded.ended), asks = asks + 1,
       told = 0, asked_at = CASE WHEN tries > 0 THEN asked_at ELSE excluded.asked_at END, due_at = min(due_at, excluded.due_at)`,
  );
  const due = db.rows(
    "SELECT * FROM cache_purges WHERE due_at <= ? ORDER BY ended DESC, due_at, feed LIMIT ?",
    cachePurgeRow,
  );
  const next = db.prepare("SELECT min(due_at) AS at FROM cache_purges");
  // Keeps a purge that was requested again meanwhile.
  const drop = db.prepare(
    "DELETE FROM cache_purges WHERE feed = @feed AND version = @version AND asks = @asks",
  );
  const again = db.prepare(
    `UPDATE cache_purges SET told = told + 1, tries = 0, problem = NULL, due_at = @due
     WHERE feed = @feed AND version = @version AND asks = @asks`,
  );
  const failed = db.prepare(
    `UPDATE cache_purges SET tries = tries + 1, problem = @problem, due_at = @due
     WHERE feed = @feed AND version = @version`,
  );
  const forget = db.prepare("DELETE FROM cache_purges WHERE ended = 0 AND asked_at < ?");
  const state = db.prepare(
    `SELECT count(*) AS waiting, coalesce(sum(ended), 0) AS ended, min(asked_at) AS since,
       (SELECT problem FROM cache_purges WHERE problem IS NOT NULL ORDER BY due_at DESC LIMIT 1) AS problem
     FROM cache_purges WHERE told = 0`,
  );
  const keyOf = ({ feed, version, asks }: CachePurgeRow) => ({ feed, version, asks });
  return {
    /** Requests a purge, or requests it again. Joins a surrounding transaction. */
    want: ({ feed, version, slug, ended }: WantedPurge): void =>
      void want.run({ feed, version, slug, ended: ended ? 1 : 0, now: instantText(clock()) }),
    /** Purges that are due, revoked addresses first, at most `most`. */
    due: (most: number): readonly CachePurgeRow[] => due.all(instantText(clock()), most),
    /** When the next one is due; null if none waits. */
    nextAt(): Temporal.Instant | null {
      const at = textColumn(next.get(), "at");
      return at === null ? null : Temporal.Instant.from(at);
    },
    /** The cache has purged it. `at`: when to purge it once more; null = never. */
    done(purge: CachePurgeRow, at: Temporal.Instant | null): void {
      if (at === null) drop.run(keyOf(purge));
      else again.run({ ...keyOf(purge), due: instantText(at) });
    },
    failed(
      { feed, version }: CachePurgeRow,
      { problem, due: at }: { readonly problem: string; readonly due: Temporal.Instant },
    ): void {
      failed.run({ feed, version, problem, due: instantText(at) });
    },
    /** Deletes requests from before `moment` for addresses that still work: such cached copies have expired. */
    forgetBefore: (moment: Temporal.Instant): number => forget.run(instantText(moment)).changes,
    state(): PurgeState {
      const row = state.get();
      const since = textColumn(row, "since");
      return {
        waiting: numberColumn(row, "waiting"),
        ended: numberColumn(row, "ended"),
        since: since === null ? null : Temporal.Instant.from(since),
        problem: textColumn(row, "problem"),
      };
    },
  };
}
