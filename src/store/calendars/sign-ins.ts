import { type PersonId, personId } from "../../domain/ids.ts";
import { type AppPassword, appPasswordRow } from "../rows/calendar-rows.ts";
import { instantText, numberColumn } from "../rows/item-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** App passwords, one per person, as digests. */
export interface AppPasswords {
  /** Gives a person a password; the one before is void. */
  set(person: PersonId, password: Pick<AppPassword, "salt" | "digest">): void;
  /** False when there was none. */
  clear(person: PersonId): boolean;
  get(person: PersonId): AppPassword | null;
  /** Who has one. */
  list(): readonly PersonId[];
}

export function createAppPasswords({ db, clock }: StoreDeps): AppPasswords {
  const upsert = db.prepare(
    `INSERT INTO app_passwords (person, salt, digest, created_at) VALUES (@person, @salt, @digest, @at)
     ON CONFLICT (person) DO UPDATE SET salt = excluded.salt, digest = excluded.digest, created_at = excluded.created_at`,
  );
  const remove = db.prepare("DELETE FROM app_passwords WHERE person = ?");
  const ofPerson = db.prepare("SELECT * FROM app_passwords WHERE person = ?");
  const everyone = db.prepare("SELECT person FROM app_passwords ORDER BY person");
  return {
    set: (person, { salt, digest }) =>
      void upsert.run({ person, salt, digest, at: instantText(clock()) }),
    clear: (person) => remove.run(person).changes > 0,
    get(person) {
      const row = ofPerson.get(person);
      return row === undefined ? null : appPasswordRow(row);
    },
    list: () => everyone.all().map((row) => personId(numberColumn(row, "person"))),
  };
}

/** Sessions that were ended before their time. */
export interface EndedSessions {
  /** `until`: when it would have ended by itself, after which it is forgotten. */
  add(session: { readonly id: string; readonly until: Temporal.Instant }): void;
  has(id: string): boolean;
}

export function createEndedSessions({ db, clock }: StoreDeps): EndedSessions {
  const insert = db.prepare("INSERT OR IGNORE INTO ended_sessions (id, until) VALUES (?, ?)");
  const forget = db.prepare("DELETE FROM ended_sessions WHERE until < ?");
  const find = db.prepare("SELECT 1 FROM ended_sessions WHERE id = ?");
  return {
    add({ id, until }) {
      forget.run(instantText(clock()));
      insert.run(id, instantText(until));
    },
    has: (id) => find.get(id) !== undefined,
  };
}
