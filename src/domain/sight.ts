import { type ListId, listId, type PersonId, type ProjectId, projectId } from "./ids.ts";
import type { CollectionName, Item, Project, Todolist } from "./item.ts";

/**
 * Who looks at what is shown. The admin sees everything; a person the own feeds, edits, mails and choices, and of the
 * workspace what is for their eyes. `zone`: on whose clocks times are told.
 */
export type Viewer =
  | { readonly kind: "admin"; readonly zone: string }
  | {
      readonly kind: "person";
      readonly person: PersonId;
      readonly name: string;
      readonly zone: string;
    };

/**
 * For whom a version of an item is read: a version that this person could not see counts as unknown. Null reads all of them, for
 * the admin and for decisions that show nothing of it.
 */
export type Reader = PersonId | null;

/** An item and where it stands; null = not known (any more). */
export interface PlacedItem {
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

/** Where projects are looked up. */
interface ProjectDirectory {
  projects(): readonly Project[];
  project(id: ProjectId): Project | null;
}

/** The directory as a viewer may look things up in it: a project that is closed to them is unknown, like one that never was. */
export function directoryFor<Known extends ProjectDirectory>(
  directory: Known,
  viewer: Viewer,
): Known {
  if (viewer.kind === "admin") return directory;
  const isSeen = (project: Project | null) => seesProject(viewer.person, project);
  return {
    ...directory,
    projects: () => directory.projects().filter(isSeen),
    project(id: ProjectId) {
      const project = directory.project(id);
      return isSeen(project) ? project : null;
    },
  };
}

/** Whether an item is for this person's eyes. What is private, or in a private list, is for its creator and those assigned. */
export function seesItem(person: PersonId, { item, project, list }: PlacedItem): boolean {
  if (!seesProject(person, project)) return false;
  if (item.kind !== "event" && list?.archived) return false;
  if (!isPrivate(item, list)) return true;
  return isPartyTo(person, item);
}

/** Whether some item of a collection may be for this person's eyes; the directory is for everybody's. */
export function seesCollection(
  person: PersonId,
  name: CollectionName,
  directory: {
    project(id: ProjectId): Project | null;
    todolist(id: ListId): Todolist | null;
  },
): boolean {
  const [kind, id] = name.split(":");
  if (kind === "events") return seesProject(person, directory.project(projectId(Number(id))));
  if (kind !== "tasks") return true;
  const list = directory.todolist(listId(Number(id)));
  return list !== null && !list.archived && seesProject(person, directory.project(list.projectId));
}

/** Whether what is private is for this person's eyes all the same. */
export const isPartyTo = (person: PersonId, { creatorId, assigned }: Item): boolean =>
  creatorId === person || assigned.includes(person);

/** Whether an item is for some people's eyes only: an event by itself, a task by its list. */
export const isPrivate = (item: Item, list: Todolist | null): boolean =>
  item.kind === "event" ? item.private : list?.private === true;

/** The same where only the private lists are at hand. */
export const isAmongPrivate = (
  item: Item,
  privateLists: Pick<ReadonlySet<ListId>, "has">,
): boolean => (item.kind === "event" ? item.private : privateLists.has(item.listId));

/**
 * The assigned people of an item that keep it before some eyes, whoever is its creator then: those it has, and of `people`
 * those who would not see it otherwise. Null where nobody has to be added. `item`: as it is to be.
 */
export function keptInSight(
  item: Item,
  about: {
    readonly list: Todolist | null;
    /** Null where it is the account's, or not known. */
    readonly creator: PersonId | null;
    readonly people: readonly (PersonId | null)[];
  },
): readonly PersonId[] | null {
  const { list, creator, people } = about;
  if (!isPrivate(item, list)) return null;
  const party = { ...item, creatorId: creator };
  const unseen = people.filter((person) => person !== null && !isPartyTo(person, party));
  const added = [...new Set(unseen)].filter((person) => person !== null);
  return added.length === 0 ? null : [...item.assigned, ...added];
}
