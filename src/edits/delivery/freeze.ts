import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import { fieldsOf, type PatchField, valuesOf } from "../../domain/merge.ts";
import { alike } from "../alike.ts";
import { sameWish } from "../changes.ts";
import { describeEcho } from "./echo.ts";

/** More writes than these that do not settle, and the item waits for a person. Source: docs/architecture.md. */
const mostWrites = 5;
const span = Temporal.Duration.from({ hours: 1 });

/** `others`: all edits of the item; `present`: the item as the service is known to have it. */
interface Circumstances {
  readonly others: readonly Edit[];
  readonly now: Temporal.Instant;
  readonly present: Item;
}

/**
 * Why an edit must wait because its item will not settle; null when it may go. An item does not settle when writes of
 * the last hour came back otherwise than wished, or had to be wished again because what they wrote was changed back by
 * no edit that is known here: the service or another program does that. A person who ticks and unticks is no such thing,
 * and what a person has asked for twice always goes.
 */
export function freezeReason(edit: Edit, circumstances: Circumstances): string | null {
  if (edit.insisted) return null;
  const first = circumstances.others.find(({ frozen, id }) => frozen && id !== edit.id);
  if (first) {
    return `frozen with edit ${first.id}: the item does not settle; retry or discard that edit first, or retry this one`;
  }
  const count = unsettledWrites(edit, circumstances);
  if (count < mostWrites) return null;
  return `frozen: ${count} writes of this item within an hour did not settle, as the service or another program keeps changing it back; retry to send it all the same`;
}

function unsettledWrites(edit: Edit, { others, now, present }: Circumstances): number {
  const since = now.subtract(span);
  const writes = others
    .filter(({ id, before, answer }) => id !== edit.id && before !== null && answer !== null)
    .filter(({ confirmedAt }) => confirmedAt && Temporal.Instant.compare(confirmedAt, since) > 0);
  const person = Math.max(0, ...writes.filter(({ insisted }) => insisted).map(({ id }) => id));
  const recent = writes.filter(({ id }) => id > person).toSorted((a, b) => a.id - b.id);
  const all = [...recent, { ...edit, before: edit.before ?? present }];
  return recent.filter(
    (write) =>
      (write.answer !== null && describeEcho(write, write.answer)) || wasChangedBack(write, all),
  ).length;
}

/** Whether the same was wished again later, and something else had changed back by then what the write had written. */
function wasChangedBack(write: Edit, all: readonly Edit[]): boolean {
  const later = all.filter(({ id }) => id > write.id);
  const next = later.find((other) => sameWish(other, write));
  if (!next?.before || !write.answer) return false;
  const [written, found] = [valuesOf(write.answer), valuesOf(next.before)];
  const own = later.filter(({ id }) => id < next.id);
  return spokenOf(write).some((field) => {
    const isOurs = ({ answer }: Edit) => answer !== null && alike(field, valuesOf(answer), found);
    const ownLast = own.findLast((other) => spokenOf(other).includes(field));
    return !alike(field, written, found) && !(ownLast && isOurs(ownLast));
  });
}

const spokenOf = ({ patch, newLabels }: Edit): readonly PatchField[] =>
  fieldsOf(newLabels.length > 0 ? { labels: [], ...patch } : patch);
