import type { Item } from "../../domain/item.ts";
import { type Patch, type PatchField, valuesOf } from "../../domain/patch.ts";
import { changedFields } from "../../domain/sameness.ts";
import type { KnownNames } from "./file-context.ts";

/**
 * The wish to unset what an editor has taken away, of an item as the editor saw it: only fields that can be unset and that
 * say something. Labels that calendars cannot be shown stay.
 */
export function unsetFields(
  item: Item,
  about: { readonly fields: readonly PatchField[]; readonly names: KnownNames },
): Patch {
  const { fields, names } = about;
  if (fields.length === 0) return {};
  const empty: Patch =
    item.kind === "event"
      ? { description: null, reminder: null, milestone: false }
      : {
          description: null,
          startOn: null,
          dueOn: null,
          labels: item.labels.filter((id) => !names.isNamed(id)),
        };
  const unset = Object.fromEntries(
    Object.entries(empty).filter(([field]) => fields.some((name) => name === field)),
  );
  return changedFields(valuesOf(item), unset);
}
