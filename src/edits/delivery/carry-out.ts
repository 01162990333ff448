import type { Item } from "../../domain/item.ts";
import type { FieldConflict } from "../../domain/journal.ts";
import { changedFields, fieldsOf, type Patch, pick, valuesOf } from "../../domain/merge.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { describeConflicts, mergeFields, movedFields, type Sides } from "../../domain/three-way.ts";
import type { Failure } from "../../upstream/failure.ts";
import { alike } from "../alike.ts";
import { describeConflict } from "./conflict-text.ts";
import { missingFields } from "./echo.ts";
import { type Errand, goneItem, isMissing, type Outcome } from "./errand.ts";
import type { Spot } from "./item-calls.ts";
import { meet } from "./meet.ts";
import { seenBase } from "./seen-base.ts";

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
  const sides = { base: baseOf(errand), ours: valuesOf(ours), theirs: {} };
  const taken = policy === "ask" ? null : policy;
  const conflicts = describeConflicts(movedFields(sides, alike), { ...sides, taken });
  if (conflicts.length > 0 && taken !== "theirs") return yieldTo(ours, { errand, conflicts });
  store.journal.leaving(edit.id, ours);
  const deleted = await calls.delete(spot);
  if (deleted.ok || isMissing(deleted.failure)) return { kind: "done", answer: null, conflicts };
  return { kind: "failed", failure: deleted.failure };
}

/**
 * Merges the edit into what the service has now, and sends what is left: the changed fields, then the completion, which
 * is a request of its own. Nothing is sent when the service has it all.
 */
export async function carryOutUpdate(errand: Errand): Promise<Outcome> {
  const { edit, store, policy } = errand;
  const meeting = await meet(errand);
  if (meeting.kind === "ended") return meeting.outcome;
  if (meeting.kind === "gone") return goneItem(meeting.failure);
  const { spot, ours } = meeting;
  const sides: Sides = { base: baseOf(errand), ours: valuesOf(ours), theirs: edit.patch };
  const merge = mergeFields(sides, alike);
  const taken = policy === "ask" ? null : policy;
  const conflicts = describeConflicts(merge.conflicts, { ...sides, taken });
  const isAllLost = taken === "ours" && conflicts.length === fieldsOf(edit.patch).length;
  if (conflicts.length > 0 && (taken === null || isAllLost)) {
    return yieldTo(ours, { errand, conflicts });
  }
  const won = taken === "theirs" ? pick(sides.theirs, merge.conflicts) : {};
  const full = await withNewLabels({ ...merge.patch, ...won }, { errand, ours: sides.ours });
  if (!full.ok) return { kind: "failed", failure: full.failure };
  if (fieldsOf(full.value).length === 0) return { kind: "done", answer: ours, conflicts };
  store.journal.leaving(edit.id, ours);
  const sent = await send(errand, { spot, patch: full.value });
  if (sent.ok) return { kind: "done", answer: sent.value, conflicts };
  return isMissing(sent.failure)
    ? goneItem(sent.failure)
    : { kind: "failed", failure: sent.failure };
}

/** Completes or reopens an item. */
export async function complete(
  errand: Errand,
  { spot, completed }: { readonly spot: Spot; readonly completed: boolean },
): Promise<Result<Item, Failure>> {
  const answer = await errand.calls.complete(spot, completed);
  return understood(answer, { errand, spot, fields: { completed } });
}

const baseOf = ({ edit, store }: Errand): Patch =>
  seenBase(edit, store.pastEdits.ofItem(edit.item));

/** The workspace keeps what it has: for good, or until a person has decided. */
function yieldTo(
  before: Item,
  { errand, conflicts }: { readonly errand: Errand; readonly conflicts: readonly FieldConflict[] },
): Outcome {
  const problem = describeConflict({ action: errand.edit.action, conflicts }) ?? "";
  const clash = { before, conflicts };
  const settlement =
    errand.policy === "ask"
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

async function send(
  errand: Errand,
  { spot, patch }: { readonly spot: Spot; readonly patch: Patch },
): Promise<Result<Item, Failure>> {
  const { completed, milestone } = patch;
  const fields = pick(
    patch,
    fieldsOf(patch).filter((field) => field !== "completed"),
  );
  let answer: Result<Item, Failure> | null = null;
  if (fieldsOf(fields).length > 0) {
    answer = await understood(await errand.calls.update(spot, fields), { errand, spot, fields });
    if (!answer.ok) return answer;
  }
  // What stops being a milestone cannot be reopened any more, and need not be.
  if (completed !== undefined && milestone !== false) {
    answer = await complete(errand, { spot, completed });
  }
  return answer ?? errand.calls.get(spot);
}

/** When the answer to a change cannot be read, the item itself tells whether the change was made. */
async function understood(
  answer: Result<Item, Failure>,
  sent: { readonly errand: Errand; readonly spot: Spot; readonly fields: Patch },
): Promise<Result<Item, Failure>> {
  if (answer.ok || answer.failure.kind !== "unreadable") return answer;
  const now = await sent.errand.calls.get(sent.spot);
  if (!now.ok || missingFields(sent.fields, now.value).length > 0) return fail(answer.failure);
  return now;
}
