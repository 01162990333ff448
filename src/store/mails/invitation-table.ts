import { type ItemKey, itemKey, type PersonId, personId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { itemFromText, itemText, numberColumn } from "../rows/item-rows.ts";
import { tableRow } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSendQueue, ofPeople } from "./send-queue.ts";

/** The last invitation of a person to an event. */
export interface Invitation {
  readonly person: PersonId;
  readonly item: ItemKey;
  readonly uid: string;
  /** The SEQUENCE in it. */
  readonly sequence: number;
  /** Of what it said. */
  readonly digest: string;
  /** The event then. */
  readonly content: Item;
}

/** Identifies an invitation, update or cancellation; each has its own sequence. */
export interface InvitationKey {
  readonly person: PersonId;
  readonly item: ItemKey;
  readonly sequence: number;
}

/** Invitations that people have in their mailboxes. */
export function createInvitationTable(deps: StoreDeps) {
  const { db, zone } = deps;
  const ofPerson = db.prepare("SELECT * FROM invitations WHERE person = ? ORDER BY item");
  const people = db.prepare("SELECT DISTINCT person FROM invitations");
  const put = db.prepare(
    `INSERT OR REPLACE INTO invitations (person, item, uid, sequence, digest, content)
     VALUES (@person, @item, @uid, @sequence, @digest, @content)`,
  );
  const remove = db.prepare("DELETE FROM invitations WHERE person = ? AND item = ?");
  const read = (row: unknown): Invitation => {
    const raw = tableRow<"invitations">(row);
    return {
      person: personId(raw.person),
      item: itemKey(raw.item),
      uid: raw.uid,
      sequence: raw.sequence,
      digest: raw.digest,
      content: itemFromText(raw.content, zone),
    };
  };
  return {
    ...createSendQueue<InvitationKey>(deps, {
      scope: ofPeople("mail", ["invitation"]),
      keyOf: ({ person, item, sequence }) => ({
        ...{ way: "mail", kind: "invitation", subject: item, occasion: String(sequence) },
        ...{ lead: "", person },
      }),
    }),
    of: (person: PersonId): readonly Invitation[] => ofPerson.all(person).map(read),
    /** People with invitations. */
    people: (): readonly PersonId[] =>
      people.all().map((row) => personId(numberColumn(row, "person"))),
    keep: ({ content, ...invitation }: Invitation): void =>
      void put.run({ ...invitation, content: itemText(content) }),
    forget: (person: PersonId, item: ItemKey): void => void remove.run(person, item),
  };
}
