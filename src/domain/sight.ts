import type { PersonId } from "./ids.ts";
import type { Item, Project, Todolist } from "./item.ts";

/** An item and where it stands; null = not known (any more). */
export interface Standing {
  readonly item: Item;
  readonly project: Project | null;
  /** Of a task or subtask. */
  readonly list: Todolist | null;
}

/**
 * Whether a project is for this person's eyes. A project that names no members does not say who they are, so it is
 * for everybody; an archived one is for nobody.
 */
export const seesProject = (person: PersonId, project: Project | null): boolean =>
  project !== null &&
  !project.archived &&
  (project.members.length === 0 || project.members.includes(person));

/** Whether an item is for this person's eyes. What is private, or in a private list, is for its creator and those assigned. */
export function seesItem(person: PersonId, { item, project, list }: Standing): boolean {
  if (!seesProject(person, project)) return false;
  if (item.kind !== "event" && list?.archived) return false;
  if (!isPrivate(item, list)) return true;
  return isPartyTo(person, item);
}

/** Whether what is private is for this person's eyes all the same. */
export const isPartyTo = (person: PersonId, { creatorId, assigned }: Item): boolean =>
  creatorId === person || assigned.includes(person);

/** Whether an item is for some people's eyes only: an event by itself, a task by its list. */
export const isPrivate = (item: Item, list: Todolist | null): boolean =>
  item.kind === "event" ? item.private : list?.private === true;
