import { fail, ok, type Result } from "../../domain/result.ts";
import { atomically } from "../atomically.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../context.ts";
import { caldavFault, type DavFault } from "../fault.ts";
import { componentFault, type Journey, journeyOf } from "./destination.ts";
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
    if (moved.value === "held") {
      calendars.reload(object.key);
      calendars.retract(calendar, { key: object.key, name });
      return ok({ status: 202 });
    }
  }
  if (name !== object.name) calendars.rename(object.key, name);
  return ok({ status: 201, headers: { Location: `${origin}${paths.object(calendar, name)}` } });
}

/** A calendar that shows items of others has no items that could be moved out of it. */
function ambiguity({ calendar: from }: ObjectRequest, { calendar: to }: Journey): DavFault | null {
  if (from.slug === to.slug || from.kind === "events" || from.kind === "tasks") return null;
  const reason = `"${from.name}" only shows what is in other calendars: move it there`;
  return caldavFault("valid-calendar-object-resource", reason);
}
