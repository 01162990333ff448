import type { PersonId } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import { createPasswords, type Passwords } from "./passwords.ts";
import { createPeople, type People } from "./people.ts";
import { createRights, type Rights } from "./rights.ts";
import { createThrottle, type Throttle } from "./throttle.ts";

export interface ReceptionDeps {
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
}

/** Who people are, how they prove it, and what they may do: what every door asks for. */
export interface Reception {
  readonly people: People;
  readonly passwords: Passwords;
  /** One for all doors, so that nobody guesses at two. */
  readonly throttle: Throttle;
  readonly rights: Rights;
  /** Who may read calendars and change nothing. */
  readonly readOnly: ReadonlySet<PersonId>;
}

export function createReception({ store, clock, randomBytes, listed }: ReceptionDeps): Reception {
  const readOnly = new Set(listed.flatMap((one) => (one.calendars === "read" ? [one.id] : [])));
  const withOwnKey = new Set(listed.flatMap((one) => (one.apiKey === null ? [] : [one.id])));
  const passwords = createPasswords({ store, randomBytes });
  return {
    people: createPeople({ store, passwords, readOnly, withOwnKey }),
    passwords,
    throttle: createThrottle({ clock }),
    rights: createRights({ store, readOnly }),
    readOnly,
  };
}
