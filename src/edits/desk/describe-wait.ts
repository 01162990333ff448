import type { Edit } from "../../domain/journal.ts";
import { excerpt } from "../../ics/problem.ts";
import type { Store } from "../../store/store.ts";

const open = ["pending", "claimed", "held"];

/** What the creation of a subtask waits for, which can be made only when its task is there; null when for nothing. */
export function describeWait(edit: Edit, { journal, mirror, pastEdits }: Store): string | null {
  if (edit.action !== "create" || edit.state !== "pending") return null;
  const sought = journal.soughtParent(edit.id);
  if (sought !== null && edit.notBefore) return describeSearch(sought, edit.notBefore);
  const uid = journal.awaitedParent(edit.item);
  const task = uid === null ? null : mirror.findUid(uid);
  const above = task && pastEdits.ofItem(task.item).find(isOpenCreation);
  if (!above) return null;
  const state = above.state === "held" ? " and waits for approval itself" : "";
  return `it waits for edit ${above.id}, which creates the task above it${state}`;
}

function describeSearch(uid: string, until: Temporal.Instant): string {
  const then = until.round({ smallestUnit: "second", roundingMode: "ceil" }).toString();
  return `it waits until ${then} for the task above it, ${excerpt(uid)}, which has not come in yet; without it, it becomes a task of its own`;
}

const isOpenCreation = ({ action, state }: Edit): boolean =>
  action === "create" && open.includes(state);
