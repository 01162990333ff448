import type { FieldConflict } from "./edit.ts";
import { fieldsOf, type Patch, type PatchField, pick, sameField } from "./patch.ts";
import { type PlainPatch, patchToPlain } from "./plain-item.ts";

/** The three versions of an item's fields: as the editor saw them, as they are now, and what the editor wants. */
export interface Sides {
  readonly base: Patch;
  readonly ours: Patch;
  /** Only the wished fields. */
  readonly theirs: Patch;
}

/** Whether two values of one field say the same to people; at least as generous as `sameField`. */
export type Alike = (field: PatchField, a: Patch, b: Patch) => boolean;

/** `patch`: what is left to send, without the conflicts. `conflicts`: fields that both sides changed, differently. */
export interface Merge {
  readonly patch: Patch;
  readonly conflicts: readonly PatchField[];
}

/**
 * Merges an edit field by field. What only the edit changed is sent, what only the workspace changed stays, and what
 * both changed alike is settled. Sets of people and labels take the additions and removals of both sides and never
 * conflict.
 */
export function mergeFields({ base, ours, theirs }: Sides, alike: Alike = sameField): Merge {
  const merged = mergedSets({ base, ours, theirs });
  const patch: PatchField[] = [];
  const conflicts: PatchField[] = [];
  for (const field of fieldsOf(theirs)) {
    if (alike(field, merged, ours)) continue;
    const isMoved = ours[field] !== undefined && !alike(field, base, ours);
    if (isSet(field) || !isMoved) patch.push(field);
    else if (!alike(field, base, theirs)) conflicts.push(field);
  }
  return { patch: pick(merged, patch), conflicts };
}

/** The fields of an item that changed between two versions. */
export function movedFields(
  { base, ours }: Pick<Sides, "base" | "ours">,
  alike: Alike = sameField,
): readonly PatchField[] {
  return fieldsOf(ours).filter((field) => !alike(field, base, ours));
}

/** Conflicts with every value, for keeping and showing. `taken`: the side that was followed; null = a person decides. */
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

const isSet = (field: PatchField): field is "assigned" | "labels" =>
  field === "assigned" || field === "labels";

/** What the editor wants, with the sets brought together with the workspace's. */
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
