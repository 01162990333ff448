import type { Person } from "../domain/item.ts";
import type { LogInSigner } from "../domain/signed-links.ts";
import type { LogInLink } from "../store/mails/log-in-links.ts";
import type { Store } from "../store/store.ts";
import type { PasswordCheck } from "./passwords.ts";

/** What a link by mail opens, for as long as it does. */
export interface MailedLogIn {
  readonly person: Person;
  /** Where the browser goes on, from the start page on. */
  readonly next: string;
}

/** Lets people log in without a password, by a link that is mailed to the address that the workspace has of them. */
export interface MailedLogIns {
  /**
   * Has a link mailed to whom this e-mail address or id names, to each where several share it. Nothing happens for somebody who is not known, has left, or has no
   * address, and for who has just been sent some.
   */
  ask(login: string, next: string): void;
  /** Changes nothing: programs look at links before people do. Null for a link that opens nothing, or no more. */
  look(signed: string): MailedLogIn | null;
  /** Uses the link up. Null as `look`, and for one that somebody else has used in the meantime. */
  use(signed: string): MailedLogIn | null;
}

interface MailedLogInsDeps {
  readonly store: Pick<Store, "directory" | "logInLinks" | "durably">;
  readonly passwords: Pick<PasswordCheck, "peopleOf">;
  readonly signer: LogInSigner;
  readonly clock: () => Temporal.Instant;
  /** Wakes who sends the mails. */
  readonly onAsked: () => void;
}

/** How long a link opens. */
export const linkLength = Temporal.Duration.from({ minutes: 15 });
/** More than these within that time are not sent to one person, whoever asks for them. */
const mostLinks = 3;

export function createMailedLogIns(deps: MailedLogInsDeps): MailedLogIns {
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
    look,
    ask(login, next) {
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
    use(signed) {
      const link = linkIn(signed);
      const opened = look(signed);
      return link && opened && store.durably(() => logInLinks.use(link.id)) ? opened : null;
    },
  };
}
