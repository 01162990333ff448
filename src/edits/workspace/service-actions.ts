import type { Comment } from "../../domain/comment.ts";
import type { FileEntry } from "../../domain/file.ts";
import type { FolderId, LabelId, ProjectId } from "../../domain/ids.ts";
import type { Label } from "../../domain/item.ts";
import { ok } from "../../domain/result.ts";
import { sourceName } from "../../domain/source.ts";
import { say } from "../../texts/say.ts";
import { homeFolder } from "../delivery/home-folder.ts";
import {
  type Answer,
  actionFailed,
  callOf,
  creationFailed,
  type OnBehalf,
  unfit,
  unknown,
} from "./action-failure.ts";
import { createTaskActions, findTask, type TaskActionsDeps } from "./task-actions.ts";

/** A project's folder; null = its home folder. */
interface FilePlace {
  readonly projectId: ProjectId;
  readonly folderId: FolderId | null;
}

interface NewFile extends FilePlace {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/**
 * What people can do directly in the service besides dates. Nothing waits in the journal, and answers go into the mirror at
 * once. A creation without an answer is reported as such and never repeated.
 */
export type ServiceActions = ReturnType<typeof createServiceActions>;

export const createServiceActions = (deps: TaskActionsDeps) => ({
  files: createFileActions(deps),
  comments: createCommentActions(deps),
  labels: createLabelActions(deps),
  tasks: createTaskActions(deps),
});

/** Comments of tasks: the list, and a new one. */
function createCommentActions({ store, upstream, hurry }: TaskActionsDeps) {
  return {
    async list(task: string, by: OnBehalf): Answer<readonly Comment[]> {
      const found = findTask(task, store);
      if (!found.ok) return found;
      const { place } = found.value;
      const list = await upstream.comments.list(place, callOf(by));
      if (!list.ok) return actionFailed(list.failure);
      const { items: comments, problems } = list.value;
      store.comments.putAll(place.taskId, { comments, complete: problems.length === 0 });
      return ok(comments);
    },
    async add(
      { task, text }: { readonly task: string; readonly text: string },
      by: OnBehalf,
    ): Answer<Comment> {
      const found = findTask(task, store);
      if (!found.ok) return found;
      if (text.trim() === "") return unfit(say("actionFault.noText"));
      const { place } = found.value;
      const made = await upstream.comments.create({ ...place, description: text }, callOf(by));
      if (!made.ok) return actionFailed(made.failure);
      store.comments.put(made.value);
      hurry(sourceName({ kind: "tasks", ...place }));
      return ok(made.value);
    },
  };
}

/** Files of folders: the list, the two-step upload, the deletion. */
function createFileActions({ store, upstream }: TaskActionsDeps) {
  async function folderOf({ projectId, folderId }: FilePlace, by: OnBehalf) {
    if (!store.directory.project(projectId))
      return unknown(say("actionFault.noProject", { id: projectId }));
    if (folderId !== null) return ok({ projectId, folderId });
    const home = await homeFolder(projectId, { store, upstream, call: callOf(by) });
    return home.ok ? ok({ projectId, folderId: home.value }) : creationFailed(home.failure);
  }

  async function read(place: FilePlace, by: OnBehalf): Answer<readonly FileEntry[]> {
    const folder = await folderOf(place, by);
    if (!folder.ok) return folder;
    const list = await upstream.files.list(folder.value, callOf(by));
    if (!list.ok) return actionFailed(list.failure);
    const { items: files, problems } = list.value;
    const complete = problems.length === 0;
    store.files.putFiles(folder.value.folderId, { files, complete });
    return ok(files);
  }

  return {
    list: read,
    /** The filed entries; empty if the service does not return them. */
    async upload(
      { name, type, content, ...place }: NewFile,
      by: OnBehalf,
    ): Answer<readonly FileEntry[]> {
      const folder = await folderOf(place, by);
      if (!folder.ok) return folder;
      const { projectId } = place;
      const call = callOf(by);
      const uploaded = await upstream.attachments.upload({ projectId, name, type, content }, call);
      if (!uploaded.ok) return actionFailed(uploaded.failure);
      const wish = { ...folder.value, fileIds: [uploaded.value.fileId] };
      const made = await upstream.files.create(wish, call);
      if (!made.ok) return actionFailed(made.failure);
      // The answer's shape is not documented; the folder's list is.
      const present = await read(folder.value, by);
      const { ids } = made.value;
      return ok(present.ok ? present.value.filter(({ id }) => ids.includes(id)) : []);
    },
    async delete({ id, ...place }: FilePlace & Pick<FileEntry, "id">, by: OnBehalf): Answer<null> {
      const folder = await folderOf(place, by);
      if (!folder.ok) return folder;
      const deleted = await upstream.files.delete({ ...folder.value, id }, callOf(by));
      if (!deleted.ok) return actionFailed(deleted.failure);
      store.files.bury(id);
      return ok(null);
    },
  };
}

/** The account's labels. */
function createLabelActions({ store, upstream }: TaskActionsDeps) {
  const { directory } = store;
  const nameless = () => unfit(say("actionFault.noLabelName"));
  return {
    async list(by: OnBehalf): Answer<readonly Label[]> {
      const list = await upstream.labels.list(callOf(by));
      if (!list.ok) return actionFailed(list.failure);
      directory.putLabels(list.value.items, list.value.problems.length === 0);
      return ok(list.value.items);
    },
    async create(name: string, by: OnBehalf): Answer<Label> {
      if (name.trim() === "") return nameless();
      const made = await upstream.labels.create({ name }, callOf(by));
      if (!made.ok) return actionFailed(made.failure);
      directory.putLabels([made.value], false);
      return made;
    },
    async rename(label: Pick<Label, "id" | "name">, by: OnBehalf): Answer<Label> {
      if (label.name.trim() === "") return nameless();
      const renamed = await upstream.labels.rename(label, callOf(by));
      if (!renamed.ok) return actionFailed(renamed.failure);
      directory.putLabels([renamed.value], false);
      return renamed;
    },
    async delete(id: LabelId, by: OnBehalf): Answer<null> {
      if (!directory.labels().some((label) => label.id === id)) {
        return unknown(say("actionFault.noLabel", { id }));
      }
      const deleted = await upstream.labels.delete(id, callOf(by));
      if (!deleted.ok) return actionFailed(deleted.failure);
      const others = directory.labels().filter((label) => label.id !== id);
      directory.putLabels(others, true);
      return ok(null);
    },
  };
}
