import { type EditedField, fieldNames, fieldsOfKind, isEdited, type ValueOf } from "./fields.ts";
import type { ListId, ProjectId } from "./ids.ts";
import type { Item, TaskItem } from "./item.ts";

/**
 * The fields that an edit may set. The service's `start`, `end` and `all_day` are one field, `when`; project and
 * todolist are `place`.
 */
export type PatchField = EditedField | "place";
export const patchFields: readonly PatchField[] = [...fieldNames.filter(isEdited), "place"];

/** Where an item is: an event in a project, a task in a list. */
export interface Place {
  readonly projectId: ProjectId;
  /** Null for an event. */
  readonly listId: ListId | null;
}

/** The fields that an edit sets. Null unsets a field. */
export type Patch = { readonly [Field in EditedField]?: ValueOf<Field> } & {
  readonly place?: Place;
};

/** The fields in a patch, in the order of `patchFields`. */
export const fieldsOf = (patch: Patch): readonly PatchField[] =>
  patchFields.filter((field) => patch[field] !== undefined);

/** The current values of the editable fields. A subtask has no place of its own. */
export const valuesOf = (item: Item): Patch => ({
  ...pick(item, fieldsOfKind(item.kind).filter(isEdited)),
  ...(item.kind !== "subtask" && { place: placeOf(item) }),
});

/** Where an item is; a subtask is where its task is. */
export const placeOf = (item: Item): Place => ({
  projectId: item.projectId,
  listId: item.kind === "event" ? null : item.listId,
});

/** The item in another place. A task keeps its list if none is named. */
export function placedIn(item: Item, { projectId, listId }: Place): Item {
  if (item.kind === "event") return { ...item, projectId };
  return listId === null ? item : { ...item, projectId, listId };
}

/** The item with the patch applied. Fields that its kind lacks are ignored. */
export function applyPatch(given: Item, patch: Patch): Item {
  const isMoved = patch.place !== undefined && given.kind !== "subtask";
  const item = isMoved ? placedIn(given, patch.place) : given;
  const wished = fieldsOfKind(item.kind).filter(isEdited);
  const values = pick(
    patch,
    wished.filter((field) => patch[field] !== undefined),
  );
  return item.kind === "event"
    ? { ...item, ...values }
    : { ...item, ...values, ...progressOf(item, patch) };
}

/** Only the named fields of a patch. */
export function pick(patch: Patch, fields: readonly PatchField[]): Patch {
  return Object.fromEntries(fields.map((field) => [field, patch[field]]));
}

/** A patch without one field. */
export const without = (patch: Patch, unwanted: PatchField): Patch =>
  pick(
    patch,
    fieldsOf(patch).filter((field) => field !== unwanted),
  );

function progressOf({ completed, ...item }: TaskItem, patch: Patch): Partial<TaskItem> {
  const finished = patch.completed === true && !completed;
  const reopened = patch.completed === false;
  const progress = reopened && completed ? 0 : item.percent;
  return {
    percent: patch.completed === true ? 100 : progress,
    completedAt: finished || reopened ? null : item.completedAt,
    completedBy: finished || reopened ? null : item.completedBy,
  };
}
