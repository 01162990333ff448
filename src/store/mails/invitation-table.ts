import { type ItemKey, itemKey, type PersonId, personId } from "../../domain/ids.ts";
import { itemFromText, itemText, numberColumn } from "../rows/item-rows.ts";
import { rowReader } from "../rows/row.ts";
import type { Tables } from "../rows/tables.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSendQueue, ofPeople } from "./send-queue.ts";

/** Decodes the last invitation of a person to an event. */
const invitationRowIn = (zone: string) =>
  rowReader<Tables["invitations"]>()({
    person: personId,
    item: itemKey,
    uid: "same",
    /** The SEQUENCE in it. */
    sequence: "same",
    /** Hash of its text. */
    digest: "same",
    /** The event at that time. */
    content: (text: string) => itemFromText(text, zone),
  });
export type Invitation = ReturnType<ReturnType<typeof invitationRowIn>>;

/** Identifies an invitation, update or cancellation; each has its own sequence. */
export interface InvitationKey {
  readonly person: PersonId;
  readonly item: ItemKey;
  readonly sequence: number;
}

/** Invitations that people have in their mailboxes. */
export function createInvitationTable(deps: StoreDeps) {
  const { db, zone } = deps;
  const ofPerson = db.rows(
    "SELECT * FROM invitations WHERE person = ? ORDER BY item",
    invitationRowIn(zone),
  );
  const people = db.rows("SELECT DISTINCT person FROM invitations", (row) =>
    personId(numberColumn(row, "person")),
  );
  const put = db.prepare(
    `INSERT OR REPLACE INTO invitations (person, item, uid, sequence, digest, content)
     VALUES (@person, @item, @uid, @sequence, @digest, @content)`,
  );
  const remove = db.prepare("DELETE FROM invitations WHERE person = ? AND item = ?");
  return {
    ...createSendQueue<InvitationKey>(deps, {
      scope: ofPeople("mail", ["invitation"]),
      keyOf: ({ person, item, sequence }) => ({
        ...{ way: "mail", kind: "invitation", subject: item, occasion: String(sequence) },
        ...{ lead: "", person },
      }),
    }),
    of: (person: PersonId): readonly Invitation[] => ofPerson.all(person),
    /** People with invitations. */
    people: (): readonly PersonId[] => people.all(),
    keep: ({ content, ...invitation }: Invitation): void =>
      void put.run({ ...invitation, content: itemText(content) }),
    forget: (person: PersonId, item: ItemKey): void => void remove.run(person, item),
  };
}
