import type { When } from "@dayferry/ical";
import type { LabelId, ListId, PersonId, ProjectId, ServiceId } from "./ids.ts";

/** The service's three resources with dates. A milestone is an event, so that it may become one and stop being one. */
export const itemKinds = ["event", "task", "subtask"] as const;
export type ItemKind = (typeof itemKinds)[number];

interface Common {
  /** Null while the item's creation has not been confirmed by the service. */
  readonly id: ServiceId | null;
  readonly projectId: ProjectId;
  readonly title: string;
  /** May be HTML, as the service holds it. */
  readonly description: string | null;
  readonly completed: boolean;
  readonly assigned: readonly PersonId[];
  readonly creatorId: PersonId | null;
  /** Whether the account's own key made it; not part of the content. */
  readonly byMe: boolean;
  readonly createdAt: Temporal.Instant | null;
  readonly updatedAt: Temporal.Instant | null;
}

export interface EventItem extends Common {
  readonly kind: "event";
  readonly when: When;
  /** Time before the start; null when unset. */
  readonly reminder: Temporal.Duration | null;
  readonly milestone: boolean;
  readonly private: boolean;
}

export interface CustomField {
  readonly id: ServiceId;
  readonly title: string;
  readonly type: string;
  /** As the service holds it: text, or several values for tags and dropdowns. */
  readonly value: string | readonly string[];
}

export interface TaskItem extends Common {
  readonly kind: "task" | "subtask";
  readonly listId: ListId;
  /** The parent task of a subtask; null for a task. */
  readonly parentId: ServiceId | null;
  readonly startOn: Temporal.PlainDate | null;
  readonly dueOn: Temporal.PlainDate | null;
  readonly estimated: Temporal.Duration | null;
  readonly logged: Temporal.Duration | null;
  /** 0 to 100. */
  readonly percent: number;
  readonly labels: readonly LabelId[];
  readonly completedAt: Temporal.Instant | null;
  readonly completedBy: PersonId | null;
  readonly subtaskCount: number;
  readonly commentCount: number;
  /** The service's own recurrence text, of unknown form: shown, never edited. */
  readonly rrule: string | null;
  readonly ticket: string | null;
  readonly stage: string | null;
  readonly customFields: readonly CustomField[];
}

export type Item = EventItem | TaskItem;

/** The fields of a task of which nothing is known yet. */
export const unsetTaskFields = {
  startOn: null,
  dueOn: null,
  estimated: null,
  logged: null,
  percent: 0,
  labels: [],
  completedAt: null,
  completedBy: null,
  subtaskCount: 0,
  commentCount: 0,
  rrule: null,
  ticket: null,
  stage: null,
  customFields: [],
} as const satisfies Partial<TaskItem>;

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
