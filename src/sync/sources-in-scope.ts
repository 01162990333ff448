import type { FolderId, ListId, ProjectId } from "../domain/ids.ts";
import type { Person, Project, Todolist } from "../domain/item.ts";
import type { Source } from "../domain/source.ts";

/** A configured project. */
interface ScopedProject {
  readonly id: ProjectId;
  /** Null = the service's name. */
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

/** Projects and lists that are known to exist. */
interface Known {
  readonly projects: readonly Project[];
  readonly todolists: readonly Todolist[];
}

/**
 * Every source except subtasks, which only their parents reveal. Discovered projects and lists that are archived are not
 * polled; configured ones are.
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

/** The mirrored projects; null = all that the service shows. */
export const configuredProjects = ({ projects }: MirrorScope): readonly ProjectId[] | null =>
  projects === "discover" ? null : projects.map(({ id }) => id);

/** The configured folders of a project; null = looked up in the service. */
export function configuredFolders(
  { projects }: MirrorScope,
  id: ProjectId,
): readonly FolderId[] | null {
  if (projects === "discover") return null;
  const folders = projects.find((project) => project.id === id)?.folders ?? "discover";
  return folders === "discover" ? null : folders;
}

/** True if the projects' look-up is needed. If ids and names are all configured, it is not. */
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
