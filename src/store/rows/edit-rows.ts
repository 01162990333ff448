import type { Decider, Edit, FieldConflict, Restoration } from "../../domain/edit.ts";
import { type EditId, editId, itemKey, personId } from "../../domain/ids.ts";
import type { Patch } from "../../domain/patch.ts";
import { type PlainPatch, patchFromPlain, patchToPlain } from "../../domain/plain-item.ts";
import { itemFromText } from "./item-rows.ts";
import { instantOf, json, orNull, rowReader, toFlag, toInstant } from "./row.ts";
import type { Tables } from "./tables.ts";

/** The decoder of edits, in the zone of their items' times. */
export function editRowIn(zone: string): (row: unknown) => Edit {
  const item = (text: string) => itemFromText(text, zone);
  const patch = (text: string) => patchFromText(text, zone);
  return rowReader<Tables["edits"] & AttemptColumns>()({
    id: editId,
    channel: "same",
    actor: orNull(personId),
    program: "same",
    item: itemKey,
    action: "same",
    base: item,
    shown: orNull(item),
    patch,
    newLabels: json<readonly string[]>(),
    state: "same",
    parkReason: "same",
    problem: "same",
    attempts: "same",
    begun: "same",
    notBefore: instantOf,
    sentAt: instantOf,
    sentAfter: orNull(itemKey),
    answer: orNull(item),
    before: orNull(item),
    conflicts: json<readonly FieldConflict[]>(),
    insisted: toFlag,
    frozen: toFlag,
    undoes: orNull(editId),
    confirmedAt: instantOf,
    missedAt: instantOf,
    inFlightUntil: ["lands_until", instantOf],
    resentAt: instantOf,
    keyRefusedAt: instantOf,
    restores: orNull((text: string) => restoration(text, zone)),
    createdAt: toInstant,
    updatedAt: toInstant,
  });
}

/** What the view `journal` adds to an edit from its attempts. */
interface AttemptColumns {
  readonly sent_at: string | null;
  readonly sent_after: number | null;
  readonly lands_until: string | null;
  readonly resent_at: string | null;
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

export const waitingRow = rowReader<{ kind: "edit" | "extra"; id: number; actor: number | null }>()(
  {
    kind: "same",
    id: "same",
    /** The person whose key it uses; null = the account's. */
    actor: orNull(personId),
  },
);

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

/** Something that happened to an edit, once or repeatedly. */
export const editStepRow = rowReader<Tables["edit_steps"]>()({
  kind: "same",
  /** How often a person had resumed the edit by then. */
  round: "same",
  /** The reported problem; for a decision the choice as JSON; empty if there is nothing to say. */
  detail: "same",
  at: toInstant,
  /** The last time. */
  lastAt: toInstant,
  times: "same",
  /** Who decided it; null if unknown, or if nobody had to. */
  decidedBy: orNull(json<Decider>()),
});
export type EditStep = ReturnType<typeof editStepRow>;
