import type { ListId, ServiceId } from "../domain/ids.ts";
import { type Item, spokenKind } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import type { ItemChange } from "./event.ts";
import type { SourceList } from "./source-list.ts";

/**
 * Updates the source list from a list of tasks. Subtasks are polled for each task that has some according to its list or to the
 * mirror, where an edit may have put them first.
 */
export function followShown(
  store: Store,
  sources: SourceList,
  { items, today }: { readonly items: readonly Item[]; readonly today: Temporal.PlainDate },
): void {
  const childless = items.filter((item) => item.kind === "task" && item.subtaskCount === 0);
  const mirrored = store.mirror.populated(childless.map(({ id }) => `subtasks:${id}`));
  for (const item of items) {
    if (item.kind !== "task" || item.id === null) continue;
    const { projectId, listId } = item;
    const name = `subtasks:${item.id}`;
    const known = sources.get(name);
    if (item.subtaskCount > 0 || mirrored.has(name)) {
      const days = item.dueOn && nearness(item.dueOn, today);
      withdrawMoved(store, sources, { name, listId });
      sources.put({ kind: "subtasks", projectId, listId, taskId: item.id }, days);
    } else if (known) {
      sources.drop(name);
    }
  }
}

/**
 * Removes subtasks of tasks that are missing from their list and from the mirror, as they were deleted with their task. Call
 * inside the transaction in which the list was applied; returns what was removed.
 */
export function buryOrphans(
  store: Store,
  sources: SourceList,
  { listId, isShown }: { readonly listId: ListId; readonly isShown: (task: ServiceId) => boolean },
): readonly ItemChange[] {
  return sources
    .parentsIn(listId)
    .filter((id) => !isShown(id) && !store.mirror.byId("task", id))
    .flatMap((id) => buryBelow(store, sources, id));
}

/** Buries every subtask of a deleted task, as they cannot exist without it. */
export function buryBelow(
  store: Store,
  sources: SourceList,
  task: ServiceId,
): readonly ItemChange[] {
  const name = `subtasks:${task}`;
  const changes = store.mirror.ofSource(name).map(({ key, item }): ItemChange => {
    store.mirror.bury(key);
    return { kind: spokenKind(item), title: item.title, act: "buried" };
  });
  sources.drop(name);
  return changes;
}

// Under the old path, subtasks of a moved task look deleted, so these absences are withdrawn.
function withdrawMoved(
  store: Store,
  sources: SourceList,
  { name, listId }: { readonly name: string; readonly listId: ListId },
): void {
  const known = sources.get(name);
  if (known?.source.kind !== "subtasks" || known.source.listId === listId) return;
  const asked = store.absences.ofSource(name);
  store.absences.withdraw([...asked.keys()]);
}

/** Days between two dates, whichever is first. */
export function nearness(due: Temporal.PlainDate, today: Temporal.PlainDate): number {
  return Math.abs(today.until(due).total("days"));
}
