import type { EditAction } from "../domain/edit.ts";
import type { Item } from "../domain/item.ts";
import {
  fieldsOf,
  type Patch,
  type PatchField,
  type Place,
  pick,
  valuesOf,
  without,
} from "../domain/patch.ts";
import { type PlainPatch, patchToPlain } from "../domain/plain-item.ts";
import type { Directory } from "../store/mirror/directory.ts";

/**
 * One field of an edit, in JSON as in `PlainPatch`; labels that are yet to be created stand by name among the ids, and
 * `namedPlaces` puts names for places.
 */
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

/** The changes with places as people call them: `Website`, or `Website: Relaunch` where a list is meant. */
export function namedPlaces(
  changes: readonly FieldChange[],
  about: { readonly places: readonly (Place | undefined)[]; readonly directory: Directory },
): readonly FieldChange[] {
  const [from, to] = about.places.map((place) => place && placeName(place, about.directory));
  return changes.map((change) =>
    change.field === "place" ? { ...change, from: from ?? null, to: to ?? null } : change,
  );
}

/** What people call a place; its number where no name is known. */
export function placeName({ projectId, listId }: Place, directory: Directory): string {
  const project = directory.project(projectId)?.title ?? `Project ${projectId}`;
  if (listId === null) return project;
  return `${project}: ${directory.todolist(listId)?.title ?? `List ${listId}`}`;
}

/** The fields of an item that say something, for making it anew: a creation names no others. Its place is no field of it. */
export function spokenFields(item: Item): Patch {
  const values = without(valuesOf(item), "place");
  return pick(
    values,
    fieldsOf(values).filter((field) => {
      const value = values[field];
      return value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
    }),
  );
}

/** The item as it can be made anew: without what belongs to its former life at the service. */
export function recreated(lost: Item): Item {
  const fresh = { id: null, byMe: false, creatorId: null, createdAt: null, updatedAt: null };
  if (lost.kind === "event") return { ...lost, ...fresh };
  const work = { logged: null, completedAt: null, completedBy: null, rrule: null, ticket: null };
  const counts = { subtaskCount: 0, commentCount: 0, customFields: [], stage: null };
  return { ...lost, ...fresh, ...work, ...counts };
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
