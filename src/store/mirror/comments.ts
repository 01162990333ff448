import type { Comment } from "../../domain/comment.ts";
import type { ServiceId } from "../../domain/ids.ts";
import { instantText } from "../rows/rows.ts";
import { commentRow } from "../rows/side.ts";
import type { StoreDeps } from "../view/changes.ts";

/** Comments of tasks as last seen. What is no longer reported is marked gone, never forgotten. */
export interface Comments {
  put(comment: Comment): void;
  /** What a list of a task's comments says; only a complete one says what is gone. Returns how many rows changed. */
  putAll(
    task: ServiceId,
    list: { readonly comments: readonly Comment[]; readonly complete: boolean },
  ): number;
  /** Those that are there, oldest first. */
  ofTask(task: ServiceId): readonly Comment[];
  count(): number;
}

export function createComments({ db, clock }: StoreDeps): Comments {
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
  const ofTask = db.prepare(
    "SELECT * FROM comments WHERE task_id = ? AND gone_at IS NULL ORDER BY created_at, id",
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
    put: (comment) => void put(comment),
    putAll: db.transaction((task: ServiceId, { comments, complete }) => {
      let changed = 0;
      for (const comment of comments) changed += put(comment);
      if (!complete) return changed;
      const kept = JSON.stringify(comments.map(({ id }: Comment) => id));
      return changed + bury.run(instantText(clock()), task, kept).changes;
    }),
    ofTask: (task) => ofTask.all(task).map(commentRow),
    count: () => Number(count.get()),
  };
}
