import type { Comment, HistoryEntry } from "../../domain/comment.ts";
import type { EditExtra } from "../../domain/edit-extra.ts";
import type { FileEntry, Folder } from "../../domain/file.ts";
import {
  editId,
  folderId,
  labelId,
  listId,
  type PersonId,
  type ProjectId,
  personId,
  projectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { Label, Person, Project, Todolist } from "../../domain/item.ts";
import type { SideSourceOfProject, SideSourceOfTask } from "../../domain/source.ts";
import { instantOf } from "./item-rows.ts";
import { tableRow } from "./row.ts";
import { type PollRow, type PollState, pollOf } from "./source-rows.ts";

export interface SideState extends PollState {
  readonly source: SideSourceOfProject;
}

export function sideRow(row: unknown): SideState {
  const raw = row as PollRow & {
    project_id: number;
    folder_id: number | null;
  };
  const project = projectId(raw.project_id);
  return {
    ...pollOf(raw),
    source:
      raw.folder_id === null
        ? { kind: "folders", projectId: project }
        : { kind: "files", projectId: project, folderId: folderId(raw.folder_id) },
  };
}

/** The state of a task when its comments or history were last read completely. */
export interface SeenTask {
  readonly kind: SideSourceOfTask["kind"];
  readonly task: ServiceId;
  readonly seen: string;
}

export function seenRow(row: unknown): SeenTask {
  const raw = row as { kind: SeenTask["kind"]; task_id: number; seen: string };
  return { kind: raw.kind, task: serviceId(raw.task_id), seen: raw.seen };
}

export function commentRow(row: unknown): Comment {
  const raw = tableRow<"comments">(row);
  return {
    id: serviceId(raw.id),
    projectId: projectId(raw.project_id),
    listId: listId(raw.list_id),
    taskId: serviceId(raw.task_id),
    description: raw.description,
    creatorId: person(raw.creator_id),
    byMe: raw.by_me === 1,
    createdAt: instantOf(raw.created_at),
  };
}

/** An entry with its detail as markup; null if unknown. */
export interface DetailedEntry extends HistoryEntry {
  readonly content: string | null;
  /** When the detail was requested; null if it was not. */
  readonly detailedAt: Temporal.Instant | null;
}

export function historyRow(row: unknown): DetailedEntry {
  const raw = tableRow<"history_entries">(row);
  return {
    id: serviceId(raw.id),
    projectId: projectId(raw.project_id),
    listId: listId(raw.list_id),
    taskId: serviceId(raw.task_id),
    personId: person(raw.person_id),
    action: raw.action,
    activityAt: instantOf(raw.activity_at),
    on: raw.activity_on === null ? null : Temporal.PlainDate.from(raw.activity_on),
    content: raw.content,
    detailedAt: instantOf(raw.detailed_at),
  };
}

export function folderRow(row: unknown): Folder {
  const raw = tableRow<"folders">(row);
  return {
    id: folderId(raw.id),
    projectId: projectId(raw.project_id),
    name: raw.name,
    parentId: raw.parent_id === null ? null : folderId(raw.parent_id),
    type: raw.type,
  };
}

export function fileRow(row: unknown): FileEntry {
  const raw = tableRow<"files">(row);
  return {
    id: serviceId(raw.id),
    projectId: projectId(raw.project_id),
    folderId: folderId(raw.folder_id),
    name: raw.name,
    byteSize: raw.byte_size,
    fileType: raw.file_type,
    url: raw.url,
    creatorId: person(raw.creator_id),
    byMe: raw.by_me === 1,
    createdAt: instantOf(raw.created_at),
    updatedAt: instantOf(raw.updated_at),
  };
}

const person = (id: number | null): PersonId | null => (id === null ? null : personId(id));

export function extraRow(row: unknown): EditExtra {
  const raw = tableRow<"edit_extras">(row);
  return {
    id: raw.id,
    edit: editId(raw.edit),
    kind: raw.kind,
    target: raw.target,
    name: raw.name,
    mediaType: raw.media_type,
    text: raw.text,
    digest: raw.digest,
    state: raw.state,
    problem: raw.problem,
    attempts: raw.attempts,
    notBefore: instantOf(raw.not_before),
    fileId: raw.file_id,
    answerId: raw.answer_id === null ? null : serviceId(raw.answer_id),
    createdAt: Temporal.Instant.from(raw.created_at),
  };
}

export const contentColumn = (row: unknown): Uint8Array | null =>
  (row as { content: Uint8Array | null } | undefined)?.content ?? null;

export function projectRow(row: unknown): Project {
  const raw = tableRow<"projects">(row);
  return {
    id: projectId(raw.id),
    title: raw.title,
    description: raw.description,
    color: raw.color,
    archived: raw.archived === 1,
    members: (JSON.parse(raw.members) as number[]).map(personId),
  };
}

export function personRow(row: unknown): Person {
  const raw = tableRow<"people">(row);
  return {
    id: personId(raw.id),
    name: raw.name,
    email: raw.email,
    timeZone: raw.time_zone,
    suspended: raw.suspended === 1,
  };
}

/** The newest revision when the list was last made public; null if it was never private. */
export const openedRevisionColumn = (row: unknown): number | null =>
  tableRow<"todolists">(row).opened_revision;

export function todolistRow(row: unknown): Todolist {
  const raw = tableRow<"todolists">(row);
  return {
    id: listId(raw.id),
    projectId: projectId(raw.project_id),
    title: raw.title,
    archived: raw.archived === 1,
    private: raw.private === 1,
  };
}

export function labelRow(row: unknown): Label {
  const raw = tableRow<"labels">(row);
  return { id: labelId(raw.id), name: raw.name, color: raw.color };
}

/** The service's answers to a person's key about a project. */
export interface ProjectKeyAccess {
  readonly project: ProjectId;
  /** True if it was ever accessible. */
  readonly opened: boolean;
  /** Consecutive refusals; 0 while it is accessible. */
  readonly refusals: number;
  readonly at: Temporal.Instant;
}

export function projectKeyAccessRow(row: unknown): ProjectKeyAccess {
  const raw = tableRow<"key_sights">(row);
  const { refusals } = raw;
  const at = Temporal.Instant.from(raw.at);
  return { project: projectId(raw.project_id), opened: raw.opened === 1, refusals, at };
}
