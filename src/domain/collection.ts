import type { ListId, ProjectId } from "./ids.ts";
import type { Item } from "./item.ts";

/** A set of items with a revision of its own: a project's events, or one todolist's tasks and subtasks. */
export type CollectionName = `events:${number}` | `tasks:${number}` | "directory";

/** Names that feeds show (labels, people, projects) change here. */
export const directory: CollectionName = "directory";

export const eventsOf = (project: ProjectId): CollectionName => `events:${project}`;
export const tasksOf = (list: ListId): CollectionName => `tasks:${list}`;

export const collectionOf = (item: Item): CollectionName =>
  item.kind === "event" ? eventsOf(item.projectId) : tasksOf(item.listId);
