import { atService } from "../../domain/clock-lead.ts";
import { isOlderThanKnown } from "../../domain/eventual.ts";
import type { ItemKind } from "../../domain/fields.ts";
import type { ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Store } from "../store.ts";

export interface LaggingDeps {
  readonly store: Pick<Store, "mirror" | "pastEdits">;
  readonly clock: () => Temporal.Instant;
  readonly upstream: { readonly clockLead: () => Temporal.Duration | null };
}

/** True if a read of an item (null: not found) may predate what the service has shown or confirmed. */
export function isLagging(
  { kind, id }: { readonly kind: ItemKind; readonly id: ServiceId },
  read: Item | null,
  { store: { mirror, pastEdits }, clock, upstream }: LaggingDeps,
): boolean {
  const key = mirror.find(kind, id);
  if (key === null) return false;
  return isOlderThanKnown(read, {
    known: mirror.get(key)?.item ?? null,
    edits: pastEdits.unsettledOfItem(key),
    now: atService(clock(), upstream.clockLead()),
  });
}
