import type { CustomField } from "../../domain/field-types.ts";
import {
  type ListId,
  listId,
  type ProjectId,
  projectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { TaskItem } from "../../domain/item.ts";
import type { Patch } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import { readServiceFields, writeServiceFields } from "../service-fields.ts";
import * as wire from "../wire.ts";
import {
  type KnownValues,
  knownItem,
  omittedStays,
  type ReadIssues,
  type WriteBeingAnswered,
} from "../wire.ts";

/** Where a task or subtask was requested; `parentId` is null for a task. */
export interface TaskOrigin {
  readonly projectId: ProjectId;
  readonly listId: ListId;
  readonly parentId: ServiceId | null;
}

/** Context for parsing: the known item, the write being answered, and a callback for issues. */
export interface TaskContext {
  readonly known?: KnownValues;
  readonly written?: WriteBeingAnswered;
  readonly issues?: ReadIssues;
}

/** Parses tasks or subtasks requested in one place. */
export const taskReader =
  (origin: TaskOrigin, context: TaskContext) =>
  (raw: unknown, issues?: ReadIssues): Result<TaskItem, string> =>
    readTask(raw, { ...origin, ...context, ...(issues && { issues }) });

/**
 * A task or subtask from the service's answer. Omitted fields keep their known value. Project and list are the ones it names,
 * else the requested ones. Fails with a sentence for a missing id and for unreadable dates. Source: service-api.md, Task,
 * Subtask.
 */
export function readTask(
  raw: unknown,
  { issues, ...origin }: TaskOrigin & TaskContext,
): Result<TaskItem, string> {
  const read = wire.readElement(raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const kind = origin.parentId === null ? "task" : "subtask";
  const isWhole = saysAll(fields, kind);
  // Most answers are complete, and looking values up costs more than parsing.
  const known = isWhole ? {} : knownTask(kind, serviceId(id), origin);
  const keep = omittedStays(issues);
  const startOn = wire.date(fields.start_date, "start_date");
  if (!startOn.ok) return startOn;
  const dueOn = wire.date(fields.due_date, "due_date");
  if (!dueOn.ok) return dueOn;
  const project = wire.ref(fields.project);
  const list = wire.ref(fields.list);
  const completed = keep("completed", {
    raw: fields.completed,
    read: wire.flag,
    known: known.completed,
  });
  // Values such as the completion time are kept only if the state is the same.
  const same = known.completed === completed ? known : {};
  const percent = wire.amount(fields.percent_progress) ?? (completed ? 100 : 0);
  return ok({
    kind,
    ...readServiceFields("task", { raw: fields, known, issues }),
    id: serviceId(id),
    projectId: project === null ? origin.projectId : projectId(project),
    listId: list === null ? origin.listId : listId(list),
    parentId: origin.parentId,
    title: wire.keptTitle(fields.title, { known: known.title, fallback: "", issues }),
    startOn: keep("start_date", {
      raw: fields.start_date,
      read: () => startOn.value,
      known: known.startOn,
    }),
    dueOn: keep("due_date", { raw: fields.due_date, read: () => dueOn.value, known: known.dueOn }),
    estimated: kept(
      either(fields.estimated_hours, fields.estimated_mins),
      wire.duration(fields.estimated_hours, fields.estimated_mins),
      known.estimated,
    ),
    logged: kept(
      either(fields.logged_hours, fields.logged_mins),
      wire.duration(fields.logged_hours, fields.logged_mins),
      known.logged,
    ),
    percent: kept(fields.percent_progress, Math.min(100, Math.round(percent)), same.percent),
    completed,
    completedAt: completed
      ? kept(fields.completed_at, wire.instant(fields.completed_at), same.completedAt)
      : null,
    completedBy: completed
      ? kept(fields.completed_by, wire.person(fields.completed_by), same.completedBy)
      : null,
    subtaskCount: kept(fields.sub_tasks, wire.count(fields.sub_tasks), known.subtaskCount),
    commentCount: kept(fields.comments, wire.count(fields.comments), known.commentCount),
    rrule: kept(fields.rrule, recurrenceText(fields.rrule), known.rrule),
    ticket: kept(fields.ticket, wire.text(fields.ticket), known.ticket),
    stage: kept(fields.stage, wire.nameIn(fields.stage), known.stage),
    customFields: kept(
      fields.custom_fields,
      wire.array(fields.custom_fields).flatMap(readCustomField),
      known.customFields,
    ),
    creatorId: wire.person(fields.creator) ?? known.creatorId ?? null,
    byMe: wire.flag(fields.by_me),
    createdAt: wire.instant(fields.created_at) ?? known.createdAt ?? null,
    updatedAt: wire.instant(fields.updated_at),
  });
}

/**
 * A patch as the service's request body for tasks and subtasks; `completed` has its own call. Null unsets on update and is
 * omitted on creation. An estimate is sent as hours and minutes together. Source: service-api.md, Task create body.
 */
export function writeTask(patch: Patch, mode: "create" | "update"): Record<string, unknown> {
  const { title, startOn, dueOn, estimated } = patch;
  const minutes = estimated ? Math.round(estimated.total("minutes")) : estimated;
  const body = {
    title,
    ...writeServiceFields("task", patch),
    start_date: startOn ? startOn.toString() : startOn,
    due_date: dueOn ? dueOn.toString() : dueOn,
    estimated_hours: typeof minutes === "number" ? Math.floor(minutes / 60) : minutes,
    estimated_mins: typeof minutes === "number" ? minutes % 60 : minutes,
  };
  return Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => value !== undefined && !(mode === "create" && value === null),
    ),
  );
}

function knownTask(
  kind: TaskItem["kind"],
  id: ServiceId,
  { known, written }: TaskContext,
): Partial<TaskItem> {
  if (written?.isNew) return written.patch;
  const item = known ? knownItem(known, { kind, id, ...(written && { written }) }) : null;
  return item && item.kind !== "event" ? item : {};
}

// For fields that some answers normally omit.
const kept = <Value>(raw: unknown, read: NoInfer<Value>, known: Value | undefined): Value =>
  raw === undefined && known !== undefined ? known : read;

/** True if an answer has every field that answers about tasks or subtasks usually have. */
export function saysAllOfTask(raw: unknown, kind: TaskItem["kind"]): boolean {
  return wire.isObject(raw) && saysAll(raw, kind);
}

function saysAll(fields: wire.Fields, kind: TaskItem["kind"]): boolean {
  const wanted = [
    ...usual,
    ...(kind === "task" ? usualOfTasks : []),
    ...(wire.flag(fields.completed) ? usualWhenDone : []),
  ];
  const isNamed = wire.heading(fields.title) !== null && wire.person(fields.creator) !== null;
  return isNamed && wanted.every((name) => fields[name] !== undefined);
}

const either = (a: unknown, b: unknown): unknown => (a === undefined ? b : a);

function readCustomField(raw: unknown): readonly CustomField[] {
  const read = wire.readElement(raw);
  if (!read.ok) return [];
  const { id, fields } = read.value;
  const [title, type] = [wire.title(fields.title), wire.title(fields.type)];
  return [{ id: serviceId(id), title, type, value: fieldValue(fields.value) }];
}

function fieldValue(value: unknown): string | readonly string[] {
  if (!Array.isArray(value)) return wire.text(value) ?? "";
  const values: readonly unknown[] = value;
  return values
    .map((one) => wire.text(wire.isObject(one) ? (one.id ?? one.title) : one))
    .filter((one) => one !== null);
}

function recurrenceText(value: unknown): string | null {
  const bare = wire.text(value);
  if (bare !== null) return bare === "" ? null : bare;
  return wire.isObject(value) || Array.isArray(value) ? JSON.stringify(value) : null;
}

/** Fields in most answers. */
const usual = [
  "description",
  "start_date",
  "due_date",
  "percent_progress",
  "completed",
  "assigned",
  "labels",
  "comments",
  "estimated_hours",
  "logged_hours",
  "created_at",
] as const;
const usualOfTasks = ["sub_tasks", "rrule", "ticket", "stage", "custom_fields"] as const;
const usualWhenDone = ["completed_at", "completed_by"] as const;
