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
 * Whether an item is shown as it was before one of these confirmed edits, oldest first. What the answer to the last of them says is
 * newest; a stamp that is later than an edit's answer says that somebody has put the old value back.
 */
export function showsStateBefore(shown: Item, edits: readonly Edit[]): boolean {
  const says = valuesOf(shown);
  const last = edits.findLast(({ answer }) => answer !== null)?.answer;
  const newest = last ? valuesOf(last) : null;
  const isNewest = (field: PatchField) => newest !== null && sameShown(field, newest, says);
  return edits.some(({ before, answer }) => {
    if (!before || !answer || isAfter(shown.updatedAt, answer.updatedAt)) return false;
    const [was, is] = [valuesOf(before), valuesOf(answer)];
    const isBack = (field: PatchField) => sameShown(field, was, says) && !sameShown(field, was, is);
    return patchFields.some((field) => isBack(field) && !isNewest(field));
  });
}

/**
 * Whether an item that was read by itself is older than one of these edits, oldest first; null: the service says that it is not there.
 * The last one tells whether it should be.
 */
function isOlderThanEdits(read: Item | null, edits: readonly Edit[]): boolean {
  const isDeleted = edits.at(-1)?.action === "delete";
  if (!read) return edits.length > 0 && !isDeleted;
  return isDeleted || showsStateBefore(read, edits);
}

/**
 * The same for what is known of the item: what was changed lately is not shown as it was before. A stamp from long ago proves nothing, as
 * the service's clock may have been set back. `now`: by the service's clock.
 */
export function isOlderThanKnown(
  read: Item | null,
  {
    known,
    edits,
    now,
  }: {
    readonly known: Item | null;
    readonly edits: readonly Edit[];
    readonly now: Temporal.Instant;
  },
): boolean {
  if (isOlderThanEdits(read, edits)) return true;
  const changedAt = known?.updatedAt ?? null;
  if (!read || !changedAt || !isAfter(changedAt, read.updatedAt)) return false;
  // Stamps are whole seconds, and so is what tells how far the two clocks are apart.
  return Temporal.Duration.compare(changedAt.since(now).abs(), settlingTime) < 0;
}

const isAfter = (a: Temporal.Instant | null, b: Temporal.Instant | null): boolean =>
  a !== null && b !== null && Temporal.Instant.compare(a, b) > 0;
