import type { Comment, HistoryEntry } from "../../domain/comment.ts";
import { type ServiceId, serviceId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { Asker } from "../asker.ts";
import { elementCalls } from "../element-calls.ts";
import type { Call } from "../send-request.ts";
import * as wire from "../wire.ts";
import { belowTask, inTask, type ParentPlace } from "./tasks.ts";

type CommentPlace = Pick<Comment, keyof ParentPlace | "id">;
type Written = Pick<Comment, "description">;

/** Comments of one task. Source: service-api.md, Task comments. */
export function createComments(asker: Asker) {
  const calls = elementCalls<ParentPlace, Comment>(asker, {
    kind: "comment",
    pathOf: (place) => `${belowTask(place)}/comments`,
    whereOf: inTask,
    read: (place) => (raw) => readComment(raw, place),
  });
  return {
    ...calls,
    create: ({ description, ...place }: ParentPlace & Written, call: Call) =>
      calls.create({ place, json: { description } }, call),
    update: ({ description, ...place }: CommentPlace & Written, call: Call) =>
      calls.update({ place, json: { description } }, call),
  };
}

function readComment(
  raw: unknown,
  { projectId, listId, taskId }: ParentPlace,
): Result<Comment, string> {
  const read = wire.readElement(raw);
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

/** The history of one task. Only the action "Updated" is documented. Source: service-api.md, Task history. */
export function createHistories(asker: Asker) {
  const pathOf = (place: ParentPlace) => `${belowTask(place)}/history`;
  const { list } = elementCalls<ParentPlace, HistoryEntry>(asker, {
    kind: "history entry",
    pathOf,
    whereOf: inTask,
    read: (place) => (raw) => readEntry(raw, place),
  });
  return {
    list,
    /** Markup that describes previous and new values. */
    detail: (place: ParentPlace & { readonly id: ServiceId }, call: Call) =>
      asker.one(
        { ask: { method: "GET", path: `${pathOf(place)}/${place.id}` }, read: readDetail },
        call,
      ),
  };
}

function readEntry(
  raw: unknown,
  { projectId, listId, taskId }: ParentPlace,
): Result<HistoryEntry, string> {
  const read = wire.readElement(raw);
  if (!read.ok) return read;
  const { id, fields } = read.value;
  const on = wire.date(fields.date, "date");
  if (!on.ok) return on;
  return ok({
    projectId,
    listId,
    taskId,
    id: serviceId(id),
    personId: wire.person(fields.user_id),
    action: wire.title(fields.action),
    activityAt: wire.instant(fields.activity),
    on: on.value,
  });
}

function readDetail(raw: unknown): Result<string, string> {
  const content = wire.isObject(raw) ? wire.text(raw.content) : null;
  return content === null ? fail("content: no text") : ok(content);
}
