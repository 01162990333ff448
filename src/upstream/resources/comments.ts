import { z } from "zod";
import { type PersonId, type ServiceId, serviceId } from "../../domain/ids.ts";
import { ok, type Result } from "../../domain/result.ts";
import { type Asker, elementCalls } from "../asker.ts";
import type { Failure } from "../failure.ts";
import type { Call } from "../send-request.ts";
import type { Snapshot } from "../wire.ts";
import * as wire from "../wire.ts";
import { belowTask, inTask, type ParentPlace } from "./subtasks.ts";

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
export type CommentClient = ReturnType<typeof createCommentClient>;

export function createCommentClient(asker: Asker) {
  const calls = elementCalls<ParentPlace, Comment>(asker, {
    kind: "comment",
    pathOf: (place) => `${belowTask(place)}/comments`,
    whereOf: inTask,
    read: (place) => (raw) => readComment(raw, place),
  });

  return {
    list: (place: ParentPlace, call: Call): Promise<Result<Snapshot<Comment>, Failure>> =>
      calls.list(place, call),
    get: calls.get,
    create: (
      { description, ...place }: ParentPlace & { readonly description: string },
      call: Call,
    ): One => calls.create({ place, json: { description } }, call),
    update: (
      { description, ...place }: CommentPlace & { readonly description: string },
      call: Call,
    ): One => calls.update({ place, json: { description } }, call),
    delete: calls.delete,
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

const commentShape = z.object({
  id: wire.wireField,
  description: wire.wireField,
  creator: wire.wireField,
  by_me: wire.wireField,
  created_at: wire.wireField,
});
