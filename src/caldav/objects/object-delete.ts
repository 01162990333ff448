import type { CalendarObject } from "../../calendars/calendar.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { IncomingItem } from "../../ics/read/incoming.ts";
import { atomically } from "../atomically.ts";
import { checkConditions } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../context.ts";
import { type DavFault, faultAnswer } from "../fault.ts";
import { ownHeldEdits } from "./held.ts";
import { acceptEdit } from "./object-edit.ts";
import { missingFault, readOnlyFault } from "./object-faults.ts";

/**
 * Deletes an item. Where the deletion waits for a person, as many at once do, the item is gone for whoever has deleted it,
 * and comes back when that is discarded. What that person alone was shown is no more. What was moved away is not here any more and stays where it is. Source: RFC 4918 9.6; RFC 9110 9.3.5.
 */
export function deleteObject(context: DavContext, request: ObjectRequest): DavAnswer {
  const { calendar } = request;
  const href = context.paths.calendar(calendar);
  const barred = readOnlyFault(calendar, { privilege: "unbind", href });
  if (barred) return faultAnswer(barred);
  return atomically(context.store, () => remove(context, request));
}

function remove(context: DavContext, request: ObjectRequest): Result<DavAnswer, DavFault> {
  const { calendars, paths } = context;
  const { calendar, name } = request;
  const object = calendars.object(calendar, name);
  const isKnown = object === null && calendars.formerly(calendar, name) !== null;
  const verdict = checkConditions(request, { object, isKnown, paths });
  if (verdict.kind === "failed") return fail(verdict.fault);
  if (!object) return fail(missingFault());
  if (takeBack(context, object)) return ok({ status: 204 });
  const accepted = acceptEdit(context, {
    calendar,
    incoming: named(object),
    method: "CANCEL",
    base: calendars.itemOf(object).item,
    cleared: [],
    replaced: null,
    anew: false,
  });
  return accepted.ok ? ok({ status: 204 }) : accepted;
}

/** Whether it was a creation of the person's own that waits: with all that followed it is taken back. */
function takeBack(context: DavContext, { key }: CalendarObject): boolean {
  const { store } = context;
  const own = ownHeldEdits(key, context);
  if (store.view.get(key) !== null || !own.some(({ action }) => action === "create")) return false;
  for (const { id } of own) store.journal.discard(id, "its editor has deleted it again");
  return true;
}

/** An item of which nothing is said but which one it is. */
const named = ({ component, uid }: Pick<IncomingItem, "component" | "uid">): IncomingItem => ({
  component,
  uid,
  line: 1,
  raw: [],
  sequence: null,
  lastModified: null,
  base: null,
  summary: undefined,
  description: undefined,
  when: undefined,
  start: undefined,
  due: undefined,
  status: undefined,
  completedAt: undefined,
  percent: undefined,
  categories: undefined,
  alarm: undefined,
  classification: undefined,
  attendees: undefined,
  relatedTo: undefined,
  comments: [],
  attachments: [],
  unstorable: [],
  problems: [],
});
