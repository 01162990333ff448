import { z } from "zod";
import {
  type FolderId,
  folderId,
  type LabelId,
  type ListId,
  labelId,
  listId,
  type ProjectId,
  personId,
  projectId,
} from "../../domain/ids.ts";
import type { Label, Person, Project, TodolistRow } from "../../domain/item.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { type Asker, elementCalls, type Unread } from "../asker.ts";
import type { Failure } from "../failure.ts";
import type { Call } from "../send-request.ts";
import type { KnownValues, ListReader, ReadIssues, Snapshot } from "../wire.ts";
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
 * Look-ups that the service's document does not describe. A workspace without them answers 403, 404 or another shape, which are
 * ordinary failures here; the caller then uses the configured ids. Source: beyond-the-document.md, Look-ups.
 */
export type WorkspaceClient = ReturnType<typeof createWorkspace>;

export function createWorkspace(asker: Asker, values: KnownValues) {
  const list = <Value extends { readonly id: number }>(
    of: {
      readonly path: string;
      readonly where: string;
      readonly kind: string;
      readonly read: ListReader<Value>["read"];
    },
    call: Call,
  ): List<Value> =>
    asker.many(
      {
        ask: { method: "GET", path: of.path },
        list: { ...of, keyOf: (value) => value.id },
      },
      call,
    );

  const page = (query: TaskPageQuery) => ({
    ask: { method: "GET", path: "/alltodo", query: writePageQuery(query) } as const,
    read: (raw: unknown) => readTaskPage(raw, values),
  });

  return {
    projects: (call: Call): List<Project> =>
      list(
        { path: "/projects", where: "the account", kind: "project", read: projectReader(values) },
        call,
      ),
    project: (id: ProjectId, call: Call): Promise<Result<Project, Failure>> =>
      asker.one(
        { ask: { method: "GET", path: `/projects/${id}` }, read: projectReader(values) },
        call,
      ),
    people: (call: Call): List<Person> =>
      list(
        { path: "/people", where: "the account", kind: "person", read: personReader(values) },
        call,
      ),
    todolists: (place: InProject, call: Call): List<TodolistRow> =>
      list(
        {
          path: `/projects/${place.projectId}/todolists`,
          where: `project ${place.projectId}`,
          kind: "todolist",
          read: (raw, issues) => readTodolist(raw, { ...place, values, issues }),
        },
        call,
      ),
    todolist: (
      { id, ...place }: InProject & { readonly id: ListId },
      call: Call,
    ): Promise<Result<TodolistRow, Failure>> => {
      const path = `/projects/${place.projectId}/todolists/${id}`;
      const read = (raw: unknown) => readTodolist(raw, { ...place, values });
      return asker.one({ ask: { method: "GET", path }, read }, call);
    },
    folders: (place: InProject, call: Call): List<Folder> =>
      list(
        {
          path: `/projects/${place.projectId}/folders`,
          where: `project ${place.projectId}`,
          kind: "folder",
          read: (raw) => readFolder(raw, place),
        },
        call,
      ),
    /** One page of the tasks and subtasks of the whole account. */
    async allTasks(query: TaskPageQuery, call: Call): Promise<Result<TaskPage, Failure>> {
      const answer = await asker.unread(page(query), call);
      return answer.ok ? answer.value.read() : answer;
    },
    /** The same, parsed only if it differs from the previous answer. */
    allTasksUnread: (
      query: TaskPageQuery,
      call: Call,
    ): Promise<Result<Unread<TaskPage>, Failure>> => asker.unread(page(query), call),
  };
}

// Omitted fields keep their known value.
const projectReader =
  (values: KnownValues) =>
  (raw: unknown, issues?: ReadIssues): Result<Project, string> => {
    const read = wire.readElement(projectShape, raw);
    if (!read.ok) return read;
    const { id, fields } = read.value;
    const known = values.project(projectId(id));
    const title = wire.keptTitle(fields.title ?? fields.name, {
      known: known?.title,
      fallback: `Project ${id}`,
      issues,
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
  (values: KnownValues) =>
  (raw: unknown): Result<Person, string> => {
    const read = wire.readElement(personShape, raw);
    if (!read.ok) return read;
    const { id, fields } = read.value;
    const known = values.person(personId(id));
    const name = `${wire.title(fields.first_name)} ${wire.title(fields.last_name)}`.trim();
    const answered = wire.title(fields.email).trim();
    const email = fields.email === undefined && known?.email ? known.email : answered;
    const fallback = email === "" ? `Person ${id}` : email;
    return ok({
      id: personId(id),
      name: name === "" ? (known?.name ?? fallback) : name,
      email: email === "" ? null : email,
      // The service's numbers for zones are not documented.
      timeZone: null,
      suspended: wire.verdict(fields.suspended) ?? known?.suspended ?? false,
    });
  };

function readTodolist(
  raw: unknown,
  {
    projectId: project,
    values,
    issues,
  }: InProject & { readonly values: KnownValues; readonly issues?: ReadIssues },
): Result<TodolistRow, string> {
  const read = wire.readElement(todolistShape, raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const known = values.todolist(listId(id));
  const title = wire.keptTitle(fields.title ?? fields.name, {
    known: known?.title,
    fallback: `List ${id}`,
    issues,
  });
  return ok({
    id: listId(id),
    projectId: project,
    title,
    archived: wire.verdict(fields.archived) ?? known?.archived ?? false,
    private: wire.verdict(fields.private) ?? known?.private ?? false,
    updatedAt: wire.instant(fields.updated_at),
    completed: wire.amount(fields.completed_count),
    remaining: wire.amount(fields.remaining_count),
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
  id: wire.wireField,
  title: wire.wireField,
  name: wire.wireField,
  description: wire.wireField,
  color: wire.wireField,
  archived: wire.wireField,
  assigned: wire.wireField,
});

const personShape = z.object({
  id: wire.wireField,
  first_name: wire.wireField,
  last_name: wire.wireField,
  email: wire.wireField,
  suspended: wire.wireField,
});

const todolistShape = z.object({
  id: wire.wireField,
  title: wire.wireField,
  name: wire.wireField,
  archived: wire.wireField,
  private: wire.wireField,
  updated_at: wire.wireField,
  completed_count: wire.wireField,
  remaining_count: wire.wireField,
});

const folderShape = z.object({
  id: wire.wireField,
  name: wire.wireField,
  parent_id: wire.wireField,
  type: wire.wireField,
});

type One = Promise<Result<Label, Failure>>;

/** Labels of the account. Their colour is read-only. Source: service-api.md, Labels. */
export type LabelClient = ReturnType<typeof createLabels>;

export function createLabels(asker: Asker) {
  const calls = elementCalls<unknown, Label>(asker, {
    kind: "label",
    pathOf: () => "/labels",
    whereOf: () => "the account",
    read: () => readLabel,
  });
  return {
    list: (call: Call): Promise<Result<Snapshot<Label>, Failure>> => calls.list(null, call),
    get: (id: LabelId, call: Call): One => calls.get({ id }, call),
    create: ({ name }: { readonly name: string }, call: Call): One =>
      calls.create({ place: null, json: { name } }, call),
    rename: ({ id, name }: { readonly id: LabelId; readonly name: string }, call: Call): One =>
      calls.update({ place: { id }, json: { name } }, call),
    delete: (id: LabelId, call: Call): Promise<Result<null, Failure>> => calls.delete({ id }, call),
  };
}

function readLabel(raw: unknown): Result<Label, string> {
  const read = wire.readElement(labelShape, raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const name = wire.heading(fields.name);
  if (name === null) return fail("name: a label without one says nothing");
  return ok({ id: labelId(id), name, color: wire.text(fields.color) });
}

const labelShape = z.object({ id: wire.wireField, name: wire.wireField, color: wire.wireField });
