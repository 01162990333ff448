import { objectRefused, type Refusal } from "@dayferry/caldav-server/backend";
import type { Calendar, CalendarObject } from "../calendars/calendar-types.ts";
import type { EditId } from "../domain/ids.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { quote } from "../edits/intake/plan-part.ts";
import { say } from "../texts/say.ts";
import { atomically } from "./accept-object.ts";
import { ownHeldEdits } from "./plan-object.ts";
import { relocate } from "./relocate.ts";
import type { WriteContext } from "./write-context.ts";

interface Transfer {
  readonly from: Calendar;
  readonly object: CalendarObject;
  /** The destination. */
  readonly calendar: Calendar;
  readonly name: string;
}

/**
 * Moves an object: within a calendar it is renamed; to another one the item moves to that project or list, with its UID, its
 * octets and the destination's name.
 */
export const moveObject = (context: WriteContext, transfer: Transfer): Result<null, Refusal> =>
  atomically(context.store, () => move(context, transfer));

function move(context: WriteContext, transfer: Transfer): Result<null, Refusal> {
  const { calendars } = context;
  const { from, object, calendar, name } = transfer;
  const denied = shownElsewhere(from, calendar);
  if (denied) return fail(denied);
  if (calendar.slug !== from.slug) {
    const viewed = calendars.itemOf(object);
    const moved = relocate(context, { from, to: calendar, viewed });
    if (!moved.ok) return moved;
    if (moved.value !== null) hold(context, moved.value, transfer);
    else nameAtDestination(context, transfer);
  } else if (name !== object.name) rename(context, transfer);
  return ok(null);
}

/** A calendar with items of other calendars has none that could be moved out of it. */
function shownElsewhere(from: Calendar, to: Calendar): Refusal | null {
  if (from.slug === to.slug || from.kind === "events" || from.kind === "tasks") return null;
  const reason = say("caldavFault.shownElsewhere", { calendar: quote(from.name) });
  return objectRefused("valid-calendar-object-resource", reason);
}

/** Until a person approves, only the mover sees the item there. */
function hold({ calendars }: WriteContext, edit: EditId, transfer: Transfer): void {
  const { object, calendar, name } = transfer;
  const { key } = object;
  calendars.hold({ edit, key, name, object: null });
  calendars.retract(calendar, { key, name });
}

/** The item was elsewhere only for its mover, who may have another waiting edit. */
function nameAtDestination(context: WriteContext, { object: { key }, name }: Transfer): void {
  const last = ownHeldEdits(key, context).at(-1);
  if (last) context.calendars.hold({ edit: last.id, key, name, object: null });
  else context.calendars.rename(key, name);
}

/** A waiting item that only its editor sees has its name there alone. */
function rename(context: WriteContext, transfer: Transfer): void {
  const { object, name } = transfer;
  const last = ownHeldEdits(object.key, context).findLast(
    ({ action, patch }) => action === "create" || patch.place !== undefined,
  );
  if (last) hold(context, last.id, transfer);
  else context.calendars.rename(object.key, name);
}
