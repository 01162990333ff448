import { isOlderThanEdits, unsettled } from "../domain/eventual.ts";
import type { Item } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import type { Identified } from "./plan-snapshot.ts";

/** Whether what was read of an item may be older than what an edit of it was answered; null: it was not there. */
export function isUnsettled(
  { kind, id }: Identified,
  {
    store,
    now,
    read,
  }: { readonly store: Store; readonly now: Temporal.Instant; readonly read: Item | null },
): boolean {
  const key = store.mirror.find(kind, id);
  return key !== null && isOlderThanEdits(read, unsettled(store.pastEdits.latelyOfItem(key), now));
}
