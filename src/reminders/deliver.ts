import { fingerprint } from "../domain/fingerprint.ts";
import type { ItemKey, PersonId } from "../domain/ids.ts";
import type { EventItem, Person } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import { webLink } from "../domain/web-link.ts";
import type { Delivery, Mail, Mailbox, Mailer } from "../mail/mail.ts";
import type { Store } from "../store/store.ts";
import type { ViewItem } from "../store/view.ts";
import { writeCalendarPart } from "./calendar-part.ts";
import {
  canReceive,
  type DueMail,
  isDue,
  type Reminder,
  type ReminderRules,
  reminderOf,
} from "./plan.ts";
import { renderReminder } from "./render.ts";

/** What became of one mail. `given-up`: it was put off until it was not worth sending any more. */
export type ReminderEvent = About &
  (
    | { readonly kind: "sent"; readonly response: string }
    | { readonly kind: "deferred"; readonly problem: string; readonly againAt: Temporal.Instant }
    | { readonly kind: "rejected"; readonly problem: string }
    | { readonly kind: "given-up"; readonly problem: string }
  );

interface About {
  readonly item: ItemKey;
  readonly uid: string;
  readonly person: PersonId;
  readonly messageId: string;
}

export interface DeliverDeps {
  readonly store: Store;
  readonly mailer: Mailer;
  readonly from: Mailbox;
  readonly rules: ReminderRules;
  readonly webUrl: string | null;
  readonly clock: () => Temporal.Instant;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
}

/**
 * Sends one mail and writes down how that ended: claim, await, settle. Item and person are read once more, so nothing
 * goes out for what was completed, moved, deleted or reassigned in the meantime; null when so, or when the mail was
 * taken care of already. A mail that was claimed but not settled goes out again with the same Message-ID.
 */
export async function deliver(mail: DueMail, deps: DeliverDeps): Promise<ReminderEvent | null> {
  const { store, mailer, clock } = deps;
  const current = readAgain(mail, deps);
  if (!current) return null;
  const { shown, reminder } = current;
  const messageId = messageIdOf({ mail, uid: shown.uid }, store.meta.installation);
  if (!store.ledger.claim(mail.key, messageId)) return null;

  const delivery = await attempt(() => mailer.send(compose({ ...current, messageId }, deps)));
  const about = { item: shown.key, uid: shown.uid, person: mail.key.person, messageId };
  const attempts = store.ledger.get(mail.key)?.attempts ?? 1;
  const wait = backOff(attempts, deps.random);
  // The ledger compares moments as text, which is right to the second.
  const againAt = clock().add(wait).round({ smallestUnit: "second", roundingMode: "ceil" });
  const retry = { againAt, lapsesAt: reminder.lapsesAt };
  return { ...about, ...settle({ mail, delivery, retry }, store) };
}

interface Current {
  readonly shown: ViewItem;
  readonly item: EventItem;
  readonly reader: Person;
  readonly reminder: Reminder;
}

function readAgain({ key }: DueMail, { store, rules, clock }: DeliverDeps): Current | null {
  const shown = store.view.get(key.item);
  const reminder = shown && reminderOf(shown, rules);
  if (!reminder || shown.item.kind !== "event" || !isDue(reminder, clock())) return null;
  if (reminder.occurrence !== key.occurrence || reminder.lead !== key.lead) return null;
  const reader = store.directory.people().find(({ id }) => id === key.person);
  if (!reader || !canReceive(reader) || !reminder.people.includes(reader.id)) return null;
  return { shown, item: shown.item, reader, reminder };
}

/** The same for the same reminder, also after a restart, and not to be guessed from outside. */
function messageIdOf(
  { mail, uid }: { readonly mail: DueMail; readonly uid: string },
  installation: string,
): string {
  const { occurrence, lead, person } = mail.key;
  const parts = [installation, uid, occurrence, lead, person];
  return `<${fingerprint(JSON.stringify(parts))}@${installation}>`;
}

function compose(
  { shown, item, reader, reminder, messageId }: Current & { readonly messageId: string },
  { store, from, rules, webUrl, clock }: DeliverDeps,
): Mail {
  const now = clock();
  const names = store.directory.personNames();
  const link = webLink(webUrl, item);
  const rendered = renderReminder({
    item,
    reader,
    others: reminder.people.flatMap((id) => (id === reader.id ? [] : (names.get(id) ?? []))),
    project: store.directory.project(item.projectId)?.title ?? null,
    link,
    dueAt: reminder.dueAt,
    now,
    zone: rules.zone,
  });
  const content = writeCalendarPart({ shown, item }, { zone: rules.zone, link });
  return {
    ...rendered,
    from,
    to: { name: reader.name, address: reader.email?.trim() ?? "" },
    calendar: { content, method: "PUBLISH" },
    messageId,
    date: now,
    // Exchange answers automatic mails with absence notes unless it is told not to.
    headers: { "X-Auto-Response-Suppress": "All" },
  };
}

/** One mail that cannot be made or handed over must not hold up the others. */
async function attempt(send: () => Promise<Delivery>): Promise<Delivery> {
  try {
    return await send();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "deferred", code: null, message };
  }
}

interface Attempt {
  readonly mail: DueMail;
  readonly delivery: Delivery;
  readonly retry: { readonly againAt: Temporal.Instant; readonly lapsesAt: Temporal.Instant };
}

type Ending<Event> = Event extends unknown ? Omit<Event, keyof About> : never;

function settle({ mail, delivery, retry }: Attempt, { ledger }: Store): Ending<ReminderEvent> {
  switch (delivery.kind) {
    case "sent":
      ledger.sent(mail.key);
      return { kind: "sent", response: delivery.response };
    case "rejected":
      ledger.rejected(mail.key, delivery.message);
      return { kind: "rejected", problem: delivery.message };
    case "deferred": {
      const { againAt, lapsesAt } = retry;
      const problem = delivery.message;
      if (Temporal.Instant.compare(againAt, lapsesAt) > 0) {
        ledger.rejected(mail.key, `given up, as it is too late by now: ${problem}`);
        return { kind: "given-up", problem };
      }
      ledger.deferred(mail.key, { notBefore: againAt, problem });
      return { kind: "deferred", problem, againAt };
    }
    default:
      return unreachable(delivery);
  }
}

/** A minute after the first attempt, doubled by each further one, up to a tenth more at random, an hour at most. */
function backOff(attempts: number, random: () => number): Temporal.Duration {
  const seconds = 60 * 2 ** Math.min(attempts - 1, 10) * (1 + random() / 10);
  return Temporal.Duration.from({ seconds: Math.min(3600, Math.round(seconds)) });
}
