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
import type { StoreDeps } from "../steady-database.ts";

/** Comments of tasks as last seen. Missing ones are marked gone, never deleted. */
export function createCommentMirror({ db, clock }: StoreDeps) {
  const upsert = db.prepare(
    `INSERT INTO comments (id, project_id, list_id, task_id, description, creator_id, by_me, created_at)
     VALUES (@id, @project, @list, @task, @description, @creator, @byMe, @createdAt)
     ON CONFLICT (id) DO UPDATE SET gone_at = NULL, project_id = excluded.project_id, list_id = excluded.list_id,
       task_id = excluded.task_id, description = excluded.description, creator_id = excluded.creator_id,
       by_me = excluded.by_me, created_at = excluded.created_at
     WHERE gone_at IS NOT NULL OR description IS NOT excluded.description OR task_id IS NOT excluded.task_id
       OR list_id IS NOT excluded.list_id OR project_id IS NOT excluded.project_id`,
  );
  const bury = db.prepare(
    `UPDATE comments SET gone_at = ? WHERE task_id = ? AND gone_at IS NULL
       AND id NOT IN (SELECT value FROM json_each(?))`,
  );
  const ofTask = db.rows(
    "SELECT * FROM comments WHERE task_id = ? AND gone_at IS NULL ORDER BY created_at, id",
    commentRow,
  );
  const count = db.prepare("SELECT count(*) FROM comments WHERE gone_at IS NULL").pluck();

  const put = (comment: Comment): number =>
    upsert.run({
      id: comment.id,
      project: comment.projectId,
      list: comment.listId,
      task: comment.taskId,
      description: comment.description,
      creator: comment.creatorId,
      byMe: comment.byMe ? 1 : 0,
      createdAt: comment.createdAt && instantText(comment.createdAt),
    }).changes;

  return {
    put: (comment: Comment): void => void put(comment),
    /** Stores a list of a task's comments. Only a complete list marks others as gone. Returns how many rows changed. */
    putAll: db.transaction(
      (
        task: ServiceId,
        {
          comments,
          complete,
        }: { readonly comments: readonly Comment[]; readonly complete: boolean },
      ): number => {
        let changed = 0;
        for (const comment of comments) changed += put(comment);
        if (!complete) return changed;
        const kept = JSON.stringify(comments.map(({ id }: Comment) => id));
        return changed + bury.run(instantText(clock()), task, kept).changes;
      },
    ),
    /** Comments that are not gone, oldest first. */
    ofTask: (task: ServiceId): readonly Comment[] => ofTask.all(task),
    count: (): number => Number(count.get()),
  };
}

/** Folders of projects and their files as last seen. Missing ones are marked gone, never deleted. */
export function createFileMirror({ db, clock }: StoreDeps) {
  const upsertFolder = db.prepare(
    `INSERT INTO folders (id, project_id, name, parent_id, type) VALUES (@id, @project, @name, @parent, @type)
     ON CONFLICT (id) DO UPDATE SET gone_at = NULL, project_id = excluded.project_id, name = excluded.name,
       parent_id = excluded.parent_id, type = excluded.type
     WHERE gone_at IS NOT NULL OR project_id IS NOT excluded.project_id OR name IS NOT excluded.name
       OR parent_id IS NOT excluded.parent_id OR type IS NOT excluded.type`,
  );
  const buryFolders = db.prepare(
    `UPDATE folders SET gone_at = ? WHERE project_id = ? AND gone_at IS NULL
       AND id NOT IN (SELECT value FROM json_each(?))`,
  );
  const folders = db.rows(
    "SELECT * FROM folders WHERE project_id = ? AND gone_at IS NULL ORDER BY id",
    folderRow,
  );
  const upsertFile = db.prepare(
    `INSERT INTO files (id, project_id, folder_id, name, byte_size, file_type, url, creator_id, by_me, created_at, updated_at)
     VALUES (@id, @project, @folder, @name, @byteSize, @fileType, @url, @creator, @byMe, @createdAt, @updatedAt)
     ON CONFLICT (id) DO UPDATE SET gone_at = NULL, project_id = excluded.project_id, folder_id = excluded.folder_id,
       name = excluded.name, byte_size = excluded.byte_size, file_type = excluded.file_type, url = excluded.url,
       creator_id = excluded.creator_id, by_me = excluded.by_me, updated_at = excluded.updated_at
     WHERE gone_at IS NOT NULL OR folder_id IS NOT excluded.folder_id OR name IS NOT excluded.name
       OR byte_size IS NOT excluded.byte_size OR url IS NOT excluded.url OR updated_at IS NOT excluded.updated_at`,
  );
  const buryFiles = db.prepare(
    `UPDATE files SET gone_at = ? WHERE folder_id = ? AND gone_at IS NULL
       AND id NOT IN (SELECT value FROM json_each(?))`,
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
  const stamp = () => instantText(clock());
  const idsOf = (rows: readonly { readonly id: number }[]) =>
    JSON.stringify(rows.map(({ id }) => id));

  return {
    /** Stores folders from the project's look-up or the configuration. Only a complete list marks others as gone. */
    putFolders: db.transaction(
      (
        project: ProjectId,
        list: { readonly folders: readonly Folder[]; readonly complete: boolean },
      ): number => {
        let changed = 0;
        for (const { id, projectId, name, parentId, type } of list.folders) {
          changed += upsertFolder.run({
            id,
            project: projectId,
            name,
            parent: parentId,
            type,
          }).changes;
        }
        if (!list.complete) return changed;
        return changed + buryFolders.run(stamp(), project, idsOf(list.folders)).changes;
      },
    ),
    folders: (project: ProjectId): readonly Folder[] => folders.all(project),
    /** Stores the list of a folder. Returns how many rows changed. */
    putFiles: db.transaction(
      (
        folder: FolderId,
        list: { readonly files: readonly FileEntry[]; readonly complete: boolean },
      ): number => {
        let changed = 0;
        for (const file of list.files) changed += upsertFile.run(columnsOf(file)).changes;
        if (!list.complete) return changed;
        return changed + buryFiles.run(stamp(), folder, idsOf(list.files)).changes;
      },
    ),
    bury: (id: ServiceId): void => void buryFile.run(stamp(), id),
    ofFolder: (folder: FolderId): readonly FileEntry[] => ofFolder.all(folder),
    ofProject: (project: ProjectId): readonly FileEntry[] => ofProject.all(project),
    count: (): number => Number(count.get()),
  };
}

function columnsOf(file: FileEntry): Readonly<Record<string, string | number | null>> {
  return {
    id: file.id,
    project: file.projectId,
    folder: file.folderId,
    name: file.name,
    byteSize: file.byteSize,
    fileType: file.fileType,
    url: file.url,
    creator: file.creatorId,
    byMe: file.byMe ? 1 : 0,
    createdAt: file.createdAt && instantText(file.createdAt),
    updatedAt: file.updatedAt && instantText(file.updatedAt),
  };
}

/** The service's history of tasks. Entries are only added, and detailed once. */
export function createHistory({ db, clock }: StoreDeps) {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO history_entries
       (task_id, id, project_id, list_id, person_id, action, activity_at, activity_on)
     VALUES (@task, @id, @project, @list, @person, @action, @activityAt, @on)`,
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
      for (const entry of entries) {
        added += insert.run({
          task: entry.taskId,
          id: entry.id,
          project: entry.projectId,
          list: entry.listId,
          person: entry.personId,
          action: entry.action,
          activityAt: entry.activityAt && instantText(entry.activityAt),
          on: entry.on?.toString() ?? null,
        }).changes;
      }
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
