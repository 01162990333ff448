import type { Comment } from "../../domain/comment.ts";
import type { FileEntry } from "../../domain/file.ts";
import type { FolderId, LabelId, ListId, ProjectId, ServiceId } from "../../domain/ids.ts";
import type { Label } from "../../domain/item.ts";
import type { Store } from "../../store/store.ts";
import type { Upstream } from "../../upstream/client.ts";
import { createCommentWork } from "./workspace-comments.ts";
import { createFileWork } from "./workspace-files.ts";
import type { Answer, OnBehalf } from "./workspace-hindrance.ts";
import { createLabelWork } from "./workspace-labels.ts";
import { createTaskWork } from "./workspace-tasks.ts";

/** Where a task is now, and by what UID calendars know it. */
export interface PlacedTask {
  readonly uid: string;
  readonly id: ServiceId;
  readonly title: string;
  readonly projectId: ProjectId;
  readonly listId: ListId;
}

/** A task by the service's id or by its UID, and where it is to go. */
export interface TaskRelocation {
  readonly task: string;
  readonly listId: ListId;
  /** Null = the project of the list, or else the task's own. */
  readonly projectId: ProjectId | null;
  /** Null = as it is. */
  readonly title: string | null;
}

/** Octets to put into a folder; null = the project's home folder. */
export interface NewFile {
  readonly projectId: ProjectId;
  readonly folderId: FolderId | null;
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

export interface FilePlace {
  readonly projectId: ProjectId;
  readonly folderId: FolderId | null;
}

/**
 * What the service can do beside dates, on a person's direct request: nothing waits in the journal, and what the service
 * answers becomes the mirror's at once. A creation whose answer is lost is told as such and never repeated.
 */
export interface WorkspaceDesk {
  readonly files: {
    list(place: FilePlace, by: OnBehalf): Answer<readonly FileEntry[]>;
    /** What was filed; empty when the service does not tell. */
    upload(file: NewFile, by: OnBehalf): Answer<readonly FileEntry[]>;
    delete(file: FilePlace & { readonly id: ServiceId }, by: OnBehalf): Answer<null>;
  };
  readonly comments: {
    list(task: string, by: OnBehalf): Answer<readonly Comment[]>;
    add(comment: { readonly task: string; readonly text: string }, by: OnBehalf): Answer<Comment>;
  };
  readonly labels: {
    list(by: OnBehalf): Answer<readonly Label[]>;
    create(name: string, by: OnBehalf): Answer<Label>;
    rename(label: { readonly id: LabelId; readonly name: string }, by: OnBehalf): Answer<Label>;
    delete(id: LabelId, by: OnBehalf): Answer<null>;
  };
  readonly tasks: {
    /** The copy, which is a new item. */
    copy(wish: TaskRelocation, by: OnBehalf): Answer<PlacedTask>;
    /** The task, which keeps its UID. */
    move(wish: TaskRelocation, by: OnBehalf): Answer<PlacedTask>;
  };
}

export interface WorkspaceDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  /** Asks for a source soon, as it was just changed. */
  readonly hurry: (source: string) => void;
}

export function createWorkspaceDesk(deps: WorkspaceDeps): WorkspaceDesk {
  return {
    files: createFileWork(deps),
    comments: createCommentWork(deps),
    labels: createLabelWork(deps),
    tasks: createTaskWork(deps),
  };
}
