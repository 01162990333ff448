import type { Channel } from "../../domain/edit.ts";
import type { ItemKey, PersonId, Revision } from "../../domain/ids.ts";
import { numberIn, risenSequenceOf } from "../../domain/object-version.ts";
import {
  type ObjectName,
  type ObjectRow,
  objectNameRow,
  objectRow,
  propertyRow,
  type StoredComponent,
  shownNumbersRow,
} from "../rows/calendar-rows.ts";
import { identityRow, instantText, itemKeyColumn } from "../rows/item-rows.ts";
import { upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** Identifies the octets of an item. Some programs treat a milestone as an event, others as a to-do. */
interface ObjectId {
  readonly item: ItemKey;
  readonly component: StoredComponent;
}

/** An item in a client's own octets. */
interface NewObject extends ObjectId {
  readonly channel: Channel;
  /** The UID that the client uses. */
  readonly uid: string;
  /** The component from BEGIN to END, unfolded, lines ended by LF. */
  readonly raw: string;
}

/** A whole calendar object put by a program. */
export interface NewBody extends Omit<NewObject, "channel"> {
  readonly body: Uint8Array;
  /** The item in the body, as this build writes it. */
  readonly rendered: string;
  /** True if that differs from the item that calendars show. */
  readonly stale: boolean;
  readonly actor: PersonId;
  readonly agent: string;
}

/** The latest octets of each item, kept for what the service cannot store. Call inside the transaction of their edit. */
export function createObjects({ db, clock }: StoreDeps) {
  const upsert = db.prepare(
    `INSERT INTO objects (item, component, channel, uid, raw, at)
     VALUES (@item, @component, @channel, @uid, @raw, @at)
     ON CONFLICT (item, component) DO UPDATE SET channel = excluded.channel, uid = excluded.uid, raw = excluded.raw,
       at = excluded.at WHERE body IS NULL AND raw <> excluded.raw`,
  );
  const overlay = db.prepare(
    "UPDATE objects SET overlaid = @raw WHERE item = @item AND component = @component AND body IS NOT NULL AND overlaid IS NOT @raw",
  );
  const replace = db.prepare(
    `INSERT OR REPLACE INTO objects (item, component, channel, uid, raw, body, rendered, stale, actor, agent, at)
     VALUES (@item, @component, 'caldav', @uid, @raw, @body, @rendered, @stale, @actor, @agent, @at)`,
  );
  const outdate = db.prepare("UPDATE objects SET stale = 1 WHERE item = ?");
  const byName = db.rows("SELECT * FROM objects WHERE item = ? AND component = ?", objectRow);
  const shown = db.rows(
    `SELECT o.raw, i.sequence, o.stale = 1 OR EXISTS
       (SELECT 1 FROM versions v WHERE v.item = o.item AND v.at > o.at AND v.content IS NOT NULL) AS stale
     FROM objects o JOIN identities i USING (item) WHERE o.item = ? AND o.component = ? AND o.body IS NOT NULL`,
    shownNumbersRow,
  );
  return {
    /** Stores a component from a channel other than CalDAV. A body put by a program is kept. False if it is stored already. */
    put(object: NewObject): boolean {
      const { item, component, raw } = object;
      if (overlay.run({ item, component, raw }).changes > 0) return true;
      return upsert.run({ ...object, at: instantText(clock()) }).changes > 0;
    },
    /** Stores a calendar object, replacing everything stored for it. */
    putBody({ item, component, uid, raw, body, rendered, actor, agent, ...object }: NewBody): void {
      const row = { item, component, uid, raw, body, rendered, actor, agent };
      replace.run({ ...row, stale: object.stale ? 1 : 0, at: instantText(clock()) });
    },
    /** Marks the body as outdated, because a program must reload the item. */
    outdate: (item: ItemKey): void => void outdate.run(item),
    get: ({ item, component }: ObjectId): ObjectRow | null => byName.find(item, component),
    /** The highest SEQUENCE that calendars may have seen for an object put by a program; null if none was put. */
    mostShown({ item, component }: ObjectId): number | null {
      const row = shown.find(item, component);
      if (!row) return null;
      const { raw, sequence, isStale } = row;
      return isStale ? risenSequenceOf(raw, sequence) : (numberIn(raw, "SEQUENCE") ?? 0);
    },
  };
}

/** Last path segments of addresses chosen by programs. An item without one is named after its UID. */
export type ObjectNames = ReturnType<typeof createObjectNames>;

export function createObjectNames({ db }: StoreDeps) {
  const newest = db.rows(
    "SELECT * FROM object_names WHERE item = ? ORDER BY revision DESC LIMIT 1",
    objectNameRow,
  );
  const ofItem = db.rows(
    "SELECT * FROM object_names WHERE item = ? ORDER BY revision",
    objectNameRow,
  );
  const byName = db.rows(
    "SELECT DISTINCT item FROM object_names WHERE name = ? ORDER BY item DESC",
    itemKeyColumn,
  );
  const odd = db.rows(
    "SELECT * FROM identities WHERE uid GLOB '*[^-A-Za-z0-9_.@]*' OR length(uid) > 150",
    identityRow,
  );
  const put = db.prepare(
    upsert("object_names", { key: ["item", "revision"], columns: ["name", "person"] }),
  );
  const grant = db.prepare(
    `INSERT OR REPLACE INTO object_names (item, revision, name, person)
     SELECT n.item, (SELECT max(revision) FROM changes), n.name, NULL FROM object_names n JOIN changes c USING (revision)
       JOIN view_items v ON v.item = n.item AND v.collection = c.collection
     WHERE n.item = ? AND n.person IS NOT NULL ORDER BY n.revision DESC LIMIT 1`,
  );
  return {
    /** The current name; null if nobody chose one. */
    of: (item: ItemKey): string | null => newest.find(item)?.name ?? null,
    /** All names of an item, oldest first. */
    all: (item: ItemKey): readonly ObjectName[] => ofItem.all(item),
    /** Items that have or had a name, newest first. */
    find: (name: string): readonly ItemKey[] => byName.all(name),
    /** Items whose UID cannot be part of an address, so that the name does not contain it. */
    oddUids: (): readonly { readonly item: ItemKey; readonly uid: string }[] =>
      odd.all().map(({ item, uid }) => ({ item, uid })),
    /** Renames an item from a revision on; 0 = from the first. */
    put: (name: {
      readonly item: ItemKey;
      readonly name: string;
      readonly revision: Revision;
      readonly person: PersonId | null;
    }): void => void put.run(name),
    /**
     * After a held edit was approved: the item takes the name under which a program put it there. Call inside the same
     * transaction, after the item was published.
     */
    grant: (item: ItemKey): void => void grant.run(item),
  };
}

/**
 * Properties that a person's programs have set on calendars, by `{namespace}name`. `calendar`: the last segment of its address.
 */
export function createCalendarProperties({ db }: StoreDeps) {
  const ofCalendar = db.rows(
    "SELECT property, value FROM calendar_properties WHERE person = ? AND calendar = ?",
    propertyRow,
  );
  const put = db.prepare(
    upsert("calendar_properties", { key: ["person", "calendar", "property"], columns: ["value"] }),
  );
  const drop = db.prepare(
    "DELETE FROM calendar_properties WHERE person = @person AND calendar = @calendar AND property = @property",
  );
  return {
    of: (person: PersonId, calendar: string): ReadonlyMap<string, string> =>
      new Map(ofCalendar.all(person, calendar)),
    put: (at: {
      readonly person: PersonId;
      readonly calendar: string;
      readonly property: string;
      readonly value: string;
    }): void => void put.run(at),
    remove: (at: {
      readonly person: PersonId;
      readonly calendar: string;
      readonly property: string;
    }): void => void drop.run(at),
  };
}
