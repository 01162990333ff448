import { type ItemKey, itemKey } from "../domain/ids.ts";
import { instantOf } from "./rows.ts";

export interface MailRow {
  readonly item: ItemKey;
  readonly occurrence: string;
  readonly lead: string;
  readonly person: number;
  readonly state: "claimed" | "sent" | "deferred" | "rejected";
  readonly messageId: string;
  readonly attempts: number;
  readonly notBefore: Temporal.Instant | null;
  readonly problem: string | null;
  readonly claimedAt: Temporal.Instant;
  readonly settledAt: Temporal.Instant | null;
}

export function mailRow(row: unknown): MailRow {
  const raw = row as {
    item: number;
    occurrence: string;
    lead: string;
    person: number;
    state: MailRow["state"];
    message_id: string;
    attempts: number;
    not_before: string | null;
    problem: string | null;
    claimed_at: string;
    settled_at: string | null;
  };
  return {
    item: itemKey(raw.item),
    occurrence: raw.occurrence,
    lead: raw.lead,
    person: raw.person,
    state: raw.state,
    messageId: raw.message_id,
    attempts: raw.attempts,
    notBefore: instantOf(raw.not_before),
    problem: raw.problem,
    claimedAt: Temporal.Instant.from(raw.claimed_at),
    settledAt: instantOf(raw.settled_at),
  };
}
