import type { LabelId } from "../domain/ids.ts";
import { serviceId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { Edit } from "../domain/journal.ts";
import { fieldsOf, type Patch, pick } from "../domain/merge.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Settlement } from "../store/journal.ts";
import type { Store } from "../store/store.ts";
import { describeFailure, type Failure } from "../upstream/failure.ts";
import { missingFields } from "./echo.ts";
import type { ItemCalls, Spot } from "./item-calls.ts";

/** How carrying out an edit ended. `answer` is null for a deletion. */
export type Outcome =
  | { readonly kind: "done"; readonly answer: Item | null }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "settled"; readonly settlement: Settlement };

/** An edit on its way, with the calls on behalf of its person. */
export interface Errand {
  readonly edit: Edit;
  readonly store: Store;
  readonly calls: ItemCalls;
  /** Finds or creates the labels that the edit needs. */
  readonly makeLabels: () => Promise<Result<readonly LabelId[], Failure>>;
}

/** Thrown when an edit of an item that the service does not have yet was claimed; the journal gives out none. */
class UncreatedItemError extends Error {
  override readonly name = "UncreatedItemError";
  constructor(edit: Edit) {
    super(`edit ${edit.id} is of an item that has not been created`);
  }
}

/** Deletes the item; one that is not there any more counts as deleted. */
export async function carryOutDelete(errand: Errand): Promise<Outcome> {
  const deleted = await errand.calls.delete(spotOf(errand));
  if (deleted.ok || isMissing(deleted.failure)) return { kind: "done", answer: null };
  return { kind: "failed", failure: deleted.failure };
}

/** Sends the changed fields, then the completion, which is a request of its own. */
export async function carryOutUpdate(errand: Errand): Promise<Outcome> {
  const patch = await fullPatch(errand);
  if (!patch.ok) return { kind: "failed", failure: patch.failure };
  const spot = spotOf(errand);
  const fields = pick(
    patch.value,
    fieldsOf(patch.value).filter((field) => field !== "completed"),
  );
  const { completed, milestone } = patch.value;
  let answer: Result<Item, Failure> | null = null;
  if (fieldsOf(fields).length > 0) {
    answer = await understood(await errand.calls.update(spot, fields), { errand, spot, fields });
    if (!answer.ok) return refusedOrGone(answer.failure, { errand, spot });
  }
  // What stops being a milestone cannot be reopened any more, and need not be.
  if (completed !== undefined && milestone !== false) {
    answer = await complete(errand, { spot, completed });
    if (!answer.ok) return refusedOrGone(answer.failure, { errand, spot });
  }
  answer ??= await errand.calls.get(spot);
  return answer.ok
    ? { kind: "done", answer: answer.value }
    : { kind: "failed", failure: answer.failure };
}

/** Completes or reopens an item. */
export async function complete(
  errand: Errand,
  { spot, completed }: { readonly spot: Spot; readonly completed: boolean },
): Promise<Result<Item, Failure>> {
  const answer = await errand.calls.complete(spot, completed);
  return understood(answer, { errand, spot, fields: { completed } });
}

/** The edit's patch with the ids of the labels that were created for it. */
export async function fullPatch({ edit, makeLabels }: Errand): Promise<Result<Patch, Failure>> {
  if (edit.newLabels.length === 0) return ok(edit.patch);
  const made = await makeLabels();
  if (!made.ok) return made;
  const labels = [...new Set([...(edit.patch.labels ?? []), ...made.value])];
  return ok({ ...edit.patch, labels });
}

/** Whether the service says that there is no such item. */
export const isMissing = (failure: Failure): boolean =>
  failure.kind === "refused" && (failure.status === 404 || failure.status === 410);

/** Waits for a person, as there is nothing left to change. */
export function goneItem(failure: Failure): Outcome {
  const problem = `the item is gone from the workspace, or no longer visible: ${describeFailure(failure)}`;
  return { kind: "settled", settlement: { kind: "park", reason: "refused", problem } };
}

function spotOf({ edit, store }: Errand): Spot {
  const id = store.mirror.identity(edit.item).serviceId;
  if (id === null) throw new UncreatedItemError(edit);
  return { item: store.mirror.get(edit.item)?.item ?? edit.base, id: serviceId(id) };
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

/** A 403 may mean that the person may not change the item, or that there is none for them any more. */
async function refusedOrGone(
  failure: Failure,
  { errand, spot }: { readonly errand: Errand; readonly spot: Spot },
): Promise<Outcome> {
  if (isMissing(failure)) return goneItem(failure);
  if (failure.kind !== "refused" || failure.status !== 403) return { kind: "failed", failure };
  const seen = await errand.calls.get(spot);
  const isHidden = !seen.ok && seen.failure.kind === "refused";
  return isHidden ? goneItem(failure) : { kind: "failed", failure };
}
