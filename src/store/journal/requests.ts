import { landsAfterCrash } from "../../domain/landing.ts";
import { instantText, numberColumn, textColumn } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";

/** A creating request that has left, and of which it is not known what it has made. */
export interface OpenRequest {
  readonly sentAt: Temporal.Instant;
  /** Until then the last one may be carried out. */
  readonly landsUntil: Temporal.Instant;
  /** Ids of what looked alike before the first one left. */
  readonly known: ReadonlySet<number>;
}

/** Requests for what has no identity here (labels, comments, files in folders), each named by a text of its own. */
export interface Requests {
  open(what: string): OpenRequest | null;
  /** Notes one before its first byte leaves; of several the first says what was `known`. */
  leaving(what: string, known: readonly number[]): void;
  /** It got no usable answer, and may be carried out until then. */
  lost(what: string, until: Temporal.Instant): void;
  /** It has ended; what was lost may still be carried out. */
  ended(what: string): void;
  /** What it was to make is there. */
  done(what: string): void;
  /** What was under way when the process ended may be carried out for as long as an answer would have been waited for. */
  release(timeout: Temporal.Duration): void;
}

export function createRequests({ db, clock }: StoreDeps): Requests {
  const get = db.prepare("SELECT sent_at, lands_until, known FROM requests WHERE what = ?");
  const knownOf = db.prepare(
    "SELECT value FROM requests, json_each(requests.known) WHERE what = ?",
  );
  const leave = db.prepare(
    `INSERT INTO requests (what, known, sent_at, lands_until, under_way) VALUES (@what, @known, @now, @now, 1)
     ON CONFLICT (what) DO UPDATE SET lands_until = excluded.lands_until, under_way = 1`,
  );
  const lose = db.prepare("UPDATE requests SET lands_until = max(lands_until, ?) WHERE what = ?");
  const end = db.prepare("UPDATE requests SET under_way = 0 WHERE what = ?");
  const drop = db.prepare("DELETE FROM requests WHERE what = ?");
  const releaseAll = db.prepare(
    "UPDATE requests SET under_way = 0, lands_until = max(lands_until, ?) WHERE under_way = 1",
  );
  const moment = (row: unknown, column: string) =>
    Temporal.Instant.from(textColumn(row, column) ?? "");

  return {
    open(what) {
      const row = get.get(what);
      if (row === undefined) return null;
      const known = new Set(knownOf.all(what).map((one) => numberColumn(one, "value")));
      return { sentAt: moment(row, "sent_at"), landsUntil: moment(row, "lands_until"), known };
    },
    leaving: (what, known) =>
      void leave.run({ what, known: JSON.stringify(known), now: instantText(clock()) }),
    lost: (what, until) => void lose.run(instantText(until), what),
    ended: (what) => void end.run(what),
    done: (what) => void drop.run(what),
    release: (timeout) => void releaseAll.run(instantText(landsAfterCrash(clock(), timeout))),
  };
}
