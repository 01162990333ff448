import { z } from "zod";
import {
  type ListId,
  listId,
  type ProjectId,
  projectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { CustomField, TaskItem } from "../../domain/item.ts";
import type { Patch } from "../../domain/merge.ts";
import { ok, type Result } from "../../domain/result.ts";
import * as wire from "../wire.ts";

/** Where a task or subtask was asked for; `parentId` is null for a task. */
export interface TaskOrigin {
  readonly projectId: ProjectId;
  readonly listId: ListId;
  readonly parentId: ServiceId | null;
}

/**
 * A task or subtask as the service answers it. Project and list are the ones it names itself, else the ones it was
 * asked for in. Fails with a sentence for a missing id and for dates that cannot be read.
 * Source: service-api.md, Task, Subtask.
 */
export function readTask(raw: unknown, origin: TaskOrigin): Result<TaskItem, string> {
  const read = wire.readElement(taskShape, raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const startOn = wire.date(fields.start_date, "start_date");
  if (!startOn.ok) return startOn;
  const dueOn = wire.date(fields.due_date, "due_date");
  if (!dueOn.ok) return dueOn;
  const project = wire.ref(fields.project);
  const list = wire.ref(fields.list);
  const completed = wire.flag(fields.completed);
  const percent = wire.amount(fields.percent_progress) ?? (completed ? 100 : 0);
  return ok({
    kind: origin.parentId === null ? "task" : "subtask",
    id: serviceId(id),
    projectId: project === null ? origin.projectId : projectId(project),
    listId: list === null ? origin.listId : listId(list),
    parentId: origin.parentId,
    title: wire.title(fields.title),
    description: wire.text(fields.description),
    startOn: startOn.value,
    dueOn: dueOn.value,
    estimated: wire.duration(fields.estimated_hours, fields.estimated_mins),
    logged: wire.duration(fields.logged_hours, fields.logged_mins),
    percent: Math.min(100, Math.round(percent)),
    completed,
    completedAt: completed ? wire.instant(fields.completed_at) : null,
    completedBy: completed ? wire.person(fields.completed_by) : null,
    assigned: wire.people(fields.assigned),
    labels: wire.labels(fields.labels),
    subtaskCount: wire.count(fields.sub_tasks),
    commentCount: wire.count(fields.comments),
    rrule: recurrenceText(fields.rrule),
    ticket: wire.text(fields.ticket),
    stage: wire.nameIn(fields.stage),
    customFields: wire.array(fields.custom_fields).flatMap(readCustomField),
    creatorId: wire.person(fields.creator),
    byMe: wire.flag(fields.by_me),
    createdAt: wire.instant(fields.created_at),
    updatedAt: wire.instant(fields.updated_at),
  });
}

/**
 * A patch as the service's request body for tasks and subtasks; `completed` is set by its own call. Null unsets on
 * update and is left out on creation. An estimate goes as hours and minutes together.
 * Source: service-api.md, Task create body.
 */
export function writeTask(patch: Patch, mode: "create" | "update"): Record<string, unknown> {
  const { title, description, startOn, dueOn, estimated, assigned, labels } = patch;
  const minutes = estimated ? Math.round(estimated.total("minutes")) : estimated;
  const body = {
    title,
    description,
    start_date: startOn ? startOn.toString() : startOn,
    due_date: dueOn ? dueOn.toString() : dueOn,
    estimated_hours: typeof minutes === "number" ? Math.floor(minutes / 60) : minutes,
    estimated_mins: typeof minutes === "number" ? minutes % 60 : minutes,
    assigned,
    labels,
  };
  return Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => value !== undefined && !(mode === "create" && value === null),
    ),
  );
}

function readCustomField(raw: unknown): readonly CustomField[] {
  const read = wire.readElement(customFieldShape, raw);
  if (!read.ok) return [];
  const { id, fields } = read.value;
  const [title, type] = [wire.title(fields.title), wire.title(fields.type)];
  return [{ id: serviceId(id), title, type, value: fieldValue(fields.value) }];
}

function fieldValue(value: unknown): string | readonly string[] {
  if (!Array.isArray(value)) return wire.text(value) ?? "";
  const values: readonly unknown[] = value;
  return values
    .map((one) => wire.text(wire.isObject(one) ? (one["id"] ?? one["title"]) : one))
    .filter((one) => one !== null);
}

function recurrenceText(value: unknown): string | null {
  const bare = wire.text(value);
  if (bare !== null) return bare === "" ? null : bare;
  return wire.isObject(value) || Array.isArray(value) ? JSON.stringify(value) : null;
}

const taskShape = z.object({
  id: wire.field,
  ticket: wire.field,
  title: wire.field,
  description: wire.field,
  start_date: wire.field,
  due_date: wire.field,
  estimated_hours: wire.field,
  estimated_mins: wire.field,
  logged_hours: wire.field,
  logged_mins: wire.field,
  percent_progress: wire.field,
  completed: wire.field,
  completed_at: wire.field,
  completed_by: wire.field,
  assigned: wire.field,
  labels: wire.field,
  sub_tasks: wire.field,
  comments: wire.field,
  rrule: wire.field,
  stage: wire.field,
  custom_fields: wire.field,
  creator: wire.field,
  by_me: wire.field,
  created_at: wire.field,
  updated_at: wire.field,
  project: wire.field,
  list: wire.field,
});

const customFieldShape = z.object({
  id: wire.field,
  title: wire.field,
  type: wire.field,
  value: wire.field,
});
