import { type ListId, listId, type PersonId, type ProjectId, projectId } from "./ids.ts";
import type { CollectionName, Item, Project, Todolist } from "./item.ts";

/**
 * Who reads. The admin sees everything. A person sees their own feeds, edits, mails and choices, and the parts of the
 * workspace they have access to. `zone`: the zone in which times are shown.
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
 * Whose permissions apply to versions of an item: a version the person could not see counts as unknown. Null reads all
 * versions, for the admin and for decisions that display nothing.
 */
export type Reader = PersonId | null;

/** An item with its project and list; null = unknown. */
export interface PlacedItem {
  readonly item: Item;
  readonly project: Project | null;
  /** For a task or subtask. */
  readonly list: Todolist | null;
}

/**
 * True if a person may see a project. A project without members does not restrict access; nobody sees an archived one.
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

/** The directory limited to a viewer: a project they may not see is unknown. */
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

/**
 * True if a person may see an item. Private items, and items in private lists, are visible to their creator and those
 * assigned.
 */
export function seesItem(person: PersonId, { item, project, list }: PlacedItem): boolean {
  if (!seesProject(person, project)) return false;
  if (item.kind !== "event" && list?.archived) return false;
  if (!isPrivate(item, list)) return true;
  return isPartyTo(person, item);
}

/** True if a person may see some item of a collection. Everyone may see the directory. */
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

/** True if a person is the creator or assigned, and so may see private items. */
export const isPartyTo = (person: PersonId, { creatorId, assigned }: Item): boolean =>
  creatorId === person || assigned.includes(person);

/** True if an item is private: an event by itself, a task by its list. */
export const isPrivate = (item: Item, list: Todolist | null): boolean =>
  item.kind === "event" ? item.private : list?.private === true;

/** Like `isPrivate`, given only the private lists. */
export const isAmongPrivate = (
  item: Item,
  privateLists: Pick<ReadonlySet<ListId>, "has">,
): boolean => (item.kind === "event" ? item.private : privateLists.has(item.listId));

/**
 * The assignees needed to keep an item visible to `people`, whoever creates it: the current ones, and those who would
 * no longer see it. Null if nobody has to be added. `item`: as it is going to be.
 */
export function assigneesToKeepVisible(
  item: Item,
  about: {
    readonly list: Todolist | null;
    /** Null for the account, or if unknown. */
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
