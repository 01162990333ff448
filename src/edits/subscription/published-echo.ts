import type { Item } from "../../domain/item.ts";
import { fieldsOf } from "../../domain/merge.ts";
import type { IncomingItem } from "../../ics/read/read.ts";
import { type DiffContext, diffItem } from "../intake/diff.ts";
import { claimsNewer, spokenAnew } from "./subscribed-diff.ts";

/**
 * Whether a change of a subscribed calendar only repeats a version that was published here: such a calendar may itself
 * subscribe to a feed, hours behind. One that goes back to an older version than it showed before is an edit if it claims
 * to be newer: a person took something back.
 */
export function isPublishedEcho(
  change: { readonly newer: IncomingItem; readonly older: IncomingItem | null },
  about: { readonly versions: readonly Item[]; readonly context: DiffContext },
): boolean {
  const { newer, older } = change;
  const newest = (item: IncomingItem | null): number =>
    item ? about.versions.findLastIndex((version) => says(item, { version, ...about })) : -1;
  if (!older) return newest(newer) >= 0;
  const at = newest(spokenAnew(newer, older));
  if (at < 0) return false;
  return newest(spokenAnew(older, newer)) <= at || !claimsNewer(newer, older);
}

function says(
  item: IncomingItem,
  { version, context }: { readonly version: Item; readonly context: DiffContext },
): boolean {
  const { patch, newLabels, refusals } = diffItem(item, version, context);
  return fieldsOf(patch).length === 0 && newLabels.length === 0 && refusals.length === 0;
}
