import { hash } from "node:crypto";
import type { LoginAttempt, LoginResult } from "@dayferry/caldav-server/backend";
import { readBasic } from "@dayferry/http-values";
import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { PasswordCheck } from "../people/passwords.ts";
import type { Throttle } from "../people/throttle.ts";
import type { Store } from "../store/store.ts";

export interface LoginDeps {
  readonly store: Pick<Store, "appPasswords" | "changes">;
  readonly passwords: PasswordCheck;
  /** Called when a program has logged in with credentials that are not remembered. */
  readonly onLogin: (person: PersonId) => void;
  /** Shared by everything that accepts app passwords, so that guesses are counted together. */
  readonly throttle: Throttle;
}

const mostRemembered = 1000;

interface Remembered {
  readonly person: Person;
  /** The password's salt; a new password has a new one. */
  readonly salt: string;
  /** Revision of the names at the time of the check, as people may change with a later one. */
  readonly revision: number;
}

/**
 * HTTP Basic login. Valid credentials are remembered by hash, so that the next request only reads the password's row. They are
 * checked again after a name has changed. Source: RFC 7617.
 */
export function createLogin({
  passwords,
  store,
  throttle,
  onLogin,
}: LoginDeps): (attempt: LoginAttempt) => Promise<LoginResult<Person>> {
  /** Most recently used last. */
  const remembered = new Map<string, Remembered>();

  function remember(key: string, person: Person): void {
    const salt = store.appPasswords.get(person.id)?.salt;
    if (salt === undefined) return;
    remembered.set(key, { person, salt, revision: store.changes.revisionOfDirectory() });
    const [oldest] = remembered.keys();
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
  }

  function recall(key: string): Person | null {
    const known = remembered.get(key);
    if (!known || known.revision !== store.changes.revisionOfDirectory()) return null;
    if (store.appPasswords.get(known.person.id)?.salt !== known.salt) return null;
    remembered.delete(key);
    remembered.set(key, known);
    return known.person;
  }

  return async ({ authorization, address }) => {
    const credentials = readBasic(authorization);
    if (credentials === null) return { kind: "unauthenticated" };
    const { login, password } = credentials;
    const key = hash("sha256", authorization ?? "", "base64");
    const known = recall(key);
    if (known) return { kind: "person", person: known, login };

    remembered.delete(key);
    const person = passwords.check(login, password);
    if (person === null) {
      const retryAfterSeconds = await throttle.answerable(address, login);
      if (retryAfterSeconds !== null) return { kind: "refused", retryAfterSeconds };
      return { kind: "unauthenticated" };
    }
    throttle.right(address, login);
    remember(key, person);
    onLogin(person.id);
    return { kind: "person", person, login };
  };
}
