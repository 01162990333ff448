import type { Edit, FieldConflict } from "../../domain/edit.ts";
import { serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { valuesOf } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import { differingFields, sameShown } from "../../domain/sameness.ts";
import { describeConflicts } from "../../domain/three-way.ts";
import { type Failure, isMissing } from "../../upstream/failure.ts";
import { type Attempt, type AttemptEnding, failed, isDiscarded, itemAddressOf } from "./attempt.ts";
import { searchAgain } from "./find-moved.ts";
import type { ItemAddress } from "./item-calls.ts";
import { mergeBaseOf, recordReplaced } from "./merge-edit.ts";
import { fetchCurrent, yieldTo } from "./update.ts";

/**
 * Deletes the item; one that is already gone counts as deleted. Changes since the editor saw it are deleted, kept, or wait, as
 * the policy says. The service deletes subtasks with their task, so changes of those count too.
 */
export async function carryOutDelete(attempt: Attempt): Promise<AttemptEnding> {
  const { edit, store, policy, calls } = attempt;
  const current = await fetchCurrent(attempt);
  if (current.kind === "ended") return current.ending;
  if (current.kind === "gone") {
    if (!isMissing(current.failure)) return failed(current.failure);
    // Reads may be outdated, so only the answer to a deletion proves that the item is gone.
    const deleted = await calls.delete(itemAddressOf(attempt));
    const isGone = deleted.ok || isMissing(deleted.failure);
    return isGone ? { kind: "done", answer: null } : failed(deleted.failure);
  }
  const { address, ours } = current;
  const agreed = edit.conflicts.filter((conflict) => conflict.below && conflict.agreed);
  const below = await newsBelow(attempt, { item: ours, id: address.id }, agreed);
  if (!below.ok) return failed(below.failure);
  const taken = policy === "ask" ? null : policy;
  const sides = { base: mergeBaseOf(attempt, ours), ours: valuesOf(ours), theirs: {} };
  const own = describeConflicts(differingFields(sides.base, sides.ours, sameShown), {
    ...sides,
    taken,
  });
  const conflicts = [...own, ...below.value.map((news) => ({ ...news, taken }))];
  if (conflicts.length > 0 && taken !== "theirs") {
    return yieldTo(ours, attempt, [...conflicts, ...agreed]);
  }
  if (isDiscarded(edit, store)) return { kind: "discarded" };
  recordReplaced(attempt, ours, conflicts);
  const deleted = await calls.delete(address);
  if (deleted.ok) return { kind: "done", answer: null, conflicts };
  if (isMissing(deleted.failure)) {
    return searchAgain(attempt) ?? { kind: "done", answer: null, conflicts };
  }
  return failed(deleted.failure);
}

/** Changes of a task's subtasks since the editor saw them, except those a person has agreed to. */
async function newsBelow(
  attempt: Attempt,
  { item: ours, id }: ItemAddress,
  agreed: readonly FieldConflict[],
): Promise<Result<readonly FieldConflict[], Failure>> {
  const { store, calls } = attempt;
  if (ours.kind !== "task") return ok([]);
  const known = store.mirror.ofSource(`subtasks:${id}`);
  if (ours.subtaskCount === 0 && known.length === 0) return ok([]);
  const listed = await calls.list({ ...ours, kind: "subtask", parentId: id });
  if (!listed.ok) return isMissing(listed.failure) ? ok([]) : listed;
  const isAgreed = (news: FieldConflict) =>
    agreed.some(
      ({ below, field, ours: seen }) =>
        below?.id === news.below?.id &&
        field === news.field &&
        JSON.stringify(seen) === JSON.stringify(news.ours),
    );
  const news = listed.value.items.flatMap((item) => newsOf(item, attempt));
  return ok(news.filter((one) => !isAgreed(one)));
}

/** The fields of a subtask that differ from what the editor saw; its title if the editor never saw it. */
function newsOf(item: Item, attempt: Attempt): readonly FieldConflict[] {
  if (item.id === null) return [];
  const { store } = attempt;
  const key = store.mirror.find("subtask", serviceId(item.id));
  const seenBy = key === null ? null : editorsVersionOf(key, attempt);
  const ours = valuesOf(item);
  const base = seenBy ? mergeBaseOf({ edit: seenBy, store }, item) : {};
  const fields = seenBy ? differingFields(base, ours, sameShown) : (["title"] as const);
  const below = { id: serviceId(item.id), title: item.title };
  return describeConflicts(fields, { base, ours, theirs: {}, taken: null }).map((conflict) => ({
    ...conflict,
    below,
  }));
}

/**
 * An edit with what its editor saw of a subtask: the same person's deletion of it, whose program may have had an older copy, or
 * else this edit with the subtask as everyone saw it when the edit came in.
 */
function editorsVersionOf(key: Edit["item"], { edit, store }: Attempt): Edit | null {
  const isOwn = (other: Edit) =>
    other.action === "delete" &&
    other.actor === edit.actor &&
    other.channel === edit.channel &&
    (other.state === "pending" || other.state === "held");
  const own = store.pastEdits.ofItem(key).find(isOwn);
  if (own) return own;
  const shown = store.view.shownAt(key, edit.createdAt, edit.actor);
  return shown && { ...edit, item: key, base: shown, shown: null };
}
