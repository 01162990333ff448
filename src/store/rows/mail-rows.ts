import { editId, type ItemKey, itemKey, type PersonId, personId } from "../../domain/ids.ts";
import { instantOf, orNull, rowReader, tableRow, toFlag, toInstant } from "./row.ts";
import type { Tables } from "./tables.ts";

/** A message of the outbox, and what became of it. */
export const sendQueueRow = rowReader<Tables["outbox"]>()({
  /** `dropped`: started, and not to be sent for now; may be started again. `empty`: a digest without contents. */
  state: "same",
  messageId: "same",
  /** The last recipient address; null for mails of an earlier build. */
  address: "same",
  attempts: "same",
  notBefore: instantOf,
  problem: "same",
  /** The server's reply code; null if none. */
  code: "same",
  claimedAt: toInstant,
  settledAt: instantOf,
});
export type SendQueueRow = ReturnType<typeof sendQueueRow>;

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
export const refusalRow = rowReader<{
  person: number | null;
  address: string | null;
  code: number | null;
  problem: string;
  mails: number;
  at: string;
}>()({
  person: orNull(personId),
  address: "same",
  code: "same",
  problem: "same",
  mails: "same",
  /** Time of the last one. */
  at: toInstant,
});
export type Refusal = ReturnType<typeof refusalRow>;

/** A mail that was started, and its state. */
export const recentMailRow = rowReader<{
  sort: MailSort | "notice" | "log-in";
  item: number | null;
  edit: number | null;
  person: number | null;
  address: string | null;
  state: "claimed" | "sent" | "deferred" | "rejected";
  problem: string | null;
  at: string;
}>()({
  sort: "same",
  /** For a reminder. */
  item: orNull(itemKey),
  /** For a notice. */
  edit: orNull(editId),
  person: orNull(personId),
  address: "same",
  state: "same",
  problem: "same",
  at: toInstant,
});
export type RecentMail = ReturnType<typeof recentMailRow>;

export const offChoiceRow = rowReader<Tables["mail_choices"]>()({
  person: personId,
  choice: "same",
  offAt: toInstant,
});
export type OffChoice = ReturnType<typeof offChoiceRow>;

export function openMailRow(row: unknown): OpenMail {
  const { kind, subject, occasion, lead, person } = tableRow<"outbox">(row);
  const item = subject === noItem ? noItem : itemKey(subject);
  return {
    ...sendQueueRow(row),
    key: { kind: kind as MailSort, item, occurrence: occasion, lead, person: personId(person) },
  };
}

export const dateMoveRow = rowReader<{
  item: number;
  before: string;
  service_id: number | null;
  actor: number | null;
}>()({
  key: ["item", itemKey],
  before: "same",
  serviceId: "same",
  actor: orNull(personId),
});

/** A person's webhook; address and token are encrypted. */
export const personWebhookRow = rowReader<Tables["person_webhooks"]>()({
  person: personId,
  format: "same",
  address: "same",
  token: "same",
  /** True if mails are sent too. */
  withMail: toFlag,
  setAt: toInstant,
});
export type PersonWebhook = ReturnType<typeof personWebhookRow>;

/** Result of a webhook message. */
export const webhookFateRow = rowReader<{
  state: "sent" | "deferred" | "rejected";
  problem: string | null;
  settled_at: string;
}>()({
  state: "same",
  problem: "same",
  at: ["settled_at", toInstant],
});
export type WebhookFate = ReturnType<typeof webhookFateRow>;
