import type { PersonId } from "../domain/ids.ts";
import type { MailKind } from "../domain/mail-kind.ts";
import { digestTurn } from "./digest.ts";
import type { MailFinderDeps } from "./find-mails.ts";
import { isBefore } from "./plan-mails.ts";
import { readersOf } from "./recipients.ts";

/** A mail that will be sent unless something changes. */
export interface MailAhead {
  readonly person: PersonId;
  readonly kind: MailKind;
  /** Title of its item; null if it is about several, or the item is gone. */
  readonly title: string | null;
  readonly dueAt: Temporal.Instant;
}

/** What is due after now and up to `until`, next first. Reads only, in steps. */
export function* mailsAhead(
  deps: MailFinderDeps,
  until: Temporal.Instant,
  most: number,
): Generator<void, readonly MailAhead[]> {
  const { store, index, windowOf, clock, digest, rules } = deps;
  const now = clock();
  const readers = readersOf(deps);
  const isAhead = (at: Temporal.Instant) => isBefore(now, at) && !isBefore(until, at);
  const found: (Omit<MailAhead, "title"> & { readonly title: () => string | null })[] = [];
  let looked = 0;
  const reachable = yield* index.within({ from: now, until });
  for (const reminders of reachable.items) {
    looked += 1;
    if (looked % itemsPerStep === 0) yield;
    for (const reminder of reminders) {
      for (const person of reminder.people) {
        const reader = readers.get(person);
        const window = reader?.wants(reminder.kind) ? windowOf(reminder, reader.zone) : null;
        if (!window || !isAhead(window.dueAt)) continue;
        const title = () => store.view.get(reminder.item)?.item.title ?? null;
        found.push({ person, kind: reminder.kind, dueAt: window.dueAt, title });
      }
    }
  }
  for (const { person, zone, wants } of digest ? readers.values() : []) {
    if (!digest || !wants("digest")) continue;
    const { nextAt } = digestTurn(digest, { zone, now, rules });
    if (isAhead(nextAt)) {
      found.push({ person: person.id, kind: "digest", dueAt: nextAt, title: () => null });
    }
  }
  return found
    .toSorted((a, b) => Temporal.Instant.compare(a.dueAt, b.dueAt))
    .slice(0, most)
    .map((mail) => ({ ...mail, title: mail.title() }));
}

const itemsPerStep = 50;
