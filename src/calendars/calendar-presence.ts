import type { Person } from "../domain/item.ts";
import { isPartyTo, isPrivate, type PlacedItem, seesProject } from "../domain/visibility.ts";
import { say } from "../texts/say.ts";

/** A person's two-way calendars that contain an item, by name; or why none does, as a sentence with its full stop. */
export type CalendarPresence =
  | { readonly kind: "shown"; readonly calendars: readonly string[] }
  | { readonly kind: "left-out"; readonly why: string };

/** In which of a person's two-way calendars an item is. They contain every item that the person may see. */
export function calendarPresence(person: Person, placed: PlacedItem): CalendarPresence {
  const { item, project, list } = placed;
  if (person.suspended) return leftOut(say("absence.left"));
  if (project === null || project.archived) return leftOut(say("absence.projectArchived"));
  if (!seesProject(person.id, project)) return leftOut(say("absence.noAccess"));
  if (list?.archived) return leftOut(say("absence.listArchived"));
  if (isPrivate(item, list) && !isPartyTo(person.id, item)) {
    return leftOut(say("absence.notParty"));
  }
  const own = list === null ? project.title : `${project.title}: ${list.title}`;
  const isAssigned = item.assigned.includes(person.id);
  return { kind: "shown", calendars: isAssigned ? [own, "Assigned to me"] : [own] };
}

const leftOut = (why: string): CalendarPresence => ({ kind: "left-out", why });
