import type { Item } from "../../domain/item.ts";
import type { FieldConflict } from "../../domain/journal.ts";
import { changedFields, fieldsOf, type Patch, valuesOf } from "../../domain/merge.ts";
import { ok, type Result } from "../../domain/result.ts";
import { describeConflicts, movedFields } from "../../domain/three-way.ts";
import type { Failure } from "../../upstream/failure.ts";
import { alike } from "../alike.ts";
import { namesOf } from "../in-words.ts";
import { describeConflict } from "./conflict-text.ts";
import { type Errand, goneItem, isMissing, isTakenBack, type Outcome, untold } from "./errand.ts";
import type { Spot } from "./item-calls.ts";
import { meet } from "./meet.ts";
import { baseOf, mergeEdit } from "./merge-edit.ts";
import { moveEvent, recallMove, resumeMove } from "./move-event.ts";
import { moveTask } from "./move-task.ts";
import { searchAnew } from "./search.ts";
import { send } from "./send.ts";

/**
 * Deletes the item; one that is not there any more counts as deleted. What somebody has changed since the editor saw it
 * is deleted, kept, or waits, as the policy says.
 */
export async function carryOutDelete(errand: Errand): Promise<Outcome> {
  const { edit, store, policy, calls } = errand;
  const meeting = await meet(errand);
  if (meeting.kind === "ended") return meeting.outcome;
  if (meeting.kind === "gone") {
    const { failure } = meeting;
    return isMissing(failure) ? { kind: "done", answer: null } : { kind: "failed", failure };
  }
  const { spot, ours } = meeting;
  const sides = { base: baseOf(errand, ours), ours: valuesOf(ours), theirs: {} };
  const taken = policy === "ask" ? null : policy;
  const conflicts = describeConflicts(movedFields(sides, alike), { ...sides, taken });
  if (conflicts.length > 0 && taken !== "theirs") return yieldTo(ours, { errand, conflicts });
  if (isTakenBack(edit, store)) return { kind: "taken-back" };
  store.journal.leaving(edit.id, ours);
  const deleted = await calls.delete(spot);
  if (deleted.ok) return { kind: "done", answer: null, conflicts };
  if (isMissing(deleted.failure)) {
    return searchAnew(errand) ?? { kind: "done", answer: null, conflicts };
  }
  return { kind: "failed", failure: deleted.failure };
}

/**
 * Merges the edit into what the service has now, and sends what is left: a move first, then the changed fields, then the
 * completion, which is a request of its own. Nothing is sent when the service has it all.
 */
export async function carryOutUpdate(errand: Errand): Promise<Outcome> {
  const { edit, store } = errand;
  const resumed = await resumeMove(errand);
  if (resumed) return resumed;
  const meeting = await meet(errand);
  if (meeting.kind === "ended") return meeting.outcome;
  const recalled = await recallMove(errand, meeting.kind === "met" ? meeting.ours : null);
  if (recalled) return recalled;
  if (meeting.kind === "gone") return withoutItem(meeting.failure, errand);
  const { spot, ours } = meeting;
  const { sides, patch, yields, ...merged } = mergeEdit(errand, ours);
  const conflicts = edit.restores ? [] : merged.conflicts;
  if (yields && edit.restores) return { kind: "done", answer: ours };
  if (yields) return yieldTo(ours, { errand, conflicts });
  const full = await withNewLabels(patch, { errand, ours: sides.ours });
  if (!full.ok) return { kind: "failed", failure: full.failure };
  if (fieldsOf(full.value).length === 0) return { kind: "done", answer: ours, conflicts };
  store.journal.leaving(edit.id, ours);
  const outcome = await carryOver(errand, { spot, ours, patch: full.value });
  return outcome.kind === "done" ? { ...outcome, conflicts } : outcome;
}

/** An item that is only hidden while a move of it may have been made is asked for again. */
const withoutItem = (failure: Failure, errand: Errand): Outcome =>
  errand.edit.patch.place && errand.edit.sentAt !== null && !isMissing(failure)
    ? untold(failure, errand)
    : goneItem(failure);

/** Sends what is left of the edit; to another place with a move. */
async function carryOver(
  errand: Errand,
  sending: { readonly spot: Spot; readonly ours: Item; readonly patch: Patch },
): Promise<Outcome> {
  const { spot, ours, patch } = sending;
  const { place } = patch;
  if (place && ours.kind === "event") {
    return moveEvent(errand, { ours: { ...ours, id: spot.id }, patch });
  }
  if (place) return moveTask(errand, { spot, ours, patch, place });
  const sent = await send(errand, { spot, patch });
  if (sent.ok) return { kind: "done", answer: sent.value };
  return isMissing(sent.failure)
    ? (searchAnew(errand) ?? goneItem(sent.failure))
    : { kind: "failed", failure: sent.failure };
}

/** The workspace keeps what it has: for good, or until a person has decided. */
function yieldTo(
  before: Item,
  { errand, conflicts }: { readonly errand: Errand; readonly conflicts: readonly FieldConflict[] },
): Outcome {
  const { edit, store } = errand;
  const problem = describeConflict({ action: edit.action, conflicts }, namesOf(store)) ?? "";
  const clash = { before, conflicts };
  const isOpen = conflicts.some(({ taken }) => taken === null);
  const settlement = isOpen
    ? ({ kind: "park", reason: "conflict", problem, clash } as const)
    : ({ kind: "discard", problem, clash } as const);
  return { kind: "settled", settlement };
}

/** The patch with the ids of the labels that were created for the edit, unless the item has them all. */
async function withNewLabels(
  patch: Patch,
  { errand, ours }: { readonly errand: Errand; readonly ours: Patch },
): Promise<Result<Patch, Failure>> {
  if (errand.edit.newLabels.length === 0) return ok(patch);
  const made = await errand.makeLabels();
  if (!made.ok) return made;
  const labels = [...new Set([...(patch.labels ?? ours.labels ?? []), ...made.value])];
  return ok({ ...patch, ...changedFields(ours, { labels }) });
}
