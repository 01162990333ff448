import type { Edit } from "../../domain/edit.ts";
import type { EditId, PersonId } from "../../domain/ids.ts";
import { editRow } from "../rows/edit-rows.ts";
import { instantOf, instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import {
  type MailKey,
  type OpenMail,
  openMailRow,
  type RecentMail,
  type Refusal,
  recentMailRow,
  refusalRow,
} from "../rows/mail-rows.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSendQueue, type SendQueue } from "./send-queue.ts";

export {
  type MailKey,
  type MailSort,
  noItem,
  type OpenMail,
  type RecentMail,
  type Refusal,
} from "../rows/mail-rows.ts";

/** State of all mails. */
export interface MailState {
  readonly sent: number;
  readonly deferred: number;
  /** Rejected, or given up. */
  readonly rejected: number;
  /** The latest error of deferred mails, and of mails rejected within a week. */
  readonly problem: string | null;
  /** Of the last 30 days, one per person, address and reason, newest first. */
  readonly refusals: readonly Refusal[];
}

/** Reminders and digests sent one way (mail or webhook). */
export interface ReminderLedger extends SendQueue<MailKey> {
  /** Claimed or deferred ones. */
  unsettled(): readonly OpenMail[];
  /** It is not to be sent for now. If it becomes due after all, it is sent with the same Message-ID. */
  drop(key: MailKey): void;
  /** Skips a digest without contents for its day. */
  leaveEmpty(key: MailKey, messageId: string): void;
  /** When a person's last digest before this day was made; null if none. */
  lastDigestAt(person: PersonId, day: Temporal.PlainDate): Temporal.Instant | null;
  /** When mails since a moment were started, without future ones, oldest first. */
  begunSince(at: Temporal.Instant): readonly Temporal.Instant[];
  /** When this installation had first read the whole workspace; null = not yet. */
  openedAt(): Temporal.Instant | null;
  opened(): void;
}

/** Mails to people, and the state of mail as a whole. */
export interface Ledger extends ReminderLedger {
  state(): MailState;
  /** Set if mail as a whole fails: the last attempt was deferred. Null if it works. */
  failing(): { readonly waiting: number; readonly problem: string } | null;
  /** Like `refusals` of the state, since a moment. */
  refusedSince(at: Temporal.Instant): readonly Refusal[];
  /** Mails that were started, newest first. */
  recent(most: number): readonly RecentMail[];
}

/** A notice waits only while its edit is parked. */
const every = `(SELECT state, problem, settled_at FROM mails UNION ALL
  SELECT n.state, n.problem, n.settled_at FROM notices n JOIN edits e ON e.id = n.edit
  WHERE n.state <> 'deferred' OR (e.state = 'parked' AND e.updated_at = n.parked_at)
  UNION ALL SELECT state, problem, settled_at FROM login_mails
  UNION ALL SELECT state, problem, settled_at FROM operator_messages WHERE way >= 'mail:' AND way < 'mail;')`;

/** The tables of one way. */
interface WayTables {
  readonly mails: "mails" | "webhook_mails";
  /** Tables that count against the rate limit. */
  readonly paced: readonly string[];
}

const byMail: WayTables = { mails: "mails", paced: ["notices", "login_mails"] };
const byWebhook: WayTables = { mails: "webhook_mails", paced: ["webhook_notices"] };

/** Messages to people by webhook. */
export const createWebhookLedger = (deps: StoreDeps): ReminderLedger =>
  createReminderLedger(deps, byWebhook);

function createReminderLedger(deps: StoreDeps, { mails, paced }: WayTables): ReminderLedger {
  const { db, clock } = deps;
  const open = db.prepare(`SELECT * FROM ${mails} WHERE state IN ('claimed', 'deferred')`);
  const drop = db.prepare(
    `UPDATE ${mails} SET state = 'dropped', settled_at = @now WHERE kind = @kind AND item = @item AND occurrence = @occurrence
       AND lead = @lead AND person = @person AND state IN ('claimed', 'deferred')`,
  );
  const leave = db.prepare(
    `INSERT INTO ${mails} (kind, item, occurrence, lead, person, state, message_id, claimed_at, settled_at)
     VALUES (@kind, @item, @occurrence, @lead, @person, 'empty', @messageId, @now, @now)
     ON CONFLICT DO UPDATE SET state = 'empty', settled_at = @now WHERE state NOT IN ('sent', 'rejected')`,
  );
  const lastDigest = db.prepare(
    `SELECT claimed_at FROM ${mails} WHERE kind = 'digest' AND person = ? AND occurrence < ? AND state IN ('sent', 'empty')
     ORDER BY occurrence DESC LIMIT 1`,
  );
  const others = paced.map(
    (table) =>
      `UNION ALL SELECT message_id, claimed_at FROM ${table} WHERE claimed_at > @since AND claimed_at <= @now`,
  );
  const begun = db.prepare(
    `SELECT max(claimed_at) AS at FROM (
       SELECT message_id, claimed_at FROM ${mails} WHERE claimed_at > @since AND claimed_at <= @now AND state <> 'empty'
       ${others.join(" ")})
     GROUP BY message_id ORDER BY at`,
  );
  const opening = db.prepare("SELECT opened_at FROM mail_opening");
  const setOpening = db.prepare(
    "INSERT OR IGNORE INTO mail_opening (one, opened_at) VALUES (1, ?)",
  );
  const stamp = () => instantText(clock());
  return {
    ...createSendQueue<MailKey>(deps, {
      table: mails,
      columns: {
        kind: "kind",
        item: "item",
        occurrence: "occurrence",
        lead: "lead",
        person: "person",
      },
    }),
    unsettled: () => open.all().map(openMailRow),
    drop: (key) => void drop.run({ ...key, now: stamp() }),
    leaveEmpty: (key, messageId) => void leave.run({ ...key, messageId, now: stamp() }),
    lastDigestAt: (person, day) =>
      instantOf(textColumn(lastDigest.get(person, day.toString()), "claimed_at")),
    begunSince: (at) =>
      begun
        .all({ since: instantText(at), now: stamp() })
        .flatMap((row) => instantOf(textColumn(row, "at")) ?? []),
    openedAt: () => instantOf(textColumn(opening.get(), "opened_at")),
    opened: () => void setOpening.run(stamp()),
  };
}

export function createLedger(deps: StoreDeps): Ledger {
  const { db } = deps;
  const recent = db.prepare(
    `SELECT sort, item, edit, person, address, state, problem, at FROM (
       SELECT kind AS sort, nullif(item, 0) AS item, NULL AS edit, person, address, state, problem, coalesce(settled_at, claimed_at) AS at
         FROM mails WHERE state NOT IN ('empty', 'dropped')
       UNION ALL SELECT 'notice', NULL, n.edit, e.actor, n.address, n.state, n.problem, coalesce(n.settled_at, n.claimed_at)
         FROM notices n JOIN edits e ON e.id = n.edit
       UNION ALL SELECT 'log-in', NULL, NULL, l.person, m.address, m.state, m.problem, coalesce(m.settled_at, m.claimed_at)
         FROM login_mails m JOIN login_links l ON l.id = m.link)
     ORDER BY at DESC LIMIT ?`,
  );
  return {
    ...createReminderLedger(deps, byMail),
    ...createMailState(deps),
    recent: (most) => recent.all(most).map(recentMailRow),
  };
}

const problemsFor = Temporal.Duration.from({ hours: 24 * 7 });
const refusalsFor = Temporal.Duration.from({ hours: 24 * 30 });

function createMailState({
  db,
  clock,
}: StoreDeps): Pick<Ledger, "state" | "failing" | "refusedSince"> {
  const counting = db.prepare(
    `SELECT count(*) FILTER (WHERE state = 'sent') AS sent, count(*) FILTER (WHERE state = 'deferred') AS deferred,
       count(*) FILTER (WHERE state = 'rejected') AS rejected FROM ${every}`,
  );
  const newestProblem = db.prepare(
    `SELECT problem FROM ${every} WHERE problem IS NOT NULL
       AND (state = 'deferred' OR (state = 'rejected' AND settled_at > ?)) ORDER BY settled_at DESC LIMIT 1`,
  );
  const refused = db.prepare(
    `SELECT person, address, code, problem, count(*) AS mails, max(settled_at) AS at FROM (
       SELECT person, address, code, problem, settled_at FROM mails WHERE state = 'rejected' AND settled_at > @since
       UNION ALL SELECT e.actor, n.address, n.code, n.problem, n.settled_at FROM notices n JOIN edits e ON e.id = n.edit
         WHERE n.state = 'rejected' AND n.settled_at > @since
       UNION ALL SELECT l.person, m.address, m.code, m.problem, m.settled_at FROM login_mails m JOIN login_links l ON l.id = m.link
         WHERE m.state = 'rejected' AND m.settled_at > @since)
     GROUP BY person, address, problem ORDER BY at DESC LIMIT 50`,
  );
  const waiting = db.prepare(`SELECT count(*) AS waiting FROM ${every} WHERE state = 'deferred'`);
  const last = db.prepare(
    `SELECT state, problem FROM ${every} WHERE settled_at IS NOT NULL AND state IN ('sent', 'deferred', 'rejected')
     ORDER BY settled_at DESC, state LIMIT 1`,
  );
  const refusedSince = (at: Temporal.Instant) =>
    refused.all({ since: instantText(at) }).map(refusalRow);
  const state = (): MailState => {
    const counted = counting.get();
    const of = (state: string) => numberColumn(counted, state);
    const since = (length: Temporal.Duration) => instantText(clock().subtract(length));
    return {
      sent: of("sent"),
      deferred: of("deferred"),
      rejected: of("rejected"),
      problem: textColumn(newestProblem.get(since(problemsFor)), "problem"),
      refusals: refusedSince(clock().subtract(refusalsFor)),
    };
  };
  return {
    state,
    refusedSince,
    failing() {
      const count = numberColumn(waiting.get(), "waiting");
      if (count === 0) return null;
      const newest = last.get();
      if (textColumn(newest, "state") !== "deferred") return null;
      return { waiting: count, problem: textColumn(newest, "problem") ?? "it is not taken" };
    },
  };
}

/** One parking of one edit. A retried edit may be parked again. */
export interface NoticeKey {
  readonly edit: EditId;
  /** When it was parked, as text. */
  readonly parkedAt: string;
}

/** Notices to editors that their edit is parked. */
export interface Notices extends SendQueue<NoticeKey> {
  /** Parked edits of known editors without a notice, oldest first. */
  open(): readonly Edit[];
}

/** The key for an edit that is parked now. */
export const noticeKey = ({ id, updatedAt }: Edit): NoticeKey => ({
  edit: id,
  parkedAt: instantText(updatedAt),
});

/** `table`: of mails, or of webhook messages. */
export function createNotices(
  deps: StoreDeps,
  table: "notices" | "webhook_notices" = "notices",
): Notices {
  const unsent = deps.db.prepare(
    `SELECT e.* FROM journal e LEFT JOIN ${table} n ON n.edit = e.id AND n.parked_at = e.updated_at
     WHERE e.state = 'parked' AND e.actor IS NOT NULL AND (n.state IS NULL OR n.state IN ('claimed', 'deferred'))
     ORDER BY e.id`,
  );
  return {
    ...createSendQueue<NoticeKey>(deps, {
      table,
      columns: { edit: "edit", parkedAt: "parked_at" },
    }),
    open: () => unsent.all().map((row) => editRow(row, deps.zone)),
  };
}
