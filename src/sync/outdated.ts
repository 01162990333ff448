import type { Edit } from "../domain/edit.ts";
import { showsStateBefore } from "../domain/eventual.ts";
import type { Item } from "../domain/item.ts";
import { sourceOf } from "../domain/source.ts";
import { isLagging } from "../store/mirror/lagging-reads.ts";
import type { Store } from "../store/store.ts";
import type { Call, Upstream } from "../upstream/client.ts";
import { getItem } from "./deletion-checks.ts";
import type { Identified } from "./plan-snapshot.ts";

/**
 * True if a list shows an item as it was before one of the recently confirmed edits. The list may lag behind, as from a
 * replica. `isKnown`: whether the item is mirrored now.
 */
export const isOutdated = (
  listed: Item,
  { edits, isKnown }: { readonly edits: readonly Edit[]; readonly isKnown: boolean },
): boolean =>
  (!isKnown && edits.some(({ action }) => action === "delete")) || showsStateBefore(listed, edits);

interface AskDeps {
  readonly store: Store;
  readonly clock: () => Temporal.Instant;
  readonly upstream: Upstream;
}

/** Items looked up at once. The others are in the list's next poll. */
const mostAsked = 10;

/**
 * Requests items one by one that a list shows as before one of our edits. The answer is stored, unless the item was written
 * here meanwhile. After a failure, the next poll of the list tries again.
 */
export async function askForOutdated(
  items: readonly Identified[],
  { store, upstream, clock, call }: AskDeps & { readonly call: Call },
): Promise<void> {
  for (const item of items.slice(0, mostAsked)) {
    const before = textOf(item, store);
    const found = await getItem({ store, upstream }, { item, call });
    if (!found.ok || textOf(item, store) !== before) continue;
    if (isLagging(item, found.value, { store, upstream, clock })) continue;
    const { id } = item;
    store.mirror.put({ ...found.value, id }, sourceOf(found.value));
  }
}

/** The mirrored item; null if there is none. */
const textOf = ({ kind, id }: Identified, { mirror }: Pick<Store, "mirror">): string | null =>
  mirror.stored(kind, id)?.row?.content ?? null;
