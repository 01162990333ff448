import type { FolderId, ListId, ProjectId } from "../domain/ids.ts";
import type { Person, Project, Todolist } from "../domain/item.ts";
import type { Source } from "../domain/source.ts";

/** One project that the configuration names. */
interface ScopedProject {
  readonly id: ProjectId;
  /** Null = as the service calls it. */
  readonly name: string | null;
  readonly todolists: "discover" | readonly ListId[];
  readonly folders?: "discover" | readonly FolderId[];
}

/** What to mirror, from the configuration. */
export interface MirrorScope {
  readonly projects: "discover" | readonly ScopedProject[];
  /** Listed people; they override discovered ones by id. */
  readonly people: readonly Person[];
  readonly discoverPeople: boolean;
}

/** What is known to be there. */
interface Known {
  readonly projects: readonly Project[];
  readonly todolists: readonly Todolist[];
}

/**
 * Every source but those of subtasks, which only their parents name. Archived projects and lists that were discovered are
 * not polled; ones that the configuration names are, whatever they are.
 */
export function sourcesInScope(scope: MirrorScope, known: Known): readonly Source[] {
  const projects = projectsOf(scope, known);
  return [
    ...(needsProjects(scope) ? [{ kind: "projects" as const }] : []),
    ...(scope.discoverPeople ? [{ kind: "people" as const }] : []),
    { kind: "labels" },
    ...projects.flatMap(({ id, todolists }) =>
      todolists === "discover" ? [{ kind: "todolists" as const, projectId: id }] : [],
    ),
    ...projects.map(({ id }) => ({ kind: "events" as const, projectId: id })),
    ...projects.flatMap(({ id, todolists }) =>
      listsOf(todolists === "discover" ? activeLists(id, known) : todolists, id),
    ),
  ];
}

/** The folders that the configuration names for a project; null = the service is asked which there are. */
export function configuredFolders(
  { projects }: MirrorScope,
  id: ProjectId,
): readonly FolderId[] | null {
  if (projects === "discover") return null;
  const folders = projects.find((project) => project.id === id)?.folders ?? "discover";
  return folders === "discover" ? null : folders;
}

/** Whether the projects' look-up is of use: ids and names that are all configured need none. */
const needsProjects = ({ projects }: MirrorScope): boolean =>
  projects === "discover" || projects.some(({ name }) => name === null);

function projectsOf(scope: MirrorScope, known: Known): readonly Omit<ScopedProject, "name">[] {
  if (scope.projects !== "discover") return scope.projects;
  return known.projects
    .filter(({ archived }) => !archived)
    .map(({ id }) => ({ id, todolists: "discover" }));
}

const activeLists = (project: ProjectId, { todolists }: Known): readonly ListId[] =>
  todolists
    .filter(({ projectId, archived }) => projectId === project && !archived)
    .map(({ id }) => id);

const listsOf = (lists: readonly ListId[], projectId: ProjectId): readonly Source[] =>
  lists.map((listId) => ({ kind: "tasks", projectId, listId }));
