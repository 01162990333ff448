import { z } from "zod";
import { type PersonId, type ServiceId, serviceId } from "../../domain/ids.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../asker.ts";
import type { Call } from "../client.ts";
import type { Failure } from "../failure.ts";
import type { Snapshot } from "../snapshot.ts";
import * as wire from "../wire.ts";
import type { ParentPlace } from "./subtasks.ts";

/** A comment on a task; `description` is its text and may be HTML. */
interface Comment extends ParentPlace {
  readonly id: ServiceId;
  readonly description: string;
  readonly creatorId: PersonId | null;
  readonly byMe: boolean;
  readonly createdAt: Temporal.Instant | null;
}

interface CommentPlace extends ParentPlace {
  readonly id: ServiceId;
}

type One = Promise<Result<Comment, Failure>>;

/** Comments of one task. Source: service-api.md, Task comments. */
export interface Comments {
  list(place: ParentPlace, call: Call): Promise<Result<Snapshot<Comment>, Failure>>;
  get(place: CommentPlace, call: Call): One;
  create(wish: ParentPlace & { readonly description: string }, call: Call): One;
  update(wish: CommentPlace & { readonly description: string }, call: Call): One;
  delete(place: CommentPlace, call: Call): Promise<Result<null, Failure>>;
}

export function createComments(asker: Asker): Comments {
  const reader = (place: ParentPlace) => (raw: unknown) => readComment(raw, place);

  return {
    list: (place, call) =>
      asker.many(
        {
          ask: { method: "GET", path: pathOf(place) },
          reading: {
            where: `project ${place.projectId}, list ${place.listId}, task ${place.taskId}`,
            kind: "comment",
            read: reader(place),
            keyOf: (comment) => comment.id,
          },
        },
        call,
      ),
    get: (place, call) =>
      asker.one(
        { ask: { method: "GET", path: pathOf(place, place.id) }, read: reader(place) },
        call,
      ),
    create: (wish, call) => {
      const json = { description: wish.description };
      return asker.one(
        { ask: { method: "POST", path: pathOf(wish), json }, read: reader(wish) },
        call,
      );
    },
    update: (wish, call) => {
      const json = { description: wish.description };
      const ask = { method: "PUT", path: pathOf(wish, wish.id), json } as const;
      return asker.one({ ask, read: reader(wish) }, call);
    },
    delete: (place, call) =>
      asker.none({ method: "DELETE", path: pathOf(place, place.id), gone: "done" }, call),
  };
}

function readComment(
  raw: unknown,
  { projectId, listId, taskId }: ParentPlace,
): Result<Comment, string> {
  const read = wire.readElement(commentShape, raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  return ok({
    projectId,
    listId,
    taskId,
    id: serviceId(id),
    description: wire.title(fields.description),
    creatorId: wire.person(fields.creator),
    byMe: wire.flag(fields.by_me),
    createdAt: wire.instant(fields.created_at),
  });
}

function pathOf({ projectId, listId, taskId }: ParentPlace, id?: ServiceId): string {
  const base = `/projects/${projectId}/todolists/${listId}/tasks/${taskId}/comments`;
  return id === undefined ? base : `${base}/${id}`;
}

const commentShape = z.object({
  id: wire.field,
  description: wire.field,
  creator: wire.field,
  by_me: wire.field,
  created_at: wire.field,
});
