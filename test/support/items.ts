import type { When } from "@dayferry/ical";
import { blankEvent, blankTask } from "../../src/domain/blank-item.ts";
import {
  labelId,
  listId,
  personId,
  projectId,
  type ServiceId,
  serviceId,
} from "../../src/domain/ids.ts";
import type {
  EventItem,
  Label,
  Person,
  Project,
  TaskItem,
  Todolist,
} from "../../src/domain/item.ts";

export const zone = "Europe/Berlin";

/** Times in the account's zone, as `YYYY-MM-DDTHH:MM`. */
export function times(start: string, end: string | null = null, inZone = zone): When {
  const read = (text: string) => Temporal.PlainDateTime.from(text).toZonedDateTime(inZone);
  return { kind: "times", start: read(start), end: end === null ? null : read(end) };
}

/** Whole days; `end` is exclusive, as DTEND. */
export function dates(start: string, end: string): When {
  return {
    kind: "dates",
    start: Temporal.PlainDate.from(start),
    end: Temporal.PlainDate.from(end),
  };
}

/** Whole days; `last` is inclusive. */
export function days(first: string, last = first): When {
  return dates(first, Temporal.PlainDate.from(last).add({ days: 1 }).toString());
}

const origin = {
  projectId: projectId(2001),
  creatorId: null,
  createdAt: Temporal.Instant.from("2026-01-05T08:00:00Z"),
};
const known = { byMe: false, updatedAt: origin.createdAt };

/** An event of an hour in Berlin with only title and times. */
export function anEvent(
  id: number,
  fields: Partial<Omit<EventItem, "id">> = {},
): EventItem & { readonly id: ServiceId } {
  return {
    ...blankEvent({ ...origin, when: times("2026-11-23T10:00", "2026-11-23T11:00") }),
    ...known,
    title: `Event ${id}`,
    ...fields,
    id: serviceId(id),
  };
}

/** A task with only a due day. */
export function aTask(
  id: number,
  fields: Partial<Omit<TaskItem, "id">> = {},
): TaskItem & { readonly id: ServiceId } {
  return {
    ...blankTask({ ...origin, kind: "task", listId: listId(3001), parentId: null }),
    ...known,
    title: `Task ${id}`,
    dueOn: Temporal.PlainDate.from("2026-11-24"),
    ...fields,
    id: serviceId(id),
  };
}

export const aProject = (id: number, title: string): Project => ({
  id: projectId(id),
  title,
  description: null,
  color: null,
  archived: false,
  members: [],
});

export const aTodolist = (id: number, fields: Partial<Omit<Todolist, "id">> = {}): Todolist => ({
  projectId: projectId(2001),
  title: `List ${id}`,
  archived: false,
  private: false,
  ...fields,
  id: listId(id),
});

export const aPerson = (id: number, name: string): Person => ({
  id: personId(id),
  name,
  email: null,
  timeZone: null,
  suspended: false,
});

export const aLabel = (id: number, name: string): Label => ({
  id: labelId(id),
  name,
  color: null,
});
