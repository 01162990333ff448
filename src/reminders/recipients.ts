import { isZone } from "@dayferry/ical";
import type { PersonId } from "../domain/ids.ts";
import type { Item, Person } from "../domain/item.ts";
import {
  type MailChoice,
  type MailKind,
  type MailWishes,
  mailKindWords,
} from "../domain/mail-kind.ts";
import { seesItem } from "../domain/sight.ts";
import type { ChoiceClaim } from "../domain/signed-links.ts";
import type { Mail, Mailbox, Mailer } from "../mail/mail.ts";
import type { Store } from "../store/store.ts";

/** How people are reached by one way. */
export interface MailChannel {
  /** "" for somebody who is not reached. */
  readonly addressOf: (person: Person) => string;
  /** What fell due before is not told this way; null = there is no such moment. */
  readonly since: (person: PersonId) => Temporal.Instant | null;
}

/** What every mail needs, whatever it tells. */
export interface MailDeps {
  readonly store: Store;
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** The account's zone. */
  readonly zone: string;
  /** By mail unless given. */
  readonly reach?: MailChannel;
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
export interface UnsubscribeLink {
  /** "Stop reminders of tasks" */
  readonly label: string;
  readonly url: string;
}

/** Somebody whom mails can reach. */
export interface Recipient {
  readonly person: Person;
  /** The own one, or the account's. */
  readonly zone: string;
  /** What fell due before is not told; null = there is no such moment. */
  readonly since: Temporal.Instant | null;
  /** As it was when it was first asked. */
  readonly wants: (kind: MailKind) => boolean;
}

/** Everybody who can be reached, and what they want. */
export function readersOf(context: MailDeps): ReadonlyMap<PersonId, Recipient> {
  const people = context.store.directory.people().filter((person) => canReceive(person, context));
  return new Map(people.map((person) => [person.id, readerOf(person, context)]));
}

/** Null for somebody who is not known, or cannot be reached. */
export function readerBy(id: PersonId | null, context: MailDeps): Recipient | null {
  const person = context.store.directory.people().find((known) => known.id === id);
  return person && canReceive(person, context) ? readerOf(person, context) : null;
}

/** Whether an item is to be told to a person: nothing of what is archived, or of a project that they have left. */
export function isOpenTo(
  person: PersonId,
  { item, directory }: { readonly item: Item; readonly directory: Store["directory"] },
): boolean {
  const project = directory.project(item.projectId);
  const list = item.kind === "event" ? null : directory.todolist(item.listId);
  return seesItem(person, { item, project, list });
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
  context: MailDeps,
): Omit<Mail, "subject" | "text" | "html" | "calendar"> {
  const { from, clock, choiceUrl } = context;
  const url = choiceUrl?.({ person: person.id, choice }) ?? null;
  return {
    from,
    to: { name: person.name, address: emailAddressOf(person, context) },
    about: choice,
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

export function unsubscribeFor(
  { person, choice }: Pick<Address, "person" | "choice">,
  { choiceUrl }: MailDeps,
): UnsubscribeLink | null {
  if (!choiceUrl) return null;
  const label = choice === "all" ? "Choose which mails to get" : `Stop ${mailKindWords[choice]}`;
  return { label, url: choiceUrl({ person: person.id, choice }) };
}

/** Where somebody is reached by the way of these mails; "" = not. */
export const emailAddressOf = (
  person: Person,
  { reach = byMail }: Pick<MailDeps, "reach">,
): string => reach.addressOf(person);

/** By e-mail. */
export const byMail: MailChannel = {
  addressOf: ({ email }) => email?.trim() ?? "",
  since: () => null,
};

/** The choice that ends mails of these kinds. */
export function mailChoiceOf(kinds: readonly MailKind[]): MailChoice {
  const [first, ...others] = new Set(kinds);
  return first && others.length === 0 ? first : "all";
}

/** When the next mail may be begun: now, or as soon as fewer than `perMinute` lie within a minute, also after a restart. */
export function paceOf(
  { store, perMinute }: Pick<MailDeps, "store" | "perMinute">,
  now: Temporal.Instant,
): Temporal.Instant {
  const begun = store.ledger.begunSince(now.subtract(minute));
  const oldest = begun.at(-perMinute);
  return oldest ? oldest.add(minute) : now;
}

export function mayBegin(context: Pick<MailDeps, "store" | "perMinute" | "clock">): boolean {
  const now = context.clock();
  return Temporal.Instant.compare(paceOf(context, now), now) <= 0;
}

const minute = Temporal.Duration.from({ minutes: 1 });

function readerOf(person: Person, { wishes, zone, store, reach = byMail }: MailDeps): Recipient {
  const granted = wishes(person.id);
  const known = new Map<MailKind, boolean>();
  return {
    person,
    zone: zoneFor(person, zone),
    since: reach.since(person.id),
    wants(kind) {
      const wanted =
        known.get(kind) ?? (granted[kind] && !store.mailChoices.isOff(person.id, kind));
      known.set(kind, wanted);
      return wanted;
    },
  };
}

const canReceive = (person: Person, context: MailDeps): boolean =>
  !person.suspended && emailAddressOf(person, context) !== "";

/** The reader's own zone, or the account's. */
export const zoneFor = ({ timeZone }: Person, account: string): string =>
  timeZone !== null && isZone(timeZone) ? timeZone : account;
