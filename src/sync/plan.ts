import type { ItemKey, ServiceId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { Edit } from "../domain/journal.ts";
import { toPlain } from "../domain/plain-item.ts";
import { looksLike } from "./creation.ts";

/** Items of one source as the mirror holds them, by the service's id. */
export type Contents = ReadonlyMap<ServiceId, { readonly key: ItemKey; readonly content: string }>;

/** An item that the service has named. */
export type Identified = Item & { readonly id: ServiceId };

export interface SnapshotFacts {
  /** The source's rows when the request was made, and now: a row that moved in between is newer than the snapshot. */
  readonly before: Contents;
  readonly known: Contents;
  readonly items: readonly Item[];
  /** Whether the snapshot may say that something is missing. */
  readonly complete: boolean;
  /** Creations under way; asked for only when an unknown item turns up. */
  readonly creations: () => readonly Edit[];
}

export interface SnapshotPlan {
  /** New or different. */
  readonly put: readonly Identified[];
  readonly unchanged: number;
  /** Known but not shown. */
  readonly missing: readonly ItemKey[];
  /** Left to the creations that have probably made them. */
  readonly heldBack: readonly Item[];
  /** Every id in the snapshot. */
  readonly seen: ReadonlySet<ServiceId>;
}

/**
 * What a snapshot changes in the mirror, decided on stored text alone: an unchanged item is neither decoded nor written,
 * also when nothing but its `updatedAt` has moved.
 */
export function planSnapshot({
  before,
  known,
  items,
  complete,
  creations,
}: SnapshotFacts): SnapshotPlan {
  const overtaken = (id: ServiceId) => before.get(id)?.content !== known.get(id)?.content;
  const put: Identified[] = [];
  const heldBack: Item[] = [];
  const seen = new Set<ServiceId>();
  let open: readonly Edit[] | null = null;
  let unchanged = 0;
  for (const item of items) {
    if (!isIdentified(item)) continue;
    seen.add(item.id);
    const stored = known.get(item.id);
    if (overtaken(item.id)) continue;
    if (stored?.content === JSON.stringify(toPlain(item))) {
      unchanged += 1;
      continue;
    }
    open ??= stored ? null : creations();
    if (!stored && open?.some((edit) => looksLike(edit, item))) heldBack.push(item);
    else put.push(item);
  }
  const missing = complete
    ? [...known].flatMap(([id, { key }]) => (seen.has(id) || overtaken(id) ? [] : [key]))
    : [];
  return { put, unchanged, missing, heldBack, seen };
}

export const isIdentified = (item: Item): item is Identified => item.id !== null;
