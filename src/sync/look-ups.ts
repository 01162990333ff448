import type { ListId, ProjectId } from "../domain/ids.ts";
import type { Label, Person, Project, Todolist } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import type { Snapshot } from "../upstream/client.ts";
import type { Scope } from "./sources-in-scope.ts";

/**
 * Writes what the configuration alone says into the directory: configured projects, lists and people, under the names
 * that are already known where it names none. What the service is still to be asked for stays as it is.
 */
export function applyScope(store: Store, scope: Scope): void {
  const { directory } = store;
  if (scope.projects !== "discover") {
    putConfigured(store, { scope, found: [] });
    for (const { id, todolists } of scope.projects) {
      if (todolists === "discover") continue;
      const lists = todolists.map((list) => configuredList(store, { list, project: id }));
      directory.putTodolists(id, lists, true);
    }
  }
  const people = overlaid(scope.people, directory.people());
  directory.putPeople(scope.discoverPeople ? people : scope.people, !scope.discoverPeople);
}

/** What a look-up answers, and what it named before and still stands for the time being. */
interface Heard<Value> {
  readonly snapshot: Snapshot<Value>;
  readonly staying: readonly Value[];
}

/** What the projects' look-up answers. */
export function applyProjects(
  store: Store,
  { scope, snapshot, staying }: Heard<Project> & { readonly scope: Scope },
): void {
  if (scope.projects === "discover") {
    store.directory.putProjects([...snapshot.items, ...staying], isComplete(snapshot));
  } else putConfigured(store, { scope, found: snapshot.items });
}

/** What the people's look-up answers, the listed ones laid over it. */
export function applyPeople(
  store: Store,
  { scope, snapshot, staying }: Heard<Person> & { readonly scope: Scope },
): void {
  const found = [...snapshot.items, ...staying];
  const people = overlaid(scope.people, found);
  const listed = new Set(people.map(({ id }) => id));
  const rest = found.filter(({ id }) => !listed.has(id));
  store.directory.putPeople([...rest, ...people], isComplete(snapshot));
}

/** What a project's list look-up answers. */
export function applyTodolists(
  store: Store,
  { project, snapshot, staying }: Heard<Todolist> & { readonly project: ProjectId },
): void {
  store.directory.putTodolists(project, [...snapshot.items, ...staying], isComplete(snapshot));
}

export function applyLabels(store: Store, { snapshot, staying }: Heard<Label>): void {
  store.directory.putLabels([...snapshot.items, ...staying], isComplete(snapshot));
}

/** Whether a snapshot may say that something is missing. */
export const isComplete = (snapshot: { readonly problems: readonly string[] }): boolean =>
  snapshot.problems.length === 0;

function putConfigured(
  store: Store,
  { scope, found }: { readonly scope: Scope; readonly found: readonly Project[] },
): void {
  if (scope.projects === "discover") return;
  const shown = new Map(found.map((project) => [project.id, project]));
  const projects = scope.projects.map(({ id, name }): Project => {
    const known = shown.get(id) ?? store.directory.project(id);
    const blank = { id, description: null, color: null, archived: false, members: [] };
    return { ...(known ?? blank), title: name ?? known?.title ?? `Project ${id}` };
  });
  store.directory.putProjects(projects, true);
}

function configuredList(
  store: Store,
  { list, project }: { readonly list: ListId; readonly project: ProjectId },
): Todolist {
  const known = store.directory.todolist(list);
  const blank = { id: list, title: `List ${list}`, archived: false, private: false };
  return { ...(known ?? blank), projectId: project };
}

/** Listed people; what the list does not say of someone comes from those found. */
function overlaid(listed: readonly Person[], found: readonly Person[]): readonly Person[] {
  const known = new Map(found.map((person) => [person.id, person]));
  return listed.map((person) => {
    const other = known.get(person.id);
    if (!other) return person;
    return {
      id: person.id,
      name: person.name === `Person ${person.id}` ? other.name : person.name,
      email: person.email ?? other.email,
      timeZone: person.timeZone ?? other.timeZone,
      suspended: person.suspended || other.suspended,
    };
  });
}
