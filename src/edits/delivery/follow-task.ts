import type { ItemKey, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { placedIn, placeOf } from "../../domain/merge.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Store } from "../../store/store.ts";

/**
 * Notes where the service has a task now. It keeps handle and UID, also where the service has given it another id, and
 * its subtasks go with it. Belongs inside a transaction.
 */
export function followTask(
  key: ItemKey,
  { now, store }: { readonly now: Item & { readonly id: ServiceId }; readonly store: Store },
): void {
  const { mirror } = store;
  const { serviceId: idBefore } = mirror.identity(key);
  const below = idBefore === null ? [] : mirror.ofSource(`subtasks:${idBefore}`);
  mirror.adopt(key, now.id);
  mirror.put(now, sourceOf(now));
  for (const { item } of below) {
    if (item.kind === "event" || item.id === null) continue;
    const moved = { ...placedIn({ ...item, parentId: now.id }, placeOf(now)), id: item.id };
    mirror.put(moved, sourceOf(moved));
  }
}
