import { type ItemKey, itemKey, type ServiceId } from "../../domain/ids.ts";
import { type Source, sideKinds, sourceName } from "../../domain/source.ts";
import { numberColumn } from "../rows/item-rows.ts";
import {
  type AbsenceCount,
  type AbsenceRow,
  absenceCountRow,
  absenceRow,
  absentItem,
  type BrakeRow,
  brakeRow,
  type FailingSource,
  failingSourceRow,
  type SourceAges,
  type SourceState,
  sourceAgesRow,
  sourceRow,
} from "../rows/source-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** True if a list was completely read by a request sent after a moment. A request already in progress may be too early. */
export function isReadSince(
  moment: Temporal.Instant,
  { attemptedAt, succeededAt, failure }: SourceState,
): boolean {
  if (!attemptedAt || !succeededAt || failure !== null) return false;
  const isLate = Temporal.Instant.compare(attemptedAt, moment) > 0;
  return isLate && Temporal.Instant.compare(succeededAt, attemptedAt) >= 0;
}

/** What is polled, the results of polls, and open questions from snapshots. */
export function createSources({ db, clock }: StoreDeps) {
  const upsert = db.prepare(
    `INSERT INTO sources (name, kind, project_id, list_id, task_id) VALUES (@name, @kind, @project, @list, @task)
     ON CONFLICT (name) DO UPDATE SET project_id = excluded.project_id, list_id = excluded.list_id,
       round = CASE WHEN project_id IS excluded.project_id AND list_id IS excluded.list_id THEN round END`,
  );
  const round = "coalesce((SELECT max(round) FROM rounds WHERE ended_at IS NULL), round)";
  const drop = db.prepare("DELETE FROM sources WHERE name = ?");
  const all = db.rows(
    `SELECT * FROM sources WHERE kind NOT IN (${sideKinds.map((kind) => `'${kind}'`).join(", ")}) ORDER BY rowid`,
    sourceRow,
  );
  const one = db.rows("SELECT * FROM sources WHERE name = ?", sourceRow);
  const ages = db.rows(
    `SELECT kind, count(*) AS sources, sum(succeeded_at IS NULL) AS never, max(succeeded_at) AS newest,
       min(succeeded_at) AS oldest
     FROM sources WHERE kind NOT IN (${sideKinds.map((kind) => `'${kind}'`).join(", ")}) GROUP BY kind`,
    sourceAgesRow,
  );
  const failing = db.rows(
    "SELECT * FROM sources WHERE failure IS NOT NULL ORDER BY rowid",
    failingSourceRow,
  );
  const neverRead = db.prepare(
    `SELECT count(*) AS projects FROM sources s WHERE s.kind = 'events'
       AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.id = s.project_id AND p.read_at IS NOT NULL)`,
  );
  const attempt = db.prepare("UPDATE sources SET attempted_at = ? WHERE name = ?");
  const success = db.prepare(
    `UPDATE sources SET succeeded_at = ?, failure = ?, failures = 0, refused_at = NULL, items = ?, round = ${round}
     WHERE name = ?`,
  );
  const failure = db.prepare(
    `UPDATE sources SET failure = @text, failures = failures + 1,
       refused_at = CASE WHEN @refused_at IS NOT NULL THEN coalesce(refused_at, @refused_at) END,
       round = CASE WHEN @refused_at IS NOT NULL THEN ${round} ELSE round END WHERE name = @name`,
  );
  const stamp = () => clock().toString();

  return {
    /** Adds new sources. A known one keeps its history; in another place it counts as unread in this round. */
    put: db.transaction((sources: readonly Source[]): void => {
      for (const source of sources) {
        upsert.run({
          name: sourceName(source),
          kind: source.kind,
          project: "projectId" in source ? source.projectId : null,
          list: "listId" in source ? source.listId : null,
          task: "taskId" in source ? source.taskId : null,
        });
      }
    }),
    drop: db.transaction((gone: readonly string[]): void => {
      for (const name of gone) drop.run(name);
    }),
    all: (): readonly SourceState[] => all.all(),
    get: (name: string): SourceState | null => one.find(name),
    /** How old each kind's data is, without loading each source. */
    ages: (): readonly SourceAges[] => ages.all(),
    /** When the most recently read list was read; null = none was. */
    lastReadAt(): Temporal.Instant | null {
      const newest = ages.all().flatMap(({ newest }) => newest ?? []);
      return newest.toSorted((a, b) => Temporal.Instant.compare(b, a))[0] ?? null;
    },
    /** Sources whose last poll failed, including comments and other side sources. */
    failing: (): readonly FailingSource[] => failing.all(),
    /** Polled projects that are not served yet, as some of their lists were never read. */
    projectsNeverRead: (): number => numberColumn(neverRead.get(), "projects"),
    /** `at`: when the poll began, as its data is as old as that. A success or a refusal counts for the current round. */
    attempted: (source: Source, at: Temporal.Instant): void =>
      void attempt.run(at.toString(), sourceName(source)),
    /** `gaps`: why the list could not be understood completely. Then nothing counts as missing from it. */
    succeeded: (
      source: Source,
      { items, gaps }: { readonly items: number; readonly gaps: string | null },
    ): void => void success.run(stamp(), gaps, items, sourceName(source)),
    failed: (source: Source, text: string): void =>
      void failure.run({ name: sourceName(source), text, refused_at: null }),
    /** Like `failed`: the service refuses, and will do so again. */
    refused: (source: Source, text: string): void =>
      void failure.run({ name: sourceName(source), text, refused_at: stamp() }),
  };
}

/** Items missing from a complete snapshot, until a look-up confirms that they are gone or still exist. */
export function createAbsences({ db, clock }: StoreDeps) {
  const notice = db.prepare(
    "INSERT OR IGNORE INTO absences (item, source, noticed_at) VALUES (?, ?, ?)",
  );
  const confirm = db.prepare("UPDATE absences SET confirmed_at = ? WHERE item = ?");
  const withdraw = db.prepare("DELETE FROM absences WHERE item = ?");
  const all = db.rows("SELECT * FROM absences ORDER BY item", absenceRow);
  const ofSource = db
    .prepare(
      `SELECT item, service_id FROM absences JOIN identities USING (item)
       WHERE absences.source = ? ORDER BY item`,
    )
    .raw();
  const confirmedOf = db.rows(
    "SELECT * FROM absences WHERE source = ? AND confirmed_at IS NOT NULL ORDER BY item LIMIT ?",
    absenceRow,
  );
  const unconfirmed = db
    .prepare(
      "SELECT item FROM absences WHERE confirmed_at IS NULL AND item > ? ORDER BY item LIMIT ?",
    )
    .pluck();
  const counts = db.rows(
    "SELECT source, count(*) - count(confirmed_at) AS open, count(confirmed_at) AS confirmed FROM absences GROUP BY source",
    absenceCountRow,
  );
  const one = db.rows("SELECT * FROM absences WHERE item = ?", absenceRow);
  return {
    notice: (item: ItemKey, source: string): void =>
      void notice.run(item, source, clock().toString()),
    confirm: (item: ItemKey): void => void confirm.run(clock().toString(), item),
    /** The items exist after all. */
    withdraw: db.transaction((items: readonly ItemKey[]): void => {
      for (const item of items) withdraw.run(item);
    }),
    all: (): readonly AbsenceRow[] => all.all(),
    get: (item: ItemKey): AbsenceRow | null => one.find(item),
    /** Missing items of a source, with their ids. */
    ofSource: (source: string): ReadonlyMap<ItemKey, ServiceId | null> =>
      new Map(ofSource.all(source).map(absentItem)),
    /** Up to `most` missing items of a source that are confirmed as gone. */
    confirmedOf: (source: string, most: number): readonly AbsenceRow[] =>
      confirmedOf.all(source, most),
    /** Up to `most` unconfirmed missing items, by key, after `after`. */
    unconfirmed: (after: number, most: number): readonly ItemKey[] =>
      unconfirmed.all(after, most).map((item) => itemKey(Number(item))),
    /** Counts per source. */
    counts: (): ReadonlyMap<string, AbsenceCount> => new Map(counts.all()),
  };
}

/** Sources whose removals are held by a brake. */
export function createBrakes({ db, clock }: StoreDeps) {
  const put = db.prepare(
    `INSERT INTO brakes (source, held_at, missing, total, needs_person) VALUES (@source, @now, @missing, @total, @needsPerson)
     ON CONFLICT (source) DO UPDATE SET missing = excluded.missing, total = excluded.total,
       needs_person = max(needs_person, excluded.needs_person)`,
  );
  const release = db.prepare(
    "UPDATE brakes SET released_at = ? WHERE source = ? AND released_at IS NULL",
  );
  const lift = db.prepare("DELETE FROM brakes WHERE source = ?");
  const all = db.rows("SELECT * FROM brakes ORDER BY source", brakeRow);
  const one = db.rows("SELECT * FROM brakes WHERE source = ?", brakeRow);
  const stamp = () => clock().toString();
  return {
    set: (
      source: string,
      {
        missing,
        total,
        needsPerson,
      }: { readonly missing: number; readonly total: number; readonly needsPerson: boolean },
    ): void =>
      void put.run({ source, now: stamp(), missing, total, needsPerson: needsPerson ? 1 : 0 }),
    /** A person agrees to the removals of this source; false if none are held. */
    release: (source: string): boolean => release.run(stamp(), source).changes > 0,
    /** Ends the hold: everything came back or was removed. */
    lift: (source: string): void => void lift.run(source),
    all: (): readonly BrakeRow[] => all.all(),
    get: (source: string): BrakeRow | null => one.find(source),
  };
}
