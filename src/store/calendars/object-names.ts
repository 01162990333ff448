import type { ItemKey, PersonId, Revision } from "../../domain/ids.ts";
import { type ObjectName, objectNameRow } from "../rows/calendar-rows.ts";
import { identityRow, itemKeyColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../view/publish-changes.ts";

/** Last parts of addresses that programs have chosen. An item without one has the name that is made of its UID. */
export interface ObjectNames {
  /** The present name; null where nobody chose one. */
  of(item: ItemKey): string | null;
  /** All names of an item, oldest first. */
  all(item: ItemKey): readonly ObjectName[];
  /** Items that have or had a name, the newest item first. */
  find(name: string): readonly ItemKey[];
  /** Items with a UID that cannot stand in an address, so that a name does not tell it. */
  oddUids(): readonly { readonly item: ItemKey; readonly uid: string }[];
  /** Gives an item another name from a revision on; 0 = from the first. */
  put(name: {
    readonly item: ItemKey;
    readonly name: string;
    readonly revision: Revision;
    readonly person: PersonId | null;
  }): void;
  /**
   * An edit that was held has been let go: where its item is now, it has the name under which a program has put it there.
   * Belongs inside that transaction, after the item was published.
   */
  grant(item: ItemKey): void;
}

export function createObjectNames({ db }: StoreDeps): ObjectNames {
  const newest = db.prepare(
    "SELECT * FROM object_names WHERE item = ? ORDER BY revision DESC LIMIT 1",
  );
  const ofItem = db.prepare("SELECT * FROM object_names WHERE item = ? ORDER BY revision");
  const byName = db.prepare(
    "SELECT DISTINCT item FROM object_names WHERE name = ? ORDER BY item DESC",
  );
  const odd = db.prepare(
    "SELECT * FROM identities WHERE uid GLOB '*[^-A-Za-z0-9_.@]*' OR length(uid) > 150",
  );
  const upsert = db.prepare(
    `INSERT INTO object_names (item, revision, name, person) VALUES (@item, @revision, @name, @person)
     ON CONFLICT (item, revision) DO UPDATE SET name = excluded.name, person = excluded.person`,
  );
  const grant = db.prepare(
    `INSERT OR REPLACE INTO object_names (item, revision, name, person)
     SELECT n.item, (SELECT max(revision) FROM changes), n.name, NULL FROM object_names n JOIN changes c USING (revision)
       JOIN view_items v ON v.item = n.item AND v.collection = c.collection
     WHERE n.item = ? AND n.person IS NOT NULL ORDER BY n.revision DESC LIMIT 1`,
  );
  return {
    of(item) {
      const row = newest.get(item);
      return row === undefined ? null : objectNameRow(row).name;
    },
    all: (item) => ofItem.all(item).map(objectNameRow),
    find: (name) => byName.all(name).map(itemKeyColumn),
    oddUids: () =>
      odd
        .all()
        .map(identityRow)
        .map(({ item, uid }) => ({ item, uid })),
    put: (name) => void upsert.run(name),
    grant: (item) => void grant.run(item),
  };
}
