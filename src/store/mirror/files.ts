import type { FileEntry, Folder } from "../../domain/file.ts";
import type { FolderId, ProjectId, ServiceId } from "../../domain/ids.ts";
import { instantText } from "../rows/rows.ts";
import { fileRow, folderRow } from "../rows/side.ts";
import type { StoreDeps } from "../view/changes.ts";

/** Folders of projects and the files in them as last seen. What is no longer reported is marked gone, never forgotten. */
export interface Files {
  /** What a project's folder look-up or the configuration says; only a complete list says what is gone. */
  putFolders(
    project: ProjectId,
    list: { readonly folders: readonly Folder[]; readonly complete: boolean },
  ): number;
  folders(project: ProjectId): readonly Folder[];
  /** What a folder's list says. Returns how many rows changed. */
  putFiles(
    folder: FolderId,
    list: { readonly files: readonly FileEntry[]; readonly complete: boolean },
  ): number;
  bury(id: ServiceId): void;
  ofFolder(folder: FolderId): readonly FileEntry[];
  ofProject(project: ProjectId): readonly FileEntry[];
  count(): number;
}

export function createFiles({ db, clock }: StoreDeps): Files {
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
  const folders = db.prepare(
    "SELECT * FROM folders WHERE project_id = ? AND gone_at IS NULL ORDER BY id",
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
  const ofFolder = db.prepare(
    "SELECT * FROM files WHERE folder_id = ? AND gone_at IS NULL ORDER BY name, id",
  );
  const ofProject = db.prepare(
    "SELECT * FROM files WHERE project_id = ? AND gone_at IS NULL ORDER BY name, id",
  );
  const count = db.prepare("SELECT count(*) FROM files WHERE gone_at IS NULL").pluck();
  const stamp = () => instantText(clock());
  const idsOf = (rows: readonly { readonly id: number }[]) =>
    JSON.stringify(rows.map(({ id }) => id));

  return {
    putFolders: db.transaction((project: ProjectId, list) => {
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
    }),
    folders: (project) => folders.all(project).map(folderRow),
    putFiles: db.transaction((folder: FolderId, list) => {
      let changed = 0;
      for (const file of list.files) changed += upsertFile.run(columnsOf(file)).changes;
      if (!list.complete) return changed;
      return changed + buryFiles.run(stamp(), folder, idsOf(list.files)).changes;
    }),
    bury: (id) => void buryFile.run(stamp(), id),
    ofFolder: (folder) => ofFolder.all(folder).map(fileRow),
    ofProject: (project) => ofProject.all(project).map(fileRow),
    count: () => Number(count.get()),
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
