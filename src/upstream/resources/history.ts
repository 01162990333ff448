import { z } from "zod";
import { type PersonId, type ServiceId, serviceId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { type Asker, elementCalls } from "../asker.ts";
import type { Failure } from "../failure.ts";
import type { Call } from "../send-request.ts";
import type { Snapshot } from "../wire.ts";
import * as wire from "../wire.ts";
import { belowTask, inTask, type ParentPlace } from "./subtasks.ts";

/** One entry of a task's history; `action` is the service's own word, of which only "Updated" is documented. */
interface HistoryEntry extends ParentPlace {
  readonly id: ServiceId;
  readonly personId: PersonId | null;
  readonly action: string;
  readonly activityAt: Temporal.Instant | null;
  readonly on: Temporal.PlainDate | null;
}

/** Source: service-api.md, Task history. */
export type Histories = ReturnType<typeof createHistories>;

export function createHistories(asker: Asker) {
  const pathOf = (place: ParentPlace) => `${belowTask(place)}/history`;
  const { list } = elementCalls<ParentPlace, HistoryEntry>(asker, {
    kind: "history entry",
    pathOf,
    whereOf: inTask,
    read: (place) => (raw) => readEntry(raw, place),
  });
  return {
    list: (place: ParentPlace, call: Call): Promise<Result<Snapshot<HistoryEntry>, Failure>> =>
      list(place, call),
    /** Markup that describes previous and new values. */
    detail: (
      place: ParentPlace & { readonly id: ServiceId },
      call: Call,
    ): Promise<Result<string, Failure>> =>
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
  const read = wire.readElement(entryShape, raw);
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
  const content = wire.isObject(raw) ? wire.text(raw["content"]) : null;
  return content === null ? fail("content: no text") : ok(content);
}

const entryShape = z.object({
  id: wire.wireField,
  user_id: wire.wireField,
  action: wire.wireField,
  activity: wire.wireField,
  date: wire.wireField,
});
