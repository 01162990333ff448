import { later } from "../domain/backoff.ts";
import { troubleId, troubleTiming } from "../domain/trouble.ts";
import type { Trouble } from "../domain/trouble-kinds.ts";
import { instantText } from "./rows/item-rows.ts";
import { type Episode, episodeRow, troubleRow } from "./rows/trouble-rows.ts";
import { upsert } from "./rows/write-row.ts";
import type { StoreDeps } from "./steady-database.ts";

/** What has changed since the last check. */
export interface Observation {
  readonly begun: readonly Episode[];
  readonly over: readonly Episode[];
}

/** The result of one check. */
export interface CurrentTroubles {
  readonly present: readonly Trouble[];
  /** True if the check could not tell whether a trouble holds, as its source has not reported yet. */
  readonly isUnsure: (trouble: Trouble) => boolean;
}

/** Troubles from beginning to end, so that a restart neither forgets nor restarts one. */
export type Troubles = ReturnType<typeof createTroubles>;

export function createTroubles({ db, clock }: StoreDeps) {
  const allOpen = db.prepare("SELECT * FROM troubles WHERE over_at IS NULL ORDER BY id");
  const byId = db.rows("SELECT * FROM troubles WHERE id = ?", episodeRow);
  const begin = db.rows(
    "INSERT INTO troubles (identity, trouble, since) VALUES (@identity, @trouble, @now) RETURNING *",
    episodeRow,
  );
  const note = db.prepare("UPDATE troubles SET trouble = @trouble, gone_at = NULL WHERE id = @id");
  const miss = db.prepare("UPDATE troubles SET gone_at = @now WHERE id = @id");
  const end = db.rows(
    "UPDATE troubles SET gone_at = coalesce(gone_at, @now), over_at = @now WHERE id = @id RETURNING *",
    episodeRow,
  );
  const report = db.prepare(
    upsert("reported_troubles", { key: ["identity"], columns: ["trouble"] }),
  );
  const withdraw = db.prepare("DELETE FROM reported_troubles WHERE identity = ?");
  const reported = db.prepare("SELECT * FROM reported_troubles ORDER BY identity");
  const forget = db.prepare("DELETE FROM troubles WHERE over_at < ?");
  const open = () => allOpen.all().flatMap((row) => episodeRow(row) ?? []);

  return {
    /** Records the present troubles. One that comes back before its `overAfter` has passed is the same one. */
    observe: db.transaction(({ present, isUnsure }: CurrentTroubles): Observation => {
      const now = clock();
      const at = { now: instantText(now) };
      const known = new Map(open().map((episode) => [episode.identity, episode]));
      const seen = new Map(present.map((trouble) => [troubleId(trouble), trouble]));
      const begun = [...seen].flatMap(([identity, trouble]) => {
        const text = JSON.stringify(trouble);
        const episode = known.get(identity);
        if (!episode) return begin.get({ ...at, identity, trouble: text }) ?? [];
        const isSame = episode.goneAt === null && JSON.stringify(episode.trouble) === text;
        if (!isSame) note.run({ id: episode.id, trouble: text });
        return [];
      });
      const over = [...known.values()].flatMap((episode) => {
        const { id, identity, trouble, goneAt } = episode;
        if (seen.has(identity) || isUnsure(trouble)) return [];
        const { overAfter } = troubleTiming(trouble);
        if (isOver(goneAt, overAfter, now)) return end.get({ ...at, id }) ?? [];
        // A time in the future comes from a clock that was set back. It is counted anew.
        const isAhead = goneAt && Temporal.Instant.compare(goneAt, now) > 0;
        if (!goneAt || isAhead) miss.run({ ...at, id });
        return [];
      });
      return { begun, over };
    }),
    /** Opens a trouble that began while nothing could be stored, or returns the one already open. */
    adopt(trouble: Trouble, since: Temporal.Instant): Episode | null {
      const identity = troubleId(trouble);
      const known = open().find((episode) => episode.identity === identity);
      if (known) return known;
      const text = JSON.stringify(trouble);
      return begin.get({ identity, trouble: text, now: instantText(since) });
    },
    /** Those that are not over, oldest first. */
    open,
    get: (id: number): Episode | null => byId.find(id),
    /** Records a finding of an occasional check. It holds until withdrawn. */
    report: (trouble: Trouble): void =>
      void report.run({ identity: troubleId(trouble), trouble: JSON.stringify(trouble) }),
    /** The check no longer finds it; by the trouble's identity (`troubleId`). */
    withdraw: (identity: string): void => void withdraw.run(identity),
    reported: (): readonly Trouble[] => reported.all().flatMap((row) => troubleRow(row) ?? []),
    /** Deletes those that were over before a moment. */
    forget: (before: Temporal.Instant): void => void forget.run(instantText(before)),
  };
}

function isOver(
  goneAt: Temporal.Instant | null,
  overAfter: Temporal.Duration,
  now: Temporal.Instant,
): boolean {
  if (overAfter.blank) return true;
  return goneAt !== null && Temporal.Instant.compare(later(goneAt, overAfter), now) <= 0;
}

export type { Episode } from "./rows/trouble-rows.ts";
