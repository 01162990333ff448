import { instantText } from "../rows/item-rows.ts";
import { isOfKinds, type MailSort, type SendQueueRow, sendQueueRow } from "../rows/mail-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** The longest time a mail is deferred. */
export const longestPause: Temporal.Duration = Temporal.Duration.from({ minutes: 60 });

/** True if a deferred mail may be retried. A time further ahead was written by a clock that has been set back since. */
export const isDueAgain = (notBefore: Temporal.Instant, now: Temporal.Instant): boolean =>
  Temporal.Instant.compare(notBefore, now) <= 0 ||
  Temporal.Instant.compare(notBefore, farthest(now)) > 0;

/**
 * Outgoing mails of one kind. A row is claimed before the mail is sent, so that a crash at most repeats it with the same
 * Message-ID.
 */
export interface SendQueue<Key> {
  /**
   * Claims a mail for sending: true if it is new, deferred and due again, dropped, or left claimed by a crash. A mail that was
   * started before keeps its Message-ID.
   */
  claim(key: Key, mail: { readonly messageId: string; readonly address: string }): boolean;
  sent(key: Key): void;
  rejected(key: Key, refusal: { readonly problem: string; readonly code: number | null }): void;
  deferred(
    key: Key,
    again: {
      readonly notBefore: Temporal.Instant;
      readonly problem: string;
      /** The server's reply code; null or absent if there was none. */
      readonly code?: number | null;
    },
  ): void;
  /** The server is reachable again: mails deferred for that alone are due now. */
  reached(): void;
  /** All deferred mails are due now, as the sender's credentials have changed. */
  retryDeferred(): void;
  get(key: Key): SendQueueRow | null;
}

/** What identifies a message: the key of the table `outbox`. */
export interface OutboxKey {
  /** `mail`, `webhook`, `push`, or a way to the operator. */
  readonly way: string;
  readonly kind: MailSort | "notice" | "log-in" | "trouble" | "push" | "invitation" | "event";
  /** The item, edit, link or trouble that it is about. */
  readonly subject: number;
  readonly occasion: string;
  readonly lead: string;
  /** Who gets it; 0 for the operator. */
  readonly person: number;
}

/** SQL that selects the messages of a queue in the table `outbox`. */
export const ofPeople = (way: "mail" | "webhook", kinds: readonly OutboxKey["kind"][]): string =>
  `way = '${way}' AND ${isOfKinds(kinds)}`;

/** `keyOf`: the row of a key. `scope`: SQL that selects all messages of the queue. */
export function createSendQueue<Key>(
  { db, clock }: StoreDeps,
  { keyOf, scope }: { readonly keyOf: (key: Key) => OutboxKey; readonly scope: string },
): SendQueue<Key> {
  const where =
    "way = @way AND kind = @kind AND subject = @subject AND occasion = @occasion AND lead = @lead AND person = @person";
  const claim = db.prepare(
    `INSERT INTO outbox (way, kind, subject, occasion, lead, person, state, message_id, address, attempts, claimed_at)
     VALUES (@way, @kind, @subject, @occasion, @lead, @person, 'claimed', @messageId, @address, 1, @now)
     ON CONFLICT DO UPDATE SET state = 'claimed', attempts = attempts + 1, claimed_at = @now, address = @address
       WHERE state IN ('claimed', 'dropped') OR (state = 'deferred' AND (not_before <= @now OR not_before > @farthest))`,
  );
  const settle = db.prepare(
    `UPDATE outbox SET state = @state, problem = @problem, code = @code, not_before = @notBefore, settled_at = @now
     WHERE ${where}`,
  );
  const wake = db.prepare(
    `UPDATE outbox SET not_before = @now WHERE ${scope} AND state = 'deferred' AND code IS NULL AND not_before > @now`,
  );
  const wakeAll = db.prepare(
    `UPDATE outbox SET not_before = @now WHERE ${scope} AND state = 'deferred' AND not_before > @now`,
  );
  const byKey = db.rows(`SELECT * FROM outbox WHERE ${where}`, sendQueueRow);
  const now = () => instantText(clock());
  const finish = (
    key: Key,
    end: Pick<SendQueueRow, "state"> &
      Partial<Pick<SendQueueRow, "problem" | "code" | "notBefore">>,
  ) => {
    const { state, problem = null, code = null, notBefore = null } = end;
    const until = notBefore && instantText(notBefore);
    settle.run({ ...keyOf(key), state, problem, code, notBefore: until, now: now() });
  };

  return {
    claim(key, mail) {
      const at = { now: now(), farthest: instantText(farthest(clock())) };
      return claim.run({ ...keyOf(key), ...mail, ...at }).changes > 0;
    },
    sent: (key) => finish(key, { state: "sent" }),
    rejected: (key, refusal) => finish(key, { state: "rejected", ...refusal }),
    deferred: (key, again) => finish(key, { state: "deferred", ...again }),
    retryDeferred: () => void wakeAll.run({ now: now() }),
    reached: () => void wake.run({ now: now() }),
    get(key) {
      return byKey.find(keyOf(key));
    },
  };
}

/** Deferrals are in whole seconds, so one more is allowed. */
const farthest = (now: Temporal.Instant): Temporal.Instant =>
  now.add(longestPause).add({ seconds: 1 });
