import type { Edit } from "./edit.ts";
import type { Item } from "./item.ts";
import { type PatchField, patchFields, valuesOf } from "./patch.ts";
import { sameShown } from "./sameness.ts";

/**
 * The service is eventually consistent: for some seconds after a write, an item or its list may show the old state.
 * Reads in this time that contradict the answer to the write prove nothing.
 */
export const settlingTime = Temporal.Duration.from({ seconds: 15 });

/**
 * True if an item is shown as it was before one of these confirmed edits (oldest first). A stamp later than the last
 * edit's answer means that someone restored the old value.
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
 * True if a single item that was read is older than one of these edits (oldest first). `read` is null for a 404; the
 * last edit says whether the item should exist.
 */
function isOlderThanEdits(read: Item | null, edits: readonly Edit[]): boolean {
  const isDeleted = edits.at(-1)?.action === "delete";
  if (!read) return edits.length > 0 && !isDeleted;
  return isDeleted || showsStateBefore(read, edits);
}

/**
 * The same for the known state of the item: a recent change must not be followed by the state before it. An old stamp
 * proves nothing, as the service's clock may have been set back. `now`: by the service's clock.
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
  // Stamps have a resolution of one second, and so has the difference of the clocks.
  return Temporal.Duration.compare(changedAt.since(now).abs(), settlingTime) < 0;
}

const isAfter = (a: Temporal.Instant | null, b: Temporal.Instant | null): boolean =>
  a !== null && b !== null && Temporal.Instant.compare(a, b) > 0;
