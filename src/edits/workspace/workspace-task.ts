import { type ItemKey, isId, type ServiceId, serviceId } from "../../domain/ids.ts";
import type { TaskItem } from "../../domain/item.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Store } from "../../store/store.ts";
import { type Hindrance, unfit, unknown } from "./workspace-hindrance.ts";

/** A mirrored task, and the path of what hangs below it. */
export interface FoundTask {
  readonly key: ItemKey;
  readonly item: TaskItem;
  readonly id: ServiceId;
  readonly place: Pick<TaskItem, "projectId" | "listId"> & { readonly taskId: ServiceId };
}

/** The task that a person names by the service's id or by its UID. */
export function findTask(name: string, { mirror }: Store): Result<FoundTask, Hindrance> {
  const number = Number(name);
  const key = isId(number)
    ? mirror.find("task", serviceId(number))
    : (mirror.findUid(name)?.item ?? null);
  const item = key === null ? null : (mirror.get(key)?.item ?? null);
  if (key === null || item === null || item.id === null) {
    return unknown(`no task ${JSON.stringify(name)} is known; name it by its id or its UID`);
  }
  if (item.kind !== "task") return unfit(`${JSON.stringify(name)} is no task but ${article(item)}`);
  const { id, projectId, listId } = item;
  return ok({ key, item, id, place: { projectId, listId, taskId: id } });
}

const article = ({ kind }: { readonly kind: string }): string =>
  kind === "event" ? "an event" : `a ${kind}`;
