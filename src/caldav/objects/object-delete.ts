import { fail, ok, type Result } from "../../domain/result.ts";
import type { IncomingItem } from "../../ics/read/incoming.ts";
import { atomically } from "../atomically.ts";
import { checkConditions } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../context.ts";
import { type DavFault, faultAnswer } from "../fault.ts";
import { acceptEdit } from "./object-edit.ts";
import { missingFault, readOnlyFault } from "./object-faults.ts";

/**
 * Deletes an item. 202 when the deletion waits for a person, as many at once do: clients are told to load the item again.
 * What was moved away is not here any more and stays where it is. Source: RFC 4918 9.6; RFC 9110 9.3.5.
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
  const accepted = acceptEdit(context, {
    calendar,
    incoming: named(object),
    method: "CANCEL",
    base: calendars.itemOf(object).item,
    cleared: [],
    replaced: null,
    anew: false,
  });
  if (!accepted.ok) return accepted;
  const { key, isHeld } = accepted.value;
  if (!isHeld) return ok({ status: 204 });
  calendars.reload(key);
  return ok({ status: 202 });
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
