import type { ItemKey, ProjectId } from "../../domain/ids.ts";
import { searchedWords } from "../../domain/searched-words.ts";
import { itemKeyColumn, numberColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A batch takes about a millisecond. */
const batch = 100;
/** Number of items whose titles are compared in one step; takes a few milliseconds. */
const comparedAtOnce = 1000;

/** Full-text search over the items of the view. */
export function createItemSearch({ db }: Pick<StoreDeps, "db">) {
  const matching = db.rows(
    `SELECT w.rowid AS item FROM item_words w WHERE item_words MATCH @match AND w.rowid < @before
       AND (@projects IS NULL OR (SELECT project_id FROM view_items WHERE item = w.rowid)
         IN (SELECT value FROM json_each(@projects)))
     ORDER BY w.rowid DESC LIMIT ${batch}`,
    itemKeyColumn,
  );
  const containing = db.rows(
    `SELECT item FROM view_items WHERE item > @after AND item <= @upTo AND title LIKE @pattern ESCAPE '\\'
       AND (@projects IS NULL OR project_id IN (SELECT value FROM json_each(@projects))) ORDER BY item DESC`,
    itemKeyColumn,
  );
  const newestItem = db.prepare("SELECT coalesce(max(item), 0) AS item FROM view_items");

  function* matches(match: string, projects: string | null): Generator<readonly ItemKey[]> {
    let before = Number.MAX_SAFE_INTEGER;
    for (let isMore = true; isMore; ) {
      const keys = matching.all({ match, before, projects });
      yield keys;
      before = keys.at(-1) ?? 0;
      isMore = keys.length === batch;
    }
  }

  return {
    /**
     * Keys of items in some projects (null = all), in batches: first those with all words of the text in the title, then those
     * with some in the description or ticket, both newest first. A word also matches its longer forms. If there are none, those
     * whose title contains the text.
     */
    *find(text: string, projects: readonly ProjectId[] | null): Generator<readonly ItemKey[]> {
      const among = projects && JSON.stringify(projects);
      const words = searchedWords(text).map((word) => `"${word.replaceAll('"', '""')}"*`);
      const found = new Set<ItemKey>();
      for (const columns of words.length === 0 ? [] : ["title", "title text"]) {
        for (const keys of matches(`{${columns}}: (${words.join(" ")})`, among)) {
          yield keys.filter((key) => !found.has(key));
          for (const key of keys) found.add(key);
        }
      }
      if (found.size > 0 || text.trim() === "") return;
      const pattern = `%${text.trim().replace(/[\\%_]/g, "\\$&")}%`;
      for (let upTo = numberColumn(newestItem.get(), "item"); upTo > 0; upTo -= comparedAtOnce) {
        const part = { after: upTo - comparedAtOnce, upTo, pattern, projects: among };
        yield containing.all(part);
      }
    },
  };
}
