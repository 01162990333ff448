import type {
  Channel,
  Decider,
  Edit,
  EditAction,
  EditState,
  FieldConflict,
  ParkReason,
  Restoration,
} from "../../domain/edit.ts";
import { type EditId, editId, itemKey, personId } from "../../domain/ids.ts";
import type { Patch } from "../../domain/patch.ts";
import { type PlainPatch, patchFromPlain, patchToPlain } from "../../domain/plain-item.ts";
import { instantOf, itemFromText } from "./item-rows.ts";
import { tableRow } from "./row.ts";

export function editRow(row: unknown, zone: string): Edit {
  const raw = row as {
    id: number;
    channel: Channel;
    actor: number | null;
    program: string | null;
    item: number;
    action: EditAction;
    base: string;
    shown: string | null;
    patch: string;
    new_labels: string;
    state: EditState;
    park_reason: ParkReason | null;
    problem: string | null;
    attempts: number;
    begun: number;
    not_before: string | null;
    sent_at: string | null;
    sent_after: number | null;
    answer: string | null;
    before: string | null;
    conflicts: string;
    insisted: number;
    frozen: number;
    undoes: number | null;
    confirmed_at: string | null;
    missed_at: string | null;
    lands_until: string | null;
    resent_at: string | null;
    key_refused_at: string | null;
    restores: string | null;
    created_at: string;
    updated_at: string;
  };
  return {
    id: editId(raw.id),
    channel: raw.channel,
    actor: raw.actor === null ? null : personId(raw.actor),
    program: raw.program,
    item: itemKey(raw.item),
    action: raw.action,
    base: itemFromText(raw.base, zone),
    shown: raw.shown === null ? null : itemFromText(raw.shown, zone),
    patch: patchFromText(raw.patch, zone),
    newLabels: JSON.parse(raw.new_labels) as readonly string[],
    state: raw.state,
    parkReason: raw.park_reason,
    problem: raw.problem,
    attempts: raw.attempts,
    begun: raw.begun,
    notBefore: instantOf(raw.not_before),
    sentAt: instantOf(raw.sent_at),
    sentAfter: raw.sent_after === null ? null : itemKey(raw.sent_after),
    answer: raw.answer === null ? null : itemFromText(raw.answer, zone),
    before: raw.before === null ? null : itemFromText(raw.before, zone),
    conflicts: JSON.parse(raw.conflicts) as readonly FieldConflict[],
    insisted: raw.insisted === 1,
    frozen: raw.frozen === 1,
    undoes: raw.undoes === null ? null : editId(raw.undoes),
    confirmedAt: instantOf(raw.confirmed_at),
    missedAt: instantOf(raw.missed_at),
    inFlightUntil: instantOf(raw.lands_until),
    resentAt: instantOf(raw.resent_at),
    keyRefusedAt: instantOf(raw.key_refused_at),
    restores: raw.restores === null ? null : restoration(raw.restores, zone),
    createdAt: Temporal.Instant.from(raw.created_at),
    updatedAt: Temporal.Instant.from(raw.updated_at),
  };
}

export const patchFromText = (text: string, zone: string): Patch =>
  patchFromPlain(JSON.parse(text) as PlainPatch, zone);

export const editIdColumn = (row: unknown): EditId => editId((row as { id: number }).id);

export const restorationText = ({ patch, over, by }: Restoration): string =>
  JSON.stringify({ patch: patchToPlain(patch), over: patchToPlain(over), by });

function restoration(text: string, zone: string): Restoration {
  const raw = JSON.parse(text) as { patch: PlainPatch; over: PlainPatch; by: number };
  const [patch, over] = [patchFromPlain(raw.patch, zone), patchFromPlain(raw.over, zone)];
  return { patch, over, by: editId(raw.by) };
}

export function waitingRow(row: unknown) {
  const raw = row as { kind: "edit" | "extra"; id: number; actor: number | null };
  return { kind: raw.kind, id: raw.id, actor: raw.actor === null ? null : personId(raw.actor) };
}

/** What can happen to an edit; see the migration of `edit_steps`. */
export const stepKinds = [
  "taken-up",
  "missed",
  "found",
  "sent",
  "postponed",
  "conflict",
  "refused",
  "failed",
  "unknown-outcome",
  "resolved",
  "confirmed",
  "undone",
  "overtaken",
  "discarded",
  "approved",
  "released",
] as const;
type StepKind = (typeof stepKinds)[number];

/** Something that happened to an edit, once or repeatedly. */
export interface EditStep {
  readonly kind: StepKind;
  /** How often a person had resumed the edit by then. */
  readonly round: number;
  /** The reported problem; for a decision the choice as JSON; empty if there is nothing to say. */
  readonly detail: string;
  readonly at: Temporal.Instant;
  /** The last time. */
  readonly lastAt: Temporal.Instant;
  readonly times: number;
  /** Who decided it; null if unknown, or if nobody had to. */
  readonly decidedBy: Decider | null;
}

export function editStepRow(row: unknown): EditStep {
  const raw = tableRow<"edit_steps">(row);
  const { kind, round, detail, times } = raw;
  const decidedBy = raw.decided_by === null ? null : (JSON.parse(raw.decided_by) as Decider);
  const [at, lastAt] = [Temporal.Instant.from(raw.at), Temporal.Instant.from(raw.last_at)];
  return { kind, round, detail, at, lastAt, times, decidedBy };
}
