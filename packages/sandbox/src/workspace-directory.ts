import {
  type Caller,
  type InProject,
  type ListPlace,
  type ProjectPlace,
  seesProject,
} from "./access-checks.ts";
import type { FolderRecord, PersonRecord, ProjectRecord, TodolistRecord } from "./records.ts";
import { refuse } from "./refusal.ts";
import { type Setting, stampNow } from "./setting.ts";
import { workflow } from "./workflow.ts";

/**
 * Lookups that the service's document does not show: projects, people, task lists, folders. Source: beyond-the-document.md,
 * Look-ups.
 */
export class DirectoryWork {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  projects(caller: Caller): readonly object[] {
    const person = this.#setting.access.account(caller, "read");
    const seen = this.#setting.store.projects.all().filter((it) => seesProject(person, it.id));
    return seen.map((it) => this.#showProject(it));
  }

  project(place: ProjectPlace): object {
    const found = this.#setting.access.project(place, "read");
    return this.#showProject(found.project);
  }

  people(caller: Caller): readonly object[] {
    this.#setting.access.account(caller, "read");
    return this.#setting.store.people.all().map(showPerson);
  }

  person(place: Caller & { readonly person: number }): object {
    this.#setting.access.account(place, "read");
    const person = this.#setting.store.people.get(place.person);
    return person === undefined
      ? refuse(404, `there is no person ${place.person}`)
      : showPerson(person);
  }

  todolists(place: ProjectPlace): readonly object[] {
    const found = this.#setting.access.project(place, "read");
    const lists = this.#setting.store.todolists.of(place.project);
    return lists.map((it) => this.#showList(it, found));
  }

  /** One task list, with its workflow and the project's custom fields. */
  todolist(place: ListPlace): object {
    const found = this.#setting.access.list(place, "read");
    const custom_fields = found.project.customFields.map((it) => ({
      id: it.id,
      title: it.title,
      description: it.description,
      type: it.type,
      ...(it.currency === undefined
        ? {}
        : { extra_info: { currency: it.currency, customValue: "" } }),
      ...(it.options === undefined ? {} : { options: it.options }),
    }));
    const { id, name, stages } = workflow;
    const list = this.#showList(found.list, found);
    return { ...list, workflow: { id, name, stages }, custom_fields };
  }

  folders(place: ProjectPlace): readonly object[] {
    this.#setting.access.project(place, "read");
    return this.#setting.store.folders.of(place.project).map(showFolder);
  }

  /**
   * Changes a person as an administrator of the account could, for example removes access. Throws `UnknownPersonError` for an
   * unknown person.
   */
  changePerson(id: number, change: PersonChange): PersonRecord {
    const person = this.#setting.store.people.get(id);
    if (person === undefined) throw new UnknownPersonError(`there is no person ${id}`);
    return this.#setting.store.people.put({
      ...person,
      ...change,
      updatedAt: stampNow(this.#setting),
    });
  }

  /** Deletes a task list with its content, as people could. Does nothing if it does not exist. */
  removeTodolist(id: number): void {
    const { store } = this.#setting;
    store.transaction(() => {
      for (const task of store.tasks.of(id)) {
        for (const it of store.subtasks.of(task.id)) store.subtasks.remove(it.id);
        for (const it of store.comments.of(task.id)) store.comments.remove(it.id);
        for (const it of store.history.of(task.id)) store.history.remove(it.id);
        store.tasks.remove(task.id);
      }
      store.todolists.remove(id);
    });
  }

  #showProject(project: ProjectRecord): object {
    const people = this.#setting.store.people
      .all()
      .filter((it) => it.projects.includes(project.id));
    return {
      id: project.id,
      title: project.title,
      description: project.description,
      archived: project.archived,
      color: project.color,
      start_date: project.startOn,
      end_date: project.endOn,
      assigned: people.map((it) => it.id),
      manager: { id: project.manager },
      creator: { id: project.createdBy },
      category: { id: project.category },
      template: false,
      created_at: project.createdAt,
      modified_at: project.updatedAt,
    };
  }

  #showList(list: TodolistRecord, seen: InProject): object {
    const { n, done: completed } = this.#setting.store.tasks.count(list.id);
    return {
      id: list.id,
      title: list.title,
      private: false,
      archived: list.archived,
      completed_count: completed,
      remaining_count: n - completed,
      assigned: [],
      updated_at: list.updatedAt,
      created_at: list.createdAt,
      by_me: list.createdBy === seen.person.id,
      project: { id: list.project },
      milestone: { id: list.milestone },
      creator: { id: list.createdBy },
    };
  }
}

export type PersonChange = Partial<
  Pick<PersonRecord, "role" | "suspended" | "projects" | "apiKey" | "email">
>;

/** Thrown for a person the account does not have. */
export class UnknownPersonError extends Error {
  override readonly name = "UnknownPersonError";
}

const roleIds = { owner: 1, member: 2, client: 3 } as const;

function showPerson(person: PersonRecord): object {
  return {
    id: person.id,
    first_name: person.firstName,
    last_name: person.lastName,
    title: person.title,
    email: person.email,
    role: { id: roleIds[person.role] },
    timezone: person.timezone,
    suspended: person.suspended,
    projects: person.projects,
    created_at: person.createdAt,
    updated_at: person.updatedAt,
  };
}

function showFolder(folder: FolderRecord): object {
  return {
    id: folder.id,
    name: folder.name,
    level: folder.level,
    parent_id: folder.parent ?? "root",
    type: "folder",
    project: { id: folder.project },
    created_at: folder.createdAt,
    updated_at: folder.updatedAt,
  };
}
