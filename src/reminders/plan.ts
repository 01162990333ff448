import type { PersonId } from "../domain/ids.ts";
import type { Person } from "../domain/item.ts";
import type { MailKind } from "../domain/mail-kind.ts";
import type { MailKey } from "../store/mails/ledger.ts";
import type { Reminder } from "./reminder.ts";
import { earlier, isBefore, isWithin, type Window, type WindowOf } from "./windows.ts";

/** Somebody whom mails can reach. */
export interface Reader {
  readonly person: Person;
  /** The own one, or the account's. */
  readonly zone: string;
  readonly wants: (kind: MailKind) => boolean;
}

/** One thing that one person is to be told now. */
export interface DueMail extends Window {
  readonly key: MailKey;
  readonly reminder: Reminder;
}

/** What is due, and the next moment at which something else falls due (null = nothing is ahead). */
export interface Plan {
  readonly due: readonly DueMail[];
  readonly nextAt: Temporal.Instant | null;
}

/**
 * What may be told now, the one that fell due first in front. Of several leads of one item that were missed only the one
 * nearest to its day counts.
 */
export function planMails(
  items: Iterable<readonly Reminder[]>,
  {
    readers,
    now,
    windowOf,
  }: {
    readonly readers: ReadonlyMap<PersonId, Reader>;
    readonly now: Temporal.Instant;
    readonly windowOf: WindowOf;
  },
): Plan {
  const due: DueMail[] = [];
  let nextAt: Temporal.Instant | null = null;
  for (const reminders of items) {
    const nearest = new Map<PersonId, DueMail>();
    for (const reminder of reminders) {
      for (const id of reminder.people) {
        const reader = readers.get(id);
        const window = reader?.wants(reminder.kind) ? windowOf(reminder, reader.zone) : null;
        if (!window) continue;
        if (isBefore(now, window.dueAt)) nextAt = earlier(nextAt, window.dueAt);
        if (!isWithin(window, now)) continue;
        const mail = { ...window, key: mailKey(reminder, id), reminder };
        if (reminder.sort !== "lead") due.push(mail);
        else if (isNearer(mail, nearest.get(id))) nearest.set(id, mail);
      }
    }
    due.push(...nearest.values());
  }
  return { due: due.toSorted((a, b) => Temporal.Instant.compare(a.dueAt, b.dueAt)), nextAt };
}

export const canReceive = (person: Person): boolean =>
  !person.suspended && person.email !== null && person.email.trim() !== "";

const isNearer = (mail: DueMail, other: DueMail | undefined): boolean =>
  !other || isBefore(other.dueAt, mail.dueAt);

function mailKey({ sort, item, occurrence, lead }: Reminder, person: PersonId): MailKey {
  return { kind: sort, item, occurrence, lead, person };
}
