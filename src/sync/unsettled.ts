import { isOlderThanEdits } from "../domain/eventual.ts";
import type { Item } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import type { Identified } from "./plan-snapshot.ts";

/** Whether a read of an item (null: not found) may show a state from before an edit that the service has confirmed. */
export function isUnsettled(
  { kind, id }: Identified,
  { store, read }: { readonly store: Store; readonly read: Item | null },
): boolean {
  const key = store.mirror.find(kind, id);
  return key !== null && isOlderThanEdits(read, store.pastEdits.unsettledOfItem(key));
}
