import type { Channel } from "../../domain/edit.ts";
import type { ItemKey, PersonId } from "../../domain/ids.ts";
import { type ObjectRow, objectRow, type StoredComponent } from "../rows/calendar-rows.ts";
import { instantText } from "../rows/item-rows.ts";
import type { StoreDeps } from "../view/publish-changes.ts";

/** Names the octets of an item: a milestone is an event to some programs and a to-do to others. */
export interface ObjectId {
  readonly item: ItemKey;
  readonly component: StoredComponent;
}

/** What a client said of an item, in its own octets. */
export interface NewObject extends ObjectId {
  readonly channel: Channel;
  /** The UID that the client uses. */
  readonly uid: string;
  /** The component from BEGIN to END, lines unfolded and ended by LF. */
  readonly raw: string;
}

/** A whole calendar object that a program has put. */
export interface NewBody extends Omit<NewObject, "channel"> {
  readonly body: Uint8Array;
  /** The item as the body describes it, in our words. */
  readonly said: string;
  /** Whether that is not the item as it is shown. */
  readonly drifted: boolean;
  readonly actor: PersonId;
  readonly agent: string;
}

/** The newest octets of each item, kept for what the service cannot hold. Belongs inside the transaction of their edit. */
export interface Objects {
  /**
   * Keeps a component of another channel than CalDAV; beside a body that a program has put, which stays. False when the
   * very same is kept already.
   */
  put(object: NewObject): boolean;
  /** Keeps a calendar object, in place of all that was kept. */
  putBody(object: NewBody): void;
  /** The body is not given out as it is any more, as some program has to be shown the item anew. */
  drift(item: ItemKey): void;
  get(id: ObjectId): ObjectRow | null;
}

export function createObjects({ db, clock }: StoreDeps): Objects {
  const upsert = db.prepare(
    `INSERT INTO objects (item, component, channel, uid, raw, at)
     VALUES (@item, @component, @channel, @uid, @raw, @at)
     ON CONFLICT (item, component) DO UPDATE SET channel = excluded.channel, uid = excluded.uid, raw = excluded.raw,
       at = excluded.at WHERE body IS NULL AND raw <> excluded.raw`,
  );
  const lay = db.prepare(
    "UPDATE objects SET laid = @raw WHERE item = @item AND component = @component AND body IS NOT NULL AND laid IS NOT @raw",
  );
  const replace = db.prepare(
    `INSERT OR REPLACE INTO objects (item, component, channel, uid, raw, body, said, drifted, actor, agent, at)
     VALUES (@item, @component, 'caldav', @uid, @raw, @body, @said, @drifted, @actor, @agent, @at)`,
  );
  const drift = db.prepare("UPDATE objects SET drifted = 1 WHERE item = ?");
  const byName = db.prepare("SELECT * FROM objects WHERE item = ? AND component = ?");
  return {
    put(object) {
      const { item, component, raw } = object;
      if (lay.run({ item, component, raw }).changes > 0) return true;
      return upsert.run({ ...object, at: instantText(clock()) }).changes > 0;
    },
    putBody({ item, component, uid, raw, body, said, actor, agent, ...object }) {
      const row = { item, component, uid, raw, body, said, actor, agent };
      replace.run({ ...row, drifted: object.drifted ? 1 : 0, at: instantText(clock()) });
    },
    drift: (item) => void drift.run(item),
    get({ item, component }) {
      const row = byName.get(item, component);
      return row === undefined ? null : objectRow(row);
    },
  };
}
