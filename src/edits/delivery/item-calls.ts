import type { ServiceId } from "../../domain/ids.ts";
import type { Item, TaskItem } from "../../domain/item.ts";
import type { Patch, Place } from "../../domain/merge.ts";
import type { Result } from "../../domain/result.ts";
import type { Call, Snapshot, Upstream } from "../../upstream/client.ts";
import type { Failure } from "../../upstream/failure.ts";
import type { AttachmentRef } from "../../upstream/resources/tasks.ts";

/** An item of the service where it is; `item` says its kind and place, `id` its number there. */
export interface Spot {
  readonly item: Item;
  readonly id: ServiceId;
}

type One = Promise<Result<Item, Failure>>;

/** The service's calls for any kind of item, on behalf of one person. */
export interface ItemCalls {
  /** All items of the list in which `item` is, or is to be. */
  list(item: Item): Promise<Result<Snapshot<Item>, Failure>>;
  get(spot: Spot): One;
  /** `files` were uploaded before; events take none. */
  create(
    item: Item,
    wish: { readonly patch: Patch; readonly files: readonly AttachmentRef[] },
  ): One;
  update(spot: Spot, patch: Patch): One;
  complete(spot: Spot, completed: boolean): One;
  delete(spot: Spot): Promise<Result<null, Failure>>;
  /** Takes a task to another list, with all that hangs on it; the service moves nothing else. */
  move(spot: Spot, place: Place): One;
}

/** What goes along when a task is moved: everything. */
export const takeAlong = {
  movePeople: true,
  moveDates: true,
  copyAssignees: true,
  copyCustomFields: true,
  copyComments: true,
} as const;

/** Thrown for a move that the service has no request for: it is refused when it comes in. */
class UnmovableItemError extends Error {
  override readonly name = "UnmovableItemError";
  constructor({ kind, title }: Item) {
    super(`the ${kind} ${JSON.stringify(title)} cannot be moved by a request`);
  }
}

/** Thrown for a subtask without a parent: nobody makes one. */
export class NoParentError extends Error {
  override readonly name = "NoParentError";
  constructor(title: string) {
    super(`the subtask ${JSON.stringify(title)} has no parent task`);
  }
}

export function createItemCalls({ events, tasks, subtasks }: Upstream, call: Call): ItemCalls {
  return {
    list(item) {
      if (item.kind === "event")
        return events.list({ projectId: item.projectId, view: "all" }, call);
      return item.kind === "task" ? tasks.list(item, call) : subtasks.list(below(item), call);
    },
    get({ item, id }) {
      if (item.kind === "event") return events.get({ ...spotOf(item), id }, call);
      return item.kind === "task"
        ? tasks.get({ ...listOf(item), id }, call)
        : subtasks.get({ ...below(item), id }, call);
    },
    create(item, { patch, files }) {
      if (item.kind === "event") return events.create({ ...spotOf(item), patch }, call);
      const wish = files.length > 0 ? { patch, attachments: files } : { patch };
      return item.kind === "task"
        ? tasks.create({ ...listOf(item), ...wish }, call)
        : subtasks.create({ ...below(item), ...wish }, call);
    },
    update({ item, id }, patch) {
      if (item.kind === "event") return events.update({ ...spotOf(item), id, patch }, call);
      return item.kind === "task"
        ? tasks.update({ ...listOf(item), id, patch }, call)
        : subtasks.update({ ...below(item), id, patch }, call);
    },
    complete({ item, id }, completed) {
      if (item.kind === "event") return events.complete({ ...spotOf(item), id, completed }, call);
      return item.kind === "task"
        ? tasks.complete({ ...listOf(item), id, completed }, call)
        : subtasks.complete({ ...below(item), id, completed }, call);
    },
    delete({ item, id }) {
      if (item.kind === "event") return events.delete({ ...spotOf(item), id }, call);
      return item.kind === "task"
        ? tasks.delete({ ...listOf(item), id }, call)
        : subtasks.delete({ ...below(item), id }, call);
    },
    move({ item, id }, place) {
      if (item.kind !== "task" || place.listId === null) throw new UnmovableItemError(item);
      const target = { targetProjectId: place.projectId, targetListId: place.listId };
      const { title } = item;
      return tasks.move({ ...listOf(item), id, title, ...target, ...takeAlong }, call);
    },
  };
}

const spotOf = ({ projectId }: Item) => ({ projectId });

const listOf = ({ projectId, listId }: TaskItem) => ({ projectId, listId });

function below(item: TaskItem) {
  if (item.parentId === null) throw new NoParentError(item.title);
  return { ...listOf(item), taskId: item.parentId };
}
