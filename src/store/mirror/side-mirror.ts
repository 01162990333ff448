import type { Comment, HistoryEntry } from "../../domain/comment.ts";
import type { FileEntry, Folder } from "../../domain/file.ts";
import type { FolderId, ProjectId, ServiceId } from "../../domain/ids.ts";
import { type SideSource, sideName } from "../../domain/source.ts";
import { instantText } from "../rows/item-rows.ts";
import {
  commentRow,
  type DetailedEntry,
  fileRow,
  folderRow,
  historyRow,
  type SeenTask,
  seenRow,
} from "../rows/side-rows.ts";
import { type SideState, sideRow } from "../rows/source-rows.ts";
import { bound } from "../rows/write-row.ts";
import type { StoreDeps } from "../steady-database.ts";
import { createSeenRows } from "./seen-rows.ts";

/** Comments of tasks as last seen. Missing ones are marked gone, never deleted. */
export function createCommentMirror({ db, clock }: StoreDeps) {
  const seen = createSeenRows(
    { db, clock },
    {
      table: "comments",
      columns: [
        "project_id",
        "list_id",
        "task_id",
        "description",
        "creator_id",
        "by_me",
        "created_at",
      ],
      compared: ["project_id", "list_id", "task_id", "description"],
      owner: "task_id",
    },
  );
  const ofTask = db.rows(
    "SELECT * FROM comments WHERE task_id = ? AND gone_at IS NULL ORDER BY created_at, id",
    commentRow,
  );
  const count = db.prepare("SELECT count(*) FROM comments WHERE gone_at IS NULL").pluck();

  return {
    put: (comment: Comment): void => void seen.put([comment]),
    /** Stores a list of a task's comments. Only a complete list marks others as gone. Returns how many rows changed. */
    putAll: db.transaction(
      (
        task: ServiceId,
        list: { readonly comments: readonly Comment[]; readonly complete: boolean },
      ): number => {
        const changed = seen.put(list.comments);
        return list.complete ? changed + seen.keepOnly(list.comments, task) : changed;
      },
    ),
    /** Comments that are not gone, oldest first. */
    ofTask: (task: ServiceId): readonly Comment[] => ofTask.all(task),
    count: (): number => Number(count.get()),
  };
}

/** Folders of projects and their files as last seen. Missing ones are marked gone, never deleted. */
export function createFileMirror({ db, clock }: StoreDeps) {
  const seenFolders = createSeenRows(
    { db, clock },
    { table: "folders", columns: ["project_id", "name", "parent_id", "type"], owner: "project_id" },
  );
  const folders = db.rows(
    "SELECT * FROM folders WHERE project_id = ? AND gone_at IS NULL ORDER BY id",
    folderRow,
  );
  const seenFiles = createSeenRows(
    { db, clock },
    {
      table: "files",
      columns: [
        "project_id",
        "folder_id",
        "name",
        "byte_size",
        "file_type",
        "url",
        "creator_id",
        "by_me",
        "updated_at",
      ],
      compared: ["folder_id", "name", "byte_size", "url", "updated_at"],
      once: ["created_at"],
      owner: "folder_id",
    },
  );
  const buryFile = db.prepare("UPDATE files SET gone_at = ? WHERE id = ? AND gone_at IS NULL");
  const ofFolder = db.rows(
    "SELECT * FROM files WHERE folder_id = ? AND gone_at IS NULL ORDER BY name, id",
    fileRow,
  );
  const ofProject = db.rows(
    "SELECT * FROM files WHERE project_id = ? AND gone_at IS NULL ORDER BY name, id",
    fileRow,
  );
  const count = db.prepare("SELECT count(*) FROM files WHERE gone_at IS NULL").pluck();
  return {
    /** Stores folders from the project's look-up or the configuration. Only a complete list marks others as gone. */
    putFolders: db.transaction(
      (
        project: ProjectId,
        list: { readonly folders: readonly Folder[]; readonly complete: boolean },
      ): number => {
        const changed = seenFolders.put(list.folders);
        return list.complete ? changed + seenFolders.keepOnly(list.folders, project) : changed;
      },
    ),
    folders: (project: ProjectId): readonly Folder[] => folders.all(project),
    /** Stores the list of a folder. Returns how many rows changed. */
    putFiles: db.transaction(
      (
        folder: FolderId,
        list: { readonly files: readonly FileEntry[]; readonly complete: boolean },
      ): number => {
        const changed = seenFiles.put(list.files);
        return list.complete ? changed + seenFiles.keepOnly(list.files, folder) : changed;
      },
    ),
    bury: (id: ServiceId): void => void buryFile.run(instantText(clock()), id),
    ofFolder: (folder: FolderId): readonly FileEntry[] => ofFolder.all(folder),
    ofProject: (project: ProjectId): readonly FileEntry[] => ofProject.all(project),
    count: (): number => Number(count.get()),
  };
}

/** The service's history of tasks. Entries are only added, and detailed once. */
export function createHistory({ db, clock }: StoreDeps) {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO history_entries
       (task_id, id, project_id, list_id, person_id, action, activity_at, activity_on)
     VALUES (@taskId, @id, @projectId, @listId, @personId, @action, @activityAt, @on)`,
  );
  const detail = db.prepare(
    "UPDATE history_entries SET content = ?, detailed_at = ? WHERE task_id = ? AND id = ?",
  );
  const undetailed = db.rows(
    `SELECT * FROM history_entries WHERE task_id = ? AND detailed_at IS NULL ORDER BY activity_at DESC, id DESC`,
    historyRow,
  );
  const ofTask = db.rows(
    "SELECT * FROM history_entries WHERE task_id = ? ORDER BY activity_at, id",
    historyRow,
  );
  const count = db.prepare("SELECT count(*) FROM history_entries").pluck();
  return {
    /** Adds new entries; returns how many were new. */
    add: db.transaction((entries: readonly HistoryEntry[]): number => {
      let added = 0;
      for (const entry of entries)
        added += insert.run(bound({ ...entry, on: entry.on?.toString() ?? null })).changes;
      return added;
    }),
    /** Stores the detail of an entry; `content` null: the service does not provide it. */
    detail: ({ taskId, id }: HistoryEntry, content: string | null): void =>
      void detail.run(content, instantText(clock()), taskId, id),
    /** Entries of a task without a detail, newest first. */
    undetailed: (task: ServiceId): readonly DetailedEntry[] => undetailed.all(task),
    /** All entries of a task, oldest first. */
    ofTask: (task: ServiceId): readonly DetailedEntry[] => ofTask.all(task),
    count: (): number => Number(count.get()),
  };
}

/** Results of the last polls of comments, files and history, by source. */
export function createSideSources({ db, clock }: StoreDeps) {
  const ofProjects = db.rows(
    "SELECT * FROM sources WHERE kind IN ('folders', 'files') ORDER BY rowid",
    sideRow,
  );
  const ofTasks = db.prepare(
    `SELECT kind, task_id, seen FROM sources WHERE kind IN ('comments', 'history') AND seen IS NOT NULL ORDER BY rowid`,
  );
  const add = db.prepare(
    `INSERT OR IGNORE INTO sources (name, kind, project_id, task_id, folder_id)
     VALUES (@name, @kind, @project, @task, @folder)`,
  );
  const success = db.prepare(
    `UPDATE sources SET seen = @seen, attempted_at = @now, succeeded_at = @now, failure = NULL, failures = 0, items = @items
     WHERE name = @name`,
  );
  const failure = db.prepare(
    "UPDATE sources SET attempted_at = ?, failure = ?, failures = failures + 1 WHERE name = ?",
  );
  const drop = db.prepare("DELETE FROM sources WHERE name = ?");
  const prune = db.prepare(
    `DELETE FROM sources WHERE kind IN ('comments', 'history') AND task_id NOT IN (
       SELECT i.service_id FROM mirror_items m JOIN identities i USING (item) WHERE i.kind = 'task')`,
  );
  const stamp = () => instantText(clock());

  function ensure(source: SideSource): string {
    const name = sideName(source);
    add.run({
      name,
      kind: source.kind,
      project: "projectId" in source ? source.projectId : null,
      task: "taskId" in source ? source.taskId : null,
      folder: "folderId" in source ? source.folderId : null,
    });
    return name;
  }

  return {
    /** Folders and files of projects. */
    ofProjects: (): readonly SideState[] => ofProjects.all(),
    /** Comments and history of tasks that were read completely; `seen`: the state of the task at that time. */
    *ofTasks(): Iterable<SeenTask> {
      for (const row of ofTasks.iterate()) yield seenRow(row);
    },
    /** Records that a source was read completely; `seen`: the state of its task, null if there is none. */
    succeeded: (
      source: SideSource,
      { seen, items }: { readonly seen: string | null; readonly items: number },
    ): void => void success.run({ name: ensure(source), seen, items, now: stamp() }),
    failed: (source: SideSource, text: string): void =>
      void failure.run(stamp(), text, ensure(source)),
    drop: (source: SideSource): void => void drop.run(sideName(source)),
    /** Deletes sources of tasks that are no longer mirrored. */
    prune: (): void => void prune.run(),
  };
}
