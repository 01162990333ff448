import type { EditId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { atomically } from "../atomically.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../context.ts";
import { caldavFault, type DavFault } from "../fault.ts";
import { componentFault, type Journey, journeyOf } from "./destination.ts";
import { ownHeldEdits } from "./held.ts";
import { readOnlyFault } from "./object-faults.ts";
import { relocate } from "./relocate.ts";

/**
 * Moves an object: into the same calendar it gets another name; into another one the item goes to that project or list,
 * with its UID, its octets and the name at the destination. Source: RFC 4918 9.9.
 */
export function moveObject(context: DavContext, request: ObjectRequest): DavAnswer {
  return atomically(context.store, () => {
    const journey = journeyOf(context, request);
    return journey.ok ? move(context, { request, journey: journey.value }) : journey;
  });
}

function move(
  context: DavContext,
  { request, journey }: { readonly request: ObjectRequest; readonly journey: Journey },
): Result<DavAnswer, DavFault> {
  const { calendars, paths, origin } = context;
  const { object, calendar, name } = journey;
  const href = paths.calendar(request.calendar);
  const barred =
    readOnlyFault(request.calendar, { privilege: "unbind", href }) ??
    componentFault(journey) ??
    ambiguity(request, journey);
  if (barred) return fail(barred);
  if (calendar.slug !== request.calendar.slug) {
    const viewed = calendars.itemOf(object);
    const moved = relocate(context, { from: request.calendar, to: calendar, viewed });
    if (!moved.ok) return moved;
    if (moved.value !== null) hold(context, { edit: moved.value, journey });
    else stay(context, journey);
  } else if (name !== object.name) rename(context, journey);
  return ok({ status: 201, headers: { Location: `${origin}${paths.object(calendar, name)}` } });
}

/** Until a person agrees the item is there for its mover alone. */
function hold(
  { calendars }: DavContext,
  { edit, journey }: { readonly edit: EditId; readonly journey: Journey },
): void {
  const { object, calendar, name } = journey;
  const { key } = object;
  calendars.hold({ edit, key, name, object: null });
  calendars.retract(calendar, { key, name });
}

/** The item was not elsewhere for anybody but its mover, of whom something else may go on waiting. */
function stay(context: DavContext, { object: { key }, name }: Journey): void {
  const last = ownHeldEdits(key, context).at(-1);
  if (last) context.calendars.hold({ edit: last.id, key, name, object: null });
  else context.calendars.rename(key, name);
}

/** What waits, and is where only its editor sees it, has its name there alone. */
function rename(context: DavContext, journey: Journey): void {
  const { object, name } = journey;
  const last = ownHeldEdits(object.key, context).findLast(
    ({ action, patch }) => action === "create" || patch.place !== undefined,
  );
  if (last) hold(context, { edit: last.id, journey });
  else context.calendars.rename(object.key, name);
}

/** A calendar that shows items of others has no items that could be moved out of it. */
function ambiguity({ calendar: from }: ObjectRequest, { calendar: to }: Journey): DavFault | null {
  if (from.slug === to.slug || from.kind === "events" || from.kind === "tasks") return null;
  const reason = `"${from.name}" only shows what is in other calendars: move it there`;
  return caldavFault("valid-calendar-object-resource", reason);
}
