import { type AppliedPageRow, appliedPageRow } from "../rows/page-rows.ts";
import { type KeptBody, keptBodyRow } from "../rows/source-rows.ts";
import { bound, upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";

/**
 * The last body of each list that is completely in the mirror, kept across restarts. While the list's rows are unchanged, the
 * same octets need not be read again. Writing such a row, moving the list or failing to read it deletes the record.
 */
export type KeptBodies = ReturnType<typeof createKeptBodies>;

export function createKeptBodies({ db }: Pick<StoreDeps, "db">) {
  const get = db.rows("SELECT * FROM applied_bodies WHERE source = ?", keptBodyRow);
  const put = db.prepare(
    `INSERT INTO applied_bodies (source, reader, digest, items, followed)
     SELECT name, @reader, @digest, @items, @followed FROM sources WHERE name = @source
     ON CONFLICT (source) DO UPDATE SET reader = excluded.reader, digest = excluded.digest, items = excluded.items,
       followed = excluded.followed`,
  );
  const page = db.rows("SELECT * FROM applied_pages WHERE page = ?", appliedPageRow);
  const putPage = db.prepare(
    upsert("applied_pages", {
      key: ["page"],
      columns: ["reader", "digest", "total", "elements", "said"],
    }),
  );
  const forgetPages = db.prepare("DELETE FROM applied_pages");
  const forget = db.prepare("DELETE FROM applied_bodies WHERE source = ?");
  return {
    get: (source: string): KeptBody | null => get.find(source),
    /** Not stored for a list that is no source. */
    put: (source: string, { reader, digest, items, followed }: KeptBody): void =>
      void put.run({ source, reader, digest, items, followed }),
    forget: (source: string): void => void forget.run(source),
    /** A page of all tasks, by number from 0; null if none, or damaged. Only a new reading replaces it. */
    page: (number: number): AppliedPageRow | null => page.find(number),
    putPage: (page: number, read: AppliedPageRow): void =>
      void putPage.run(bound({ ...read, page })),
    forgetPages: (): void => void forgetPages.run(),
  };
}
