import type { ItemKind } from "./fields.ts";
import type { FolderId, ListId, ProjectId, ServiceId } from "./ids.ts";
import type { Item } from "./item.ts";
import { unreachable } from "./result.ts";

/** One list of the service that one request reads, and that calendars need to be complete. */
export type Source =
  | { readonly kind: "projects" }
  | { readonly kind: "people" }
  | { readonly kind: "labels" }
  | { readonly kind: "todolists"; readonly projectId: ProjectId }
  | { readonly kind: "events"; readonly projectId: ProjectId }
  | { readonly kind: "tasks"; readonly projectId: ProjectId; readonly listId: ListId }
  | {
      readonly kind: "subtasks";
      readonly projectId: ProjectId;
      readonly listId: ListId;
      readonly taskId: ServiceId;
    };

export const sourceKinds = [
  "projects",
  "people",
  "labels",
  "todolists",
  "events",
  "tasks",
  "subtasks",
] as const satisfies readonly Source["kind"][];

/** A source's permanent name. Subtasks stay with their parent when it moves to another list. */
export function sourceName(source: Source): string {
  switch (source.kind) {
    case "projects":
    case "people":
    case "labels":
      return source.kind;
    case "todolists":
    case "events":
      return `${source.kind}:${source.projectId}`;
    case "tasks":
      return `tasks:${source.listId}`;
    case "subtasks":
      return `subtasks:${source.taskId}`;
    default:
      return unreachable(source);
  }
}

/** The source whose snapshots contain an item. */
export function sourceOf(item: Item): string {
  if (item.kind === "event") return `events:${item.projectId}`;
  return item.parentId === null ? `tasks:${item.listId}` : `subtasks:${item.parentId}`;
}

/** True if a source's snapshots hold items; the others are look-ups. */
export const isItemSource = (name: string): boolean => /^(?:events|tasks|subtasks):/.test(name);

/** True for sources that list what exists; they are few and change rarely. */
export const isLookUp = (kind: Source["kind"]): boolean =>
  kind === "projects" || kind === "people" || kind === "todolists";

/** The kind of items in an item source. */
export function kindIn(source: string): ItemKind {
  if (source.startsWith("events:")) return "event";
  return source.startsWith("tasks:") ? "task" : "subtask";
}

/** A list of data around items. Read last, and only when it may have changed. */
export type SideSource = SideSourceOfProject | SideSourceOfTask;

export type SideSourceOfProject =
  | { readonly kind: "folders"; readonly projectId: ProjectId }
  | { readonly kind: "files"; readonly projectId: ProjectId; readonly folderId: FolderId };

export interface SideSourceOfTask {
  readonly kind: "comments" | "history";
  readonly taskId: ServiceId;
}

export const sideKinds = [
  "folders",
  "files",
  "comments",
  "history",
] as const satisfies readonly SideSource["kind"][];

/** A side source's permanent name. Comments and history stay with their task. */
export function sideName(source: SideSource): string {
  switch (source.kind) {
    case "folders":
      return `folders:${source.projectId}`;
    case "files":
      return `files:${source.folderId}`;
    case "comments":
    case "history":
      return `${source.kind}:${source.taskId}`;
    default:
      return unreachable(source);
  }
}
