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
import { type PlainPatch, patchFromPlain, patchToPlain } from "../domain/plain-item.ts";
import { fieldInWords, fieldNameOf, type Names } from "../domain/wording.ts";
import type { Directory } from "../store/mirror/directory.ts";
import type { Store } from "../store/store.ts";

/**
 * One changed field of an edit, in JSON as in `PlainPatch`. Labels still to be created are given by name among the ids, and
 * `namedPlaces` replaces places by names.
 */
export interface FieldChange {
  readonly field: PatchField;
  readonly from: unknown;
  readonly to: unknown;
}

/** The changes of a patch. `before`: the values until then; null for a new item. */
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

/** The changes with places in words: `Website`, or `Website: Relaunch` for a list. */
export function namedPlaces(
  changes: readonly FieldChange[],
  about: { readonly places: readonly (Place | undefined)[]; readonly directory: Directory },
): readonly FieldChange[] {
  const [from, to] = about.places.map((place) => place && placeName(place, about.directory));
  return changes.map((change) =>
    change.field === "place" ? { ...change, from: from ?? null, to: to ?? null } : change,
  );
}

/** A place in words; its number if no name is known. */
export function placeName({ projectId, listId }: Place, directory: Directory): string {
  const project = directory.project(projectId)?.title ?? `Project ${projectId}`;
  if (listId === null) return project;
  return `${project}: ${directory.todolist(listId)?.title ?? `List ${listId}`}`;
}

/** The non-empty fields of an item, for recreating it. Its place is not among them. */
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

/** What the fields of a new item are that a request does not name. */
export const emptied = (values: Patch): Patch =>
  Object.fromEntries(
    fieldsOf(values).map((field) => {
      const value = values[field];
      if (Array.isArray(value)) return [field, []];
      return [field, typeof value === "boolean" ? false : null];
    }),
  );

/** The item as it can be recreated, without what the service assigned to the deleted one. */
export function recreated(lost: Item): Item {
  const fresh = { id: null, byMe: false, creatorId: null, createdAt: null, updatedAt: null };
  if (lost.kind === "event") return { ...lost, ...fresh };
  const work = { logged: null, completedAt: null, completedBy: null, rrule: null, ticket: null };
  const counts = { subtaskCount: 0, commentCount: 0, customFields: [], stage: null };
  return { ...lost, ...fresh, ...work, ...counts };
}

/** The action of a patch on an existing item. */
export function actionOf(patch: Patch): EditAction {
  const fields = fieldsOf(patch);
  if (fields.length !== 1 || patch.completed === undefined) return "update";
  return patch.completed ? "complete" : "reopen";
}

/** True if two edits set the same. */
export function sameWish(
  a: { readonly patch: Patch; readonly newLabels: readonly string[] },
  b: { readonly patch: Patch; readonly newLabels: readonly string[] },
): boolean {
  return JSON.stringify(changesOf(null, a)) === JSON.stringify(changesOf(null, b));
}

/** Names of ids, and the zone for times: the account's by default. */
export function namesOf(store: Pick<Store, "directory" | "zone">, zone = store.zone): Names {
  const { directory } = store;
  return {
    people: directory.personNames(),
    labels: directory.labelNames(),
    project: (id) => directory.project(id)?.title ?? null,
    list: (id) => directory.todolist(id)?.title ?? null,
    zone,
  };
}

/** A change for people: the field's name, and its values with names in the account's zone. */
export interface ChangeInWords {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Changes in words, in order. */
export function changesInWords(
  changes: readonly FieldChange[],
  names: Names,
): readonly ChangeInWords[] {
  return changes.map(({ field, from, to }) => {
    const said = (value: unknown) => valueInWords({ field, value }, names);
    return { name: fieldNameOf(field), from: said(from), to: said(to) };
  });
}

/** A value in JSON as in `PlainPatch`, in words: local, with names, on one line; "none" if unset. */
export function valueInWords(
  { field, value }: { readonly field: PatchField; readonly value: unknown },
  names: Names,
): string {
  // Places may have been replaced by names already.
  if (field === "place" && typeof value === "string") return value;
  // Labels still to be created are given by name among the ids.
  const fresh = field === "labels" && Array.isArray(value) ? value.filter(isText) : [];
  const known = fresh.length > 0 && Array.isArray(value) ? value.filter(isNumber) : value;
  const plain: PlainPatch = Object(Object.fromEntries([[field, known]]));
  const said = fieldInWords(field, known === null ? {} : patchFromPlain(plain, names.zone), names);
  if (fresh.length === 0) return said;
  return [...(Array.isArray(known) && known.length > 0 ? [said] : []), ...fresh].join(", ");
}

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
