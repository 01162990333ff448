import type { InTask, Need, TaskPlace } from "./access-checks.ts";
import { Fields } from "./fields.ts";
import type { CommentRecord } from "./records.ts";
import { type Setting, stampNow } from "./setting.ts";
import { done, type Outcome, refused } from "./work-outcome.ts";

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

  list(place: TaskPlace): Outcome<readonly CommentView[]> {
    const found = this.#setting.access.task(place, "read");
    if (found.kind === "refused") return found;
    const comments = this.#setting.store.comments.of(place.task);
    return done(comments.map((it) => showComment(it, { by: place.by, count: comments.length })));
  }

  get(place: CommentPlace): Outcome<CommentView> {
    const found = this.#find(place, "read");
    if (found.kind === "refused") return found;
    return done(this.#show(found.value.comment, place.by));
  }

  create(place: TaskPlace, body: unknown): Outcome<CommentView> {
    const found = this.#setting.access.task(place, "write");
    if (found.kind === "refused") return found;
    const fields = new Fields(body);
    const description = fields.title("description");
    if (description === undefined) return refused(400, fields.problem ?? "description is required");
    const comment = this.#setting.store.comments.put({
      id: this.#setting.store.next("comments"),
      project: place.project,
      list: place.list,
      task: place.task,
      description,
      createdBy: place.by,
      createdAt: stampNow(this.#setting),
    });
    return done(this.#show(comment, place.by));
  }

  update(place: CommentPlace, body: unknown): Outcome<CommentView> {
    const found = this.#find(place, "write");
    if (found.kind === "refused") return found;
    const fields = new Fields(body);
    const description = fields.title("description") ?? found.value.comment.description;
    if (fields.problem !== null) return refused(400, fields.problem);
    const comment = this.#setting.store.comments.put({ ...found.value.comment, description });
    return done(this.#show(comment, place.by));
  }

  remove(place: CommentPlace): Outcome<null> {
    const found = this.#find(place, "write");
    if (found.kind === "refused") return found;
    this.#setting.store.comments.remove(place.comment);
    return done(null);
  }

  #find(place: CommentPlace, need: Need): Outcome<InTask & { readonly comment: CommentRecord }> {
    const found = this.#setting.access.task(place, need);
    if (found.kind === "refused") return found;
    const comment = this.#setting.store.comments.get(place.comment);
    if (comment?.task !== place.task)
      return refused(404, `there is no comment ${place.comment} on task ${place.task}`);
    return done({ ...found.value, comment });
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
