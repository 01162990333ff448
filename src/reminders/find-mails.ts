import { earlier } from "../domain/backoff.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import type { PersonId } from "../domain/ids.ts";
import { type MailKey, noItem } from "../store/mails/ledger.ts";
import { isDueAgain } from "../store/mails/send-queue.ts";
import type { SendQueueRow } from "../store/rows/mail-rows.ts";
import { type DueDigest, digestKey } from "./deliver-digest.ts";
import {
  type DeliverMailDeps,
  messageIdOf,
  type PlannedMail,
  rereadTopic,
} from "./deliver-reminders.ts";
import { type DigestRule, digestTurn } from "./digest.ts";
import { type DueMail, isBefore, isInMailWindow, planMails } from "./plan-mails.ts";
import { type Recipient, readersOf } from "./recipients.ts";
import type { ReminderIndex } from "./reminder-index.ts";
import { punctual } from "./reminder-words.ts";

/** One mail to create. */
export type MailTask =
  | { readonly kind: "reminders"; readonly dueAt: Temporal.Instant; readonly mail: PlannedMail }
  | { readonly kind: "digest"; readonly dueAt: Temporal.Instant; readonly digest: DueDigest };

/** What is to be sent now. */
export interface MailFinder {
  /** Earliest due first. */
  readonly tasks: readonly MailTask[];
  /** Nothing else is due before this; null if nothing is planned. */
  readonly nextAt: Temporal.Instant | null;
  /** True if a mail that was started is still wanted, now or later. */
  readonly isPlanned: (key: MailKey) => boolean;
}

export interface MailFinderDeps extends DeliverMailDeps {
  readonly index: ReminderIndex;
  /** null for no digests. */
  readonly digest: DigestRule | null;
}

/** Finds everything that is due, in steps, without what is settled or waiting for a retry. Reads only. */
export function* findMails(deps: MailFinderDeps): Generator<void, MailFinder> {
  const { store, index, windowOf, clock } = deps;
  const now = clock();
  const readers = readersOf(deps);
  const reachable = yield* index.within({ from: now, until: now });
  const plan = yield* planMails(reachable.items, { readers, now, windowOf });
  const digests = planDigests(readers.values(), deps, now);
  const planned = new Set([
    ...plan.due.map(({ key }) => nameOf(key)),
    ...digests.due.map((digest) => nameOf(digestKey(digest))),
  ]);
  let nextAt = earlier(earlier(plan.nextAt, reachable.nextAt), digests.nextAt);
  /** null if it is not to be sent now. */
  const begun = (key: MailKey): { readonly as: string | null } | null => {
    const readiness = readinessOf(store.ledger.get(key), now);
    if (readiness.kind === "waits") nextAt = earlier(nextAt, readiness.until);
    return readiness.kind === "free" ? { as: readiness.begunAs } : null;
  };

  const ready = plan.due.flatMap((mail): readonly Ready[] => {
    const found = begun(mail.key);
    const reader = readers.get(mail.key.person) ?? null;
    return found && rereadTopic(mail, reader, deps) ? [{ mail, begunAs: found.as }] : [];
  });
  const mails = combineMails(ready, { now, messageIdOf: (key) => ownId(key, deps) });
  const tasks: readonly MailTask[] = [
    ...mails.map((mail): MailTask => ({ kind: "reminders", dueAt: dueOf(mail), mail })),
    ...digests.due.flatMap((digest): readonly MailTask[] =>
      begun(digestKey(digest)) ? [{ kind: "digest", dueAt: digest.turn.dueAt, digest }] : [],
    ),
  ];
  return {
    tasks: tasks.toSorted((a, b) => Temporal.Instant.compare(a.dueAt, b.dueAt)),
    nextAt,
    isPlanned: (key) => planned.has(nameOf(key)),
  };
}

function planDigests(
  readers: Iterable<Recipient>,
  deps: MailFinderDeps,
  now: Temporal.Instant,
): { readonly due: readonly DueDigest[]; readonly nextAt: Temporal.Instant | null } {
  const { digest, rules, extended } = deps;
  const due: DueDigest[] = [];
  let nextAt: Temporal.Instant | null = null;
  if (!digest) return { due, nextAt };
  for (const reader of readers) {
    const { person, since, wants } = reader;
    if (!wants("digest")) continue;
    const found = digestTurn(digest, { reader, now, rules });
    const turn = extended(found.turn);
    nextAt = earlier(nextAt, found.nextAt);
    // Digests from before the installation are not sent.
    const { installedAt, restoredAt } = rules;
    if (isBefore(turn.dueAt, since ?? installedAt) || !isInMailWindow(turn, now)) continue;
    // It is unknown whether it was sent before the restore.
    if (restoredAt && isBefore(turn.dueAt, restoredAt)) continue;
    due.push({ person: person.id, turn });
  }
  return { due, nextAt };
}

/** State of a due reminder or digest. */
type Readiness =
  | { readonly kind: "free"; readonly begunAs: string | null }
  | { readonly kind: "settled" }
  | { readonly kind: "waits"; readonly until: Temporal.Instant };

function readinessOf(row: SendQueueRow | null, now: Temporal.Instant): Readiness {
  if (row?.state === "sent" || row?.state === "rejected" || row?.state === "empty") {
    return { kind: "settled" };
  }
  const until = row?.state === "deferred" ? row.notBefore : null;
  if (until && !isDueAgain(until, now)) return { kind: "waits", until };
  return { kind: "free", begunAs: row?.messageId ?? null };
}

/** Something due, with its Message-ID if it was started; null if it is new. */
interface Ready {
  readonly mail: DueMail;
  readonly begunAs: string | null;
}

/** More missed reminders than this are combined into one mail. */
const mostApart = 5;

/**
 * Groups due reminders into mails, earliest due first. If a person has missed many, because the daemon was down or mails were
 * delayed, they are combined into one mail. A mail that was started is resent with the same content.
 */
function combineMails(
  ready: readonly Ready[],
  {
    now,
    messageIdOf,
  }: { readonly now: Temporal.Instant; readonly messageIdOf: (key: MailKey) => string },
): readonly PlannedMail[] {
  const begun = Map.groupBy(
    ready.filter(({ begunAs }) => begunAs !== null),
    ({ mail, begunAs }) => `${mail.key.person} ${begunAs}`,
  );
  const fresh = Map.groupBy(
    ready.filter(({ begunAs }) => begunAs === null),
    ({ mail }) => mail.key.person,
  );
  const planned = [
    ...[...begun.values()].flatMap((same) =>
      mailOf(
        same.map(({ mail }) => mail),
        same[0]?.begunAs,
      ),
    ),
    ...[...fresh.values()].flatMap((own) => {
      const mails = own.map(({ mail }) => mail);
      const missed = mails.filter(({ dueAt }) => isBefore(dueAt.add(punctual), now));
      const combined = missed.length > mostApart ? missed : [];
      const apart = mails.filter((mail) => !combined.includes(mail));
      return [
        ...mailOf(combined, combinedId(combined, messageIdOf)),
        ...apart.flatMap((mail) => mailOf([mail], messageIdOf(mail.key))),
      ];
    }),
  ];
  return planned.toSorted((a, b) => Temporal.Instant.compare(dueOf(a), dueOf(b)));
}

function mailOf(
  mails: readonly DueMail[],
  messageId: string | null | undefined,
): readonly PlannedMail[] {
  const [first] = mails;
  return first && messageId ? [{ person: first.key.person, messageId, mails }] : [];
}

/** The same for the same reminders, whenever they are combined. */
function combinedId(
  mails: readonly DueMail[],
  messageIdOf: (key: MailKey) => string,
): string | null {
  const ids = mails.map(({ key }) => messageIdOf(key)).toSorted();
  const [first] = ids;
  return first === undefined ? null : first.replace(/^<[^@]*/, `<${fingerprint(ids.join(" "))}`);
}

function dueOf({ mails: [first] }: PlannedMail): Temporal.Instant {
  return first?.dueAt ?? Temporal.Instant.fromEpochMilliseconds(0);
}

function ownId(key: MailKey, { store }: MailFinderDeps): string {
  const uid = key.item === noItem ? "" : store.mirror.identity(key.item).uid;
  return messageIdOf(key, { uid, installation: store.meta.installation });
}

const nameOf = ({ kind, item, occurrence, lead, person }: MailKey): string =>
  [kind, item, occurrence, lead, person satisfies PersonId].join(" ");
