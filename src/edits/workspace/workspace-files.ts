import type { FileEntry } from "../../domain/file.ts";
import { ok } from "../../domain/result.ts";
import { homeFolder } from "../delivery/attachments-home.ts";
import type { FilePlace, WorkspaceDeps, WorkspaceDesk } from "./workspace-desk.ts";
import {
  type Answer,
  callOf,
  failed,
  hindered,
  type OnBehalf,
  unknown,
} from "./workspace-hindrance.ts";

/** Files of folders: the list, the two-step upload, the deletion. */
export function createFileWork({ store, upstream }: WorkspaceDeps): WorkspaceDesk["files"] {
  async function folderOf({ projectId, folderId }: FilePlace, by: OnBehalf) {
    if (!store.directory.project(projectId)) return unknown(`project ${projectId} is not known`);
    if (folderId !== null) return ok({ projectId, folderId });
    const home = await homeFolder(projectId, { store, upstream, call: callOf(by) });
    return home.ok ? ok({ projectId, folderId: home.value }) : hindered(home.failure);
  }

  async function read(place: FilePlace, by: OnBehalf): Answer<readonly FileEntry[]> {
    const folder = await folderOf(place, by);
    if (!folder.ok) return folder;
    const list = await upstream.files.list(folder.value, callOf(by));
    if (!list.ok) return failed(list.failure);
    const { items: files, problems } = list.value;
    const complete = problems.length === 0;
    store.files.putFiles(folder.value.folderId, { files, complete });
    return ok(files);
  }

  return {
    list: read,
    async upload({ name, type, content, ...place }, by) {
      const folder = await folderOf(place, by);
      if (!folder.ok) return folder;
      const { projectId } = place;
      const call = callOf(by);
      const uploaded = await upstream.attachments.upload({ projectId, name, type, content }, call);
      if (!uploaded.ok) return failed(uploaded.failure);
      const wish = { ...folder.value, fileIds: [uploaded.value.fileId] };
      const made = await upstream.files.create(wish, call);
      if (!made.ok) return failed(made.failure);
      // The answer's shape is not documented; the folder's list is.
      const present = await read(folder.value, by);
      const { ids } = made.value;
      return ok(present.ok ? present.value.filter(({ id }) => ids.includes(id)) : []);
    },
    async delete({ id, ...place }, by) {
      const folder = await folderOf(place, by);
      if (!folder.ok) return folder;
      const deleted = await upstream.files.delete({ ...folder.value, id }, callOf(by));
      if (!deleted.ok) return failed(deleted.failure);
      store.files.bury(id);
      return ok(null);
    },
  };
}
