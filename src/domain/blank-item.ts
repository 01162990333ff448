import { type FieldName, type FieldOf, fieldOf, fieldsOfKind, type ItemKind } from "./fields.ts";
import type { EventItem, Provenance, TaskItem } from "./item.ts";

type Unset<Needed extends FieldName> = Exclude<
  FieldOf<"item"> | FieldOf<"event"> | FieldOf<"task">,
  Needed
>;
type Origin = "projectId" | "creatorId" | "createdAt";

/** An event not yet in the service, with only the required fields. */
export const blankEvent = (needed: Pick<EventItem, Origin | "when">): EventItem => ({
  ...notCreated,
  kind: "event",
  ...blanksOf("event"),
  ...needed,
});

/** A task or subtask not yet in the service. */
export const blankTask = (
  needed: Pick<TaskItem, Origin | "kind" | "listId" | "parentId">,
): TaskItem => ({ ...notCreated, ...blanksOf("task"), ...needed });

const notCreated: Provenance = { id: null, byMe: true, updatedAt: null };

function blanksOf(kind: "event"): Pick<EventItem, Unset<Origin | "when"> & keyof EventItem>;
function blanksOf(
  kind: "task",
): Pick<TaskItem, Unset<Origin | "listId" | "parentId"> & keyof TaskItem>;
function blanksOf(kind: ItemKind): unknown {
  const blank = fieldsOfKind(kind).filter((name) => fieldOf(name).blank !== undefined);
  return Object.fromEntries(blank.map((name) => [name, fieldOf(name).blank]));
}
