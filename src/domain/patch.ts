import type { When } from "@dayferry/ical";
import type { LabelId, ListId, PersonId, ProjectId } from "./ids.ts";
import type { EventItem, Item, TaskItem } from "./item.ts";

/**
 * The fields that an edit may set. `start`, `end` and `all_day` of the service are one field: `when`; so are project and
 * todolist: `place`.
 */
export const patchFields = [
  "title",
  "description",
  "when",
  "reminder",
  "milestone",
  "private",
  "completed",
  "assigned",
  "labels",
  "startOn",
  "dueOn",
  "estimated",
  "place",
] as const;
export type PatchField = (typeof patchFields)[number];

/** Where an item is: an event in a project, a task in one of its lists. */
export interface Place {
  readonly projectId: ProjectId;
  /** Null for an event. */
  readonly listId: ListId | null;
}

/** What an edit wishes: only the fields it speaks of. Null unsets. */
export interface Patch {
  readonly title?: string;
  readonly description?: string | null;
  readonly when?: When;
  readonly reminder?: Temporal.Duration | null;
  readonly milestone?: boolean;
  readonly private?: boolean;
  readonly completed?: boolean;
  readonly assigned?: readonly PersonId[];
  readonly labels?: readonly LabelId[];
  readonly startOn?: Temporal.PlainDate | null;
  readonly dueOn?: Temporal.PlainDate | null;
  readonly estimated?: Temporal.Duration | null;
  readonly place?: Place;
}

/** The fields that a patch speaks of, in the order of `patchFields`. */
export const fieldsOf = (patch: Patch): readonly PatchField[] =>
  patchFields.filter((field) => patch[field] !== undefined);

/** The item's present values of the fields that can be edited. A subtask has no place of its own: its task has. */
export function valuesOf(item: Item): Patch {
  const common = {
    title: item.title,
    description: item.description,
    completed: item.completed,
    assigned: item.assigned,
  };
  if (item.kind === "event") {
    const { when, reminder, milestone } = item;
    return { ...common, when, reminder, milestone, private: item.private, place: placeOf(item) };
  }
  const { labels, startOn, dueOn, estimated } = item;
  const place = item.kind === "task" ? { place: placeOf(item) } : {};
  return { ...common, labels, startOn, dueOn, estimated, ...place };
}

/** Where an item is now; of a subtask where its task is. */
export const placeOf = (item: Item): Place => ({
  projectId: item.projectId,
  listId: item.kind === "event" ? null : item.listId,
});

/** The item in another place; a task stays where it is when no list is named. */
export function placedIn(item: Item, { projectId, listId }: Place): Item {
  if (item.kind === "event") return { ...item, projectId };
  return listId === null ? item : { ...item, projectId, listId };
}

/** The item as it would be with the patch applied; fields that the kind does not have are ignored. */
export function applyPatch(given: Item, patch: Patch): Item {
  const isMoved = patch.place !== undefined && given.kind !== "subtask";
  const item = isMoved ? placedIn(given, patch.place) : given;
  const common = {
    title: patch.title ?? item.title,
    description: patch.description === undefined ? item.description : patch.description,
    completed: patch.completed ?? item.completed,
    assigned: patch.assigned ?? item.assigned,
  };
  return item.kind === "event"
    ? { ...patchedEvent(item, patch), ...common }
    : { ...patchedTask(item, patch), ...common };
}

/** Only the named fields of a patch. */
export function pick(patch: Patch, fields: readonly PatchField[]): Patch {
  return Object.fromEntries(fields.map((field) => [field, patch[field]]));
}

/** A patch but for one field. */
export const without = (patch: Patch, unwanted: PatchField): Patch =>
  pick(
    patch,
    fieldsOf(patch).filter((field) => field !== unwanted),
  );

function patchedEvent(item: EventItem, patch: Patch): EventItem {
  return {
    ...item,
    when: patch.when ?? item.when,
    reminder: patch.reminder === undefined ? item.reminder : patch.reminder,
    milestone: patch.milestone ?? item.milestone,
    private: patch.private ?? item.private,
  };
}

function patchedTask(item: TaskItem, patch: Patch): TaskItem {
  const finished = patch.completed === true && !item.completed;
  const reopened = patch.completed === false;
  const progress = reopened && item.completed ? 0 : item.percent;
  return {
    ...item,
    labels: patch.labels ?? item.labels,
    startOn: patch.startOn === undefined ? item.startOn : patch.startOn,
    dueOn: patch.dueOn === undefined ? item.dueOn : patch.dueOn,
    estimated: patch.estimated === undefined ? item.estimated : patch.estimated,
    percent: patch.completed === true ? 100 : progress,
    completedAt: finished || reopened ? null : item.completedAt,
    completedBy: finished || reopened ? null : item.completedBy,
  };
}
