import type { Comment } from "../../domain/comment.ts";
import type { EditExtra } from "../../domain/edit-extra.ts";
import type { FileEntry, Folder } from "../../domain/file.ts";
import {
  editId,
  folderId,
  labelId,
  listId,
  personId,
  projectId,
  serviceId,
} from "../../domain/ids.ts";
import type { Label, Person, Project, Todolist } from "../../domain/item.ts";
import type { SideSourceOfTask } from "../../domain/source.ts";
import { instantOf, orNull, rowReader, tableRow, toFlag, toInstant } from "./row.ts";
import type { Tables } from "./tables.ts";

/** The state of a task when its comments or history were last read completely. */
export const seenRow = rowReader<{
  kind: SideSourceOfTask["kind"];
  task_id: number;
  seen: string;
}>()({
  kind: "same",
  task: ["task_id", serviceId],
  seen: "same",
});
export type SeenTask = ReturnType<typeof seenRow>;

const inTask = { id: serviceId, projectId, listId, taskId: serviceId };

export const commentRow: (row: unknown) => Comment = rowReader<Tables["comments"]>()({
  ...inTask,
  description: "same",
  creatorId: orNull(personId),
  byMe: toFlag,
  createdAt: instantOf,
});

/** A history entry with its detail as markup; null if unknown. */
export const historyRow = rowReader<Tables["history_entries"]>()({
  ...inTask,
  personId: orNull(personId),
  action: "same",
  activityAt: instantOf,
  on: ["activity_on", orNull((day: string) => Temporal.PlainDate.from(day))],
  content: "same",
  /** When the detail was requested; null if it was not. */
  detailedAt: instantOf,
});
export type DetailedEntry = ReturnType<typeof historyRow>;

export const folderRow: (row: unknown) => Folder = rowReader<Tables["folders"]>()({
  id: folderId,
  projectId,
  name: "same",
  parentId: orNull(folderId),
  type: "same",
});

export const fileRow: (row: unknown) => FileEntry = rowReader<Tables["files"]>()({
  id: serviceId,
  projectId,
  folderId,
  name: "same",
  byteSize: "same",
  fileType: "same",
  url: "same",
  creatorId: orNull(personId),
  byMe: toFlag,
  createdAt: instantOf,
  updatedAt: instantOf,
});

export const extraRow: (row: unknown) => EditExtra = rowReader<Tables["edit_extras"]>()({
  id: "same",
  edit: editId,
  kind: "same",
  target: "same",
  name: "same",
  mediaType: "same",
  text: "same",
  digest: "same",
  state: "same",
  problem: "same",
  attempts: "same",
  notBefore: instantOf,
  fileId: "same",
  answerId: orNull(serviceId),
  createdAt: toInstant,
});

export const contentColumn = (row: unknown): Uint8Array | null =>
  (row as { content: Uint8Array | null } | undefined)?.content ?? null;

export const projectRow: (row: unknown) => Project = rowReader<Tables["projects"]>()({
  id: projectId,
  title: "same",
  description: "same",
  color: "same",
  archived: toFlag,
  members: (text: string) => (JSON.parse(text) as number[]).map(personId),
});

export const personRow: (row: unknown) => Person = rowReader<Tables["people"]>()({
  id: personId,
  name: "same",
  email: "same",
  timeZone: "same",
  suspended: toFlag,
});

/** The newest revision when the list was last made public; null if it was never private. */
export const openedRevisionColumn = (row: unknown): number | null =>
  tableRow<"todolists">(row).opened_revision;

export const todolistRow: (row: unknown) => Todolist = rowReader<Tables["todolists"]>()({
  id: listId,
  projectId,
  title: "same",
  archived: toFlag,
  private: toFlag,
});

export const labelRow: (row: unknown) => Label = rowReader<Tables["labels"]>()({
  id: labelId,
  name: "same",
  color: "same",
});

/** The service's answers to a person's key about a project. */
export const projectKeyAccessRow = rowReader<Tables["key_sights"]>()({
  project: ["project_id", projectId],
  /** True if it was ever accessible. */
  opened: toFlag,
  /** Consecutive refusals; 0 while it is accessible. */
  refusals: "same",
  at: toInstant,
});
export type ProjectKeyAccess = ReturnType<typeof projectKeyAccessRow>;
