import type { ItemKey, ServiceId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { Edit } from "../domain/journal.ts";
import { toPlain } from "../domain/plain-item.ts";
import { looksLike } from "./creation.ts";
import { isOfMove } from "./move.ts";

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
  /** Moves under way, or lately ended; asked for as creations are. */
  readonly moves: () => readonly Edit[];
}

export interface SnapshotPlan {
  /** New or different. */
  readonly put: readonly Identified[];
  readonly unchanged: number;
  /** Known but not shown. */
  readonly missing: readonly ItemKey[];
  /** Left to the creations and moves that have probably made them. */
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
  moves,
}: SnapshotFacts): SnapshotPlan {
  const overtaken = (id: ServiceId) => before.get(id)?.content !== known.get(id)?.content;
  const put: Identified[] = [];
  const heldBack: Item[] = [];
  const seen = new Set<ServiceId>();
  const isExpected = expectation({ creations, moves });
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
    if (!stored && isExpected(item)) heldBack.push(item);
    else put.push(item);
  }
  const missing = complete
    ? [...known].flatMap(([id, { key }]) => (seen.has(id) || overtaken(id) ? [] : [key]))
    : [];
  return { put, unchanged, missing, heldBack, seen };
}

/** Whether an edit under way accounts for an unknown item; the journal is read when the first one is asked about. */
function expectation({
  creations,
  moves,
}: Pick<SnapshotFacts, "creations" | "moves">): (item: Item) => boolean {
  let open: { readonly made: readonly Edit[]; readonly moved: readonly Edit[] } | null = null;
  return (item) => {
    open ??= { made: creations(), moved: moves() };
    const { made, moved } = open;
    return made.some((edit) => looksLike(edit, item)) || moved.some((edit) => isOfMove(edit, item));
  };
}

export const isIdentified = (item: Item): item is Identified => item.id !== null;
