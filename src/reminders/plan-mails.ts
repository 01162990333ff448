import { wallClock, wholeMinutes } from "@dayferry/ical";
import { earlier } from "../domain/backoff.ts";
import type { PersonId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import type { MailKey } from "../store/mails/ledger.ts";
import type { Recipient } from "./recipients.ts";
import { dayIn, type Reminder, type ReminderRules } from "./reminder.ts";

/** One reminder to send to one person now. */
export interface DueMail extends MailWindow {
  readonly key: MailKey;
  readonly reminder: Reminder;
}

/** What is due, and when the next one is due (null if nothing is planned). */
interface Plan {
  readonly due: readonly DueMail[];
  readonly nextAt: Temporal.Instant | null;
}

/**
 * What may be sent now, earliest due first. If several leads of one item were missed, only the one closest to its day counts.
 * Yields after every few items.
 */
export function* planMails(
  items: Iterable<readonly Reminder[]>,
  {
    readers,
    now,
    windowOf,
  }: {
    readonly readers: ReadonlyMap<PersonId, Recipient>;
    readonly now: Temporal.Instant;
    readonly windowOf: WindowOf;
  },
): Generator<void, Plan> {
  const due: DueMail[] = [];
  let nextAt: Temporal.Instant | null = null;
  let looked = 0;
  for (const reminders of items) {
    looked += 1;
    if (looked % itemsPerStep === 0) yield;
    const nearest = new Map<PersonId, DueMail>();
    for (const reminder of reminders) {
      for (const id of reminder.people) {
        const reader = readers.get(id);
        const window = reader?.wants(reminder.kind) ? windowOf(reminder, reader) : null;
        if (!window || (reader?.since && isBefore(window.dueAt, reader.since))) continue;
        if (isBefore(now, window.dueAt)) nextAt = earlier(nextAt, window.dueAt);
        if (!isInMailWindow(window, now)) continue;
        const mail = { ...window, key: mailKey(reminder, id), reminder };
        if (reminder.sort !== "lead") due.push(mail);
        else if (isNearer(mail, nearest.get(id))) nearest.set(id, mail);
      }
    }
    due.push(...nearest.values());
  }
  return { due: due.toSorted((a, b) => Temporal.Instant.compare(a.dueAt, b.dueAt)), nextAt };
}

/** A fraction of a millisecond of work. */
const itemsPerStep = 50;

const isNearer = (mail: DueMail, other: DueMail | undefined): boolean =>
  !other || isBefore(other.dueAt, mail.dueAt);

function mailKey({ sort, item, occurrence, lead }: Reminder, person: PersonId): MailKey {
  return { kind: sort, item, occurrence, lead, person };
}

/** When a mail may be sent, both ends inclusive. */
export interface MailWindow {
  readonly dueAt: Temporal.Instant;
  readonly lapsesAt: Temporal.Instant;
  /** When its content would become wrong, whatever delayed it; null for never. */
  readonly endsAt: Temporal.Instant | null;
}

/** When a reminder may be sent to a recipient; null for never. */
export type WindowOf = (reminder: Reminder, reader: ReaderClock) => MailWindow | null;

/** The recipient's time zone, and own time of day for reminders; null for the configured one. */
export type ReaderClock = Pick<Recipient, "zone" | "at">;

/** Minimum, as even a punctual mail is sent a moment after it is due. */
const shortestCatchUp = Temporal.Duration.from({ minutes: 1 });
const mostKept = 20_000;

/** Caches its results: whole workspaces share a few hundred days, leads, time zones and times of day. */
export function createWindows(rules: ReminderRules): WindowOf {
  const kept = new Map<string, Kept>();
  return (reminder, { zone, at }) => {
    const { timing, sort, occurrence, lead, knownAt } = reminder;
    const clock = timing.kind === "moment" ? "" : `${zone} ${at?.toString() ?? ""}`;
    const name = [sort, occurrence, lead, clock].join(" ");
    const found = kept.get(name) ?? {
      window: windowOf(reminder, zone, { ...rules, at: at ?? rules.at }),
      overdueAt: overdueAt(reminder, zone),
    };
    if (kept.size > mostKept) kept.clear();
    kept.set(name, found);
    // What was overdue when it was first seen belongs in the digest: a first start must not flood anybody.
    if (found.overdueAt && isBefore(found.overdueAt, knownAt)) return null;
    const { restoredAt } = rules;
    return restoredAt && isBefore(found.window.dueAt, restoredAt) ? null : found.window;
  };
}

interface Kept {
  readonly window: MailWindow;
  /** When it becomes late; null for reminders before that. */
  readonly overdueAt: Temporal.Instant | null;
}

/** `catchUp` after an instant. */
export function missedUntil(
  dueAt: Temporal.Instant,
  { catchUp }: Pick<ReminderRules, "catchUp">,
): Temporal.Instant {
  return dueAt.add({ minutes: Math.max(wholeMinutes(catchUp), wholeMinutes(shortestCatchUp)) });
}

export const isInMailWindow = ({ dueAt, lapsesAt }: MailWindow, now: Temporal.Instant): boolean =>
  !isBefore(now, dueAt) && !isBefore(lapsesAt, now);

export const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) < 0;

function windowOf({ timing }: Reminder, zone: string, rules: ReminderRules): MailWindow {
  switch (timing.kind) {
    case "moment": {
      const { startAt, dueAt } = timing;
      const until = missedUntil(dueAt, rules);
      // A first start on an old workspace sends reminders for the future only.
      const lapses = isBefore(dueAt, rules.installedAt) && isBefore(startAt, until);
      return { dueAt, lapsesAt: lapses ? startAt : until, endsAt: lapses ? startAt : null };
    }
    case "before": {
      const day = dayIn(timing.day, zone);
      const dueAt = countBack(day.toPlainDateTime(rules.at), zone, timing.lead);
      const dayEnds = day.add({ days: 1 }).toZonedDateTime(zone).toInstant();
      const until = missedUntil(dueAt, rules);
      return { dueAt, lapsesAt: isBefore(dayEnds, until) ? dayEnds : until, endsAt: dayEnds };
    }
    case "after": {
      const day = dayIn(timing.day, zone).add({ days: 1 });
      const dueAt = wallClock(day.toPlainDateTime(rules.at), zone).toInstant();
      return { dueAt, lapsesAt: missedUntil(dueAt, rules), endsAt: null };
    }
    default:
      return unreachable(timing);
  }
}

/** Days are counted on the calendar and hours on the clock of that day, so that a clock change moves no morning. */
function countBack(
  from: Temporal.PlainDateTime,
  zone: string,
  lead: Temporal.Duration,
): Temporal.Instant {
  const { years, months, weeks, days } = lead;
  const { hours, minutes, seconds } = lead;
  const plain = from.subtract({ years, months, weeks, days });
  return wallClock(plain, zone).toInstant().subtract({ hours, minutes, seconds });
}

function overdueAt({ timing }: Reminder, zone: string): Temporal.Instant | null {
  if (timing.kind !== "after") return null;
  return dayIn(timing.day, zone).add({ days: 1 }).toZonedDateTime(zone).toInstant();
}
