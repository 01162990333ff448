import type { InTask, Need, TaskPlace } from "./access-checks.ts";
import { Fields } from "./fields.ts";
import type { CommentRecord } from "./records.ts";
import { refuse } from "./refusal.ts";
import { type Setting, stampNow } from "./setting.ts";

export interface CommentPlace extends TaskPlace {
  readonly comment: number;
}

export type CommentView = ReturnType<typeof showComment>;

/** Comments on tasks; they do not change the task's `updated_at`. Source: service-api.md, Task comments. */
export class CommentWork {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  list(place: TaskPlace): readonly CommentView[] {
    this.#setting.access.task(place, "read");
    const comments = this.#setting.store.comments.of(place.task);
    return comments.map((it) => showComment(it, { by: place.by, count: comments.length }));
  }

  get(place: CommentPlace): CommentView {
    const found = this.#find(place, "read");
    return this.#show(found.comment, place.by);
  }

  create(place: TaskPlace, body: unknown): CommentView {
    this.#setting.access.task(place, "write");
    const fields = new Fields(body);
    const description = fields.title("description");
    if (description === undefined) return refuse(400, fields.problem ?? "description is required");
    const comment = this.#setting.store.comments.put({
      id: this.#setting.store.next("comments"),
      project: place.project,
      list: place.list,
      task: place.task,
      description,
      createdBy: place.by,
      createdAt: stampNow(this.#setting),
    });
    return this.#show(comment, place.by);
  }

  update(place: CommentPlace, body: unknown): CommentView {
    const found = this.#find(place, "write");
    const fields = new Fields(body);
    const description = fields.title("description") ?? found.comment.description;
    if (fields.problem !== null) return refuse(400, fields.problem);
    const comment = this.#setting.store.comments.put({ ...found.comment, description });
    return this.#show(comment, place.by);
  }

  remove(place: CommentPlace): null {
    this.#find(place, "write");
    this.#setting.store.comments.remove(place.comment);
    return null;
  }

  #find(place: CommentPlace, need: Need): InTask & { readonly comment: CommentRecord } {
    const found = this.#setting.access.task(place, need);
    const comment = this.#setting.store.comments.get(place.comment);
    if (comment?.task !== place.task)
      return refuse(404, `there is no comment ${place.comment} on task ${place.task}`);
    return { ...found, comment };
  }

  #show(comment: CommentRecord, by: number): CommentView {
    return showComment(comment, { by, count: this.#setting.store.comments.count(comment.task).n });
  }
}

function showComment(
  comment: CommentRecord,
  seen: { readonly by: number; readonly count: number },
) {
  return {
    id: comment.id,
    description: comment.description,
    created_at: comment.createdAt,
    by_me: comment.createdBy === seen.by,
    comments_count: seen.count,
    list: { id: comment.list },
    project: { id: comment.project },
    creator: { id: comment.createdBy },
    task: { id: comment.task },
  };
}
