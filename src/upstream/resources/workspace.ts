import type { Folder } from "../../domain/file.ts";
import {
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
import type { Asker } from "../asker.ts";
import { elementCalls } from "../element-calls.ts";
import type { Call } from "../send-request.ts";
import type { KnownValues, ReadIssues } from "../wire.ts";
import * as wire from "../wire.ts";
import { readTaskPage, type TaskPageQuery, writePageQuery } from "./task-page.ts";

type InProject = { readonly projectId: ProjectId };

/**
 * Look-ups that the service's document does not describe. A workspace without them answers 403, 404 or another shape, which are
 * ordinary failures here; the caller then uses the configured ids. Source: beyond-the-document.md, Look-ups.
 */
export function createWorkspace(asker: Asker, values: KnownValues) {
  const inAccount = { whereOf: () => "the account" };
  const inProject = { whereOf: (place: InProject) => `project ${place.projectId}` };
  const projects = elementCalls<unknown, Project>(asker, {
    ...inAccount,
    kind: "project",
    pathOf: () => "/projects",
    read: () => projectReader(values),
  });
  const people = elementCalls<unknown, Person>(asker, {
    ...inAccount,
    kind: "person",
    pathOf: () => "/people",
    read: () => personReader(values),
  });
  const todolists = elementCalls<InProject, TodolistRow>(asker, {
    ...inProject,
    kind: "todolist",
    pathOf: (place) => `/projects/${place.projectId}/todolists`,
    read: (place) => todolistReader(values, place),
  });
  const folders = elementCalls<InProject, Folder>(asker, {
    ...inProject,
    kind: "folder",
    pathOf: (place) => `/projects/${place.projectId}/folders`,
    read: (place) => (raw) => readFolder(raw, place),
  });
  return {
    projects: (call: Call) => projects.list(null, call),
    project: (id: ProjectId, call: Call) => projects.get({ id }, call),
    people: (call: Call) => people.list(null, call),
    todolists: todolists.list,
    todolist: (place: InProject & { readonly id: ListId }, call: Call) =>
      todolists.get(place, call),
    folders: folders.list,
    /** One page of the tasks and subtasks of the whole account, parsed only if it differs from the previous answer. */
    allTasks: (query: TaskPageQuery, call: Call) =>
      asker.unread(
        {
          ask: { method: "GET", path: "/alltodo", query: writePageQuery(query) },
          read: (raw) => readTaskPage(raw, values),
        },
        call,
      ),
  };
}

// Omitted fields keep their known value.
const projectReader =
  (values: KnownValues) =>
  (raw: unknown, issues?: ReadIssues): Result<Project, string> => {
    const read = wire.readElement(raw);
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
    const read = wire.readElement(raw);
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

const todolistReader =
  (values: KnownValues, { projectId: project }: InProject) =>
  (raw: unknown, issues?: ReadIssues): Result<TodolistRow, string> => {
    const read = wire.readElement(raw);
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
  };

function readFolder(raw: unknown, place: InProject): Result<Folder, string> {
  const read = wire.readElement(raw);
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

/** Labels of the account. Their colour is read-only. Source: service-api.md, Labels. */
export function createLabels(asker: Asker) {
  const calls = elementCalls<unknown, Label>(asker, {
    kind: "label",
    pathOf: () => "/labels",
    whereOf: () => "the account",
    read: () => readLabel,
  });
  return {
    list: (call: Call) => calls.list(null, call),
    get: (id: LabelId, call: Call) => calls.get({ id }, call),
    create: ({ name }: Pick<Label, "name">, call: Call) =>
      calls.create({ place: null, json: { name } }, call),
    rename: ({ id, name }: Pick<Label, "id" | "name">, call: Call) =>
      calls.update({ place: { id }, json: { name } }, call),
    delete: (id: LabelId, call: Call) => calls.delete({ id }, call),
  };
}

function readLabel(raw: unknown): Result<Label, string> {
  const read = wire.readElement(raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const name = wire.heading(fields.name);
  if (name === null) return fail("name: a label needs one");
  return ok({ id: labelId(id), name, color: wire.text(fields.color) });
}
