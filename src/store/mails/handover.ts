import { instantText } from "../rows/item-rows.ts";
import { type HandoverRow, handoverRow } from "../rows/mail-rows.ts";
import type { StoreDeps } from "../steady-database.ts";

/** The longest time for which a mail is put off. */
export const longestPause: Temporal.Duration = Temporal.Duration.from({ minutes: 60 });

/** Whether a mail that was put off may be tried again. A time further ahead was written by a clock that has been set right since. */
export const isDueAgain = (notBefore: Temporal.Instant, now: Temporal.Instant): boolean =>
  Temporal.Instant.compare(notBefore, now) <= 0 ||
  Temporal.Instant.compare(notBefore, farthest(now)) > 0;

/** Mails of one kind on their way out: a row is claimed before the mail leaves, so a crash repeats it with the same Message-ID at most. */
export interface Handover<Key> {
  /**
   * Takes the mail for sending: true when it is new, deferred and due again, or was dropped or left claimed by a crash. One
   * that was begun before keeps its Message-ID.
   */
  claim(key: Key, mail: { readonly messageId: string; readonly address: string }): boolean;
  sent(key: Key): void;
  rejected(key: Key, refusal: { readonly problem: string; readonly code: number | null }): void;
  deferred(
    key: Key,
    again: {
      readonly notBefore: Temporal.Instant;
      readonly problem: string;
      /** What the server said; null or left out where there was no server to say anything. */
      readonly code?: number | null;
    },
  ): void;
  /** The server takes mails again: what was put off only because there was none may go at once. */
  reached(): void;
  /** What was put off may go at once, whatever for: what sends it logs in otherwise now. */
  retryDeferred(): void;
  get(key: Key): HandoverRow | null;
}

/** `columns`: the column of each part of the key, which together are the table's primary key. */
export function createHandover<Key extends object>(
  { db, clock }: StoreDeps,
  {
    table,
    columns,
  }: { readonly table: string; readonly columns: Readonly<Record<keyof Key & string, string>> },
): Handover<Key> {
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
    end: Pick<HandoverRow, "state"> & Partial<Pick<HandoverRow, "problem" | "code" | "notBefore">>,
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
      return row === undefined ? null : handoverRow(row);
    },
  };
}

/** Attempts are put off in whole seconds, which may be up to one more. */
const farthest = (now: Temporal.Instant): Temporal.Instant =>
  now.add(longestPause).add({ seconds: 1 });
