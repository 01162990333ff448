import type { PersonId, ProjectId, Revision } from "../../domain/ids.ts";
import type { IcsProblem } from "../../ics/problem.ts";
import type { Directory } from "../../store/mirror/directory.ts";
import type { Store } from "../../store/store.ts";

/** Where edits go, and whose they are. */
interface Address {
  readonly projectId: ProjectId | null;
  readonly actor: PersonId | null;
}

/** Tells why edits cannot be taken in for a project or a person: neither may be unknown. Null when they can. */
export function createAddressCheck(store: Store): (address: Address) => IcsProblem | null {
  const isKnownPerson = createRollCall(store.directory);
  const isKnownProject = createProjectCheck(store);
  return ({ projectId, actor }) => {
    if (projectId !== null && !isKnownProject(projectId)) return unknownProject(projectId);
    return actor !== null && !isKnownPerson(actor) ? unknownPerson(actor) : null;
  };
}

/** Tells who is known. Nobody is ever forgotten, so that whom the directory has named once need not be asked for again. */
function createRollCall(directory: Directory): (person: PersonId) => boolean {
  const met = new Set<PersonId>();
  return (person) => {
    if (met.has(person)) return true;
    const people = directory.personNames();
    // Where nobody is known, the service names no people and the configuration lists none.
    if (people.size === 0) return true;
    if (people.has(person)) met.add(person);
    return met.has(person);
  };
}

/** Tells which projects are there; reads them again when the directory has changed. */
function createProjectCheck({ directory, changes }: Store): (project: ProjectId) => boolean {
  let known: { readonly at: Revision; readonly ids: ReadonlySet<ProjectId> } | null = null;
  return (project) => {
    const at = changes.revisionOfDirectory();
    if (known?.at !== at) known = { at, ids: new Set(directory.projects().map(({ id }) => id)) };
    return known.ids.has(project);
  };
}

function unknownProject(projectId: ProjectId): IcsProblem {
  const message = `there is no project ${projectId} in the workspace`;
  return { line: null, uid: null, code: "unknown-project", message };
}

function unknownPerson(person: PersonId): IcsProblem {
  const message = `there is no person ${person} in the workspace or the configuration`;
  return { line: null, uid: null, code: "unknown-person", message };
}
