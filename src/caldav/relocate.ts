import {
  additionRefused,
  changeRefused,
  objectRefused,
  type Refusal,
} from "@dayferry/caldav-server/backend";
import type { Calendar } from "../calendars/calendar-types.ts";
import type { EditId } from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { quote } from "../edits/intake/plan-part.ts";
import type { ViewItem } from "../store/view/view.ts";
import { say } from "../texts/say.ts";
import { heldEdit, plannedItem } from "./plan-object.ts";
import type { WriteContext } from "./write-context.ts";

/** Moves an item to another calendar of its kind with an edit; returns that edit if it waits for approval. */
export function relocate(
  context: WriteContext,
  about: { readonly from: Calendar; readonly to: Calendar; readonly viewed: ViewItem },
): Result<EditId | null, Refusal> {
  const { from, to, viewed } = about;
  const { key, item } = viewed;
  const closed = additionRefused(to) ?? changeRefused(from, { privilege: "unbind" });
  if (closed) return fail(closed);
  const kind = item.kind === "event" ? "events" : "tasks";
  if (to.kind !== kind || to.projectId === null) return fail(otherKind(to, viewed));
  const moved = plannedItem(
    context.acceptMove({
      channel: "caldav",
      actor: context.person.id,
      program: context.agent,
      item: key,
      projectId: to.projectId,
      listId: to.listId,
    }),
  );
  return moved.ok ? ok(heldEdit(moved.value, context)) : moved;
}

/** The same by a PUT with a name: while the move waits for approval, only its editor sees it there. */
export function relocateByPut(
  context: WriteContext,
  about: Parameters<typeof relocate>[1] & { readonly name: string },
): Result<EditId | null, Refusal> {
  const { to, viewed, name } = about;
  const moved = relocate(context, about);
  if (!moved.ok || moved.value === null) return moved;
  const { key } = viewed;
  context.calendars.hold({ edit: moved.value, key, name, object: null });
  context.calendars.retract(to, { key, name });
  return moved;
}

function otherKind(to: Calendar, { item }: ViewItem): Refusal {
  const id =
    to.kind === "milestones" ? "milestones" : item.kind === "event" ? "noEvents" : "noTasks";
  const reason = say(`caldavFault.${id}`, { calendar: quote(to.name) });
  return objectRefused("valid-calendar-object-resource", reason);
}
