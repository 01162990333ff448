import type { Item } from "../domain/item.ts";
import { type Edit, visibleStates } from "../domain/journal.ts";
import { likenessOf, looksAlike } from "../domain/lost-creation.ts";
import { applyPatch } from "../domain/merge.ts";

/** Whether the move's outcome is open: until then its item may be in neither place, or in both. */
export const isUnderWay = ({ state }: Edit): boolean => visibleStates.includes(state);

/**
 * Whether an item that no row of its list knows is one that a move is about: the event that it has left behind and will
 * delete, or what it has just made in the new place under another id. Shown, it would stand twice in the view. A task
 * that is found in its new place under its own id is simply there.
 */
export function isOfMove(move: Edit, item: Item): boolean {
  const before = move.before ?? move.base;
  if (item.kind === before.kind && item.id === before.id) return item.kind === "event";
  const { place } = move.patch;
  const { sentAt, actor } = move;
  if (!isUnderWay(move) || !place || !sentAt) return false;
  // A task is moved first and gets its other fields then; one under another id may still have its old stamp.
  const wished = applyPatch(before, before.kind === "event" ? move.patch : { place });
  const isOld = item.createdAt !== null && before.createdAt?.equals(item.createdAt) === true;
  return isOld ? looksAlike(item, wished) : likenessOf(item, { wished, sentAt, actor }) === "same";
}
