import type { ServiceId } from "../../domain/ids.ts";
import type { TaskItem } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../asker.ts";
import type { Call } from "../client.ts";
import type { Failure } from "../failure.ts";
import type { Snapshot } from "../snapshot.ts";
import type { KnownValues, ReadIssues, Written } from "../wire.ts";
import { readTask, writeTask } from "./task-shape.ts";
import { type AttachmentRef, type ListPlace, writeAttachments } from "./tasks.ts";

export interface ParentPlace extends ListPlace {
  readonly taskId: ServiceId;
}

interface SubtaskPlace extends ParentPlace {
  readonly id: ServiceId;
}

type One = Promise<Result<TaskItem, Failure>>;

/**
 * Subtasks of one task. Their documented fields lack custom fields, stage and ticket.
 * Source: service-api.md, Subtasks.
 */
export interface Subtasks {
  list(place: ParentPlace, call: Call): Promise<Result<Snapshot<TaskItem>, Failure>>;
  get(place: SubtaskPlace, call: Call): One;
  create(
    wish: ParentPlace & {
      readonly patch: Patch;
      readonly attachments?: readonly AttachmentRef[];
    },
    call: Call,
  ): One;
  update(wish: SubtaskPlace & { readonly patch: Patch }, call: Call): One;
  complete(wish: SubtaskPlace & { readonly completed: boolean }, call: Call): One;
  delete(place: SubtaskPlace, call: Call): Promise<Result<null, Failure>>;
}

export function createSubtasks(asker: Asker, held: KnownValues): Subtasks {
  const reader = (place: ParentPlace, written?: Written) => (raw: unknown, ear?: ReadIssues) => {
    const reading = { held, ...(written && { written }), ...(ear && { ear }) };
    return readTask(raw, { ...place, parentId: place.taskId, ...reading });
  };
  const change = (
    place: SubtaskPlace & { readonly json: unknown; readonly patch: Patch },
    call: Call,
  ) => {
    const ask = { method: "PUT", path: pathOf(place, place.id), json: place.json } as const;
    const read = reader(place, { patch: place.patch, isNew: false });
    return asker.one({ ask, read }, call);
  };

  return {
    list: (place, call) =>
      asker.many(
        {
          ask: { method: "GET", path: pathOf(place) },
          reading: {
            where: `project ${place.projectId}, list ${place.listId}, task ${place.taskId}`,
            kind: "subtask",
            read: (raw, ear) => {
              const { projectId, listId } = place;
              const item = reader(place)(raw, ear);
              return item.ok ? ok({ ...item.value, projectId, listId }) : item;
            },
            keyOf: (subtask) => subtask.id ?? 0,
          },
        },
        call,
      ),
    get: (place, call) =>
      asker.one(
        { ask: { method: "GET", path: pathOf(place, place.id) }, read: reader(place) },
        call,
      ),
    create: (wish, call) => {
      const json = {
        ...writeTask(wish.patch, "create"),
        ...writeAttachments(wish.attachments?.map(({ fileId }) => ({ fileId }))),
      };
      return asker.one(
        {
          ask: { method: "POST", path: pathOf(wish), json },
          read: reader(wish, { patch: wish.patch, isNew: true }),
        },
        call,
      );
    },
    update: (wish, call) => change({ ...wish, json: writeTask(wish.patch, "update") }, call),
    complete: ({ completed, ...place }, call) =>
      change({ ...place, json: { completed }, patch: { completed } }, call),
    delete: (place, call) =>
      asker.none({ method: "DELETE", path: pathOf(place, place.id), gone: "done" }, call),
  };
}

function pathOf({ projectId, listId, taskId }: ParentPlace, id?: ServiceId): string {
  const base = `/projects/${projectId}/todolists/${listId}/tasks/${taskId}/subtasks`;
  return id === undefined ? base : `${base}/${id}`;
}
