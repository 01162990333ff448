import type { EditAction } from "../domain/journal.ts";
import { fieldsOf, type Patch, type PatchField } from "../domain/merge.ts";
import { type PlainPatch, patchToPlain } from "../domain/plain-item.ts";

/** One field of an edit, in JSON as in `PlainPatch`; labels that are yet to be created stand by name among the ids. */
export interface FieldChange {
  readonly field: PatchField;
  readonly from: unknown;
  readonly to: unknown;
}

/** What a patch changes. `before`: the values until then; null for an item that is to be created. */
export function changesOf(
  before: Patch | null,
  edit: { readonly patch: Patch; readonly newLabels: readonly string[] },
): readonly FieldChange[] {
  const old: PlainPatch = before ? patchToPlain(before) : {};
  const wished = patchToPlain(edit.patch);
  return fieldsOf(edit.patch).map((field) => {
    const to = wished[field] ?? null;
    const withNew = field === "labels" && edit.newLabels.length > 0;
    return {
      field,
      from: old[field] ?? null,
      to: withNew ? [...(wished.labels ?? []), ...edit.newLabels] : to,
    };
  });
}

/** The word for what a patch does to an item that is there. */
export function actionOf(patch: Patch): EditAction {
  const fields = fieldsOf(patch);
  if (fields.length !== 1 || patch.completed === undefined) return "update";
  return patch.completed ? "complete" : "reopen";
}

/** Whether two edits wish the same. */
export function sameWish(
  a: { readonly patch: Patch; readonly newLabels: readonly string[] },
  b: { readonly patch: Patch; readonly newLabels: readonly string[] },
): boolean {
  return JSON.stringify(changesOf(null, a)) === JSON.stringify(changesOf(null, b));
}
