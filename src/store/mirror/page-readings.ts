import { numberColumn } from "../rows/item-rows.ts";
import {
  type PageReading,
  pageForm,
  pageReadingRow,
  pageText,
  type ReadPage,
  readingText,
  readPageRow,
} from "../rows/page-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/**
 * What pages of all tasks have shown in the current round, until it is used. A page that an earlier process read need not be
 * requested again. Rows with another layout, and damaged ones, count as never read.
 */
export interface PageReadings {
  /** The reading started in this round; null if none. */
  get(): PageReading | null;
  /** Stores its state; not stored outside a round. */
  put(reading: PageReading): void;
  /** The numbers of the stored pages. */
  numbers(): readonly number[];
  page(page: number): ReadPage | null;
  /** Call after `put`. */
  putPage(page: ReadPage): void;
  forget(): void;
}

export function createPageReadings({ db, zone }: StoreDeps): PageReadings {
  const round = "(SELECT max(round) FROM rounds WHERE ended_at IS NULL)";
  const get = db.prepare(`SELECT form, head FROM page_readings WHERE round = ${round}`);
  const put = db.prepare(
    `INSERT INTO page_readings (round, form, head)
     SELECT max(round), @form, @head FROM rounds WHERE ended_at IS NULL HAVING max(round) IS NOT NULL
     ON CONFLICT (round) DO UPDATE SET form = excluded.form, head = excluded.head`,
  );
  const numbers = db.prepare(`SELECT page FROM kept_pages WHERE round = ${round} ORDER BY page`);
  const page = db.prepare(
    `SELECT page, content FROM kept_pages WHERE round = ${round} AND page = ?`,
  );
  const putPage = db.prepare(
    `INSERT INTO kept_pages (round, page, content)
     SELECT round, @page, @content FROM page_readings WHERE round = ${round}
     ON CONFLICT (round, page) DO UPDATE SET content = excluded.content`,
  );
  const forget = db.prepare("DELETE FROM page_readings");
  return {
    get() {
      const row = get.get();
      return row === undefined ? null : pageReadingRow(row);
    },
    put: (reading) => void put.run({ form: pageForm, head: readingText(reading) }),
    numbers: () => numbers.all().map((row) => numberColumn(row, "page")),
    page(number) {
      const row = page.get(number);
      return row === undefined ? null : readPageRow(row, zone);
    },
    putPage: (read) => void putPage.run({ page: read.page, content: pageText(read) }),
    forget: () => void forget.run(),
  };
}
