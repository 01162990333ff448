import { numberColumn, textColumn } from "./rows/item-rows.ts";
import { instantOf } from "./rows/row.ts";
import { type SourceTally, sourceTallyRow } from "./rows/source-rows.ts";
import type { StoreDeps } from "./steady-database.ts";

/** Edits in one non-final state. */
export interface OpenEdits {
  readonly state: (typeof openStates)[number];
  readonly edits: number;
  /** When the oldest of them was accepted; null if none. */
  readonly oldestAt: Temporal.Instant | null;
}

export const openStates = ["pending", "claimed", "parked", "held"] as const;

/** Values for metrics. Each takes a few milliseconds, however much is stored. */
export type Gauges = ReturnType<typeof createGauges>;

/** Rows that take some milliseconds. */
const rowsPerPart = 10_000;

export function createGauges({ db }: StoreDeps) {
  const counted = db.prepare(
    "SELECT count(*) AS edits, min(id) AS first FROM edits WHERE state = ?",
  );
  const made = db.prepare("SELECT created_at FROM edits WHERE id = ?");
  const accepted = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'edits'");
  const waiting = db.prepare(
    `SELECT count(*) AS mails FROM outbox WHERE way = 'mail' AND state = 'deferred' AND (kind <> 'notice' OR EXISTS (
       SELECT 1 FROM edits e WHERE e.id = subject AND e.state = 'parked' AND e.updated_at = occasion))`,
  );
  const last = db.prepare("SELECT max(rowid) AS last FROM sources");
  const part = db.rows(
    `SELECT kind, count(*) AS lists, sum(items) AS items, sum(succeeded_at IS NULL) AS never, sum(failure IS NOT NULL) AS failing,
       max(succeeded_at) AS newest, min(succeeded_at) AS oldest
     FROM sources WHERE rowid > @after AND rowid <= @upTo GROUP BY kind`,
    sourceTallyRow,
  );
  const open = db.prepare(
    "SELECT trouble ->> '$.kind' AS kind FROM troubles WHERE over_at IS NULL ORDER BY id",
  );
  return {
    openEdits: (): readonly OpenEdits[] =>
      openStates.map((state) => {
        const row = counted.get(state);
        const edits = numberColumn(row, "edits");
        const first = edits === 0 ? null : made.get(numberColumn(row, "first"));
        const oldestAt = first ? instantOf(textColumn(first, "created_at")) : null;
        return { state, edits, oldestAt };
      }),
    /** Number of edits ever accepted. */
    acceptedEdits(): number {
      const row = accepted.get();
      return row === undefined ? 0 : numberColumn(row, "seq");
    },
    /** Deferred mails. */
    waitingMails: (): number => numberColumn(waiting.get(), "mails"),
    /** Lists by kind, in parts of some thousands. A kind may appear in several parts. */
    *lists(): Iterable<readonly SourceTally[]> {
      const end = numberColumn(last.get(), "last");
      for (let after = 0; after < end; after += rowsPerPart) {
        yield part.all({ after, upTo: after + rowsPerPart });
      }
    },
    /** The kind of each trouble that is not over. */
    troubles: (): readonly string[] => open.all().flatMap((row) => textColumn(row, "kind") ?? []),
  };
}
