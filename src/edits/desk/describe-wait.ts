import type { Edit } from "../../domain/journal.ts";
import type { Store } from "../../store/store.ts";

const open = ["pending", "claimed", "held"];

/** What the creation of a subtask waits for, which can be made only when its task is there; null when for nothing. */
export function describeWait(edit: Edit, { journal, mirror, pastEdits }: Store): string | null {
  if (edit.action !== "create" || edit.state !== "pending") return null;
  const uid = journal.awaitedParent(edit.item);
  const task = uid === null ? null : mirror.findUid(uid);
  const above = task && pastEdits.ofItem(task.item).find(isOpenCreation);
  if (!above) return null;
  const state = above.state === "held" ? " and waits for approval itself" : "";
  return `it waits for edit ${above.id}, which creates the task above it${state}`;
}

const isOpenCreation = ({ action, state }: Edit): boolean =>
  action === "create" && open.includes(state);
