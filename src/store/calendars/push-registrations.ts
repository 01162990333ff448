import { type PersonId, personId } from "../../domain/ids.ts";
import { createSendQueue } from "../mails/send-queue.ts";
import { instantText } from "../rows/item-rows.ts";
import { tableRow } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** A program subscribed to changes of a calendar. `calendar`: its slug, "" for the home. */
export interface PushRegistration {
  readonly id: number;
  /** Last path segment of its address. */
  readonly name: string;
  readonly person: PersonId;
  readonly calendar: string;
  /** Address at the push service, and keys, encrypted. */
  readonly sealed: string;
  readonly content: boolean;
  readonly properties: boolean;
  readonly expires: Temporal.Instant;
  /** The sync-token in the last message, and a hash of the description. */
  readonly token: string;
  readonly look: string;
  /** Time of the last message; null for none. */
  readonly sentAt: Temporal.Instant | null;
}

/** A new registration. `resource`: a hash of the address; the same program has the same one. */
export type NewRegistration = Omit<PushRegistration, "id" | "sentAt"> & {
  readonly resource: string;
};

/** Limit of programs per person and calendar. One more replaces the oldest. */
const mostPrograms = 20;

/** Registrations for WebDAV-Push. Triggers delete them with their person's app password. */
export function createPushRegistrations({ db, clock }: StoreDeps) {
  const known = db
    .prepare(
      "SELECT name FROM push_registrations WHERE person = ? AND calendar = ? AND resource = ?",
    )
    .pluck();
  const put = db.prepare(
    `INSERT INTO push_registrations (name, person, calendar, resource, sealed, content, properties, expires_at, token, look)
     VALUES (@name, @person, @calendar, @resource, @sealed, @content, @properties, @expires, @token, @look)
     ON CONFLICT (person, calendar, resource) DO UPDATE SET sealed = excluded.sealed, content = excluded.content,
       properties = excluded.properties, expires_at = excluded.expires_at`,
  );
  const all = db.rows("SELECT * FROM push_registrations ORDER BY id", registrationRow);
  const own = db.rows(
    "SELECT * FROM push_registrations WHERE person = ? ORDER BY id",
    registrationRow,
  );
  const limit = db.prepare(
    `DELETE FROM push_registrations WHERE id IN (SELECT id FROM push_registrations WHERE person = ? AND calendar = ?
     ORDER BY id DESC LIMIT -1 OFFSET ?)`,
  );
  const remove = db.prepare("DELETE FROM push_registrations WHERE person = ? AND name = ?");
  const expire = db.prepare("DELETE FROM push_registrations WHERE expires_at <= ?");
  const note = db.prepare("UPDATE push_registrations SET token = ?, look = ? WHERE id = ?");
  const sent = db.prepare("UPDATE push_registrations SET sent_at = ? WHERE id = ?");
  const forget = db.prepare(
    "DELETE FROM outbox WHERE kind = 'push' AND subject = ? AND occasion <> ?",
  );
  const count = db.prepare("SELECT count(*) FROM push_registrations").pluck();
  return {
    /** Creates a registration, or updates the one of the same program. Returns its name, and whether it is new. */
    put(one: NewRegistration): { readonly name: string; readonly isNew: boolean } {
      const before = known.get(one.person, one.calendar, one.resource);
      put.run({
        ...one,
        content: one.content ? 1 : 0,
        properties: one.properties ? 1 : 0,
        expires: instantText(one.expires),
      });
      limit.run(one.person, one.calendar, mostPrograms);
      return typeof before === "string"
        ? { name: before, isNew: false }
        : { name: one.name, isNew: true };
    },
    list: (): readonly PushRegistration[] => all.all(),
    of: (person: PersonId): readonly PushRegistration[] => own.all(person),
    isEmpty: (): boolean => count.get() === 0,
    /** False if the person has none of this name. */
    remove: (person: PersonId, name: string): boolean => remove.run(person, name).changes > 0,
    /** Removes expired registrations. */
    expire: (): void => void expire.run(instantText(clock())),
    /** Records the state that a program knows, or was not to be notified of. */
    notified: (id: number, state: Pick<PushRegistration, "token" | "look">): void =>
      void note.run(state.token, state.look, id),
    /** Records a sent message, and deletes earlier ones. */
    sent(id: number, occasion: string): void {
      sent.run(instantText(clock()), id);
      forget.run(id, occasion);
    },
  };
}

/** Identifies a message to a program. `occasion` identifies the change that it reports. */
export interface PushKey {
  readonly registration: number;
  readonly person: PersonId;
  readonly occasion: string;
}

/** Push messages in the outbox. */
export const createPushQueue = (deps: StoreDeps) =>
  createSendQueue<PushKey>(deps, {
    keyOf: ({ registration, person, occasion }) => ({
      ...{ way: "push", kind: "push", subject: registration, occasion, lead: "", person },
    }),
    scope: "way = 'push'",
  });

function registrationRow(row: unknown): PushRegistration {
  const raw = tableRow<"push_registrations">(row);
  return {
    id: raw.id,
    name: raw.name,
    person: personId(raw.person),
    calendar: raw.calendar,
    sealed: raw.sealed,
    content: raw.content === 1,
    properties: raw.properties === 1,
    expires: Temporal.Instant.from(raw.expires_at),
    token: raw.token,
    look: raw.look,
    sentAt: raw.sent_at === null ? null : Temporal.Instant.from(raw.sent_at),
  };
}
