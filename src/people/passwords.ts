import { createHash, timingSafeEqual } from "node:crypto";
import { isId, type PersonId, personId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { AppPassword } from "../store/rows/calendar-rows.ts";
import type { Store } from "../store/store.ts";

export interface PasswordsDeps {
  readonly store: Pick<Store, "directory" | "appPasswords" | "logIns">;
  /** Returns this many random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** App passwords, which people's programs log in with. Only salted hashes are stored. */
export type Passwords = ReturnType<typeof createPasswords>;

/** What checks an app password. */
export type PasswordCheck = Pick<Passwords, "check" | "peopleOf">;

/** Without i, l, o and u, so that no characters look alike and no words appear. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const digits = 26;
const groupLength = 4;
/** Longer passwords are not hashed: people type shorter ones, and only an attacker sends more. */
const longestPassword = 200;

/** Creates and checks app passwords. Capitals, spaces and look-alike characters that people type are accepted. */
export function createPasswords({ store, randomBytes }: PasswordsDeps) {
  const { appPasswords, directory, logIns } = store;
  const nobody = { salt: hex(randomBytes(16)), digest: hex(randomBytes(32)) };

  return {
    /**
     * Creates a new password (`abcd-efgh-…`, 128 random bits) that replaces any earlier one. It cannot be shown again. Ends the
     * person's browser logins except `keep`.
     */
    issue(person: PersonId, keep?: number): string {
      const secret = inDigits(randomBytes(16));
      const salt = hex(randomBytes(16));
      appPasswords.set(person, { salt, digest: digestOf(secret, salt) });
      logIns.endOf(person, keep ?? null);
      return inGroups(secret);
    },
    /** Returns true if there was a password. Ends the person's browser logins except `keep`. */
    clear(person: PersonId, keep?: number): boolean {
      logIns.endOf(person, keep ?? null);
      return appPasswords.clear(person);
    },
    has: (person: PersonId): boolean => appPasswords.get(person) !== null,
    /** People who have an app password. */
    list: (): readonly PersonId[] => appPasswords.list(),
    /** The people a login matches: several if they share an address, none if unknown or suspended. */
    peopleOf: (login: string): readonly Person[] => peopleOf(login, directory.people()),
    /**
     * Returns the person with this login and password. `login` is the e-mail address, in any case, or the id; if several people
     * share an address, the password decides. Null for a wrong password and for suspended and unknown people; both take equally
     * long.
     */
    check(login: string, password: string): Person | null {
      const people = peopleOf(login, directory.people());
      const typed = asTyped(password);
      if (people.length === 0) isRight(typed, nobody);
      return people.find(({ id }) => isRight(typed, appPasswords.get(id) ?? nobody)) ?? null;
    },
  };
}

function isRight(typed: string, { salt, digest }: Pick<AppPassword, "salt" | "digest">): boolean {
  const given = digestOf(typed, salt);
  return timingSafeEqual(Buffer.from(given, "hex"), Buffer.from(digest, "hex"));
}

/** The active people a login matches. */
function peopleOf(login: string, people: readonly Person[]): readonly Person[] {
  const name = spelled(login);
  const active = people.filter(({ suspended }) => !suspended);
  const id = /^\d{1,16}$/.test(name) ? Number(name) : null;
  return active.filter((person) =>
    id === null
      ? name !== "" && spelled(person.email ?? "") === name
      : isId(id) && person.id === personId(id),
  );
}

const spelled = (login: string): string => login.normalize("NFC").trim().toLowerCase();

/** Normalizes a typed password: removes spaces and dashes, and replaces capitals and look-alike characters. */
function asTyped(password: string): string {
  if (password.length > longestPassword) return "";
  return password
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}]/gu, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
}

function digestOf(secret: string, salt: string): string {
  return createHash("sha256").update(`${salt} ${secret}`, "utf8").digest("hex");
}

function inDigits(bytes: Uint8Array): string {
  let rest = BigInt(`0x${hex(bytes)}`);
  let text = "";
  while (text.length < digits) {
    text = alphabet.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}

const inGroups = (text: string): string =>
  (text.match(new RegExp(`.{1,${groupLength}}`, "g")) ?? []).join("-");

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
