import type { ServiceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import type { Result } from "../domain/result.ts";
import type { Store } from "../store/store.ts";
import type { Call, Upstream } from "../upstream/client.ts";
import type { Failure } from "../upstream/failure.ts";

/** Asks the service for one item, by the place where it was seen last. Throws for one that was never named. */
export function getItem(
  { store, upstream }: { readonly store: Store; readonly upstream: Upstream },
  { item, signal }: { readonly item: Item; readonly signal: AbortSignal },
): Promise<Result<Item, Failure>> {
  const call: Call = { priority: "sweep", signal };
  const { id, projectId } = item;
  if (id === null) throw new NamelessItemError(item);
  if (item.kind === "event") return upstream.events.get({ projectId, id }, call);
  if (item.parentId === null) {
    return upstream.tasks.get({ projectId, listId: item.listId, id }, call);
  }
  const taskId = item.parentId;
  return upstream.subtasks.get({ ...placeOf(store, { item, taskId }), taskId, id }, call);
}

// A subtask's own row may still name the list that its parent has left.
function placeOf(
  { mirror }: Store,
  { item, taskId }: { readonly item: TaskItem; readonly taskId: ServiceId },
) {
  const { projectId, listId } = item;
  const key = mirror.find("task", taskId);
  const task = key === null ? null : (mirror.get(key)?.item ?? null);
  return task?.kind === "task"
    ? { projectId: task.projectId, listId: task.listId }
    : { projectId, listId };
}

/** Thrown when a mirrored item has no id: the mirror holds only what the service has named. */
class NamelessItemError extends Error {
  override readonly name = "NamelessItemError";
  constructor(item: Item) {
    super(`the ${item.kind} "${item.title}" is mirrored without an id`);
  }
}
