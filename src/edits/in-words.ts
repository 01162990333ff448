import type { PatchField } from "../domain/patch.ts";
import { type PlainPatch, patchFromPlain } from "../domain/plain-item.ts";
import { fieldInWords, fieldNames, type Names } from "../ics/text/field-words.ts";
import type { Store } from "../store/store.ts";
import type { FieldChange } from "./field-changes.ts";

/** What numbers of the workspace are called, and on whose clocks times are told: the account's. */
export function namesOf({ directory, zone }: Pick<Store, "directory" | "zone">): Names {
  return {
    people: directory.personNames(),
    labels: directory.labelNames(),
    project: (id) => directory.project(id)?.title ?? null,
    list: (id) => directory.todolist(id)?.title ?? null,
    zone,
  };
}

/** A change for people: the field's name, and its values by names and on the account's clocks. */
export interface ChangeInWords {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** The words of changes, in their order. */
export function changesInWords(
  changes: readonly FieldChange[],
  names: Names,
): readonly ChangeInWords[] {
  return changes.map(({ field, from, to }) => {
    const said = (value: unknown) => valueInWords({ field, value }, names);
    return { name: nameOf(field), from: said(from), to: said(to) };
  });
}

/** A value in JSON as in `PlainPatch`, for people: local, by names, on one line; "none" for an unset one. */
export function valueInWords(
  { field, value }: { readonly field: PatchField; readonly value: unknown },
  names: Names,
): string {
  // Places may have their names already.
  if (field === "place" && typeof value === "string") return value;
  // Labels that are yet to be made stand by name among the numbers.
  const fresh = field === "labels" && Array.isArray(value) ? value.filter(isText) : [];
  const known = fresh.length > 0 && Array.isArray(value) ? value.filter(isNumber) : value;
  const plain: PlainPatch = Object(Object.fromEntries([[field, known]]));
  const said = fieldInWords(field, patchFromPlain(plain, names.zone), names);
  if (fresh.length === 0) return said;
  return [...(Array.isArray(known) && known.length > 0 ? [said] : []), ...fresh].join(", ");
}

/** What people call a field. */
export const nameOf = (field: PatchField): string => fieldNames[field];

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
