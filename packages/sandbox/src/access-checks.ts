import type {
  EventRecord,
  PersonRecord,
  ProjectRecord,
  TaskRecord,
  TodolistRecord,
} from "./records.ts";
import { refuse } from "./refusal.ts";
import type { WorkspaceStore } from "./workspace-store.ts";

/** What a caller is about to do: a client of the account may only read. */
export type Need = "read" | "write";

/** The caller; `by` is a person's id. */
export interface Caller {
  readonly by: number;
}

export interface ProjectPlace extends Caller {
  readonly project: number;
}

export interface ListPlace extends ProjectPlace {
  readonly list: number;
}

export interface TaskPlace extends ListPlace {
  readonly task: number;
}

export interface InProject {
  readonly person: PersonRecord;
  readonly project: ProjectRecord;
}

export interface InList extends InProject {
  readonly list: TodolistRecord;
}

export interface InTask extends InList {
  readonly task: TaskRecord;
}

/** Checks permissions: 403 without access, 404 if nothing exists. */
export class Access {
  readonly #store: WorkspaceStore;

  constructor(store: WorkspaceStore) {
    this.#store = store;
  }

  /** The person with an API key; undefined for an unknown key and for a suspended person. */
  byKey(apiKey: string): PersonRecord | undefined {
    return this.#store.people.all().find((it) => it.apiKey === apiKey && !it.suspended);
  }

  /** The caller, for what belongs to the whole account. */
  account(caller: Caller, need: Need): PersonRecord {
    const person = this.#store.people.get(caller.by);
    if (person === undefined || person.suspended) return refuse(403, "this person has no access");
    if (need === "write" && person.role === "client")
      return refuse(403, "a client of this account may not change anything");
    return person;
  }

  project(place: ProjectPlace, need: Need): InProject {
    const caller = this.account(place, need);
    const project = this.#store.projects.get(place.project);
    if (project === undefined) return refuse(404, `there is no project ${place.project}`);
    if (!seesProject(caller, project.id)) return refuse(403, `no access to project ${project.id}`);
    return { person: caller, project };
  }

  list(place: ListPlace, need: Need): InList {
    const found = this.project(place, need);
    const list = this.#store.todolists.get(place.list);
    if (list?.project !== place.project)
      return refuse(404, `there is no todolist ${place.list} in project ${place.project}`);
    return { ...found, list };
  }

  task(place: TaskPlace, need: Need): InTask {
    const found = this.list(place, need);
    const task = this.#store.tasks.get(place.task);
    if (task?.list !== place.list)
      return refuse(404, `there is no task ${place.task} in todolist ${place.list}`);
    return { ...found, task };
  }
}

/** True if the person is on the project; the account's owner is on every one. */
export function seesProject(person: PersonRecord, project: number): boolean {
  return person.role === "owner" || person.projects.includes(project);
}

/** True if the person may see the event: a private one is visible to its creator and assignees. */
export function seesEvent(person: PersonRecord, event: EventRecord): boolean {
  if (!event.private || person.role === "owner") return true;
  return event.createdBy === person.id || event.assigned.includes(person.id);
}
