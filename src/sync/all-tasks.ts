import { serviceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import type { TaskPage } from "../upstream/resources/task-page.ts";
import { type Identified, isIdentified } from "./plan-snapshot.ts";
import { configuredProjects } from "./sources-in-scope.ts";
import type { SyncContext } from "./sync-context.ts";

/** Name of the account-wide list of tasks in events. */
export const allTasksName = "alltodo";

/** The service's maximum. Source: beyond-the-document.md, Look-ups. */
export const pageSize = 100;

/** The service's times are in whole seconds, as is its Date header. */
export const clockMargin = Temporal.Duration.from({ seconds: 2 });

/** A task by its id, a subtask by its negated id: both in one number, as an account may have hundreds of thousands. */
export type Element = number;

/** Requests one page of the tasks and subtasks of all mirrored projects. */
export function requestPage(
  { upstream, scope }: Pick<SyncContext, "upstream" | "scope">,
  page: number,
  signal: AbortSignal,
) {
  const projectIds = configuredProjects(scope);
  return upstream.workspace.allTasks(
    { start: page * pageSize, limit: pageSize, ...(projectIds && { projectIds }) },
    { priority: "sweep", signal },
  );
}

/** Why an answer cannot be this page; null for an ordinary page. */
export function pageFault(
  page: number,
  { problems, received, total }: Pick<TaskPage, "problems" | "received" | "total">,
): string | null {
  const [problem] = problems;
  if (problem !== undefined) return problem;
  const expected = Math.min(pageSize, Math.max(0, total - page * pageSize));
  if (received === expected) return null;
  return `page ${page + 1} has ${received} tasks of ${total}, where ${expected} were expected`;
}

/** True if a page is complete and none of its elements omits a field. */
export const isWhole = ({ items, partial, problems, received, remarks = [] }: TaskPage): boolean =>
  items.length === received && partial.size + problems.length + remarks.length === 0;

export const elementOf = ({ kind, id }: Pick<TaskItem, "kind" | "id">): Element =>
  (kind === "task" ? 1 : -1) * (id ?? 0);

/** An element in words. */
export const elementNameOf = (element: Element): string =>
  `${element > 0 ? "task" : "subtask"} ${Math.abs(element)}`;

/** The stored row of an element; null if it is not mirrored now. */
export function rowOf(mirror: Store["mirror"], element: Element) {
  const kind = element > 0 ? "task" : "subtask";
  const stored = mirror.stored(kind, serviceId(Math.abs(element)));
  return stored?.row ? { key: stored.key, ...stored.row } : null;
}

export const isTask = (item: Item): item is Identified & TaskItem =>
  item.kind !== "event" && isIdentified(item);
