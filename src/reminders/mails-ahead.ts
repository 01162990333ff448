import type { ItemKey, PersonId } from "../domain/ids.ts";
import type { MailKind } from "../domain/mail-kind.ts";
import { digestTurn } from "./digest.ts";
import type { MailFinderDeps } from "./find-mails.ts";
import { isBefore } from "./plan-mails.ts";
import { readersOf } from "./recipients.ts";

/** A mail that will be sent unless something changes. */
export interface MailAhead {
  readonly person: PersonId;
  readonly kind: MailKind;
  /** Its item; null if it is about several, or the item is gone. */
  readonly item: { readonly key: ItemKey; readonly title: string } | null;
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
  const found: (Omit<MailAhead, "item"> & { readonly about: ItemKey | null })[] = [];
  let looked = 0;
  const reachable = yield* index.within({ from: now, until });
  for (const reminders of reachable.items) {
    looked += 1;
    if (looked % itemsPerStep === 0) yield;
    for (const reminder of reminders) {
      for (const person of reminder.people) {
        const reader = readers.get(person);
        const window = reader?.wants(reminder.kind) ? windowOf(reminder, reader) : null;
        if (!window || !isAhead(window.dueAt)) continue;
        found.push({ person, kind: reminder.kind, dueAt: window.dueAt, about: reminder.item });
      }
    }
  }
  for (const reader of digest ? readers.values() : []) {
    if (!digest || !reader.wants("digest")) continue;
    const { nextAt } = digestTurn(digest, { reader, now, rules });
    if (isAhead(nextAt)) {
      found.push({ person: reader.person.id, kind: "digest", dueAt: nextAt, about: null });
    }
  }
  return found
    .toSorted((a, b) => Temporal.Instant.compare(a.dueAt, b.dueAt))
    .slice(0, most)
    .map(({ about, ...mail }) => {
      const seen = about === null ? null : store.view.get(about);
      return { ...mail, item: seen && { key: seen.key, title: seen.item.title } };
    });
}

const itemsPerStep = 50;
