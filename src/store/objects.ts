import { fingerprint } from "../domain/fingerprint.ts";
import type { ItemKey } from "../domain/ids.ts";
import type { Channel } from "../domain/journal.ts";
import type { StoreDeps } from "./changes.ts";
import { instantText, textColumn } from "./rows.ts";
import { type ObjectRow, objectRow } from "./rows-extras.ts";

/** What a client said of an item, in its own octets. */
export interface NewObject {
  readonly item: ItemKey;
  readonly channel: Channel;
  /** The UID that the client uses. */
  readonly uid: string;
  /** The component from BEGIN to END, lines unfolded and ended by LF. */
  readonly raw: string;
}

/** The newest octets of each item, kept for what the service cannot hold. */
export interface Objects {
  /** Keeps octets as those of the item as everyone sees it now. Belongs inside the transaction of their edit. */
  put(object: NewObject): void;
  get(item: ItemKey): ObjectRow | null;
  /** Whether the octets still describe what everyone is shown of the item. */
  isCurrent(item: ItemKey): boolean;
}

export function createObjects({ db, clock }: StoreDeps): Objects {
  const upsert = db.prepare(
    `INSERT INTO objects (item, channel, uid, raw, fingerprint, at) VALUES (@item, @channel, @uid, @raw, @fingerprint, @at)
     ON CONFLICT (item) DO UPDATE SET channel = excluded.channel, uid = excluded.uid, raw = excluded.raw,
       fingerprint = excluded.fingerprint, at = excluded.at`,
  );
  const byItem = db.prepare("SELECT * FROM objects WHERE item = ?");
  const shown = db.prepare("SELECT content FROM view_items WHERE item = ?");
  const read = (item: ItemKey): ObjectRow | null => {
    const row = byItem.get(item);
    return row === undefined ? null : objectRow(row);
  };
  const present = (item: ItemKey): string | null => {
    const content = textColumn(shown.get(item), "content");
    return content === null ? null : fingerprint(content);
  };
  return {
    put: (object) =>
      void upsert.run({
        ...object,
        fingerprint: present(object.item),
        at: instantText(clock()),
      }),
    get: read,
    isCurrent(item) {
      const kept = read(item);
      return kept !== null && kept.fingerprint === present(item);
    },
  };
}
