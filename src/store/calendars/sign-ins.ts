import { type PersonId, personId } from "../../domain/ids.ts";
import { type AppPassword, appPasswordRow } from "../rows/calendar-rows.ts";
import { instantText, numberColumn } from "../rows/item-rows.ts";
import { type LogIn, logInRow } from "../rows/log-in-rows.ts";
import { bound, upsert } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";

/** Hashes of app passwords, one per person. */
export function createAppPasswords({ db, clock }: StoreDeps) {
  const put = db.prepare(
    upsert("app_passwords", { key: ["person"], columns: ["salt", "digest", "created_at"] }),
  );
  const remove = db.prepare("DELETE FROM app_passwords WHERE person = ?");
  const ofPerson = db.remembered("SELECT * FROM app_passwords WHERE person = ?", appPasswordRow);
  const everyone = db.rows("SELECT person FROM app_passwords ORDER BY person", (row) =>
    personId(numberColumn(row, "person")),
  );
  return {
    /** Sets a person's password and invalidates the previous one. */
    set: (person: PersonId, { salt, digest }: Pick<AppPassword, "salt" | "digest">): void =>
      void put.run(bound({ person, salt, digest, createdAt: clock() })),
    /** False if there was none. */
    clear: (person: PersonId): boolean => remove.run(person).changes > 0,
    get: (person: PersonId): AppPassword | null => ofPerson.find(person),
    /** People who have one. */
    list: (): readonly PersonId[] => everyone.all(),
  };
}

/** Signed-in browsers, each identified by the hash of its cookie. */
export function createLogIns({ db, clock }: StoreDeps) {
  const insert = db.prepare(
    `INSERT INTO sessions (digest, person, way, proxied, agent, began_at, used_at, until)
     VALUES (@digest, @person, @way, @proxied, @agent, @now, @now, @until)`,
  );
  const forget = db.prepare("DELETE FROM sessions WHERE until <= ?");
  const byDigest = db.rows("SELECT * FROM sessions WHERE digest = ? AND until > ?", logInRow);
  const touch = db.prepare("UPDATE sessions SET used_at = ? WHERE id = ?");
  const remove = db.prepare("DELETE FROM sessions WHERE id = ?");
  const removeOf = db.prepare("DELETE FROM sessions WHERE person = ? AND id IS NOT ?");
  const list = db.rows(
    "SELECT * FROM sessions WHERE person IS ? AND until > ? ORDER BY used_at DESC, id DESC",
    logInRow,
  );
  const now = () => instantText(clock());
  return {
    begin({
      digest,
      person,
      way,
      proxied,
      agent,
      until,
    }: Omit<LogIn, "id" | "beganAt" | "usedAt"> & { readonly digest: string }): void {
      forget.run(now());
      insert.run({ digest, person, way, proxied, agent, now: now(), until: instantText(until) });
    },
    /** Null if it has ended. */
    find: (digest: string): LogIn | null => byDigest.find(digest, now()),
    /** Records that it is still in use. */
    used: (id: number): void => void touch.run(now(), id),
    /** False if it had ended already. */
    end: (id: number): boolean => remove.run(id).changes > 0,
    /** Ends all sessions of a person, `except` one that may be the current one. */
    endOf: (person: PersonId, except: number | null): void => void removeOf.run(person, except),
    /** Sessions of a person, or of the admin (null), most recently used first. */
    of: (person: PersonId | null): readonly LogIn[] => list.all(person, now()),
  };
}

export type { LogIn, LogInWay } from "../rows/log-in-rows.ts";
