import type { PersonId } from "../domain/ids.ts";
import { isDueAgain } from "../store/mails/handover.ts";
import { type MailKey, noItem } from "../store/mails/ledger.ts";
import type { HandoverRow } from "../store/rows/mail-rows.ts";
import { type DueDigest, digestKey } from "./deliver-digest.ts";
import { type DeliverDeps, readAgain } from "./deliver-reminders.ts";
import { type DigestRule, digestTurn } from "./digest.ts";
import { foldMails, messageIdOf, type Post, type Ready } from "./mail-queue.ts";
import { earlier, isBefore, isWithin, planMails, type Reader } from "./plan-mails.ts";
import { readersOf } from "./recipients.ts";
import type { Agenda } from "./reminder.ts";

/** One mail to be made. */
export type Task =
  | { readonly kind: "post"; readonly dueAt: Temporal.Instant; readonly post: Post }
  | { readonly kind: "digest"; readonly dueAt: Temporal.Instant; readonly digest: DueDigest };

/** What is to be sent now. */
export interface MailFinder {
  /** The one that fell due first in front. */
  readonly tasks: readonly Task[];
  /** When something else is to be sent; null = nothing is ahead. */
  readonly nextAt: Temporal.Instant | null;
  /** Whether a mail that was begun is still to be told, now or later. */
  readonly isPlanned: (key: MailKey) => boolean;
}

export interface MailFinderDeps extends DeliverDeps {
  readonly agenda: Agenda;
  /** Null = no digests. */
  readonly digest: DigestRule | null;
}

/** Looks through everything that falls due, and leaves out what is settled, or waits for its next attempt. Reads only. */
export function findMails(deps: MailFinderDeps): MailFinder {
  const { store, agenda, windowOf, clock } = deps;
  const now = clock();
  const readers = readersOf(deps);
  const plan = planMails(agenda.reminders(), { readers, now, windowOf });
  const digests = planDigests(readers.values(), { deps, now });
  const planned = new Set([
    ...plan.due.map(({ key }) => nameOf(key)),
    ...digests.due.map((digest) => nameOf(digestKey(digest))),
  ]);
  let nextAt = earlier(plan.nextAt, digests.nextAt);
  /** Null when it is not to be sent now. */
  const begun = (key: MailKey): { readonly as: string | null } | null => {
    const standing = standingOf(store.ledger.get(key), now);
    if (standing.kind === "waits") nextAt = earlier(nextAt, standing.until);
    return standing.kind === "free" ? { as: standing.begunAs } : null;
  };

  const ready = plan.due.flatMap((mail): readonly Ready[] => {
    const found = begun(mail.key);
    return found && readAgain(mail, deps) ? [{ mail, begunAs: found.as }] : [];
  });
  const posts = foldMails(ready, { now, messageIdOf: (key) => ownId(key, deps) });
  const tasks: readonly Task[] = [
    ...posts.map((post): Task => ({ kind: "post", dueAt: post.mails[0]?.dueAt ?? now, post })),
    ...digests.due.flatMap((digest): readonly Task[] =>
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
  readers: Iterable<Reader>,
  { deps, now }: { readonly deps: MailFinderDeps; readonly now: Temporal.Instant },
): { readonly due: readonly DueDigest[]; readonly nextAt: Temporal.Instant | null } {
  const { digest, rules, stretched } = deps;
  const due: DueDigest[] = [];
  let nextAt: Temporal.Instant | null = null;
  if (!digest) return { due, nextAt };
  for (const { person, zone, wants } of readers) {
    if (!wants("digest")) continue;
    const found = digestTurn(digest, { zone, now, rules });
    const turn = stretched(found.turn);
    nextAt = earlier(nextAt, found.nextAt);
    // What fell due before there was an installation is nobody's digest.
    if (isBefore(turn.dueAt, rules.installedAt) || !isWithin(turn, now)) continue;
    due.push({ person: person.id, turn });
  }
  return { due, nextAt };
}

/** How far something is that falls due. */
type Standing =
  | { readonly kind: "free"; readonly begunAs: string | null }
  | { readonly kind: "settled" }
  | { readonly kind: "waits"; readonly until: Temporal.Instant };

function standingOf(row: HandoverRow | null, now: Temporal.Instant): Standing {
  if (row?.state === "sent" || row?.state === "rejected" || row?.state === "empty") {
    return { kind: "settled" };
  }
  const until = row?.state === "deferred" ? row.notBefore : null;
  if (until && !isDueAgain(until, now)) return { kind: "waits", until };
  return { kind: "free", begunAs: row?.messageId ?? null };
}

function ownId(key: MailKey, { store }: MailFinderDeps): string {
  const uid = key.item === noItem ? "" : store.mirror.identity(key.item).uid;
  return messageIdOf(key, { uid, installation: store.meta.installation });
}

const nameOf = ({ kind, item, occurrence, lead, person }: MailKey): string =>
  [kind, item, occurrence, lead, person satisfies PersonId].join(" ");
