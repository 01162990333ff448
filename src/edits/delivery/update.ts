import type { FieldConflict } from "../../domain/edit.ts";
import type { ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { fieldsOf, type Patch } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import { changedFields } from "../../domain/sameness.ts";
import { sourceOf } from "../../domain/source.ts";
import { type Failure, isMissing } from "../../upstream/failure.ts";
import { namesOf } from "../field-changes.ts";
import {
  type Attempt,
  type AttemptEnding,
  ended,
  failed,
  itemAddressOf,
  parkAsGone,
  progressUnknown,
} from "./attempt.ts";
import { type CurrentItem, findMoved, searchAgain } from "./find-moved.ts";
import { type ItemAddress, send } from "./item-calls.ts";
import { describeConflict, mergeEdit, recordReplaced } from "./merge-edit.ts";
import { moveEvent, recallMove, resumeMove } from "./move-event.ts";
import { moveTask } from "./move-task.ts";

/**
 * Merges the edit with the service's present state, and sends what is left: a move first, then the changed fields, then the
 * completion, which is a separate request. Sends nothing if the service has it all.
 */
export async function carryOutUpdate(attempt: Attempt): Promise<AttemptEnding> {
  const { edit } = attempt;
  const resumed = await resumeMove(attempt);
  if (resumed) return resumed;
  const current = await fetchCurrent(attempt);
  if (current.kind === "ended") return current.ending;
  const recalled = await recallMove(attempt, current.kind === "found" ? current.ours : null);
  if (recalled) return recalled;
  if (current.kind === "gone") return withoutItem(current.failure, attempt);
  const { address, ours } = current;
  const { sides, patch, yields, ...merged } = mergeEdit(attempt, ours);
  const conflicts = edit.restores ? [] : merged.conflicts;
  if (yields && edit.restores) return { kind: "done", answer: ours };
  if (yields) return yieldTo(ours, attempt, conflicts);
  const full = await withNewLabels(patch, { attempt, ours: sides.ours });
  if (!full.ok) return failed(full.failure);
  if (fieldsOf(full.value).length === 0) return { kind: "done", answer: ours, conflicts };
  recordReplaced(attempt, ours, conflicts);
  const ending = await carryOver(attempt, { address, ours, patch: full.value });
  return ending.kind === "done"
    ? { ...ending, conflicts: [...conflicts, ...(ending.conflicts ?? [])] }
    : ending;
}

/** An item that is hidden while a move of it may have been made is requested again. */
function withoutItem(failure: Failure, attempt: Attempt): AttemptEnding {
  const { edit, onMissing } = attempt;
  if (edit.patch.place && edit.sentAt !== null && !isMissing(failure)) {
    return progressUnknown(failure, attempt);
  }
  // Only its list proves that an event was deleted; until then it cannot be recreated.
  if (isMissing(failure) && edit.base.kind === "event") onMissing(edit, [sourceOf(edit.base)]);
  return parkAsGone(failure);
}

/** Sends what is left of the edit; to another place with a move. */
async function carryOver(
  attempt: Attempt,
  sending: { readonly address: ItemAddress; readonly ours: Item; readonly patch: Patch },
): Promise<AttemptEnding> {
  const { address, ours, patch } = sending;
  const { place } = patch;
  if (place && ours.kind === "event") {
    return moveEvent(attempt, { ours: { ...ours, id: address.id }, patch });
  }
  if (place) return moveTask(attempt, { address, ours, patch, place });
  const sent = await send(attempt.calls, { address, patch });
  if (sent.ok) return { kind: "done", answer: sent.value };
  return isMissing(sent.failure)
    ? (searchAgain(attempt) ?? parkAsGone(sent.failure))
    : failed(sent.failure);
}

/** The workspace keeps its values: for good, or until a person has decided. */
export function yieldTo(
  before: Item,
  attempt: Attempt,
  conflicts: readonly FieldConflict[],
): AttemptEnding {
  const { edit, store } = attempt;
  const open = conflicts.filter(({ taken }) => taken === null);
  const isOpen = open.length > 0;
  const conflict = { action: edit.action, conflicts: isOpen ? open : conflicts };
  const problem = describeConflict(conflict, namesOf(store)) ?? "";
  const clash = { before, conflicts };
  const settlement = isOpen
    ? ({ kind: "park", reason: "conflict", problem, clash } as const)
    : ({ kind: "discard", problem, clash } as const);
  return { kind: "settled", settlement };
}

/** The patch with the ids of the edit's new labels, unless the item has them all. */
async function withNewLabels(
  patch: Patch,
  { attempt, ours }: { readonly attempt: Attempt; readonly ours: Patch },
): Promise<Result<Patch, Failure>> {
  if (attempt.edit.newLabels.length === 0) return ok(patch);
  const made = await attempt.createLabels();
  if (!made.ok) return made;
  const labels = [...new Set([...(patch.labels ?? ours.labels ?? []), ...made.value])];
  return ok({ ...patch, ...changedFields(ours, { labels }) });
}

/**
 * Reads the item that an edit is about to change. One that is not in its place, or inaccessible to the editor, may have been
 * moved.
 */
export async function fetchCurrent(attempt: Attempt): Promise<CurrentItem> {
  const address = itemAddressOf(attempt);
  const found = await attempt.calls.get(address);
  if (found.ok) {
    if (attempt.edit.missedAt) attempt.store.journal.missing(attempt.edit.id, false);
    storeIfWatched(attempt, { ...found.value, id: address.id });
    return { kind: "found", address, ours: found.value };
  }
  const { failure } = found;
  const isHidden = failure.kind === "refused" && failure.status === 403;
  if (!isMissing(failure) && !isHidden) return ended(failed(failure));
  return findMoved(attempt, address, failure);
}

/** A watched item may show the effect of a late request, which is judged when it is stored. */
function storeIfWatched({ edit, store }: Attempt, ours: Item & { readonly id: ServiceId }): void {
  if (store.unanswered.ofItem(edit.item).length > 0) store.mirror.put(ours, sourceOf(ours));
}
