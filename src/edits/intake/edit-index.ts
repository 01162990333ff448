import type { ItemKey } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import type { Journal } from "../../store/journal.ts";

/** The journal by item, as it was when it was first asked; newest first. */
export interface EditIndex {
  heldOf(item: ItemKey): readonly Edit[];
  allOf(item: ItemKey): readonly Edit[];
}

const everything = 1_000_000;

/** Reads the journal at most twice, and not at all where nobody asks: a file may name thousands of items. */
export function indexEdits(journal: Journal): EditIndex {
  const heldOf = lazily(() => journal.list({ state: "held", limit: everything }));
  const allOf = lazily(() => journal.list({ limit: everything }));
  return { heldOf, allOf };
}

function lazily(read: () => readonly Edit[]): (item: ItemKey) => readonly Edit[] {
  let index: ReadonlyMap<ItemKey, readonly Edit[]> | null = null;
  return (item) => {
    index ??= Map.groupBy(read(), (edit) => edit.item);
    return index.get(item) ?? [];
  };
}
