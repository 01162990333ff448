import type { Edit } from "./edit.ts";
import type { Item } from "./item.ts";
import { applyPatch } from "./patch.ts";

/**
 * The item as its readers see it: the mirror's row with the visible edits laid over it in their order. Null when
 * there is none: never mirrored and no creation pending, or a deletion is under way. Of an edit that is carried out again
 * because a late request has undone it, only what was undone counts.
 */
export function overlay(mirrored: Item | null, edits: readonly Edit[]): Item | null {
  let item = mirrored;
  for (const edit of edits) {
    if (edit.action === "delete") item = null;
    else if (edit.action === "create") item = applyPatch(edit.base, edit.patch);
    else if (item) item = applyPatch(item, edit.restores?.patch ?? edit.patch);
  }
  return item;
}
