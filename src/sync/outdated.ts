import type { Edit } from "../domain/edit.ts";
import type { Item } from "../domain/item.ts";
import { type PatchField, patchFields, valuesOf } from "../domain/patch.ts";
import { sameShown } from "../domain/sameness.ts";
import { sourceOf } from "../domain/source.ts";
import type { Store } from "../store/store.ts";
import type { Call, Upstream } from "../upstream/client.ts";
import type { Identified } from "./plan-snapshot.ts";
import { getItem } from "./questions.ts";

/**
 * Whether a list shows an item as it was before one of the edits, all confirmed lately, was carried out: it may lag behind, as a
 * list of a copy of the service's data does. A stamp that is later than the edit's answer says that somebody has put the old
 * value back. `isKnown`: whether the item is mirrored now.
 */
export const isOutdated = (
  listed: Item,
  { edits, isKnown }: { readonly edits: readonly Edit[]; readonly isKnown: boolean },
): boolean =>
  edits.some(({ action, before, answer }) => {
    if (action === "delete") return !isKnown;
    if (!before || !answer || isAfter(listed.updatedAt, answer.updatedAt)) return false;
    const [was, is, shown] = [valuesOf(before), valuesOf(answer), valuesOf(listed)];
    const isBack = (field: PatchField) =>
      sameShown(field, was, shown) && !sameShown(field, was, is);
    return patchFields.some(isBack);
  });

const isAfter = (a: Temporal.Instant | null, b: Temporal.Instant | null): boolean =>
  a !== null && b !== null && Temporal.Instant.compare(a, b) > 0;

interface AskDeps {
  readonly store: Store;
  readonly upstream: Upstream;
}

/** So many items are asked for at once: the list is read again soon, and shows the others then. */
const mostAsked = 10;

/**
 * Asks for items that a list shows as they were before an own edit, one by one: what an item itself says is taken, unless it was
 * written here meanwhile. Where it cannot be read the mirror stays, and the next reading of the list asks again.
 */
export async function askForOutdated(
  items: readonly Identified[],
  { store, upstream, call }: AskDeps & { readonly call: Call },
): Promise<void> {
  for (const item of items.slice(0, mostAsked)) {
    const before = textOf(item, store);
    const found = await getItem({ store, upstream }, { item, call });
    if (!found.ok || found.value.id !== item.id || textOf(item, store) !== before) continue;
    const { id } = item;
    store.mirror.put({ ...found.value, id }, sourceOf(found.value));
  }
}

/** The item as it is mirrored; null when it is not. */
const textOf = ({ kind, id }: Identified, { mirror }: Pick<Store, "mirror">): string | null =>
  mirror.stored(kind, id)?.row?.content ?? null;
