import type { Person } from "../domain/item.ts";
import { isPartyTo, isPrivate, type PlacedItem, seesProject } from "../domain/visibility.ts";

/** A person's two-way calendars that contain an item, by name; or why none does, as a sentence with its full stop. */
export type CalendarPresence =
  | { readonly kind: "shown"; readonly calendars: readonly string[] }
  | { readonly kind: "left-out"; readonly why: string };

/** In which of a person's two-way calendars an item is. They contain every item that the person may see. */
export function calendarPresence(person: Person, placed: PlacedItem): CalendarPresence {
  const { item, project, list } = placed;
  if (person.suspended) return leftOut("The person has left the workspace.");
  if (project === null || project.archived) return leftOut("Its project is archived.");
  if (!seesProject(person.id, project)) return leftOut("The person has no access to its project.");
  if (list?.archived) return leftOut("Its list is archived.");
  if (isPrivate(item, list) && !isPartyTo(person.id, item)) {
    return leftOut("It is private: the person neither made it nor is assigned.");
  }
  const own = list === null ? project.title : `${project.title}: ${list.title}`;
  const isAssigned = item.assigned.includes(person.id);
  return { kind: "shown", calendars: isAssigned ? [own, "Assigned to me"] : [own] };
}

const leftOut = (why: string): CalendarPresence => ({ kind: "left-out", why });
