import type { Person } from "../domain/item.ts";
import type { LogInSigner } from "../domain/signed-links.ts";
import type { LogInLink } from "../store/mails/log-in-links.ts";
import type { Store } from "../store/store.ts";
import type { PasswordCheck } from "./passwords.ts";

/** What a login link sent by mail allows while it is valid. */
export interface MailedLogIn {
  readonly person: Person;
  /** Path to redirect to after login, relative to the start page. */
  readonly next: string;
}

/** Lets people log in without a password, by a link sent to the mail address that the workspace has for them. */
export type MailedLogIns = ReturnType<typeof createMailedLogIns>;

interface MailedLogInsDeps {
  readonly store: Pick<Store, "directory" | "logInLinks" | "durably">;
  readonly passwords: Pick<PasswordCheck, "peopleOf">;
  readonly signer: LogInSigner;
  readonly clock: () => Temporal.Instant;
  /** Called when a link is requested, to wake the sender. */
  readonly onAsked: () => void;
}

/** How long a link is valid. */
export const linkLength = Temporal.Duration.from({ minutes: 15 });
/** Limit of links per person within that time, no matter who requests them. */
const mostLinks = 3;

export function createMailedLogIns(deps: MailedLogInsDeps) {
  const { store, passwords, signer, clock, onAsked } = deps;
  const { logInLinks, directory } = store;

  function linkIn(signed: string): LogInLink | null {
    const id = signer.read(signed);
    return id === null ? null : logInLinks.get(id);
  }

  function look(signed: string): MailedLogIn | null {
    const link = linkIn(signed);
    if (!link || link.usedAt || Temporal.Instant.compare(link.until, clock()) <= 0) return null;
    const person = directory.activePerson(link.person);
    return person && { person, next: link.next };
  }

  return {
    /**
     * Reads the link without using it up, because mail scanners open links before people do. null if the link is invalid or
     * expired.
     */
    look,
    /**
     * Sends a link to the person with this e-mail address or id; if several people share the address, each gets one. Does nothing
     * for people who are unknown, deactivated, without an address, or over the limit.
     */
    ask(login: string, next: string): void {
      const named = passwords.peopleOf(login);
      const people = named.filter(({ email }) => (email?.trim() ?? "") !== "");
      if (people.length === 0) return;
      const now = clock();
      const limits = { since: now.subtract(linkLength), most: mostLinks };
      const asked = store.durably(() =>
        people.map(({ id: person }) =>
          logInLinks.ask({ person, next, until: now.add(linkLength) }, limits),
        ),
      );
      if (asked.some((link) => link !== null)) onAsked();
    },
    /** Uses the link up. Returns null in the same cases as `look`, and if the link has been used in the meantime. */
    use(signed: string): MailedLogIn | null {
      const link = linkIn(signed);
      const opened = look(signed);
      return link && opened && store.durably(() => logInLinks.use(link.id)) ? opened : null;
    },
  };
}
