import { type BeliefRow, beliefRow, bytesOf } from "../rows/belief-rows.ts";
import { textColumn } from "../rows/item-rows.ts";
import { upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";

/**
 * What polling has learned, for the next start. Each row has a layout number: rows with another one, and damaged rows, count as
 * absent. A source's row is deleted with it. Pages of all tasks have rows too.
 */
export function createBeliefs({ db }: StoreDeps) {
  const get = db.prepare("SELECT * FROM beliefs WHERE source = ?");
  const put = db.prepare(
    upsert("beliefs", {
      key: ["source"],
      columns: [
        "form",
        "polled_at",
        "last_change",
        "changes",
        "gaps",
        "gap_seconds",
        "odds",
        "hours",
      ],
    }),
  );
  const common = db.prepare("SELECT content FROM common_beliefs WHERE form = ?");
  const putCommon = db.prepare(
    upsert("common_beliefs", { key: ["id"], columns: ["form", "content"] }),
  );
  const signs = db.prepare("SELECT value FROM meta WHERE name = 'signs'");
  const putSigns = db.prepare(
    `INSERT INTO meta (name, value) VALUES ('signs', ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  );
  return {
    get(source: string, form: number): BeliefRow | null {
      const row = get.get(source);
      return row === undefined ? null : beliefRow(row, form);
    },
    put: db.transaction((rows: readonly BeliefRow[], form: number): void => {
      for (const { odds, hours, ...row } of rows) {
        put.run({ ...row, form, odds: bytesOf(odds), hours: bytesOf(hours) });
      }
    }),
    /** What all sources have in common, as text. */
    common: (form: number): string | null => textColumn(common.get(form), "content"),
    putCommon: (content: string, form: number): void =>
      void putCommon.run({ id: 1, content, form }),
    /** How useful each change hint has been, as text. */
    signs: (): string | null => textColumn(signs.get(), "value"),
    putSigns: (content: string): void => void putSigns.run(content),
  };
}
