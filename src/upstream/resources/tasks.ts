import type { ListId, PersonId, ProjectId, ServiceId } from "../../domain/ids.ts";
import type { TaskItem } from "../../domain/item.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../asker.ts";
import { itemCalls } from "../element-calls.ts";
import type { Form } from "../multipart.ts";
import type { Call } from "../send-request.ts";
import type { KnownValues, WriteBeingAnswered } from "../wire.ts";
import * as wire from "../wire.ts";
import { taskReader, writeTask } from "./task-shape.ts";

interface ListPlace {
  readonly projectId: ProjectId;
  readonly listId: ListId;
}

export interface ParentPlace extends ListPlace {
  readonly taskId: ServiceId;
}

interface TaskPlace extends ListPlace {
  readonly id: ServiceId;
}

/** A custom field's new value: several values for tags and dropdowns. */
interface CustomValue {
  readonly id: ServiceId;
  readonly value: string | readonly string[];
}

/** An uploaded file to attach to a new task; `folderId`: where it is filed. */
export interface AttachmentRef {
  readonly fileId: string;
  readonly folderId?: number;
}

/** Target and stage of a copy or a move. Absent members stay unchanged. */
interface Relocation extends TaskPlace {
  readonly title?: string;
  readonly targetProjectId?: ProjectId;
  readonly targetListId?: ListId;
  readonly stage?: number;
  readonly assigned?: readonly PersonId[];
  readonly copyAssignees?: boolean;
  readonly copyCustomFields?: boolean;
  readonly copyComments?: boolean;
}

interface TaskCopy extends Relocation {
  readonly copyDates?: boolean;
}

interface TaskMove extends Relocation {
  readonly movePeople?: boolean;
  readonly moveDates?: boolean;
  readonly proofComment?: boolean;
  readonly completed?: boolean;
}

/** Files of a new task or subtask. */
export interface WithAttachments {
  readonly attachments?: readonly AttachmentRef[];
}

interface TaskExtras extends WithAttachments {
  readonly customFields?: readonly CustomValue[];
}

/**
 * Tasks of a todolist. A move answered with 404 after a lost answer ends as `unknown-outcome`, as the old path is gone once it
 * has worked. Source: service-api.md, Tasks.
 */
export function createTasks(asker: Asker, known: KnownValues) {
  const readerOf = (place: ListPlace, written?: WriteBeingAnswered) =>
    taskReader({ ...place, parentId: null }, { known, ...(written && { written }) });
  return {
    ...itemCalls<ListPlace, TaskItem, TaskExtras>(asker, {
      kind: "task",
      pathOf,
      whereOf: inList,
      read: readerOf,
      listed: ({ projectId, listId }) => ({ projectId, listId }),
      write: ({ patch, customFields, attachments }, mode) => ({
        ...writeTask(patch, mode),
        ...writeCustom(customFields),
        ...writeAttachments(attachments),
      }),
    }),
    copy: (wish: TaskCopy, call: Call) => {
      const ask = { method: "POST", path: pathTo(wish), json: writeCopy(wish) } as const;
      return asker.one({ ask, read: readerOf(targetOf(wish)) }, call);
    },
    move: (wish: TaskMove, call: Call) => {
      const json = writeMove(wish);
      const ask = { method: "PUT", path: pathTo(wish), json, gone: "unknown" } as const;
      return asker.one({ ask, read: readerOf(targetOf(wish)) }, call);
    },
  };
}

/** Subtasks of one task. Their documented fields lack custom fields, stage and ticket. Source: service-api.md, Subtasks. */
export const createSubtasks = (asker: Asker, known: KnownValues) =>
  itemCalls<ParentPlace, TaskItem, WithAttachments>(asker, {
    kind: "subtask",
    pathOf: (place) => `${belowTask(place)}/subtasks`,
    whereOf: inTask,
    read: (place, written) =>
      taskReader({ ...place, parentId: place.taskId }, { known, ...(written && { written }) }),
    listed: ({ projectId, listId }) => ({ projectId, listId }),
    write: ({ patch, attachments }, mode) => ({
      ...writeTask(patch, mode),
      ...writeAttachments(attachments?.map(({ fileId }) => ({ fileId }))),
    }),
  });

/** A list in words. */
const inList = ({ projectId, listId }: ListPlace): string => `project ${projectId}, list ${listId}`;

/** URL path of a task, which its subtasks, comments and history are below. */
export const belowTask = ({ projectId, listId, taskId }: ParentPlace): string =>
  `/projects/${projectId}/todolists/${listId}/tasks/${taskId}`;

/** A task's place in words. */
export const inTask = (place: ParentPlace): string => `${inList(place)}, task ${place.taskId}`;

/** Attachments for the creation of a task or subtask. */
function writeAttachments(attachments: readonly AttachmentRef[] | undefined) {
  if (attachments === undefined) return {};
  return {
    attachments: attachments.map(({ fileId, folderId }) =>
      folderId === undefined ? { id: fileId } : { id: fileId, folder: folderId },
    ),
  };
}

function writeCustom(values: readonly CustomValue[] | undefined) {
  if (values === undefined) return {};
  return { custom_fields: Object.fromEntries(values.map(({ id, value }) => [id, { value }])) };
}

const targetOf = (wish: Relocation): ListPlace => ({
  projectId: wish.targetProjectId ?? wish.projectId,
  listId: wish.targetListId ?? wish.listId,
});

const pathOf = ({ projectId, listId }: ListPlace): string =>
  `/projects/${projectId}/todolists/${listId}/tasks`;
const pathTo = (place: TaskPlace): string => `${pathOf(place)}/${place.id}`;

/**
 * The body that copies a task. Project and list are always given, so that a copy within a list is no special case. Source:
 * service-api.md, Copy body.
 */
function writeCopy(wish: TaskCopy): Record<string, unknown> {
  return present({ ...common(wish), copy_dates: wish.copyDates, copy_task: wish.id });
}

/** The body that moves a task. Source: service-api.md, Move body. */
function writeMove(wish: TaskMove): Record<string, unknown> {
  return present({
    ...common(wish),
    move_people: wish.movePeople,
    move_dates: wish.moveDates,
    proof_comment: wish.proofComment,
    completed: wish.completed,
    move_task: true,
    id: wish.id,
  });
}

function common(wish: Relocation) {
  return {
    title: wish.title,
    project: wish.targetProjectId ?? wish.projectId,
    list_id: wish.targetListId ?? wish.listId,
    stage: wish.stage,
    assigned: wish.assigned,
    copy_assignees: wish.copyAssignees,
    copy_custom_fields: wish.copyCustomFields,
    copy_comments: wish.copyComments,
  };
}

const present = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

/** A file to upload; `type` is its media type. */
interface Upload {
  readonly projectId: ProjectId;
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** Source: service-api.md, Attachments (two-step upload). */
export function createAttachments(asker: Asker) {
  return {
    /** The first step; the second names the id in the creation of a file, a task or a subtask. */
    upload: (upload: Upload, call: Call) =>
      asker.one(
        { ask: { method: "POST", path: null, form: formOf(upload) }, read: readFileId },
        call,
      ),
  };
}

const formOf = ({ projectId, name, type, content }: Upload): Form => ({
  fields: { project_id: String(projectId) },
  file: { field: "file", name, type, content },
});

function readFileId(raw: unknown): Result<{ readonly fileId: string }, string> {
  const elements: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  const [only] = elements;
  const fileId = wire.isObject(only) ? wire.text(only.file_id) : null;
  return fileId === null || fileId === "" ? fail("file_id: no id") : ok({ fileId });
}
