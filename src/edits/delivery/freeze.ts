import type { Edit } from "../../domain/journal.ts";
import { sameWish } from "../changes.ts";
import { describeEcho } from "./echo.ts";

/** More writes than these that do not settle, and the item waits for a person. Source: docs/architecture.md. */
const mostWrites = 5;
const span = Temporal.Duration.from({ hours: 1 });

/**
 * Why an edit must wait because its item will not settle; null when it may go. An item does not settle when writes of
 * the last hour came back otherwise than wished, or wished the same again and again, as two programs do that undo each
 * other's edits. Different edits of a busy person are no such thing, and what a person has asked for twice always goes.
 * `others`: all edits of the item.
 */
export function freezeReason(
  edit: Edit,
  { others, now }: { readonly others: readonly Edit[]; readonly now: Temporal.Instant },
): string | null {
  if (edit.insisted) return null;
  const first = others.find(({ frozen, id }) => frozen && id !== edit.id);
  if (first) {
    return `frozen with edit ${first.id}: the item does not settle; retry or discard that edit first, or retry this one`;
  }
  const count = unsettledWrites(edit, { others, now });
  if (count < mostWrites) return null;
  return `frozen: ${count} writes of this item within an hour did not settle, as the service or another program keeps changing it back; retry to send it all the same`;
}

function unsettledWrites(
  edit: Edit,
  { others, now }: { readonly others: readonly Edit[]; readonly now: Temporal.Instant },
): number {
  const since = now.subtract(span);
  const writes = others
    .filter(({ before, answer }) => before !== null && answer !== null)
    .filter(({ confirmedAt }) => confirmedAt && Temporal.Instant.compare(confirmedAt, since) > 0);
  const person = Math.max(0, ...writes.filter(({ insisted }) => insisted).map(({ id }) => id));
  const recent = writes.filter(({ id }) => id > person);
  return recent.filter((write) => {
    if (write.answer && describeEcho(write, write.answer)) return true;
    return [...recent, edit].some((other) => other.id !== write.id && sameWish(other, write));
  }).length;
}
