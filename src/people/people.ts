import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { createAccessTokens } from "./access-tokens.ts";
import { createPasswords, type Passwords } from "./passwords.ts";
import { createRights } from "./rights.ts";
import { createThrottle, type Throttle } from "./throttle.ts";

/** A person as shown to operators and programs. JSON-serializable. */
export interface PersonDescription {
  readonly id: PersonId;
  readonly name: string;
  readonly email: string | null;
  /** IANA time zone; null for the account's. */
  readonly timeZone: string | null;
  readonly suspended: boolean;
  /** Whether they may edit their calendars. */
  readonly calendars: "write" | "read";
  readonly hasPassword: boolean;
  /** True if edits are sent to the service with the person's own key. */
  readonly hasOwnKey: boolean;
  /** The user name to enter: the e-mail address, or the id if the address is shared or missing. */
  readonly login: string;
}

/** Result of requesting a new password. */
export type NewPassword =
  | { readonly kind: "set"; readonly person: PersonDescription; readonly password: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly reason: string };

/** The people of the workspace and their app passwords. */
export type People = ReturnType<typeof createPeople>;

interface PeopleDeps {
  readonly store: Pick<Store, "directory" | "appPasswords">;
  readonly passwords: Passwords;
  readonly readOnly: ReadonlySet<PersonId>;
  readonly withOwnKey: ReadonlySet<PersonId>;
  readonly clock: () => Temporal.Instant;
}

function createPeople({ store, passwords, readOnly, withOwnKey, clock }: PeopleDeps) {
  const startedAt = clock();
  /** People whose calendar programs have logged in since then. */
  const connected = new Set<PersonId>();

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
    /** Records that a calendar program has logged in with a person's app password. */
    noteProgram: (id: PersonId): void => void connected.add(id),
    /** True if a calendar program has logged in since the start, or could before: its password is older. */
    hasProgram(id: PersonId): boolean {
      const password = store.appPasswords.get(id);
      if (password === null || connected.has(id)) return password !== null;
      return Temporal.Instant.compare(password.createdAt, startedAt) < 0;
    },
    /** Creates a new app password that ends any earlier one and all browser logins except `keep`. It is shown only this once. */
    setPassword(id: PersonId, keep?: number): NewPassword {
      const person = get(id);
      if (!person) return { kind: "unknown" };
      if (person.suspended) {
        return {
          kind: "refused",
          reason: say("rightsFault.suspended", { name: person.name, id: String(id) }),
        };
      }
      const password = passwords.issue(id, keep);
      return { kind: "set", person: { ...person, hasPassword: true }, password };
    },
    /** Also works for deactivated people. Returns false if there is no password. Ends browser logins except `keep`. */
    clearPassword: (id: PersonId, keep?: number): boolean => passwords.clear(id, keep),
  };
}

/** `people`: those whom a login can match, without suspended people. */
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
  /** Returns this many random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** The people listed in the configuration with their settings. */
  readonly listed: readonly {
    readonly id: PersonId;
    readonly calendars: "write" | "read";
    readonly apiKey: string | null;
  }[];
  /** Counts wrong passwords. Pass one to share its counts; by default a new one is created. */
  readonly throttle?: Throttle;
}

/** Identity, authentication and permissions of people, for everything that answers requests. */
export function createAccessControl({
  store,
  clock,
  randomBytes,
  listed,
  throttle = createThrottle({ clock }),
}: AccessControlDeps) {
  const readOnly = new Set(listed.flatMap((one) => (one.calendars === "read" ? [one.id] : [])));
  const withOwnKey = new Set(listed.flatMap((one) => (one.apiKey === null ? [] : [one.id])));
  const passwords = createPasswords({ store, randomBytes });
  return {
    people: createPeople({ store, passwords, readOnly, withOwnKey, clock }),
    passwords,
    /** Shared by everything that takes passwords, so that guesses count together. */
    throttle,
    rights: createRights({ store, readOnly }),
    /** Tokens of agents. */
    tokens: createAccessTokens({ store, randomBytes, clock }),
    /** People who may read calendars but change nothing. */
    readOnly,
  };
}
