import type { Edit } from "../../domain/edit.ts";
import type { EditId, PersonId } from "../../domain/ids.ts";
import { editRowIn } from "../rows/edit-rows.ts";
import { instantText, numberColumn, textColumn } from "../rows/item-rows.ts";
import {
  type MailKey,
  type OpenMail,
  openMailRow,
  type RecentMail,
  type Refusal,
  recentMailRow,
  refusalRow,
  reminderKinds,
} from "../rows/mail-rows.ts";
import { instantOf } from "../rows/row.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSendQueue, ofPeople, type SendQueue } from "./send-queue.ts";

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
  /** Cancels it for now. If it becomes due again, it is sent with the same Message-ID. */
  drop(key: MailKey): void;
  /** Skips a digest without contents for its day. */
  leaveEmpty(key: MailKey, messageId: string): void;
  /** When a person's last digest before this day was made; null if none. */
  lastDigestAt(person: PersonId, day: Temporal.PlainDate): Temporal.Instant | null;
  /** Start times of mails since a moment, oldest first; none in the future. */
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

/** How people are reached. */
type PersonWay = "mail" | "webhook";

/** Kinds of messages to people, which count together against the rate limit of their way. */
const peopleKinds = [...reminderKinds, "notice", "log-in"] as const;

/** All mails, those to the operator too. A notice waits only while its edit is parked. */
const everyMail = `way >= 'mail' AND way < 'mail;' AND (kind <> 'notice' OR state <> 'deferred' OR EXISTS (
  SELECT 1 FROM edits e WHERE e.id = subject AND e.state = 'parked' AND e.updated_at = occasion))`;

/** Reminders and digests by webhook. */
export const createWebhookLedger = (deps: StoreDeps): ReminderLedger =>
  createReminderLedger(deps, "webhook");

function createReminderLedger(deps: StoreDeps, way: PersonWay): ReminderLedger {
  const { db, clock } = deps;
  const scope = ofPeople(way, reminderKinds);
  const open = db.rows(
    `SELECT * FROM outbox WHERE ${scope} AND state IN ('claimed', 'deferred')`,
    openMailRow,
  );
  const drop = db.prepare(
    `UPDATE outbox SET state = 'dropped', settled_at = @now WHERE way = '${way}' AND kind = @kind AND subject = @item
       AND occasion = @occurrence AND lead = @lead AND person = @person AND state IN ('claimed', 'deferred')`,
  );
  const leave = db.prepare(
    `INSERT INTO outbox (way, kind, subject, occasion, lead, person, state, message_id, claimed_at, settled_at)
     VALUES ('${way}', @kind, @item, @occurrence, @lead, @person, 'empty', @messageId, @now, @now)
     ON CONFLICT DO UPDATE SET state = 'empty', settled_at = @now WHERE state NOT IN ('sent', 'rejected')`,
  );
  const lastDigest = db.prepare(
    `SELECT claimed_at FROM outbox WHERE way = '${way}' AND kind = 'digest' AND person = ? AND occasion < ?
       AND state IN ('sent', 'empty') ORDER BY occasion DESC LIMIT 1`,
  );
  const begun = db.prepare(
    `SELECT max(claimed_at) AS at FROM outbox WHERE claimed_at > @since AND claimed_at <= @now AND state <> 'empty'
       AND ${ofPeople(way, peopleKinds)} GROUP BY message_id ORDER BY at`,
  );
  const opening = db.prepare("SELECT opened_at FROM mail_opening");
  const setOpening = db.prepare(
    "INSERT OR IGNORE INTO mail_opening (one, opened_at) VALUES (1, ?)",
  );
  const stamp = () => instantText(clock());
  return {
    ...createSendQueue<MailKey>(deps, {
      scope,
      keyOf: ({ kind, item, occurrence, lead, person }) => ({
        way,
        kind,
        subject: item,
        occasion: occurrence,
        lead,
        person,
      }),
    }),
    unsettled: () => open.all(),
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
  const recent = db.rows(
    `SELECT kind AS sort, CASE WHEN kind NOT IN ('notice', 'log-in') THEN nullif(subject, 0) END AS item,
       CASE WHEN kind = 'notice' THEN subject END AS edit, nullif(person, 0) AS person, address, state, problem,
       coalesce(settled_at, claimed_at) AS at
     FROM outbox WHERE ${ofPeople("mail", peopleKinds)} AND state NOT IN ('empty', 'dropped') ORDER BY at DESC LIMIT ?`,
    recentMailRow,
  );
  return {
    ...createReminderLedger(deps, "mail"),
    ...createMailState(deps),
    recent: (most) => recent.all(most),
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
       count(*) FILTER (WHERE state = 'rejected') AS rejected FROM outbox WHERE ${everyMail}`,
  );
  const newestProblem = db.prepare(
    `SELECT problem FROM outbox WHERE ${everyMail} AND problem IS NOT NULL
       AND (state = 'deferred' OR (state = 'rejected' AND settled_at > ?)) ORDER BY settled_at DESC LIMIT 1`,
  );
  const refused = db.rows(
    `SELECT nullif(person, 0) AS person, address, code, problem, count(*) AS mails, max(settled_at) AS at FROM outbox
     WHERE ${ofPeople("mail", peopleKinds)} AND state = 'rejected' AND settled_at > @since
     GROUP BY person, address, problem ORDER BY at DESC LIMIT 50`,
    refusalRow,
  );
  const waiting = db.prepare(
    `SELECT count(*) AS waiting FROM outbox WHERE ${everyMail} AND state = 'deferred'`,
  );
  const last = db.prepare(
    `SELECT state, problem FROM outbox WHERE ${everyMail} AND settled_at IS NOT NULL
       AND state IN ('sent', 'deferred', 'rejected') ORDER BY settled_at DESC, state LIMIT 1`,
  );
  const refusedSince = (at: Temporal.Instant) => refused.all({ since: instantText(at) });
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
  /** Its editor. */
  readonly person: PersonId | null;
}

/** Notices to editors that their edit is parked. */
export interface Notices extends SendQueue<NoticeKey> {
  /** Parked edits of known editors without a notice, oldest first. */
  open(): readonly Edit[];
}

/** The key for an edit that is parked now. */
export const noticeKey = ({ id, updatedAt, actor }: Edit): NoticeKey => ({
  edit: id,
  parkedAt: instantText(updatedAt),
  person: actor,
});

export function createNotices(deps: StoreDeps, way: PersonWay = "mail"): Notices {
  const unsent = deps.db.rows(
    `SELECT e.* FROM journal e LEFT JOIN outbox n
       ON n.way = '${way}' AND n.kind = 'notice' AND n.subject = e.id AND n.occasion = e.updated_at
     WHERE e.state = 'parked' AND e.actor IS NOT NULL AND (n.state IS NULL OR n.state IN ('claimed', 'deferred'))
     ORDER BY e.id`,
    editRowIn(deps.zone),
  );
  return {
    ...createSendQueue<NoticeKey>(deps, {
      scope: ofPeople(way, ["notice"]),
      keyOf: ({ edit, parkedAt, person }) => ({
        way,
        kind: "notice",
        subject: edit,
        occasion: parkedAt,
        lead: "",
        person: person ?? 0,
      }),
    }),
    open: () => unsent.all(),
  };
}
