import { isZone } from "@dayferry/ical";
import type { PersonId } from "../domain/ids.ts";
import type { Item, Person } from "../domain/item.ts";
import type { MailChoice, MailKind, MailWishes } from "../domain/mail-kind.ts";
import type { ChoiceClaim } from "../domain/signed-links.ts";
import { seesItem } from "../domain/visibility.ts";
import type { Mail, Mailbox, Mailer } from "../mail/mail.ts";
import type { Store } from "../store/store.ts";
import { defaultLanguage, inLanguage, type Language, say } from "../texts/say.ts";

/** How people are reached by one channel. */
export interface MailChannel {
  /** "" for somebody who cannot be reached. */
  readonly addressOf: (person: Person) => string;
  /** Reminders due before this are not sent by this channel; null for no limit. */
  readonly since: (person: PersonId) => Temporal.Instant | null;
}

/** What every mail needs. */
export interface MailDeps {
  readonly store: Store;
  readonly mailer: Mailer;
  readonly from: Mailbox;
  /** Time zone of the account. */
  readonly zone: string;
  /** For people whose language is unknown. Default: English. */
  readonly language?: Language;
  /** Default: by mail. */
  readonly reach?: MailChannel;
  /** Limit of mails started in any minute. */
  readonly perMinute: number;
  /** The mail kinds the configuration allows a person. */
  readonly wishes: (person: PersonId) => MailWishes;
  /** URL where a recipient turns mails off; null if this server has no public URL. */
  readonly choiceUrl: ((claim: ChoiceClaim) => string) | null;
  readonly clock: () => Temporal.Instant;
  /** From 0 inclusive to 1 exclusive. */
  readonly random: () => number;
}

/** The footer of a mail that says how to unsubscribe. */
export interface UnsubscribeLink {
  /** "Stop reminders of tasks" */
  readonly label: string;
  readonly url: string;
}

/** Somebody who can be reached. */
export interface Recipient {
  readonly person: Person;
  /** The person's time zone, or the account's. */
  readonly zone: string;
  /** The person's own times of day for reminders and the digest; null for the configured ones. */
  readonly at: Temporal.PlainTime | null;
  readonly digestAt: Temporal.PlainTime | null;
  /** Reminders due before this are not sent; null for no limit. */
  readonly since: Temporal.Instant | null;
  /** Read once and then kept. */
  readonly wants: (kind: MailKind) => boolean;
}

/** Everybody who can be reached, with their choices. */
export function readersOf(context: MailDeps): ReadonlyMap<PersonId, Recipient> {
  const people = context.store.directory.people().filter((person) => canReceive(person, context));
  return new Map(people.map((person) => [person.id, readerOf(person, context)]));
}

/** null for somebody who is unknown or cannot be reached. */
export function readerBy(id: PersonId | null, context: MailDeps): Recipient | null {
  const person = context.store.directory.people().find((known) => known.id === id);
  return person && canReceive(person, context) ? readerOf(person, context) : null;
}

/** True if an item may be mentioned to a person: false for archived items and projects the person has left. */
export function isOpenTo(person: PersonId, item: Item, directory: Store["directory"]): boolean {
  const project = directory.project(item.projectId);
  const list = directory.listOf(item);
  return seesItem(person, { item, project, list });
}

/** Without this header, Exchange replies with absence messages. */
export const noAutoReplies = { "X-Auto-Response-Suppress": "All" } as const;

/** How a mail of one kind is addressed. */
interface Address {
  readonly person: Person;
  readonly choice: MailChoice;
  readonly messageId: string;
}

/** Everything of a mail except its content. */
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
      ...noAutoReplies,
      ...(url === null ? {} : { "List-Unsubscribe": `<${url}>` }),
      // It must be https. Source: RFC 8058 section 3.1.
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
  const label =
    choice === "all"
      ? say("mails.choose")
      : say("mails.stop", { kind: say(`mails.kind.${choice}`) });
  return { label, url: choiceUrl({ person: person.id, choice }) };
}

/** Address of a person for this channel; "" for none. */
export const emailAddressOf = (
  person: Person,
  { reach = byMail }: Pick<MailDeps, "reach">,
): string => reach.addressOf(person);

/** Runs `work` in a person's language. */
export const inLanguageOf = <Result>(
  { id }: Pick<Person, "id">,
  { store, language = defaultLanguage }: Pick<MailDeps, "store" | "language">,
  work: () => Result,
): Result => inLanguage(() => store.personLanguages.of(id) ?? language, work);

/** The e-mail channel. */
export const byMail: MailChannel = {
  addressOf: ({ email }) => email?.trim() ?? "",
  since: () => null,
};

/** The choice that unsubscribes from these kinds of mail. */
export function mailChoiceOf(kinds: readonly MailKind[]): MailChoice {
  const [first, ...others] = new Set(kinds);
  return first && others.length === 0 ? first : "all";
}

/**
 * When the next mail may be started: now, or once fewer than `perMinute` were started within the last minute, also across a
 * restart.
 */
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
  const times = store.personReminders.of(person.id);
  return {
    person,
    zone: zoneFor(person, zone),
    at: times?.at ?? null,
    digestAt: times?.digestAt ?? null,
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

/** The person's time zone, or the account's. */
export const zoneFor = ({ timeZone }: Person, account: string): string =>
  timeZone !== null && isZone(timeZone) ? timeZone : account;
