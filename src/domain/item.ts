import type { FieldName, FieldOf, ItemKind, ValueOf } from "./fields.ts";
import type { LabelId, ListId, PersonId, ProjectId, ServiceId } from "./ids.ts";

/** What is known of an item beside its fields. */
export interface Provenance {
  /** Null while the item's creation has not been confirmed by the service. */
  readonly id: ServiceId | null;
  /** Whether the account's own key made it. */
  readonly byMe: boolean;
  readonly updatedAt: Temporal.Instant | null;
}

type Values<Name extends FieldName> = { readonly [Each in Name]: ValueOf<Each> };

export interface EventItem extends Provenance, Values<FieldOf<"item"> | FieldOf<"event">> {
  readonly kind: "event";
}

export interface TaskItem extends Provenance, Values<FieldOf<"item"> | FieldOf<"task">> {
  readonly kind: "task" | "subtask";
}

export type Item = EventItem | TaskItem;

/** Stands for the title that the service needs, of what calendar programs have given none. */
export const untitled = "(untitled)";

/** The category by which calendars show that an event is a milestone. */
export const milestoneCategory = "Milestone";

/** What feeds may show of a private item instead of its title. */
export const privateTitle = "Busy";

/** A person as the workspace or the configuration knows them. */
export interface Person {
  readonly id: PersonId;
  readonly name: string;
  readonly email: string | null;
  /** IANA zone; null = the account's. */
  readonly timeZone: string | null;
  readonly suspended: boolean;
}

export interface Project {
  readonly id: ProjectId;
  readonly title: string;
  readonly description: string | null;
  readonly color: string | null;
  readonly archived: boolean;
  readonly members: readonly PersonId[];
}

export interface Todolist {
  readonly id: ListId;
  readonly projectId: ProjectId;
  readonly title: string;
  readonly archived: boolean;
  readonly private: boolean;
}

/** A list as its look-up shows it, with what that tells of its tasks; null where it does not. */
export interface ToldTodolist extends Todolist {
  readonly updatedAt: Temporal.Instant | null;
  readonly completed: number | null;
  readonly remaining: number | null;
}

export interface Label {
  readonly id: LabelId;
  readonly name: string;
  readonly color: string | null;
}

/** The word that people use: an event that is a milestone is called one. */
export type SpokenKind = ItemKind | "milestone";

export const spokenKind = (item: Item): SpokenKind =>
  item.kind === "event" && item.milestone ? "milestone" : item.kind;

/** Whether the item can be ticked off: tasks, subtasks and milestones can, other events cannot. */
export const canComplete = (item: Item): boolean => item.kind !== "event" || item.milestone;

/** A set of items with a revision of its own: a project's events, or one todolist's tasks and subtasks. */
export type CollectionName = `events:${number}` | `tasks:${number}` | "directory";

/** Names that feeds show (labels, people, projects) change here. */
export const directory: CollectionName = "directory";

export const eventsOf = (project: ProjectId): CollectionName => `events:${project}`;
export const tasksOf = (list: ListId): CollectionName => `tasks:${list}`;

export const collectionOf = (item: Item): CollectionName =>
  item.kind === "event" ? eventsOf(item.projectId) : tasksOf(item.listId);
