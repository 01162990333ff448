import type { ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import type { View } from "../../store/view/view.ts";

/**
 * The version of an item that the editor of a file was shown; null when the file names none that is known. The feed's
 * own mark counts first, as programs raise SEQUENCE when they edit. Without it SEQUENCE and LAST-MODIFIED have to name
 * the same version, where both are there.
 */
export function shownBase(
  { base, sequence, lastModified }: IncomingItem,
  { key, view }: { readonly key: ItemKey; readonly view: View },
): Item | null {
  const marked = base === null ? null : view.shownAs(key, { sequence: base, modifiedAt: null });
  return marked ?? view.shownAs(key, { sequence, modifiedAt: lastModified });
}
