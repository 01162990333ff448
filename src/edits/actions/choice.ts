import type { Edit, FieldConflict } from "../../domain/edit.ts";
import { fieldOf } from "../../domain/fields.ts";
import { fingerprint } from "../../domain/fingerprint.ts";
import type { Item } from "../../domain/item.ts";
import {
  applyPatch,
  fieldsOf,
  type Patch,
  type PatchField,
  pick,
  valuesOf,
  without,
} from "../../domain/patch.ts";
import { patchFromPlain, patchToPlain } from "../../domain/plain-item.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { changedFields, differingFields, sameShown } from "../../domain/sameness.ts";
import { describeConflicts, mergeFields, type Sides } from "../../domain/three-way.ts";
import { fieldNameOf } from "../../domain/wording.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import { mergeBaseOf } from "../delivery/merge-edit.ts";

/**
 * The choice for a person when an edit and someone else changed the same item: field by field, whether to delete a changed
 * item, or whether to recreate a deleted one.
 */
export type Choice = FieldChoice | DeletionChoice | RevivalChoice;

interface CommonChoice {
  /** Identifies the shown state of the workspace. A decision applies to that state. */
  readonly version: string;
  /** Fields that both changed, with all three values; undecided. */
  readonly crossed: readonly FieldConflict[];
}

interface FieldChoice extends CommonChoice {
  readonly kind: "fields";
  /** The item as last seen in the workspace. */
  readonly present: Item;
  /** The edit's values of these fields. */
  readonly wish: Patch;
  /** Other changes of the edit, which are sent in any case. */
  readonly rest: Patch;
  /** Decisions about other fields. */
  readonly settled: readonly FieldConflict[];
}

interface DeletionChoice extends CommonChoice {
  readonly kind: "deletion";
  readonly present: Item;
}

interface RevivalChoice extends CommonChoice {
  readonly kind: "revival";
  /** The item as last known, with the edit applied. */
  readonly lost: Item;
}

/** The choice of a parked edit; null if there is none. */
export function choiceOf(edit: Edit, store: Store): Choice | null {
  if (edit.state !== "parked" || edit.action === "create") return null;
  const present = store.mirror.get(edit.item)?.item ?? null;
  const isConflict = edit.parkReason === "conflict" && edit.before !== null;
  if (!present) return revivalOf(edit, store);
  if (!isConflict) return null;
  return edit.action === "delete"
    ? deletionChoice(edit, { present, store })
    : fieldChoice(edit, { present, store });
}

interface Known {
  readonly present: Item;
  readonly store: Store;
}

function fieldChoice(edit: Edit, { present, store }: Known): FieldChoice {
  const wish = wishOf(edit, store.zone);
  const base = mergeBaseOf({ edit, store }, present);
  const sides: Sides = { base, ours: valuesOf(present), theirs: wish };
  const merge = mergeFields(sides, sameShown);
  const crossed = describeConflicts(merge.conflicts, { ...sides, taken: null });
  const isCrossed = (field: PatchField) => merge.conflicts.includes(field);
  return {
    kind: "fields",
    version: versionOf(
      edit,
      pick(sides.ours, [...new Set([...fieldsOf(wish), ...merge.conflicts])]),
    ),
    crossed,
    present,
    wish: pick(wish, merge.conflicts),
    rest: merge.patch,
    settled: edit.conflicts.filter(({ field, taken }) => taken !== null && !isCrossed(field)),
  };
}

/**
 * The edit's values. Includes those given up for a workspace value that has changed since; leaves out fields that a later edit
 * of the same editor has set.
 */
function wishOf({ patch, conflicts }: Edit, zone: string): Patch {
  const open = conflicts.filter(({ field, taken }) => taken === null && patch[field] === undefined);
  const given = patchFromPlain(
    Object.fromEntries(open.map(({ field, theirs }) => [field, theirs])),
    zone,
  );
  const replaced = conflicts.filter(({ taken, by }) => taken === "ours" && by !== undefined);
  return replaced.reduce<Patch>((wish, { field }) => without(wish, field), { ...given, ...patch });
}

function deletionChoice(edit: Edit, { present, store }: Known): DeletionChoice {
  const sides = {
    base: mergeBaseOf({ edit, store }, present),
    ours: valuesOf(present),
    theirs: {},
  };
  const fields = differingFields(sides.base, sides.ours, sameShown);
  const below = edit.conflicts.flatMap(({ field, base, ours, theirs, below: at }) =>
    at ? [{ field, base, ours, theirs, taken: null, below: at }] : [],
  );
  const crossed = [...describeConflicts(fields, { ...sides, taken: null }), ...below];
  const seen = below.map((conflict) => [conflict.below.id, conflict.field, conflict.ours]);
  const version = fingerprintOf([edit.id, patchToPlain(sides.ours), ...seen]);
  return { kind: "deletion", version, crossed, present };
}

/** A change of an item that someone else deleted. */
function revivalOf(edit: Edit, store: Store): RevivalChoice | null {
  const isLost = edit.action !== "delete" && store.view.get(edit.item) === null;
  if (!isLost || edit.parkReason === "failed") return null;
  const last = store.view.history(edit.item, edit.actor).at(-1) ?? edit.before ?? edit.base;
  const lost = applyPatch(last, edit.patch);
  return { kind: "revival", version: versionOf(edit, valuesOf(lost)), crossed: [], lost };
}

const versionOf = ({ id }: Edit, shown: Patch): string => fingerprintOf([id, patchToPlain(shown)]);

const fingerprintOf = (shown: unknown): string => fingerprint(JSON.stringify(shown)).slice(0, 12);

/** Which value of a field to keep, or a text to replace both. */
export type FieldPick = "mine" | "theirs" | { readonly text: string };

/** A person's decision by field; `keep` applies to all fields not named. */
export interface Picks {
  readonly keep?: "mine" | "theirs" | undefined;
  readonly fields: Readonly<Partial<Record<PatchField, FieldPick>>>;
}

/** True if a text can replace both values. */
export const isCombinable = (field: PatchField): boolean =>
  field !== "place" && ["title", "line", "prose"].includes(fieldOf(field).type.name);

/** The effect of a decision. */
export type Resolution =
  /** The workspace keeps its values; the edit is discarded. */
  | { readonly kind: "yields"; readonly conflicts: readonly FieldConflict[] }
  /** The item is deleted although it was changed. */
  | { readonly kind: "deletes"; readonly conflicts: readonly FieldConflict[]; readonly base: Item }
  /** The item is recreated with the edit applied. */
  | { readonly kind: "revives"; readonly item: Item }
  | {
      readonly kind: "sends";
      readonly base: Item;
      readonly patch: Patch;
      readonly conflicts: readonly FieldConflict[];
      /** The item as it will be, unless somebody changes it first. */
      readonly result: Item;
    };

/** The effect of a decision; fails with a sentence if it is incomplete, or names something that does not exist. */
export function resolutionOf(edit: Edit, choice: Choice, picks: Picks): Result<Resolution, string> {
  if (choice.kind === "fields") return fieldResolution(edit, choice, picks);
  const [named] = Object.keys(picks.fields);
  if (named !== undefined) {
    const isDeletion = choice.kind === "deletion";
    const id = isDeletion ? "decision.noFieldsToBeDeleted" : "decision.noFieldsGone";
    return fail(say(id, { field: named }));
  }
  if (picks.keep === undefined) return fail(say("decision.keepNeeded"));
  const taken = picks.keep === "mine" ? "theirs" : "ours";
  const conflicts = choice.crossed.map((conflict) => ({ ...conflict, taken, agreed }) as const);
  if (picks.keep === "theirs") return ok({ kind: "yields", conflicts });
  return ok(
    choice.kind === "deletion"
      ? { kind: "deletes", conflicts, base: choice.present }
      : { kind: "revives", item: choice.lost },
  );
}

const agreed = true;

function fieldResolution(
  edit: Edit,
  choice: FieldChoice,
  picks: Picks,
): Result<Resolution, string> {
  const { crossed, present, wish, rest, settled } = choice;
  for (const field of Object.keys(picks.fields)) {
    if (!crossed.some((conflict) => conflict.field === field)) {
      const known = crossed.map((conflict) => conflict.field).join(", ");
      return fail(
        known === ""
          ? say("choiceFault.nothing", { field })
          : say("choiceFault.onlyIn", { field, fields: known }),
      );
    }
  }
  const decided: FieldConflict[] = [];
  let chosen: Patch = {};
  for (const conflict of crossed) {
    const { field } = conflict;
    const choiceOfField = picks.fields[field] ?? picks.keep;
    if (choiceOfField === undefined) {
      return fail(say("choiceFault.needed", { field, name: fieldNameOf(field) }));
    }
    if (choiceOfField === "theirs") decided.push({ ...conflict, taken: "ours", agreed });
    else if (choiceOfField === "mine") {
      chosen = { ...chosen, ...pick(wish, [field]) };
      decided.push({ ...conflict, taken: "theirs", agreed });
    } else {
      const combined = combinedText(field, choiceOfField.text);
      if (!combined.ok) return combined;
      chosen = { ...chosen, ...combined.value.patch };
      decided.push({ ...conflict, taken: "theirs", agreed, combined: combined.value.text });
    }
  }
  const conflicts = [...settled, ...decided];
  // A combined text may equal what the workspace has already.
  const patch = { ...rest, ...changedFields(valuesOf(present), chosen) };
  if (fieldsOf(patch).length === 0 && edit.newLabels.length === 0) {
    return ok({ kind: "yields", conflicts });
  }
  return ok({ kind: "sends", base: present, patch, conflicts, result: applyPatch(present, patch) });
}

/** The service accepts texts of this length. A longer one is no title. */
const longestLine = 500;
const longestText = 100_000;

function combinedText(
  field: PatchField,
  text: string,
): Result<{ readonly patch: Patch; readonly text: string | null }, string> {
  if (!isCombinable(field)) {
    return fail(say("choiceFault.combine", { field, name: fieldNameOf(field) }));
  }
  const type = field === "place" ? null : fieldOf(field).type.name;
  const written = text.replace(/\r\n?/g, "\n").toWellFormed();
  const said = type === "prose" ? written : written.replace(/\s+/g, " ").trim();
  if (type === "title" && said === "") {
    return fail(say("choiceFault.emptyTitle"));
  }
  const longest = type === "prose" ? longestText : longestLine;
  if (said.length > longest) {
    return fail(say("choiceFault.longText", { field, most: String(longest) }));
  }
  const value = said.trim() === "" ? null : said;
  return ok({ patch: { [field]: value }, text: value });
}
