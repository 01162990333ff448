import type { ItemKey, PersonId } from "../domain/ids.ts";
import type { StoreDeps } from "./changes.ts";
import { instantText, numberColumn, textColumn } from "./rows.ts";
import { type MailRow, mailRow } from "./rows-mails.ts";

/** What makes a reminder one and the same: its item, the start it reminds of, the time before it, and the person. */
export interface MailKey {
  readonly item: ItemKey;
  /** The start, as an instant's text. */
  readonly occurrence: string;
  /** ISO 8601 duration before the start. */
  readonly lead: string;
  readonly person: PersonId;
}

/** Which mails were handed over: a row is claimed before the mail leaves, so a crash repeats it with the same Message-ID at most. */
export interface Ledger {
  /** Takes the mail for sending: true when it is new, deferred and due again, or was left claimed by a crash. */
  claim(key: MailKey, messageId: string): boolean;
  sent(key: MailKey): void;
  rejected(key: MailKey, problem: string): void;
  deferred(
    key: MailKey,
    again: { readonly notBefore: Temporal.Instant; readonly problem: string },
  ): void;
  get(key: MailKey): MailRow | null;
  /** How many are deferred, were rejected, were sent; the newest problem. */
  state(): {
    readonly sent: number;
    readonly deferred: number;
    readonly rejected: number;
    readonly problem: string | null;
  };
}

export function createLedger({ db, clock }: StoreDeps): Ledger {
  const where = "item = @item AND occurrence = @occurrence AND lead = @lead AND person = @person";
  const claim = db.prepare(
    `INSERT INTO mails (item, occurrence, lead, person, state, message_id, attempts, claimed_at)
     VALUES (@item, @occurrence, @lead, @person, 'claimed', @messageId, 1, @now)
     ON CONFLICT DO UPDATE SET state = 'claimed', attempts = attempts + 1, claimed_at = @now
       WHERE state = 'claimed' OR (state = 'deferred' AND not_before <= @now)`,
  );
  const settle = db.prepare(
    `UPDATE mails SET state = @state, problem = @problem, not_before = @notBefore, settled_at = @now WHERE ${where}`,
  );
  const byKey = db.prepare(`SELECT * FROM mails WHERE ${where}`);
  const tally = db.prepare(
    `SELECT count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE state = 'deferred') AS deferred,
       count(*) FILTER (WHERE state = 'rejected') AS rejected FROM mails`,
  );
  const newestProblem = db.prepare(
    "SELECT problem FROM mails WHERE state <> 'sent' AND problem IS NOT NULL ORDER BY settled_at DESC LIMIT 1",
  );
  const now = () => instantText(clock());
  const finish = (
    key: MailKey,
    state: MailRow["state"],
    problem: string | null,
    notBefore: string | null,
  ) => void settle.run({ ...key, state, problem, notBefore, now: now() });

  return {
    claim: (key, messageId) => claim.run({ ...key, messageId, now: now() }).changes > 0,
    sent: (key) => finish(key, "sent", null, null),
    rejected: (key, problem) => finish(key, "rejected", problem, null),
    deferred: (key, { notBefore, problem }) =>
      finish(key, "deferred", problem, instantText(notBefore)),
    get(key) {
      const row = byKey.get(key);
      return row === undefined ? null : mailRow(row);
    },
    state() {
      const counted = tally.get();
      const of = (state: string) => numberColumn(counted, state);
      const problem = textColumn(newestProblem.get(), "problem");
      return { sent: of("sent"), deferred: of("deferred"), rejected: of("rejected"), problem };
    },
  };
}
