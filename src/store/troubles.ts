import { later } from "../domain/backoff.ts";
import { troubleId, troubleTiming } from "../domain/trouble.ts";
import type { Trouble } from "../domain/trouble-kinds.ts";
import { instantText } from "./rows/item-rows.ts";
import { type Episode, episodeRow, troubleRow } from "./rows/trouble-rows.ts";
import type { StoreDeps } from "./steady-database.ts";

/** What has changed since the last look. */
export interface Observation {
  readonly begun: readonly Episode[];
  readonly over: readonly Episode[];
}

/** What was seen in one look. */
export interface Sighting {
  readonly present: readonly Trouble[];
  /** Whether a look that does not show a trouble says nothing about it, as what would tell was not heard of yet. */
  readonly isUnsure: (trouble: Trouble) => boolean;
}

/** Troubles from their beginning to their end, so that a restart neither forgets nor begins one. */
export interface Troubles {
  /** Takes down what holds now. One that comes and goes is a single trouble until it was away for its kind's time. */
  observe(sighting: Sighting): Observation;
  /** One that began while nothing could be stored, or the one that is open already. */
  adopt(trouble: Trouble, since: Temporal.Instant): Episode | null;
  /** Those that are not over, the oldest first. */
  open(): readonly Episode[];
  get(id: number): Episode | null;
  /** A look that is taken now and then has found this; it holds until it is withdrawn. */
  report(trouble: Trouble): void;
  /** The look has found otherwise: by the trouble's identity (`troubleId`). */
  withdraw(identity: string): void;
  reported(): readonly Trouble[];
  /** Forgets those that were over before a moment. */
  forget(before: Temporal.Instant): void;
}

export function createTroubles({ db, clock }: StoreDeps): Troubles {
  const allOpen = db.prepare("SELECT * FROM troubles WHERE over_at IS NULL ORDER BY id");
  const byId = db.prepare("SELECT * FROM troubles WHERE id = ?");
  const begin = db.prepare(
    "INSERT INTO troubles (identity, trouble, since) VALUES (@identity, @trouble, @now) RETURNING *",
  );
  const note = db.prepare("UPDATE troubles SET trouble = @trouble, gone_at = NULL WHERE id = @id");
  const miss = db.prepare("UPDATE troubles SET gone_at = @now WHERE id = @id");
  const end = db.prepare(
    "UPDATE troubles SET gone_at = coalesce(gone_at, @now), over_at = @now WHERE id = @id RETURNING *",
  );
  const report = db.prepare(
    `INSERT INTO reported_troubles (identity, trouble) VALUES (@identity, @trouble)
     ON CONFLICT (identity) DO UPDATE SET trouble = excluded.trouble`,
  );
  const withdraw = db.prepare("DELETE FROM reported_troubles WHERE identity = ?");
  const reported = db.prepare("SELECT * FROM reported_troubles ORDER BY identity");
  const forget = db.prepare("DELETE FROM troubles WHERE over_at < ?");
  const open = () => allOpen.all().flatMap((row) => episodeRow(row) ?? []);

  return {
    observe: db.transaction(({ present, isUnsure }: Sighting): Observation => {
      const now = clock();
      const at = { now: instantText(now) };
      const known = new Map(open().map((episode) => [episode.identity, episode]));
      const seen = new Map(present.map((trouble) => [troubleId(trouble), trouble]));
      const begun = [...seen].flatMap(([identity, trouble]) => {
        const text = JSON.stringify(trouble);
        const episode = known.get(identity);
        if (!episode) return episodeRow(begin.get({ ...at, identity, trouble: text })) ?? [];
        const isSame = episode.goneAt === null && JSON.stringify(episode.trouble) === text;
        if (!isSame) note.run({ id: episode.id, trouble: text });
        return [];
      });
      const over = [...known.values()].flatMap((episode) => {
        const { id, identity, trouble, goneAt } = episode;
        if (seen.has(identity) || isUnsure(trouble)) return [];
        const { overAfter } = troubleTiming(trouble);
        if (isOver(goneAt, { overAfter, now })) return episodeRow(end.get({ ...at, id })) ?? [];
        // A moment ahead is of a clock that was set back: it is counted anew.
        const isAhead = goneAt && Temporal.Instant.compare(goneAt, now) > 0;
        if (!goneAt || isAhead) miss.run({ ...at, id });
        return [];
      });
      return { begun, over };
    }),
    adopt(trouble, since) {
      const identity = troubleId(trouble);
      const known = open().find((episode) => episode.identity === identity);
      if (known) return known;
      const text = JSON.stringify(trouble);
      return episodeRow(begin.get({ identity, trouble: text, now: instantText(since) }));
    },
    open,
    get(id) {
      const row = byId.get(id);
      return row === undefined ? null : episodeRow(row);
    },
    report: (trouble) =>
      void report.run({ identity: troubleId(trouble), trouble: JSON.stringify(trouble) }),
    withdraw: (identity) => void withdraw.run(identity),
    reported: () => reported.all().flatMap((row) => troubleRow(row) ?? []),
    forget: (before) => void forget.run(instantText(before)),
  };
}

function isOver(
  goneAt: Temporal.Instant | null,
  { overAfter, now }: { readonly overAfter: Temporal.Duration; readonly now: Temporal.Instant },
): boolean {
  if (overAfter.blank) return true;
  return goneAt !== null && Temporal.Instant.compare(later(goneAt, overAfter), now) <= 0;
}

export type { Episode } from "./rows/trouble-rows.ts";
