import type { Edit } from "./edit.ts";
import type { Item } from "./item.ts";
import { type PatchField, patchFields, valuesOf } from "./patch.ts";
import { sameShown } from "./sameness.ts";

/**
 * The service is eventually consistent: for some seconds after a write an item, or its list, may still answer as before. What is
 * read in this time and contradicts the answer to the write proves nothing.
 */
export const settlingTime = Temporal.Duration.from({ seconds: 15 });

/**
 * Whether an item is shown as it was before one of these confirmed edits. A stamp that is later than the edit's answer says that
 * somebody has put the old value back.
 */
export const showsStateBefore = (shown: Item, edits: readonly Edit[]): boolean =>
  edits.some(({ before, answer }) => {
    if (!before || !answer || isAfter(shown.updatedAt, answer.updatedAt)) return false;
    const [was, is, says] = [valuesOf(before), valuesOf(answer), valuesOf(shown)];
    const isBack = (field: PatchField) => sameShown(field, was, says) && !sameShown(field, was, is);
    return patchFields.some(isBack);
  });

/** Whether an item that was read by itself is older than one of these edits; null: the service says that it is not there. */
export function isOlderThanEdits(read: Item | null, edits: readonly Edit[]): boolean {
  const isDeleted = edits.some(({ action }) => action === "delete");
  if (!read) return edits.length > 0 && !isDeleted;
  return isDeleted || showsStateBefore(read, edits);
}

const isAfter = (a: Temporal.Instant | null, b: Temporal.Instant | null): boolean =>
  a !== null && b !== null && Temporal.Instant.compare(a, b) > 0;
