import type { ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Failure } from "../../upstream/failure.ts";
import { type Errand, isMissing, type Outcome, spotOf } from "./errand.ts";
import { followTask } from "./follow-task.ts";
import type { Spot } from "./item-calls.ts";
import { lookBeyond } from "./look-beyond.ts";
import { lookThere } from "./move-task.ts";
import { searchLists } from "./search.ts";

/** What the service has of an item right now. */
export type Meeting =
  | { readonly kind: "met"; readonly spot: Spot; readonly ours: Item }
  /** Not there, or not for this person's eyes; it was not moved either, as far as the mirror knows. */
  | { readonly kind: "gone"; readonly failure: Failure }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/**
 * Reads the item that an edit is about to change. A task that is not in its list may have been moved: the lists are
 * asked for, and the edit waits until all have been read before it takes the item for gone.
 */
export async function meet(errand: Errand): Promise<Meeting> {
  const spot = spotOf(errand);
  const found = await errand.calls.get(spot);
  if (found.ok) {
    if (errand.edit.missedAt) errand.store.journal.missing(errand.edit.id, false);
    notice(errand, { ...found.value, id: spot.id });
    return { kind: "met", spot, ours: found.value };
  }
  const { failure } = found;
  const isHidden = failure.kind === "refused" && failure.status === 403;
  if (!isMissing(failure) && !isHidden)
    return { kind: "ended", outcome: { kind: "failed", failure } };
  const there = await lookThere(errand, spot);
  if (there?.kind === "ended") return there;
  if (there) return meetThere(errand, { item: there.item, id: there.item.id ?? spot.id });
  const { action, before, missedAt } = errand.edit;
  // A deletion that was sent before and whose answer was lost has worked.
  const isSent = action === "delete" && before !== null && missedAt === null;
  const isOwnDoing = isSent && isMissing(failure);
  if (spot.item.kind === "event" || isOwnDoing) return { kind: "gone", failure };
  const search = searchLists(errand);
  if (search) return { kind: "ended", outcome: search };
  // What is not gone for certain must not be taken for deleted; a change of it waits for a person in any case.
  if (action !== "delete" || isHidden) return { kind: "gone", failure };
  const beyond = await lookBeyond(errand, spot);
  if (beyond.kind === "nowhere") return { kind: "gone", failure };
  if (beyond.kind === "ended") return beyond;
  return { kind: "met", spot: { item: beyond.item, id: spot.id }, ours: beyond.item };
}

/** The task is where the edit takes it: somebody has moved it there, or a request of ours whose answer was lost. */
function meetThere({ edit, store }: Errand, spot: Spot): Meeting {
  const now = { ...spot.item, id: spot.id };
  store.together(() => followTask(edit.item, { now, store }));
  return { kind: "met", spot, ours: now };
}

/** What is read of an item under watch may be the work of a late request, which is judged when it is stored. */
function notice({ edit, store }: Errand, ours: Item & { readonly id: ServiceId }): void {
  if (store.unanswered.ofItem(edit.item).length > 0) store.mirror.put(ours, sourceOf(ours));
}
