import type { Edit } from "../../domain/edit.ts";
import { fingerprint } from "../../domain/fingerprint.ts";
import { fieldsOf, type Patch, type PatchField, pick, valuesOf } from "../../domain/patch.ts";
import { patchToPlain } from "../../domain/plain-item.ts";
import { differingFields, sameShown } from "../../domain/sameness.ts";
import { enumerated, fieldNameOf, type Names } from "../../domain/wording.ts";
import type { NewEdit } from "../../store/journal/journal.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import { valueInWords } from "../field-changes.ts";
import { editorName } from "./sentence.ts";
import { describeLoss, inverseOf } from "./undo.ts";

/** The effect of an undo, before it is requested. */
export type UndoPreview = ReturnType<typeof previewUndo>;

/** What an undo would restore, and which of that somebody has changed since. */
export function previewUndo(edit: Edit, store: Store, names: Names) {
  const inverse = inverseOf(edit, { store, by: { channel: "dashboard", actor: null } });
  if (!inverse.ok) return { kind: "impossible", reason: inverse.failure } as const;
  const { action, patch, base } = inverse.value;
  const present = store.view.get(edit.item)?.item ?? null;
  const now = present ? valuesOf(present) : {};
  const said = (field: PatchField, values: Patch) =>
    valueInWords({ field, value: patchToPlain(values)[field] ?? null }, names);
  const touched = action === "delete" ? [] : fieldsOf(patch);
  const fields = touched.map((field) => ({
    name: fieldNameOf(field),
    now: action === "create" ? say("value.none") : said(field, now),
    back: said(field, patch),
  }));
  const left = valuesOf(base);
  const changed = present ? changedFieldsSince(inverse.value, { left, now }) : [];
  const changedSince = changed.map((field) => ({
    field,
    name: fieldNameOf(field),
    /** As the edit left it. */
    was: said(field, left),
    now: said(field, now),
    /** Who set it; null if no known edit did. */
    by: editorOf(field, edit, { now, store, names }),
  }));
  const shown = JSON.stringify([edit.id, patchToPlain(pick(now, [...touched, ...changed]))]);
  return {
    kind: "possible",
    /** Identifies the shown state. */
    version: fingerprint(shown).slice(0, 12),
    /** "It will put When back to Tue 24 Nov 2026, 10:00–11:00 (Europe/Berlin)." */
    sentence: sentenceOf(inverse.value, fields, changedSince),
    fields,
    /** Later changes of what it would restore or delete. The undo then waits for a choice. */
    changedSince,
    /** What cannot be restored; null if nothing is lost. */
    loss: action === "create" ? describeLoss(edit) : null,
  } as const;
}

/** For a change, the fields it would restore; for a creation, the whole item, which would be deleted. */
function changedFieldsSince(
  { action, patch }: Pick<NewEdit, "action" | "patch">,
  { left, now }: { readonly left: Patch; readonly now: Patch },
): readonly PatchField[] {
  if (action === "create") return [];
  const fields = differingFields(left, now, sameShown);
  return action === "delete" ? fields : fields.filter((field) => patch[field] !== undefined);
}

/** Who set a field's present value, if an edit here did. */
function editorOf(
  field: PatchField,
  { item, id: undone }: Edit,
  { now, store, names }: { readonly now: Patch; readonly store: Store; readonly names: Names },
): string | null {
  const by = store.pastEdits
    .ofItem(item)
    .find(
      ({ id, patch }) => id > undone && patch[field] !== undefined && sameShown(field, patch, now),
    );
  return by ? say("undo.byEdit", { who: editorName(by, names), id: by.id }) : null;
}

function sentenceOf(
  { action, base }: Pick<NewEdit, "action" | "base">,
  fields: readonly { readonly name: string; readonly back: string }[],
  changedSince: readonly { readonly name: string }[],
): string {
  const since = enumerated(changedSince.map(({ name }) => name));
  const asks =
    changedSince.length === 0
      ? ""
      : ` ${say("undo.asks", { count: changedSince.length, fields: since })}`;
  if (action === "delete") return `${say("undo.willDelete")}${asks}`;
  if (action === "create") return say("undo.willCreate", { title: base.title });
  const back = fields.map(({ name, back: value }) => say("undo.backTo", { field: name, value }));
  return `${say("undo.willPut", { changes: enumerated(back) })}${asks}`;
}
