import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import {
  type MailChoice,
  type MailKind,
  type MailWishes,
  mailKindWords,
} from "../domain/mail-kind.ts";
import type { ChoiceClaim } from "../domain/signed-links.ts";
import type { Mail, Mailbox, Mailer } from "../mail/mail.ts";
import type { Store } from "../store/store.ts";
import { zoneFor } from "./mail-text.ts";
import { canReceive, type Reader } from "./plan-mails.ts";

/** What every mail needs, whatever it tells. */
export interface Recipients {
  readonly store: Store;
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** The account's zone. */
  readonly zone: string;
  /** How many mails may be begun in any minute. */
  readonly perMinute: number;
  /** Which kinds the configuration grants a person. */
  readonly wishes: (person: PersonId) => MailWishes;
  /** Where a reader turns mails off; null = there is no address at which this server can be reached. */
  readonly choiceUrl: ((claim: ChoiceClaim) => string) | null;
  readonly clock: () => Temporal.Instant;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
}

/** The end of a mail that says how to get no more of them. */
export interface Stop {
  /** "Stop reminders of tasks" */
  readonly label: string;
  readonly url: string;
}

/** Everybody who can be reached, and what they want. */
export function readersOf(office: Recipients): ReadonlyMap<PersonId, Reader> {
  const people = office.store.directory.people().filter(canReceive);
  return new Map(people.map((person) => [person.id, readerOf(person, office)]));
}

/** Null for somebody who is not known, or cannot be reached. */
export function readerBy(id: PersonId | null, office: Recipients): Reader | null {
  const person = office.store.directory.people().find((known) => known.id === id);
  return person && canReceive(person) ? readerOf(person, office) : null;
}

/** How one mail of a kind is addressed. */
interface Address {
  readonly person: Person;
  readonly choice: MailChoice;
  readonly messageId: string;
}

/** All of a mail but its content. */
export function envelope(
  { person, choice, messageId }: Address,
  { from, clock, choiceUrl }: Recipients,
): Omit<Mail, "subject" | "text" | "html" | "calendar"> {
  const url = choiceUrl?.({ person: person.id, choice }) ?? null;
  return {
    from,
    to: { name: person.name, address: addressOf(person) },
    messageId,
    date: clock(),
    headers: {
      // Exchange answers automatic mails with absence notes unless it is told not to.
      "X-Auto-Response-Suppress": "All",
      ...(url === null ? {} : { "List-Unsubscribe": `<${url}>` }),
      // Source: RFC 8058 section 3.1, which wants https.
      ...(url?.startsWith("https:")
        ? { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
        : {}),
    },
  };
}

export function stopFor(
  { person, choice }: Pick<Address, "person" | "choice">,
  { choiceUrl }: Recipients,
): Stop | null {
  if (!choiceUrl) return null;
  const label = choice === "all" ? "Choose which mails to get" : `Stop ${mailKindWords[choice]}`;
  return { label, url: choiceUrl({ person: person.id, choice }) };
}

export const addressOf = ({ email }: Person): string => email?.trim() ?? "";

/** The choice that ends mails of these kinds. */
export function choiceOf(kinds: readonly MailKind[]): MailChoice {
  const [first, ...others] = new Set(kinds);
  return first && others.length === 0 ? first : "all";
}

/** When the next mail may be begun: now, or as soon as fewer than `perMinute` lie within a minute, also after a restart. */
export function paceOf(
  { store, perMinute }: Pick<Recipients, "store" | "perMinute">,
  now: Temporal.Instant,
): Temporal.Instant {
  const begun = store.ledger.begunSince(now.subtract(minute));
  const oldest = begun.at(-perMinute);
  return oldest ? oldest.add(minute) : now;
}

export function mayBegin(office: Pick<Recipients, "store" | "perMinute" | "clock">): boolean {
  const now = office.clock();
  return Temporal.Instant.compare(paceOf(office, now), now) <= 0;
}

const minute = Temporal.Duration.from({ minutes: 1 });

function readerOf(person: Person, { wishes, zone, store }: Recipients): Reader {
  const granted = wishes(person.id);
  return {
    person,
    zone: zoneFor(person, zone),
    wants: (kind) => granted[kind] && !store.mailChoices.isOff(person.id, kind),
  };
}
