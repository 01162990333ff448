import type { Item } from "../../domain/item.ts";
import { fieldsOf, type Patch, without } from "../../domain/merge.ts";
import { fail, type Result } from "../../domain/result.ts";
import type { Failure } from "../../upstream/failure.ts";
import { missingFields } from "./echo.ts";
import type { Errand } from "./errand.ts";
import type { Spot } from "./item-calls.ts";

/** Sends the fields, and then the completion, which is a request of its own. A place is no field: that is a move. */
export async function send(
  errand: Errand,
  { spot, patch }: { readonly spot: Spot; readonly patch: Patch },
): Promise<Result<Item, Failure>> {
  const { completed, milestone } = patch;
  const fields = without(patch, "completed");
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

/** Completes or reopens an item. */
export async function complete(
  errand: Errand,
  { spot, completed }: { readonly spot: Spot; readonly completed: boolean },
): Promise<Result<Item, Failure>> {
  const answer = await errand.calls.complete(spot, completed);
  return understood(answer, { errand, spot, fields: { completed } });
}
