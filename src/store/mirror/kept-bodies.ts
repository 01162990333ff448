import { type AppliedPageRow, appliedPageRow } from "../rows/page-rows.ts";
import { type KeptBody, keptBodyRow } from "../rows/source-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/**
 * The last body of each list of which the mirror has everything, for a later process: as long as a row of the list is as it was then,
 * the same octets need not be read again. Whatever writes such a row, moves the list or cannot read it makes this forget it.
 */
export interface KeptBodies {
  get(source: string): KeptBody | null;
  /** Of a list that is no source it is not kept. */
  put(source: string, body: KeptBody): void;
  forget(source: string): void;
  /** A page of all tasks, by its number from 0; null where none, or one that is damaged, was kept. Nothing but a reading forgets it. */
  page(page: number): AppliedPageRow | null;
  putPage(page: number, read: AppliedPageRow): void;
  forgetPages(): void;
}

export function createKeptBodies({ db }: Pick<StoreDeps, "db">): KeptBodies {
  const get = db.prepare("SELECT * FROM applied_bodies WHERE source = ?");
  const put = db.prepare(
    `INSERT INTO applied_bodies (source, reader, digest, items, followed)
     SELECT name, @reader, @digest, @items, @followed FROM sources WHERE name = @source
     ON CONFLICT (source) DO UPDATE SET reader = excluded.reader, digest = excluded.digest, items = excluded.items,
       followed = excluded.followed`,
  );
  const page = db.prepare("SELECT * FROM applied_pages WHERE page = ?");
  const putPage = db.prepare(
    `INSERT INTO applied_pages (page, reader, digest, total, elements, said)
     VALUES (@page, @reader, @digest, @total, @elements, @said)
     ON CONFLICT (page) DO UPDATE SET reader = excluded.reader, digest = excluded.digest, total = excluded.total,
       elements = excluded.elements, said = excluded.said`,
  );
  const forgetPages = db.prepare("DELETE FROM applied_pages");
  const forget = db.prepare("DELETE FROM applied_bodies WHERE source = ?");
  return {
    get(source) {
      const row = get.get(source);
      return row === undefined ? null : keptBodyRow(row);
    },
    put: (source, { reader, digest, items, followed }) =>
      void put.run({ source, reader, digest, items, followed }),
    forget: (source) => void forget.run(source),
    page(number) {
      const row = page.get(number);
      return row === undefined ? null : appliedPageRow(row);
    },
    putPage: (number, { elements, ...read }) =>
      void putPage.run({ ...read, page: number, elements: JSON.stringify(elements) }),
    forgetPages: () => void forgetPages.run(),
  };
}
