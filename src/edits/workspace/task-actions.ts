import {
  type ItemKey,
  isId,
  type ListId,
  type ProjectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { TaskItem, Todolist } from "../../domain/item.ts";
import { ok, type Result } from "../../domain/result.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import type { Upstream } from "../../upstream/client.ts";
import { takeAlong } from "../delivery/item-calls.ts";
import { followTask } from "../delivery/move-task.ts";
import {
  type ActionFailure,
  type Answer,
  actionFailed,
  callOf,
  type OnBehalf,
  unfit,
  unknown,
} from "./action-failure.ts";

/** Where a task is now, and its UID in calendars. */
interface PlacedTask {
  readonly uid: string;
  readonly id: ServiceId;
  readonly title: string;
  readonly projectId: ProjectId;
  readonly listId: ListId;
}

/** A task by the service's id or by its UID, and its target. */
interface TaskRelocation {
  readonly task: string;
  readonly listId: ListId;
  /** Null = the project of the list, or else the task's own. */
  readonly projectId: ProjectId | null;
  /** Null = unchanged. */
  readonly title: string | null;
}

export interface TaskActionsDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  /** Polls a source soon, as it was just changed. */
  readonly hurry: (source: string) => void;
}

/** Copies and moves tasks, within a project or between two. */
export function createTaskActions({ store, upstream, hurry }: TaskActionsDeps) {
  const hurryLists = (...items: readonly TaskItem[]) => {
    for (const item of items) hurry(sourceOf(item));
  };
  return {
    /** The copy, which is a new item. */
    async copy(wish: TaskRelocation, by: OnBehalf): Answer<PlacedTask> {
      const planned = plan(wish, store);
      if (!planned.ok) return planned;
      const { found, target } = planned.value;
      const { id, place } = found;
      const along = { copyAssignees: true, copyCustomFields: true, copyDates: true };
      const copied = await upstream.tasks.copy({ ...place, id, ...target, ...along }, callOf(by));
      if (!copied.ok) return actionFailed(copied.failure);
      const copy = copied.value;
      if (copy.id === null || copy.id === id) return unfit(say("actionFault.noCopyId"));
      const key = storeCopy({ ...copy, id: copy.id }, store);
      hurryLists(copy);
      return ok(placed(key, { item: copy, id: copy.id, store }));
    },
    /** The task, which keeps its UID. */
    async move(wish: TaskRelocation, by: OnBehalf): Answer<PlacedTask> {
      const planned = plan(wish, store);
      if (!planned.ok) return planned;
      const { found, target } = planned.value;
      const { id, place, item: before } = found;
      const wished = { ...place, id, ...target, ...takeAlong };
      const moved = await upstream.tasks.move(wished, callOf(by));
      if (!moved.ok) {
        hurryLists(before, { ...before, listId: target.targetListId });
        return actionFailed(moved.failure);
      }
      const now = { ...moved.value, id: moved.value.id ?? id };
      store.together(() => storeMove(found, now, store));
      hurryLists(before, now);
      hurry(`subtasks:${now.id}`);
      return ok(placed(found.key, { item: now, id: now.id, store }));
    },
  };
}

function plan({ task, listId, projectId, title }: TaskRelocation, store: Store) {
  const found = findTask(task, store);
  if (!found.ok) return found;
  const list = listOf(listId, store);
  const project = projectId ?? list?.projectId ?? found.value.item.projectId;
  if (list && list.projectId !== project) {
    return unknown(say("intake.wrongList", { project: String(project), list: String(listId) }));
  }
  const target = {
    targetProjectId: project,
    targetListId: listId,
    title: title ?? found.value.item.title,
  };
  const planned: Result<
    { readonly found: FoundTask; readonly target: typeof target },
    ActionFailure
  > = ok({ found: found.value, target });
  return planned;
}

const listOf = (id: ListId, { directory }: Store): Todolist | null =>
  directory.todolists().find((list) => list.id === id) ?? null;

function storeMove(
  { key }: FoundTask,
  now: TaskItem & { readonly id: ServiceId },
  store: Store,
): void {
  const { mirror } = store;
  followTask(key, { now, store });
  const list = listOf(now.listId, store);
  if (list && !list.archived) return;
  // That list is not polled, so nothing would ever be known of the task again.
  for (const subtask of mirror.ofSource(`subtasks:${now.id}`)) mirror.bury(subtask.key);
  mirror.bury(key);
}

function storeCopy(item: TaskItem & { readonly id: ServiceId }, { mirror }: Store): ItemKey | null {
  mirror.put(item, sourceOf(item));
  return mirror.find(item.kind, item.id);
}

function placed(
  key: ItemKey | null,
  about: { readonly item: TaskItem; readonly id: ServiceId; readonly store: Store },
): PlacedTask {
  const { item, id, store } = about;
  const { title, projectId, listId } = item;
  const uid = key === null ? "" : store.mirror.identity(key).uid;
  return { uid, id, title, projectId, listId };
}

/** A mirrored task, and its URL path. */
interface FoundTask {
  readonly key: ItemKey;
  readonly item: TaskItem;
  readonly id: ServiceId;
  readonly place: Pick<TaskItem, "projectId" | "listId"> & { readonly taskId: ServiceId };
}

/** The task with the service's id or the UID that a person gave. */
export function findTask(name: string, { mirror }: Store): Result<FoundTask, ActionFailure> {
  const number = Number(name);
  const key = isId(number)
    ? mirror.find("task", serviceId(number))
    : (mirror.findUid(name)?.item ?? null);
  const item = key === null ? null : (mirror.get(key)?.item ?? null);
  if (key === null || item === null || item.id === null) {
    return unknown(say("actionFault.noTask", { name: JSON.stringify(name) }));
  }
  if (item.kind !== "task")
    return unfit(
      say("actionFault.notTask", {
        name: JSON.stringify(name),
        kind: say(`kind.${item.kind}`),
      }),
    );
  const { id, projectId, listId } = item;
  return ok({ key, item, id, place: { projectId, listId, taskId: id } });
}
