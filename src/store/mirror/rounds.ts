import { type ProjectId, projectId } from "../../domain/ids.ts";
import { numberColumn, textColumn } from "../rows/item-rows.ts";
import {
  type PageReading,
  pageForm,
  pageReadingRow,
  pageText,
  type ReadPage,
  readingText,
  readPageRow,
} from "../rows/page-rows.ts";
import { type RoundRow, roundRow } from "../rows/source-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/**
 * What has been read completely: the current round, which is one reading of all sources, and projects read at least once. Both
 * are stored, so that a restart continues.
 */
export function createRounds({ db, clock }: StoreDeps) {
  const last = db.rows("SELECT * FROM rounds ORDER BY round DESC LIMIT 1", roundRow);
  const add = db.rows("INSERT INTO rounds (begun_at) VALUES (?) RETURNING *", roundRow);
  const forget = db.prepare("DELETE FROM rounds WHERE round < ?");
  const end = db.prepare("UPDATE rounds SET ended_at = ? WHERE ended_at IS NULL");
  const resume = db.prepare("UPDATE rounds SET ended_at = NULL");
  const read = db.prepare("SELECT id FROM projects WHERE read_at IS NOT NULL");
  const mark = db.prepare("UPDATE projects SET read_at = ? WHERE id = ? AND read_at IS NULL");
  const whole = db.prepare("SELECT value FROM meta WHERE name = 'all_read_at'");
  const markWhole = db.prepare(
    "INSERT OR IGNORE INTO meta (name, value) VALUES ('all_read_at', ?)",
  );
  const reconciling = db.remembered(
    "SELECT 1 FROM meta WHERE name = 'reconcile_since'",
    () => true,
  );
  const reconcile = db.prepare("DELETE FROM meta WHERE name = 'reconcile_since'");
  const stamp = () => clock().toString();

  return {
    /** The last round; null before the first. */
    last: (): RoundRow | null => last.find(),
    /** Starts a new round with nothing read. */
    begin: db.transaction((): RoundRow => {
      const begun = add.get(stamp());
      forget.run(begun.round);
      return begun;
    }),
    /** All sources were read, or given up. */
    end: (): void => void end.run(stamp()),
    /** Continues the last round. */
    resume: (): void => void resume.run(),
    /** Projects whose lists have all been read at least once. */
    readProjects: (): ReadonlySet<ProjectId> =>
      new Set(read.all().map((row) => projectId(numberColumn(row, "id")))),
    projectRead: (project: ProjectId): void => void mark.run(stamp(), project),
    /** True if all projects were read at some time. */
    isAllRead: (): boolean => textColumn(whole.get(), "value") !== null,
    allRead: (): void => void markWhole.run(stamp()),
    /** True if a restored database was not yet compared with everything in the service. Nothing is removed until then. */
    isReconciling: (): boolean => reconciling.find() !== null,
    reconciled: (): void => void reconcile.run(),
  };
}

/**
 * What pages of all tasks have shown in the current round, until it is applied. A page that an earlier process read need not be
 * requested again. Rows with another layout, and damaged ones, count as never read.
 */
export function createPageReadings({ db, zone }: StoreDeps) {
  const round = "(SELECT max(round) FROM rounds WHERE ended_at IS NULL)";
  const get = db.rows(
    `SELECT form, head FROM page_readings WHERE round = ${round}`,
    pageReadingRow,
  );
  const put = db.prepare(
    `INSERT INTO page_readings (round, form, head)
     SELECT max(round), @form, @head FROM rounds WHERE ended_at IS NULL HAVING max(round) IS NOT NULL
     ON CONFLICT (round) DO UPDATE SET form = excluded.form, head = excluded.head`,
  );
  const numbers = db.prepare(`SELECT page FROM kept_pages WHERE round = ${round} ORDER BY page`);
  const page = db.rows(
    `SELECT page, content FROM kept_pages WHERE round = ${round} AND page = ?`,
    (row) => readPageRow(row, zone),
  );
  const putPage = db.prepare(
    `INSERT INTO kept_pages (round, page, content)
     SELECT round, @page, @content FROM page_readings WHERE round = ${round}
     ON CONFLICT (round, page) DO UPDATE SET content = excluded.content`,
  );
  const forget = db.prepare("DELETE FROM page_readings");
  return {
    /** The reading started in this round; null if none. */
    get: (): PageReading | null => get.find(),
    /** Stores its state; not stored outside a round. */
    put: (reading: PageReading): void =>
      void put.run({ form: pageForm, head: readingText(reading) }),
    /** The numbers of the stored pages. */
    numbers: (): readonly number[] => numbers.all().map((row) => numberColumn(row, "page")),
    page: (number: number): ReadPage | null => page.find(number),
    /** Call after `put`. */
    putPage: (read: ReadPage): void =>
      void putPage.run({ page: read.page, content: pageText(read) }),
    forget: (): void => void forget.run(),
  };
}
