import type { Edit } from "../../domain/journal.ts";
import { momentInWords } from "../../domain/wording.ts";
import { excerpt } from "../../ics/problem.ts";
import type { Store } from "../../store/store.ts";

const open = ["pending", "claimed", "held"];

/** What the creation of a subtask waits for, which can be made only when its task is there; null when for nothing. */
export function describeWait(
  edit: Edit,
  { journal, mirror, pastEdits, zone }: Store,
): string | null {
  if (edit.action !== "create" || edit.state !== "pending") return null;
  const sought = journal.soughtParent(edit.id);
  if (sought !== null && edit.notBefore)
    return describeSearch(sought, { until: edit.notBefore, zone });
  const uid = journal.awaitedParent(edit.item);
  const task = uid === null ? null : mirror.findUid(uid);
  const above = task && pastEdits.ofItem(task.item).find(isOpenCreation);
  if (!above) return null;
  const state = above.state === "held" ? " and waits for approval itself" : "";
  return `it waits for edit ${above.id}, which creates the task above it${state}`;
}

function describeSearch(
  uid: string,
  { until, zone }: { readonly until: Temporal.Instant; readonly zone: string },
): string {
  // Up to the whole minute, so that it has not passed while it is still waited for.
  const whole = until.round({ smallestUnit: "minute", roundingMode: "ceil" });
  const then = momentInWords(whole, zone);
  return `it waits until ${then} for the task above it, ${excerpt(uid)}, which has not come in yet; without it, it becomes a task of its own`;
}

const isOpenCreation = ({ action, state }: Edit): boolean =>
  action === "create" && open.includes(state);
