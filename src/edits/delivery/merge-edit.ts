import type { Item } from "../../domain/item.ts";
import type { Edit, FieldConflict } from "../../domain/journal.ts";
import { fieldsOf, type Patch, type PatchField, pick, valuesOf } from "../../domain/merge.ts";
import { describeConflicts, mergeFields, type Sides } from "../../domain/three-way.ts";
import { alike } from "../alike.ts";
import type { Errand } from "./errand.ts";
import { lateValues } from "./late-landing.ts";
import { isOwn, seenBase } from "./seen-base.ts";

/** An edit against what the service has now. */
interface Merged {
  readonly sides: Sides;
  /** What is left to send, as the policy says; not to be used while a person has to decide. */
  readonly patch: Patch;
  /** Fields that both sides changed, differently. */
  readonly conflicts: readonly FieldConflict[];
  /** Whether the workspace keeps what it has: for good, or until a person has decided. */
  readonly yields: boolean;
}

/**
 * Merges an edit into what the service has now, field by field, and lets the policy decide what crosses. What a later edit
 * of the same editor has set stays: an edit that was held, or waited for a person, comes after it.
 */
export function mergeEdit(errand: Errand, ours: Item): Merged {
  const { edit, policy } = errand;
  const sides: Sides = { base: baseOf(errand, ours), ours: valuesOf(ours), theirs: edit.patch };
  const merge = mergeFields(sides, alike);
  const taken = policy === "ask" ? null : policy;
  const own = errand.store.pastEdits.ofItem(edit.item).filter((other) => isLater(other, edit));
  const replaced = merge.conflicts.flatMap((field) => {
    const by = own.find((other) => wrote(field, { other, ours: sides.ours }))?.id;
    return by === undefined ? [] : [{ field, by }];
  });
  const crossed = merge.conflicts.filter((name) => !replaced.some(({ field }) => field === name));
  const conflicts = [
    ...describeConflicts(crossed, { ...sides, taken }),
    ...replaced.flatMap(({ field, by }) =>
      describeConflicts([field], { ...sides, taken: "ours" }).map((lost) => ({ ...lost, by })),
    ),
  ];
  const isOpen = crossed.length > 0 && taken === null;
  const lost = conflicts.filter((conflict) => conflict.taken === "ours");
  const yields = isOpen || (lost.length > 0 && lost.length === fieldsOf(edit.patch).length);
  const won = taken === "theirs" ? pick(sides.theirs, crossed) : {};
  return { sides, patch: { ...merge.patch, ...won }, conflicts, yields };
}

/** Whether the same editor has made it after this edit, and it is carried out: what it wishes replaces what this one does. */
const isLater = (other: Edit, edit: Edit): boolean =>
  isOwn(edit, other) && other.id > edit.id && other.confirmedAt !== null;

/** Whether an edit has set what the service has of this field. */
function wrote(
  field: PatchField,
  { other, ours }: { readonly other: Edit; readonly ours: Patch },
): boolean {
  const { answer, patch } = other;
  return patch[field] !== undefined && answer !== null && alike(field, valuesOf(answer), ours);
}

/** What the editor saw of the item, as the service writes it; what a late request of ours has set is no news either. */
export const baseOf = ({ edit, store }: Errand, ours: Item): Patch => ({
  ...seenBase(edit, store.pastEdits.ofItem(edit.item)),
  ...lateValues(edit.item, { ours, store }),
});
