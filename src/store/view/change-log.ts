import { type CollectionName, directory } from "../../domain/collection.ts";
import { type ItemKey, type ProjectId, type Revision, revision } from "../../domain/ids.ts";
import {
  type ChangeRow,
  changeRow,
  itemKeyColumn,
  numberColumn,
  textColumn,
} from "../rows/item-rows.ts";
import type { StoreDeps } from "./publish-changes.ts";

/** One item that has changed, with the newest of its revisions. */
export interface ChangedItem {
  readonly item: ItemKey;
  readonly revision: Revision;
}

/** What the change log tells; it is written in `changes.ts`. */
export interface ChangeLog {
  /** The newest revision of what a project's feed is built from. */
  revisionOf(project: ProjectId): Revision;
  /** The newest revision of one collection, whatever project it was in; 0 for one that nothing has happened in. */
  revisionOfCollection(collection: CollectionName): Revision;
  /** Changes with the names of people, projects, lists and labels. */
  revisionOfDirectory(): Revision;
  latest(): Revision;
  /** Whether an item has a change after a revision, which should be a recent one. */
  hasChangedAfter(after: Revision, key: ItemKey): boolean;
  /**
   * Items of the project's collections that were put or buried after a revision, each once; also others where the log
   * does not reach that far back.
   */
  itemsSince(project: ProjectId, after: Revision): readonly ItemKey[];
  since(after: Revision, limit: number): readonly ChangeRow[];
  /** Items with a change after a revision in one collection, or in any (null), oldest change first. */
  changedAfter(after: Revision, collection: CollectionName | null): readonly ChangedItem[];
  /** From here on the log and the versions are whole; what is asked of an earlier revision cannot be answered. */
  completeFrom(): Revision;
}

export const everyProject = 0;

/** Row of `meta` that says how far back the log reaches. */
export const completeFromFact = "complete_from";

export function createChangeLog({ db }: Pick<StoreDeps, "db">): ChangeLog {
  const ofProject = db.prepare(
    `SELECT coalesce(max(revision), 0) AS revision FROM collections WHERE project_id IN (?, ${everyProject})`,
  );
  const ofCollection = db.prepare(
    "SELECT coalesce(max(revision), 0) AS revision FROM collections WHERE name = ?",
  );
  const ofItem = db.prepare("SELECT 1 FROM changes WHERE revision > ? AND item = ? LIMIT 1");
  const projectItems = db.prepare(
    `SELECT DISTINCT item FROM changes WHERE revision > ? AND item IS NOT NULL
       AND collection IN (SELECT name FROM collections WHERE project_id = ?)`,
  );
  const everyItem = db.prepare("SELECT item FROM identities");
  const newest = db.prepare("SELECT coalesce(max(revision), 0) AS revision FROM changes");
  const later = db.prepare("SELECT * FROM changes WHERE revision > ? ORDER BY revision LIMIT ?");
  const changed = db.prepare(
    `SELECT item, max(revision) AS revision FROM changes
     WHERE revision > ? AND item IS NOT NULL GROUP BY item ORDER BY 2`,
  );
  const changedIn = db.prepare(
    `SELECT item, max(revision) AS revision FROM changes
     WHERE collection = ? AND revision > ? AND item IS NOT NULL GROUP BY item ORDER BY 2`,
  );
  const reach = db.prepare(`SELECT value FROM meta WHERE name = '${completeFromFact}'`);

  const revisionColumn = (row: unknown): Revision => revision(numberColumn(row, "revision"));
  const completeFrom = (): Revision => revision(Number(textColumn(reach.get(), "value") ?? 0));

  return {
    revisionOf: (project) => revisionColumn(ofProject.get(project)),
    revisionOfCollection: (collection) => revisionColumn(ofCollection.get(collection)),
    revisionOfDirectory: () => revisionColumn(ofCollection.get(directory)),
    latest: () => revisionColumn(newest.get()),
    hasChangedAfter: (after, key) => ofItem.get(after, key) !== undefined,
    itemsSince(project, after) {
      const rows = after < completeFrom() ? everyItem.all() : projectItems.all(after, project);
      return rows.map(itemKeyColumn);
    },
    since: (after, limit) => later.all(after, limit).map(changeRow),
    changedAfter(after, collection) {
      const rows = collection === null ? changed.all(after) : changedIn.all(collection, after);
      return rows.map((row) => ({ item: itemKeyColumn(row), revision: revisionColumn(row) }));
    },
    completeFrom,
  };
}
