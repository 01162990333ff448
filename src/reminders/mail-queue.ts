import { fingerprint } from "../domain/fingerprint.ts";
import type { PersonId } from "../domain/ids.ts";

import type { MailKey } from "../store/mails/ledger.ts";
import { type DueMail, isBefore } from "./plan-mails.ts";
import { punctual } from "./reminder-words.ts";

/** One mail that is to go out: of one thing, or of several. */
export interface Post {
  readonly person: PersonId;
  readonly messageId: string;
  readonly mails: readonly DueMail[];
}

/** Something that is due, and the Message-ID under which it was begun already; null = it is new. */
export interface Ready {
  readonly mail: DueMail;
  readonly begunAs: string | null;
}

/** More missed things than this are told in one mail. */
const mostApart = 5;

/**
 * Puts what is due into mails, the one that fell due first in front. What one person has missed, as the daemon did not run
 * or mails wait for their turn, is one mail when it is much. What was begun goes out again as it was begun.
 */
export function foldMails(
  ready: readonly Ready[],
  {
    now,
    messageIdOf,
  }: { readonly now: Temporal.Instant; readonly messageIdOf: (key: MailKey) => string },
): readonly Post[] {
  const begun = Map.groupBy(
    ready.filter(({ begunAs }) => begunAs !== null),
    ({ mail, begunAs }) => `${mail.key.person} ${begunAs}`,
  );
  const fresh = Map.groupBy(
    ready.filter(({ begunAs }) => begunAs === null),
    ({ mail }) => mail.key.person,
  );
  const posts = [
    ...[...begun.values()].flatMap((same) =>
      postOf(
        same.map(({ mail }) => mail),
        same[0]?.begunAs,
      ),
    ),
    ...[...fresh.values()].flatMap((own) => {
      const mails = own.map(({ mail }) => mail);
      const missed = mails.filter(({ dueAt }) => isBefore(dueAt.add(punctual), now));
      const folded = missed.length > mostApart ? missed : [];
      const apart = mails.filter((mail) => !folded.includes(mail));
      return [
        ...postOf(folded, foldId(folded, messageIdOf)),
        ...apart.flatMap((mail) => postOf([mail], messageIdOf(mail.key))),
      ];
    }),
  ];
  return posts.toSorted((a, b) => Temporal.Instant.compare(dueOf(a), dueOf(b)));
}

function postOf(mails: readonly DueMail[], messageId: string | null | undefined): readonly Post[] {
  const [first] = mails;
  return first && messageId ? [{ person: first.key.person, messageId, mails }] : [];
}

/** The same for the same things, whenever they are put together. */
function foldId(mails: readonly DueMail[], messageIdOf: (key: MailKey) => string): string | null {
  const ids = mails.map(({ key }) => messageIdOf(key)).toSorted();
  const [first] = ids;
  return first === undefined ? null : first.replace(/^<[^@]*/, `<${fingerprint(ids.join(" "))}`);
}

function dueOf({ mails: [first] }: Post): Temporal.Instant {
  return first?.dueAt ?? Temporal.Instant.fromEpochMilliseconds(0);
}

/**
 * The Message-ID of a mail that tells one thing: the same for the same thing, also after a restart, and not to be guessed
 * from outside. `uid` is that of the item, "" where there is none.
 */
export function messageIdOf(
  { kind, occurrence, lead, person }: MailKey,
  { uid, installation }: { readonly uid: string; readonly installation: string },
): string {
  // Events' own reminders were there first, and are named without their kind.
  const sort = kind === "reminder" ? [] : [kind];
  const parts = [installation, ...sort, uid, occurrence, lead, person];
  return `<${fingerprint(JSON.stringify(parts))}@${installation}>`;
}
