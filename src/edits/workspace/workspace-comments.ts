import { ok } from "../../domain/result.ts";
import { sourceName } from "../../domain/source.ts";
import type { WorkspaceDeps, WorkspaceDesk } from "./workspace-desk.ts";
import { callOf, failed, unfit } from "./workspace-hindrance.ts";
import { findTask } from "./workspace-task.ts";

/** Comments of tasks: the list, and a new one. */
export function createCommentWork({
  store,
  upstream,
  hurry,
}: WorkspaceDeps): WorkspaceDesk["comments"] {
  return {
    async list(task, by) {
      const found = findTask(task, store);
      if (!found.ok) return found;
      const { place } = found.value;
      const list = await upstream.comments.list(place, callOf(by));
      if (!list.ok) return failed(list.failure);
      const { items: comments, problems } = list.value;
      store.comments.putAll(place.taskId, { comments, complete: problems.length === 0 });
      return ok(comments);
    },
    async add({ task, text }, by) {
      const found = findTask(task, store);
      if (!found.ok) return found;
      if (text.trim() === "") return unfit("the comment has no text");
      const { place } = found.value;
      const made = await upstream.comments.create({ ...place, description: text }, callOf(by));
      if (!made.ok) return failed(made.failure);
      store.comments.put(made.value);
      hurry(sourceName({ kind: "tasks", ...place }));
      return ok(made.value);
    },
  };
}
