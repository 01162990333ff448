import { say } from "../texts/say.ts";
import type { Edit, FieldConflict } from "./edit.ts";
import type { Item } from "./item.ts";
import { fieldsOf, type Patch, type PatchField, pick, valuesOf, without } from "./patch.ts";
import { type PlainPatch, patchToPlain } from "./plain-item.ts";
import { type FieldComparison, missingFields, sameShown, sameStored } from "./sameness.ts";

/** The three versions of an item's fields: what the editor saw, what the service has now, and what the editor wants. */
export interface Sides {
  readonly base: Patch;
  readonly ours: Patch;
  /** Only the wanted fields. */
  readonly theirs: Patch;
}

/** `patch`: what is left to send, without conflicts. `conflicts`: fields that both sides changed differently. */
export interface Merge {
  readonly patch: Patch;
  readonly conflicts: readonly PatchField[];
}

/**
 * Merges an edit field by field. Changes of the edit alone are sent, changes of the workspace alone stay, and equal
 * changes are done. Sets of people and labels take both sides' additions and removals, and never conflict.
 */
export function mergeFields(
  { base, ours, theirs }: Sides,
  same: FieldComparison = sameStored,
): Merge {
  const merged = mergedSets({ base, ours, theirs });
  const patch: PatchField[] = [];
  const conflicts: PatchField[] = [];
  for (const field of fieldsOf(theirs)) {
    if (same(field, merged, ours)) continue;
    const isMoved = ours[field] !== undefined && !same(field, base, ours);
    if (isSet(field) || !isMoved) patch.push(field);
    else if (!same(field, base, theirs)) conflicts.push(field);
  }
  return { patch: pick(merged, patch), conflicts };
}

/**
 * Conflicts with all their values, for storing and showing. `taken`: the side that was applied; null = a person
 * decides.
 */
export function describeConflicts(
  fields: readonly PatchField[],
  { base, ours, theirs, taken }: Sides & { readonly taken: FieldConflict["taken"] },
): readonly FieldConflict[] {
  const [was, is, wished]: readonly PlainPatch[] = [base, ours, theirs].map(patchToPlain);
  return fields.map((field) => ({
    field,
    base: was?.[field] ?? null,
    ours: is?.[field] ?? null,
    theirs: wished?.[field] ?? null,
    taken,
  }));
}

/**
 * One sentence on what the service did not take over although it answered; null if the answer has everything. Fields
 * dropped in a conflict do not count, nor people and labels that someone else added or removed.
 */
export function describeUntaken(
  edit: Pick<Edit, "action" | "patch" | "newLabels" | "base" | "conflicts">,
  answer: Item,
): string | null {
  const { action, patch, conflicts } = edit;
  const dropped = new Set(conflicts.map(({ field, taken }) => taken === "ours" && field));
  // A creation's base is the new item itself.
  const base = action === "create" ? { assigned: [], labels: [] } : valuesOf(edit.base);
  const left = mergeFields({ base, ours: valuesOf(answer), theirs: patch }, sameShown).patch;
  const lacksLabels = left.labels !== undefined || lacksNewLabels(edit, answer);
  const missing = [
    ...missingFields(without(patch, "labels"), answer),
    ...(lacksLabels ? (["labels"] as const) : []),
  ].filter((field) => !dropped.has(field) && (field !== "assigned" || left.assigned !== undefined));
  if (missing.length === 0) return null;
  return say("conflict.untaken", { fields: missing.join(", ") });
}

/** Labels created for the edit get their ids on the way, so they can only be counted. */
function lacksNewLabels(
  { action, patch, newLabels, base }: Pick<Edit, "action" | "patch" | "newLabels" | "base">,
  answer: Item,
): boolean {
  const before = action === "create" ? [] : (valuesOf(base).labels ?? []);
  const known = [...before, ...(patch.labels ?? [])];
  const fresh = (valuesOf(answer).labels ?? []).filter((label) => !known.includes(label));
  return fresh.length < newLabels.length;
}

const isSet = (field: PatchField): field is "assigned" | "labels" =>
  field === "assigned" || field === "labels";

/** What the editor wants, with sets merged with the workspace's. */
function mergedSets({ base, ours, theirs }: Sides): Patch {
  const { assigned, labels } = theirs;
  return {
    ...theirs,
    ...(assigned && { assigned: mergedSet(assigned, [base.assigned, ours.assigned]) }),
    ...(labels && { labels: mergedSet(labels, [base.labels, ours.labels]) }),
  };
}

function mergedSet<Id extends number>(
  theirs: readonly Id[],
  [base = [], ours = []]: readonly [readonly Id[] | undefined, readonly Id[] | undefined],
): readonly Id[] {
  const added = theirs.filter((id) => !base.includes(id));
  const kept = ours.filter((id) => theirs.includes(id) || !base.includes(id));
  return [...new Set([...kept, ...added])];
}
