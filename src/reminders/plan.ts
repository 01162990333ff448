import type { ItemKey, PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import { startsAt, wholeMinutes } from "../domain/when.ts";
import type { MailKey } from "../store/ledger.ts";
import type { ViewItem } from "../store/view.ts";

/** One event's reminder: to whom it goes, and when. A moved event has another one. */
export interface Reminder {
  readonly item: ItemKey;
  /** Start of the event, as an instant's text. */
  readonly occurrence: string;
  /** Time before the start: ISO 8601, in minutes. */
  readonly lead: string;
  readonly dueAt: Temporal.Instant;
  /** The last moment at which it may still be sent. */
  readonly lapsesAt: Temporal.Instant;
  readonly people: readonly PersonId[];
}

/** One mail that is due. */
export interface DueMail {
  readonly key: MailKey;
  readonly reminder: Reminder;
}

export interface ReminderRules {
  /** The account's zone, in which whole days begin. */
  readonly zone: string;
  readonly installedAt: Temporal.Instant;
  /** How late a missed reminder may still be sent. */
  readonly catchUp: Temporal.Duration;
}

/** Even a punctual mail leaves a moment after it has fallen due, so nothing shorter can be meant. */
const shortestCatchUp = Temporal.Duration.from({ minutes: 1 });

/**
 * What an item asks to be reminded of. Null: it has no reminder, is completed, or has nobody assigned. What fell
 * due before this installation existed counts only until the event starts, so that a first start on an old workspace
 * reminds of what is ahead and not of what is over.
 */
export function reminderOf(shown: ViewItem, rules: ReminderRules): Reminder | null {
  const { item } = shown;
  if (item.kind !== "event" || !item.reminder || item.completed) return null;
  if (item.assigned.length === 0) return null;

  const lead = Temporal.Duration.from({ minutes: wholeMinutes(item.reminder) });
  const startAt = startsAt(item.when, rules.zone);
  const dueAt = startAt.subtract(lead);
  const lapsesAt = lastMoment({ startAt, dueAt }, rules);
  return {
    item: shown.key,
    occurrence: startAt.toString(),
    lead: lead.toString(),
    dueAt,
    lapsesAt,
    people: [...new Set(item.assigned)],
  };
}

/**
 * The mails that may be sent now, the one that fell due first in front, and the next moment at which another reminder
 * falls due (null = none is ahead). People without an address, and those who are suspended, get nothing.
 */
export function planMails(
  reminders: Iterable<Reminder>,
  { people, now }: { readonly people: readonly Person[]; readonly now: Temporal.Instant },
): { readonly due: readonly DueMail[]; readonly nextAt: Temporal.Instant | null } {
  const reachable = new Set(people.filter(canReceive).map(({ id }) => id));
  const ripe: Reminder[] = [];
  let nextAt: Temporal.Instant | null = null;
  for (const reminder of reminders) {
    if (isDue(reminder, now)) ripe.push(reminder);
    else if (isBefore(now, reminder.dueAt)) nextAt = earlier(nextAt, reminder.dueAt);
  }
  const due = ripe
    .toSorted((a, b) => Temporal.Instant.compare(a.dueAt, b.dueAt))
    .flatMap((reminder) =>
      reminder.people
        .filter((person) => reachable.has(person))
        .map((person) => ({ key: mailKey(reminder, person), reminder })),
    );
  return { due, nextAt };
}

export const canReceive = (person: Person): boolean =>
  !person.suspended && person.email !== null && person.email.trim() !== "";

export const isDue = ({ dueAt, lapsesAt }: Reminder, now: Temporal.Instant): boolean =>
  !isBefore(now, dueAt) && !isBefore(lapsesAt, now);

/** The earlier of two moments, where null is never. */
export function earlier(a: Temporal.Instant | null, b: Temporal.Instant | null) {
  if (!a || !b) return a ?? b;
  return isBefore(b, a) ? b : a;
}

interface Dates {
  readonly startAt: Temporal.Instant;
  readonly dueAt: Temporal.Instant;
}

function lastMoment(
  { startAt, dueAt }: Dates,
  { installedAt, catchUp }: ReminderRules,
): Temporal.Instant {
  const allowance = Math.max(wholeMinutes(catchUp), wholeMinutes(shortestCatchUp));
  const missedUntil = dueAt.add({ minutes: allowance });
  const started = isBefore(dueAt, installedAt) && isBefore(startAt, missedUntil);
  return started ? startAt : missedUntil;
}

function mailKey({ item, occurrence, lead }: Reminder, person: PersonId): MailKey {
  return { item, occurrence, lead, person };
}

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) < 0;
