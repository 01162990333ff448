import {
  type EditId,
  editId,
  type ItemKey,
  itemKey,
  type PersonId,
  personId,
} from "../../domain/ids.ts";
import type { MailChoice } from "../../domain/mail-kind.ts";
import { instantOf } from "./item-rows.ts";
import { tableRow } from "./row.ts";

/**
 * State of a mail. `dropped`: it was started, and is not to be sent for now; it may be started again. `empty`: a digest without
 * contents.
 */
type SendQueueState = "claimed" | "sent" | "deferred" | "rejected" | "dropped" | "empty";

export interface SendQueueRow {
  readonly state: SendQueueState;
  readonly messageId: string;
  /** The last recipient address; null for mails of an earlier build. */
  readonly address: string | null;
  readonly attempts: number;
  readonly notBefore: Temporal.Instant | null;
  readonly problem: string | null;
  /** The server's reply code; null if none. */
  readonly code: number | null;
  readonly claimedAt: Temporal.Instant;
  readonly settledAt: Temporal.Instant | null;
}

/** The reasons for a reminder: an event's own alarm, a time before something is due, overdue items, a digest. */
export const reminderKinds = ["reminder", "lead", "overdue", "digest"] as const;
export type MailSort = (typeof reminderKinds)[number];

/** SQL that selects messages of these kinds in the table `outbox`. */
export const isOfKinds = (kinds: readonly string[]): string =>
  `kind IN (${kinds.map((kind) => `'${kind}'`).join(", ")})`;

/** Used instead of an item if a mail is about no single one. */
export const noItem = 0;

/** Identifies one reminder or digest of one person. */
export interface MailKey {
  readonly kind: MailSort;
  readonly item: ItemKey | typeof noItem;
  /** The start as an instant's text, the due day, or the day of the digest. */
  readonly occurrence: string;
  /** ISO 8601 duration; "" if there is none. */
  readonly lead: string;
  readonly person: PersonId;
}

/** A mail that was started and not finished. */
export type OpenMail = SendQueueRow & { readonly key: MailKey };

/** Mails to one person that were rejected, or given up, for the same reason. */
export interface Refusal {
  readonly person: PersonId | null;
  readonly address: string | null;
  readonly code: number | null;
  readonly problem: string;
  readonly mails: number;
  /** Time of the last one. */
  readonly at: Temporal.Instant;
}

/** A mail that was started, and its state. */
export interface RecentMail {
  readonly sort: MailSort | "notice" | "log-in";
  /** For a reminder. */
  readonly item: ItemKey | null;
  /** For a notice. */
  readonly edit: EditId | null;
  readonly person: PersonId | null;
  readonly address: string | null;
  readonly state: "claimed" | "sent" | "deferred" | "rejected";
  readonly problem: string | null;
  readonly at: Temporal.Instant;
}

export interface OffChoice {
  readonly person: PersonId;
  readonly choice: MailChoice;
  readonly offAt: Temporal.Instant;
}

export function sendQueueRow(row: unknown): SendQueueRow {
  const raw = tableRow<"outbox">(row);
  return {
    state: raw.state,
    messageId: raw.message_id,
    address: raw.address,
    attempts: raw.attempts,
    notBefore: instantOf(raw.not_before),
    problem: raw.problem,
    code: raw.code,
    claimedAt: Temporal.Instant.from(raw.claimed_at),
    settledAt: instantOf(raw.settled_at),
  };
}

export function openMailRow(row: unknown): OpenMail {
  const raw = row as {
    kind: MailSort;
    subject: number;
    occasion: string;
    lead: string;
    person: number;
  };
  const { kind, occasion: occurrence, lead } = raw;
  const item = raw.subject === noItem ? noItem : itemKey(raw.subject);
  return {
    ...sendQueueRow(row),
    key: { kind, item, occurrence, lead, person: personId(raw.person) },
  };
}

export function refusalRow(row: unknown): Refusal {
  const raw = row as {
    person: number | null;
    address: string | null;
    code: number | null;
    problem: string;
    mails: number;
    at: string;
  };
  const { address, code, problem, mails } = raw;
  const person = raw.person === null ? null : personId(raw.person);
  return { person, address, code, problem, mails, at: Temporal.Instant.from(raw.at) };
}

export function recentMailRow(row: unknown): RecentMail {
  const raw = row as Omit<RecentMail, "item" | "edit" | "person" | "at"> & {
    item: number | null;
    edit: number | null;
    person: number | null;
    at: string;
  };
  return {
    ...raw,
    item: raw.item === null ? null : itemKey(raw.item),
    edit: raw.edit === null ? null : editId(raw.edit),
    person: raw.person === null ? null : personId(raw.person),
    at: Temporal.Instant.from(raw.at),
  };
}

export function offChoiceRow(row: unknown): OffChoice {
  const raw = tableRow<"mail_choices">(row);
  return {
    person: personId(raw.person),
    choice: raw.choice,
    offAt: Temporal.Instant.from(raw.off_at),
  };
}

export function dateMoveRow(row: unknown): {
  readonly key: ItemKey;
  readonly before: string;
  readonly serviceId: number | null;
  readonly actor: PersonId | null;
} {
  const raw = row as {
    item: number;
    before: string;
    service_id: number | null;
    actor: number | null;
  };
  return {
    key: itemKey(raw.item),
    before: raw.before,
    serviceId: raw.service_id,
    actor: raw.actor === null ? null : personId(raw.actor),
  };
}

/** A person's webhook; address and token are encrypted. */
export interface PersonWebhook {
  readonly person: PersonId;
  readonly format: "json" | "ntfy";
  readonly address: string;
  readonly token: string | null;
  /** True if mails are sent too. */
  readonly withMail: boolean;
  readonly setAt: Temporal.Instant;
}

export function personWebhookRow(row: unknown): PersonWebhook {
  const raw = tableRow<"person_webhooks">(row);
  const { format, address, token } = raw;
  return {
    person: personId(raw.person),
    format,
    address,
    token,
    withMail: raw.with_mail === 1,
    setAt: Temporal.Instant.from(raw.set_at),
  };
}

/** Result of a webhook message. */
export interface WebhookFate {
  readonly state: "sent" | "deferred" | "rejected";
  readonly problem: string | null;
  readonly at: Temporal.Instant;
}

export function webhookFateRow(row: unknown): WebhookFate {
  const raw = row as Pick<WebhookFate, "state" | "problem"> & { settled_at: string };
  const { state, problem, settled_at } = raw;
  return { state, problem, at: Temporal.Instant.from(settled_at) };
}
