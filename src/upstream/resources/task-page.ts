import {
  listId,
  type PersonId,
  type ProjectId,
  projectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { TaskItem } from "../../domain/item.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import * as wire from "../wire.ts";
import {
  collect,
  type KnownValues,
  nothingKnown,
  type ReadIssues,
  type Snapshot,
} from "../wire.ts";
import { readTask, saysAllOfTask } from "./task-shape.ts";

/** `start` counts from 0; the service returns at most 100 per page. Absent members do not restrict the answer. */
export interface TaskPageQuery {
  readonly start: number;
  readonly limit: number;
  readonly projectIds?: readonly ProjectId[];
  readonly assignedTo?: readonly PersonId[];
  readonly includeSubtasks?: boolean;
  readonly includeCompleted?: boolean;
}

/**
 * One page of the account's tasks and subtasks; `total`: number on all pages. Omitted fields keep their known value, so a
 * `partial` element may hide a change.
 */
export interface TaskPage extends Snapshot<TaskItem> {
  readonly total: number;
  readonly partial: ReadonlySet<TaskItem>;
}

/** Source: beyond-the-document.md, Look-ups. */
export function writePageQuery(query: TaskPageQuery): Readonly<Record<string, string | null>> {
  const ids = (values: readonly number[] | undefined) =>
    values === undefined || values.length === 0 ? null : values.join(",");
  return {
    start: String(query.start),
    limit: String(query.limit),
    projects: ids(query.projectIds),
    assigned: ids(query.assignedTo),
    include_subtasks: String(query.includeSubtasks ?? true),
    completed: String(query.includeCompleted ?? true),
  };
}

/**
 * A page from the service's answer. Public samples contradict each other, so a page fails unless every element has `due_date`
 * and `list` with an id. An element of the right shape with an invalid value is a problem of the page.
 */
export function readTaskPage(
  raw: unknown,
  known: KnownValues = nothingKnown,
): Result<TaskPage, string> {
  if (!wire.isObject(raw)) return fail(`expected an object, not ${wire.shown(raw)}`);
  const { todos } = raw;
  const total = wire.amount(raw.total_count);
  if (total === null) return fail("total_count: no number");
  if (!Array.isArray(todos)) return fail("todos: no array");
  const elements: readonly unknown[] = todos;
  const odd = elements.findIndex((element) => !isTaskLike(element));
  if (odd >= 0) return fail(`todos.${odd}: no task with due_date and list`);
  const partial = new Set<TaskItem>();
  const tasks = collect(elements, {
    where: "the account",
    kind: "task",
    read: (element, issues) => {
      const task = readElement(element, { known, issues });
      if (task.ok && !saysEverything(element, task.value)) partial.add(task.value);
      return task;
    },
    keyOf: (task) => `${task.kind} ${task.id}`,
  });
  return tasks.ok ? ok({ ...tasks.value, total, partial }) : tasks;
}

function isTaskLike(element: unknown): boolean {
  if (!wire.isObject(element) || !("due_date" in element)) return false;
  return wire.isObject(element.list) && "id" in element.list;
}

// A page covers many lists, so project and list cannot be filled in from the request.
function saysEverything(element: unknown, { kind, updatedAt }: TaskItem): boolean {
  return (
    saysAllOfTask(element, kind) && wire.isObject(element) && "by_me" in element && !!updatedAt
  );
}

function readElement(
  raw: unknown,
  context: { readonly known: KnownValues; readonly issues: ReadIssues },
): Result<TaskItem, string> {
  if (!wire.isObject(raw)) return fail("no object");
  const [list, project] = [wire.ref(raw.list), wire.ref(raw.project)];
  if (list === null || project === null) return fail("list or project: no id");
  const parent = parentOf(raw);
  if (!parent.ok) return parent;
  return readTask(raw, {
    projectId: projectId(project),
    listId: listId(list),
    parentId: parent.value,
    ...context,
  });
}

// How a subtask names its parent here is not documented. A subtask without a recognisable parent is an error.
function parentOf(raw: Readonly<Record<string, unknown>>): Result<ServiceId | null, string> {
  const parent = wire.ref(raw.parent_id) ?? wire.ref(raw.parent) ?? wire.ref(raw.task);
  if (parent !== null) return ok(serviceId(parent));
  return "ticket" in raw || "sub_tasks" in raw ? ok(null) : fail("a subtask without its parent");
}
