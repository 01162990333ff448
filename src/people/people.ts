import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import { createPasswords, type Passwords } from "./passwords.ts";
import { createRights, type Rights } from "./rights.ts";
import { createThrottle, type Throttle } from "./throttle.ts";

/** A person as operators and programs are shown them; turns into JSON as it is. */
export interface PersonDescription {
  readonly id: PersonId;
  readonly name: string;
  readonly email: string | null;
  /** IANA zone; null = the account's. */
  readonly timeZone: string | null;
  readonly suspended: boolean;
  /** Whether they may change their calendars. */
  readonly calendars: "write" | "read";
  readonly hasPassword: boolean;
  /** Whether edits are sent to the service with a key of their own. */
  readonly hasOwnKey: boolean;
  /** What they enter as user name: the e-mail address, or the id where several share it or there is none. */
  readonly login: string;
}

/** What became of asking for a new password. */
export type NewPassword =
  | { readonly kind: "set"; readonly person: PersonDescription; readonly password: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly reason: string };

/** The people of the workspace and their app passwords. */
export interface People {
  list(): readonly PersonDescription[];
  get(id: PersonId): PersonDescription | null;
  /** A new app password, which ends an older one, and log-ins in browsers but for `keep`. It is shown this once. */
  setPassword(id: PersonId, keep?: number): NewPassword;
  /** Also for people who have left; false where there is no password. Ends log-ins in browsers but for `keep`. */
  clearPassword(id: PersonId, keep?: number): boolean;
}

interface PeopleDeps {
  readonly store: Pick<Store, "directory">;
  readonly passwords: Passwords;
  readonly readOnly: ReadonlySet<PersonId>;
  readonly withOwnKey: ReadonlySet<PersonId>;
}

function createPeople({ store, passwords, readOnly, withOwnKey }: PeopleDeps): People {
  function list(): readonly PersonDescription[] {
    const people = store.directory.people();
    const holders = new Set(passwords.list());
    return people.map((person) => ({
      id: person.id,
      name: person.name,
      email: person.email,
      timeZone: person.timeZone,
      suspended: person.suspended,
      calendars: readOnly.has(person.id) ? "read" : "write",
      hasPassword: holders.has(person.id),
      hasOwnKey: withOwnKey.has(person.id),
      login: loginOf(person, people),
    }));
  }
  const get = (id: PersonId) => list().find((person) => person.id === id) ?? null;

  return {
    list,
    get,
    setPassword(id, keep) {
      const person = get(id);
      if (!person) return { kind: "unknown" };
      if (person.suspended) {
        return { kind: "refused", reason: `${person.name} (${id}) is suspended in the workspace` };
      }
      const password = passwords.issue(id, keep);
      return { kind: "set", person: { ...person, hasPassword: true }, password };
    },
    clearPassword: (id, keep) => passwords.clear(id, keep),
  };
}

/** Of those whom a login can mean, so without suspended people. */
function loginOf({ id, email }: Person, people: readonly Person[]): string {
  const address = email?.trim() ?? "";
  const sharers = people.filter(
    (other) =>
      other.id !== id &&
      !other.suspended &&
      other.email?.trim().toLowerCase() === address.toLowerCase(),
  );
  return address === "" || sharers.length > 0 ? String(id) : address;
}

interface AccessControlDeps {
  readonly store: Store;
  readonly clock: () => Temporal.Instant;
  /** As many unpredictable bytes as asked for. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** What the configuration says of people; nothing of those it does not list. */
  readonly listed: readonly {
    readonly id: PersonId;
    readonly calendars: "write" | "read";
    readonly apiKey: string | null;
  }[];
  /** What counts wrong passwords, where another one has begun to; one of its own unless given. */
  readonly throttle?: Throttle;
}

/** Who people are, how they prove it, and what they may do, for all that answers requests. */
export interface AccessControl {
  readonly people: People;
  readonly passwords: Passwords;
  /** One for all that takes passwords, so that nobody can guess in two places. */
  readonly throttle: Throttle;
  readonly rights: Rights;
  /** Who may read calendars and change nothing. */
  readonly readOnly: ReadonlySet<PersonId>;
}

export function createAccessControl({
  store,
  clock,
  randomBytes,
  listed,
  throttle = createThrottle({ clock }),
}: AccessControlDeps): AccessControl {
  const readOnly = new Set(listed.flatMap((one) => (one.calendars === "read" ? [one.id] : [])));
  const withOwnKey = new Set(listed.flatMap((one) => (one.apiKey === null ? [] : [one.id])));
  const passwords = createPasswords({ store, randomBytes });
  return {
    people: createPeople({ store, passwords, readOnly, withOwnKey }),
    passwords,
    throttle,
    rights: createRights({ store, readOnly }),
    readOnly,
  };
}
