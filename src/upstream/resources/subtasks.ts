import type { ServiceId } from "../../domain/ids.ts";
import type { TaskItem } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import type { Result } from "../../domain/result.ts";
import { type Asker, elementCalls } from "../asker.ts";
import type { Failure } from "../failure.ts";
import type { RawList } from "../read-list.ts";
import type { Call } from "../send-request.ts";
import type { KnownValues, Snapshot } from "../wire.ts";
import { taskReader, writeTask } from "./task-shape.ts";
import { type AttachmentRef, inList, type ListPlace, writeAttachments } from "./tasks.ts";

export interface ParentPlace extends ListPlace {
  readonly taskId: ServiceId;
}

interface SubtaskPlace extends ParentPlace {
  readonly id: ServiceId;
}

type One = Promise<Result<TaskItem, Failure>>;

/** Subtasks of one task. Their documented fields lack custom fields, stage and ticket. Source: service-api.md, Subtasks. */
export type Subtasks = ReturnType<typeof createSubtasks>;

export function createSubtasks(asker: Asker, known: KnownValues) {
  const calls = elementCalls<ParentPlace, TaskItem>(asker, {
    kind: "subtask",
    pathOf: (place) => `${belowTask(place)}/subtasks`,
    whereOf: inTask,
    read: (place, written) =>
      taskReader({ ...place, parentId: place.taskId }, { known, ...(written && { written }) }),
    listed: ({ projectId, listId }) => ({ projectId, listId }),
  });

  return {
    list: (place: ParentPlace, call: Call): Promise<Result<Snapshot<TaskItem>, Failure>> =>
      calls.list(place, call),
    /** The same list, not yet parsed. */
    listing: (place: ParentPlace, call: Call): Promise<Result<RawList<TaskItem>, Failure>> =>
      calls.listing(place, call),
    get: calls.get,
    create: (
      {
        patch,
        attachments,
        ...place
      }: ParentPlace & {
        readonly patch: Patch;
        readonly attachments?: readonly AttachmentRef[];
      },
      call: Call,
    ): One => {
      const files = attachments?.map(({ fileId }) => ({ fileId }));
      const json = { ...writeTask(patch, "create"), ...writeAttachments(files) };
      return calls.create({ place, json, patch }, call);
    },
    update: ({ patch, ...place }: SubtaskPlace & { readonly patch: Patch }, call: Call): One =>
      calls.update({ place, json: writeTask(patch, "update"), patch }, call),
    complete: (
      { completed, ...place }: SubtaskPlace & { readonly completed: boolean },
      call: Call,
    ): One => calls.update({ place, json: { completed }, patch: { completed } }, call),
    delete: calls.delete,
  };
}

/** URL path of a task, which its subtasks, comments and history are below. */
export const belowTask = ({ projectId, listId, taskId }: ParentPlace): string =>
  `/projects/${projectId}/todolists/${listId}/tasks/${taskId}`;

/** A task's place in words. */
export const inTask = (place: ParentPlace): string => `${inList(place)}, task ${place.taskId}`;
