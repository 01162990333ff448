import { z } from "zod";
import {
  type FolderId,
  folderId,
  type ListId,
  listId,
  type ProjectId,
  personId,
  projectId,
} from "../../domain/ids.ts";
import type { Person, Project, Todolist } from "../../domain/item.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../asker.ts";
import type { Call } from "../client.ts";
import type { Failure } from "../failure.ts";
import type { Reading, Snapshot } from "../snapshot.ts";
import type { KnownValues, ReadIssues } from "../wire.ts";
import * as wire from "../wire.ts";

import { readTaskPage, type TaskPage, type TaskPageQuery, writePageQuery } from "./task-page.ts";

/** A folder of a project; `parentId` is null for one at the root, `type` the service's own word. */
interface Folder {
  readonly id: FolderId;
  readonly projectId: ProjectId;
  readonly name: string;
  readonly parentId: FolderId | null;
  readonly type: string | null;
}

type List<Value> = Promise<Result<Snapshot<Value>, Failure>>;
type InProject = { readonly projectId: ProjectId };

/**
 * Look-ups that the service's document does not show. A workspace without them answers 403, 404 or another shape, which
 * are ordinary failures here; the caller then falls back to the configured ids.
 * Source: beyond-the-document.md, Look-ups.
 */
export interface Workspace {
  projects(call: Call): List<Project>;
  project(id: ProjectId, call: Call): Promise<Result<Project, Failure>>;
  people(call: Call): List<Person>;
  todolists(place: InProject, call: Call): List<Todolist>;
  todolist(
    place: InProject & { readonly id: ListId },
    call: Call,
  ): Promise<Result<Todolist, Failure>>;
  folders(place: InProject, call: Call): List<Folder>;
  /** One page of the tasks and subtasks of the whole account. */
  allTasks(query: TaskPageQuery, call: Call): Promise<Result<TaskPage, Failure>>;
}

export function createWorkspace(asker: Asker, held: KnownValues): Workspace {
  const list = <Value extends { readonly id: number }>(
    reading: {
      readonly path: string;
      readonly where: string;
      readonly kind: string;
      readonly read: Reading<Value>["read"];
    },
    call: Call,
  ): List<Value> =>
    asker.many(
      {
        ask: { method: "GET", path: reading.path },
        reading: { ...reading, keyOf: (value) => value.id },
      },
      call,
    );

  return {
    projects: (call) =>
      list(
        { path: "/projects", where: "the account", kind: "project", read: projectReader(held) },
        call,
      ),
    project: (id, call) =>
      asker.one(
        { ask: { method: "GET", path: `/projects/${id}` }, read: projectReader(held) },
        call,
      ),
    people: (call) =>
      list(
        { path: "/people", where: "the account", kind: "person", read: personReader(held) },
        call,
      ),
    todolists: (place, call) =>
      list(
        {
          path: `/projects/${place.projectId}/todolists`,
          where: `project ${place.projectId}`,
          kind: "todolist",
          read: (raw, ear) => readTodolist(raw, { ...place, held, ear }),
        },
        call,
      ),
    todolist: ({ id, ...place }, call) => {
      const path = `/projects/${place.projectId}/todolists/${id}`;
      const read = (raw: unknown) => readTodolist(raw, { ...place, held });
      return asker.one({ ask: { method: "GET", path }, read }, call);
    },
    folders: (place, call) =>
      list(
        {
          path: `/projects/${place.projectId}/folders`,
          where: `project ${place.projectId}`,
          kind: "folder",
          read: (raw) => readFolder(raw, place),
        },
        call,
      ),
    allTasks: (query, call) =>
      asker.one(
        {
          ask: { method: "GET", path: "/alltodo", query: writePageQuery(query) },
          read: readTaskPage,
        },
        call,
      ),
  };
}

// What an answer leaves out of these stays as it is known.
const projectReader =
  (held: KnownValues) =>
  (raw: unknown, ear?: ReadIssues): Result<Project, string> => {
    const read = wire.readElement(projectShape, raw);
    if (!read.ok) return read;
    const { id, fields } = read.value;
    const known = held.project(projectId(id));
    const title = wire.keptTitle(fields.title ?? fields.name, {
      held: known?.title,
      fallback: `Project ${id}`,
      ear,
    });
    const { assigned } = fields;
    return ok({
      id: projectId(id),
      title,
      description: wire.prose(fields.description),
      color: wire.text(fields.color),
      archived: wire.verdict(fields.archived) ?? known?.archived ?? false,
      members: (assigned ?? null) === null && known ? known.members : wire.people(assigned),
    });
  };

const personReader =
  (held: KnownValues) =>
  (raw: unknown): Result<Person, string> => {
    const read = wire.readElement(personShape, raw);
    if (!read.ok) return read;
    const { id, fields } = read.value;
    const known = held.person(personId(id));
    const name = `${wire.title(fields.first_name)} ${wire.title(fields.last_name)}`.trim();
    const said = wire.title(fields.email).trim();
    const email = fields.email === undefined && known?.email ? known.email : said;
    const fallback = email === "" ? `Person ${id}` : email;
    return ok({
      id: personId(id),
      name: name === "" ? (known?.name ?? fallback) : name,
      email: email === "" ? null : email,
      // The service numbers its zones in a way that is not documented.
      timeZone: null,
      suspended: wire.verdict(fields.suspended) ?? known?.suspended ?? false,
    });
  };

function readTodolist(
  raw: unknown,
  {
    projectId: project,
    held,
    ear,
  }: InProject & { readonly held: KnownValues; readonly ear?: ReadIssues },
): Result<Todolist, string> {
  const read = wire.readElement(todolistShape, raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const known = held.todolist(listId(id));
  const title = wire.keptTitle(fields.title ?? fields.name, {
    held: known?.title,
    fallback: `List ${id}`,
    ear,
  });
  return ok({
    id: listId(id),
    projectId: project,
    title,
    archived: wire.verdict(fields.archived) ?? known?.archived ?? false,
    private: wire.verdict(fields.private) ?? known?.private ?? false,
  });
}

function readFolder(raw: unknown, place: InProject): Result<Folder, string> {
  const read = wire.readElement(folderShape, raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const parent = wire.ref(fields.parent_id);
  return ok({
    id: folderId(id),
    projectId: place.projectId,
    name: wire.title(fields.name),
    parentId: parent === null ? null : folderId(parent),
    type: wire.text(fields.type),
  });
}

const projectShape = z.object({
  id: wire.field,
  title: wire.field,
  name: wire.field,
  description: wire.field,
  color: wire.field,
  archived: wire.field,
  assigned: wire.field,
});

const personShape = z.object({
  id: wire.field,
  first_name: wire.field,
  last_name: wire.field,
  email: wire.field,
  suspended: wire.field,
});

const todolistShape = z.object({
  id: wire.field,
  title: wire.field,
  name: wire.field,
  archived: wire.field,
  private: wire.field,
});

const folderShape = z.object({
  id: wire.field,
  name: wire.field,
  parent_id: wire.field,
  type: wire.field,
});
