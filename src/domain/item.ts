import type { FieldName, FieldOf, ItemKind, ValueOf } from "./fields.ts";
import type { LabelId, ListId, PersonId, ProjectId, ServiceId } from "./ids.ts";

/** Facts about an item besides its fields. */
export interface Provenance {
  /** Null until the service has confirmed the creation. */
  readonly id: ServiceId | null;
  /** True if it was created with the account's own key. */
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

/** Title for items that calendar programs create without one, as the service requires a title. */
export const untitled = "(untitled)";

/** The category that marks an event as a milestone. */
export const milestoneCategory = "Milestone";

/** Title of a private item in feeds that show it as busy. */
export const privateTitle = "Busy";

/** A person in the workspace or the configuration. */
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

/** A list with what its look-up says about its tasks; null if it says nothing. */
export interface TodolistRow extends Todolist {
  readonly updatedAt: Temporal.Instant | null;
  readonly completed: number | null;
  readonly remaining: number | null;
}

export interface Label {
  readonly id: LabelId;
  readonly name: string;
  readonly color: string | null;
}

/** The word people use: a milestone instead of an event. */
export type SpokenKind = ItemKind | "milestone";

export const spokenKind = (item: Item): SpokenKind =>
  item.kind === "event" && item.milestone ? "milestone" : item.kind;

/** True for tasks, subtasks and milestones. */
export const canComplete = (item: Item): boolean => item.kind !== "event" || item.milestone;

/** A set of items with its own revision: a project's events, or one todolist's tasks and subtasks. */
export type CollectionName = `events:${number}` | `tasks:${number}` | "directory";

/** Changes when a name that feeds show (label, person, project) changes. */
export const directory: CollectionName = "directory";

export const eventsOf = (project: ProjectId): CollectionName => `events:${project}`;
export const tasksOf = (list: ListId): CollectionName => `tasks:${list}`;

export const collectionOf = (item: Item): CollectionName =>
  item.kind === "event" ? eventsOf(item.projectId) : tasksOf(item.listId);
