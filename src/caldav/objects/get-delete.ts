import type { IncomingItem } from "@dayferry/ical";
import type { Calendar, CalendarObject } from "../../calendars/calendar-types.ts";
import { httpDate } from "../../domain/http-date.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { findForWrite, isNotModified } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../dav-request.ts";
import { type DavFault, faultAnswer, missingFault, readOnlyFault } from "../fault.ts";
import { objectType } from "../properties/object-properties.ts";
import { acceptEdit, atomically } from "./accept-object.ts";
import { ownHeldEdits } from "./plan-object.ts";
import { relocateByPut } from "./relocate.ts";

/**
 * Answers GET and HEAD with an object's octets, whatever Accept says: there is one format only, and 406 makes programs give up.
 * The router omits the body of a HEAD. Source: RFC 4791 5.3.4; RFC 9110 15.5.7.
 */
export function getObject(
  { calendars }: DavContext,
  { calendar, name, headers }: ObjectRequest,
): DavAnswer {
  const object = calendars.object(calendar, name);
  if (!object) return faultAnswer(missingFault());
  if (isNotModified(headers, object)) return { status: 304, headers: validators(object) };
  return {
    status: 200,
    headers: { ...validators(object), "Content-Type": objectType(object.component) },
    body: calendars.octets(object),
  };
}

const validators = ({ etag, modifiedAt }: CalendarObject) => ({
  ETag: etag,
  "Last-Modified": httpDate(modifiedAt),
});

/**
 * Deletes an item. If the deletion waits for a person, as many at once do, the item disappears for its editor, and returns if
 * that is discarded. An object that only this person saw is discarded. A moved item is no longer here and stays where it is.
 * Source: RFC 4918 9.6; RFC 9110 9.3.5.
 */
export function deleteObject(context: DavContext, request: ObjectRequest): DavAnswer {
  const { calendar } = request;
  const href = context.paths.calendar(calendar);
  const denied = readOnlyFault(calendar, { privilege: "unbind", href });
  if (denied) return faultAnswer(denied);
  return atomically(context.store, () => remove(context, request));
}

function remove(context: DavContext, request: ObjectRequest): Result<DavAnswer, DavFault> {
  const { calendar } = request;
  const found = findForWrite(context, request);
  if (!found.ok) return found;
  const { object } = found.value;
  if (!object) return fail(missingFault());
  if (withdrawCreation(context, object)) return ok({ status: 204 });
  const moved = finishMove(context, object, calendar);
  if (moved) return moved;
  const base = context.calendars.itemOf(object).item;
  const incoming = nothingSaid(object);
  const accepted = acceptEdit(context, { calendar, incoming, method: "CANCEL", base });
  return accepted.ok ? ok({ status: 204 }) : accepted;
}

/** Withdraws the person's own waiting creation with everything after it. Returns false if it is none. */
function withdrawCreation(context: DavContext, { key }: CalendarObject): boolean {
  const { store } = context;
  const own = ownHeldEdits(key, context);
  if (store.view.get(key) !== null || !own.some(({ action }) => action === "create")) return false;
  for (const { id } of own) store.journal.discard(id, "its editor deleted it");
  return true;
}

/**
 * A program that has put the item at its former address, and deletes it here right afterwards, has moved it back: the PUT alone
 * could have come from a program with an old address. Null if this is no such deletion.
 */
function finishMove(
  context: DavContext,
  { key }: CalendarObject,
  from: Calendar,
): Result<DavAnswer, DavFault> | null {
  const { calendars, recentWrites, store } = context;
  const put = recentWrites.putElsewhere.take(key, context);
  const viewed = put && store.view.get(key);
  if (!put || !viewed) return null;
  const { calendar, name } = put;
  const moved = relocateByPut(context, { from, to: calendar, viewed, name });
  if (!moved.ok) return moved;
  if (moved.value === null) calendars.rename(key, name);
  return ok({ status: 204 });
}

/** An item with an identity only. */
const nothingSaid = ({
  component,
  uid,
}: Pick<IncomingItem, "component" | "uid">): IncomingItem => ({
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
  remarks: [],
  problems: [],
});
