import type { Item } from "../../domain/item.ts";
import type { FieldConflict } from "../../domain/journal.ts";
import { fieldsOf, type Patch, pick, valuesOf } from "../../domain/merge.ts";
import { describeConflicts, mergeFields, type Sides } from "../../domain/three-way.ts";
import { alike } from "../alike.ts";
import type { Errand } from "./errand.ts";
import { seenBase } from "./seen-base.ts";

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

/** Merges an edit into what the service has now, field by field, and lets the policy decide what crosses. */
export function mergeEdit(errand: Errand, ours: Item): Merged {
  const { edit, policy } = errand;
  const sides: Sides = { base: baseOf(errand), ours: valuesOf(ours), theirs: edit.patch };
  const merge = mergeFields(sides, alike);
  const taken = policy === "ask" ? null : policy;
  const conflicts = describeConflicts(merge.conflicts, { ...sides, taken });
  const isAllLost = taken === "ours" && conflicts.length === fieldsOf(edit.patch).length;
  const yields = conflicts.length > 0 && (taken === null || isAllLost);
  const won = taken === "theirs" ? pick(sides.theirs, merge.conflicts) : {};
  return { sides, patch: { ...merge.patch, ...won }, conflicts, yields };
}

/** What the editor saw of the item, as the service writes it. */
export const baseOf = ({ edit, store }: Errand): Patch =>
  seenBase(edit, store.pastEdits.ofItem(edit.item));
