import { instantText } from "../rows/item-rows.ts";
import { type SendQueueRow, sendQueueRow } from "../rows/mail-rows.ts";
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

/** `columns`: the column of each part of the key, together the table's primary key. */
export function createSendQueue<Key extends object>(
  { db, clock }: StoreDeps,
  {
    table,
    columns,
  }: { readonly table: string; readonly columns: Readonly<Record<keyof Key & string, string>> },
): SendQueue<Key> {
  const parts: readonly (readonly [string, string])[] = Object.entries<string>(columns);
  const where = parts.map(([part, column]) => `${column} = @${part}`).join(" AND ");
  const claim = db.prepare(
    `INSERT INTO ${table} (${parts.map(([, column]) => column).join(", ")}, state, message_id, address, attempts, claimed_at)
     VALUES (${parts.map(([part]) => `@${part}`).join(", ")}, 'claimed', @messageId, @address, 1, @now)
     ON CONFLICT DO UPDATE SET state = 'claimed', attempts = attempts + 1, claimed_at = @now, address = @address
       WHERE state IN ('claimed', 'dropped') OR (state = 'deferred' AND (not_before <= @now OR not_before > @farthest))`,
  );
  const settle = db.prepare(
    `UPDATE ${table} SET state = @state, problem = @problem, code = @code, not_before = @notBefore, settled_at = @now
     WHERE ${where}`,
  );
  const wake = db.prepare(
    `UPDATE ${table} SET not_before = @now WHERE state = 'deferred' AND code IS NULL AND not_before > @now`,
  );
  const wakeAll = db.prepare(
    `UPDATE ${table} SET not_before = @now WHERE state = 'deferred' AND not_before > @now`,
  );
  const byKey = db.prepare(`SELECT * FROM ${table} WHERE ${where}`);
  const now = () => instantText(clock());
  const finish = (
    key: Key,
    end: Pick<SendQueueRow, "state"> &
      Partial<Pick<SendQueueRow, "problem" | "code" | "notBefore">>,
  ) => {
    const { state, problem = null, code = null, notBefore = null } = end;
    const until = notBefore && instantText(notBefore);
    settle.run({ ...key, state, problem, code, notBefore: until, now: now() });
  };

  return {
    claim(key, mail) {
      const at = { now: now(), farthest: instantText(farthest(clock())) };
      return claim.run({ ...key, ...mail, ...at }).changes > 0;
    },
    sent: (key) => finish(key, { state: "sent" }),
    rejected: (key, refusal) => finish(key, { state: "rejected", ...refusal }),
    deferred: (key, again) => finish(key, { state: "deferred", ...again }),
    retryDeferred: () => void wakeAll.run({ now: now() }),
    reached: () => void wake.run({ now: now() }),
    get(key) {
      const row = byKey.get(key);
      return row === undefined ? null : sendQueueRow(row);
    },
  };
}

/** Deferrals are in whole seconds, so one more is allowed. */
const farthest = (now: Temporal.Instant): Temporal.Instant =>
  now.add(longestPause).add({ seconds: 1 });
