import { withUid } from "@dayferry/ical";
import type { Calendar, CalendarObject } from "../../calendars/calendar-types.ts";
import type { EditId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { findForWrite } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../dav-request.ts";
import {
  closedFault,
  componentFault,
  type DavFault,
  missingFault,
  objectRefusal,
  plainFault,
  readOnlyFault,
} from "../fault.ts";
import { hostOf, notReadYet } from "../paths.ts";
import { atomically } from "./accept-object.ts";
import { createObject } from "./create-object.ts";
import { ownHeldEdits } from "./plan-object.ts";
import { readObject } from "./put.ts";
import { relocate } from "./relocate.ts";

/**
 * Copies an object: a new item with its own UID and otherwise the same octets, as a UID must be unique. Source: RFC 4918 9.8;
 * RFC 4791 4.1.
 */
export const copyObject = (context: DavContext, request: ObjectRequest): DavAnswer =>
  transfer(context, { request, step: copy });

/**
 * Moves an object: within a calendar it is renamed; to another one the item moves to that project or list, with its UID, its
 * octets and the destination's name. Source: RFC 4918 9.9.
 */
export const moveObject = (context: DavContext, request: ObjectRequest): DavAnswer =>
  transfer(context, { request, step: move });

/** A COPY or MOVE, and its destination. */
interface Transfer {
  readonly request: ObjectRequest;
  readonly object: CalendarObject;
  /** The destination. */
  readonly calendar: Calendar;
  readonly name: string;
}

interface Step {
  readonly request: ObjectRequest;
  readonly step: (context: DavContext, transfer: Transfer) => Result<DavAnswer, DavFault>;
}

function transfer(context: DavContext, { request, step }: Step): DavAnswer {
  return atomically(context.store, () => {
    const read = readTransfer(context, request);
    return read.ok ? step(context, read.value) : read;
  });
}

/**
 * Reads the headers of COPY and MOVE. An existing object is never overwritten, as that would delete another item: 412 if the
 * program asked for that, else 403. Source: RFC 4918 9.8.5, 9.9.4, 10.3, 10.6.
 */
function readTransfer(context: DavContext, request: ObjectRequest): Result<Transfer, DavFault> {
  const found = findForWrite(context, request);
  if (!found.ok) return found;
  const { object } = found.value;
  if (!object) return fail(missingFault());
  const destination = destinationOf(context, request);
  if (!destination.ok) return destination;
  const { calendar, name } = destination.value;
  if (calendar.slug === request.calendar.slug && name === request.name) {
    return fail(plainFault(403, "source and destination are the same"));
  }
  if (!context.calendars.object(calendar, name)) return ok({ request, object, calendar, name });
  const reason = "there is another object at the destination";
  const mayOverwrite = (request.headers["overwrite"] ?? "T").trim().toUpperCase() !== "F";
  return fail(plainFault(mayOverwrite ? 403 : 412, `${reason}, and it stays: delete it first`));
}

function destinationOf(
  { calendars, paths, person, hosts }: DavContext,
  { headers }: ObjectRequest,
): Result<Pick<Transfer, "calendar" | "name">, DavFault> {
  const address = headers["destination"]?.trim();
  if (!address) return fail(plainFault(400, "the Destination header is missing"));
  const host = hostOf(address);
  if (host !== null && !hosts.has(host)) {
    return fail(plainFault(502, `the destination is on another server, ${JSON.stringify(host)}`));
  }
  const target = paths.read(address);
  if (target?.kind === "calendar" || target?.kind === "home") {
    return fail(plainFault(403, "the destination is a collection; objects cannot replace it"));
  }
  if (target?.kind !== "object" || target.person !== person.id) {
    return fail(plainFault(403, "the destination is not one of your calendars"));
  }
  const calendar = calendars.find(person.id, target.slug);
  if (!calendar) return fail(plainFault(409, "there is no calendar at the destination"));
  return calendars.hasRead(calendar) ? ok({ calendar, name: target.name }) : fail(notReadYet);
}

function copy(context: DavContext, transfer: Transfer): Result<DavAnswer, DavFault> {
  const { request, object, calendar, name } = transfer;
  const denied = closedFault(calendar, context) ?? componentFault(calendar, object.component);
  if (denied) return fail(denied);
  const body = withUid(context.calendars.octets(object), context.randomId());
  const incoming = readObject(context, { type: undefined, body });
  if (!incoming.ok) return incoming;
  const put = { request: { ...request, calendar, name }, body, incoming: incoming.value };
  return createObject(context, put);
}

function move(context: DavContext, transfer: Transfer): Result<DavAnswer, DavFault> {
  const { calendars, paths, origin } = context;
  const { request, object, calendar, name } = transfer;
  const { calendar: from } = request;
  const denied =
    readOnlyFault(from, { privilege: "unbind", href: paths.calendar(from) }) ??
    componentFault(calendar, object.component) ??
    shownElsewhereFault(from, calendar);
  if (denied) return fail(denied);
  if (calendar.slug !== from.slug) {
    const viewed = calendars.itemOf(object);
    const moved = relocate(context, { from, to: calendar, viewed });
    if (!moved.ok) return moved;
    if (moved.value !== null) hold(context, { edit: moved.value, transfer });
    else nameAtDestination(context, transfer);
  } else if (name !== object.name) rename(context, transfer);
  return ok({ status: 201, headers: { Location: `${origin}${paths.object(calendar, name)}` } });
}

/** A calendar with items of other calendars has none that could be moved out of it. */
function shownElsewhereFault(from: Calendar, to: Calendar): DavFault | null {
  if (from.slug === to.slug || from.kind === "events" || from.kind === "tasks") return null;
  const reason = `"${from.name}" only shows items of other calendars: move it there`;
  return objectRefusal("valid-calendar-object-resource", reason);
}

/** Until a person approves, only the mover sees the item there. */
function hold(
  { calendars }: DavContext,
  { edit, transfer }: { readonly edit: EditId; readonly transfer: Transfer },
): void {
  const { object, calendar, name } = transfer;
  const { key } = object;
  calendars.hold({ edit, key, name, object: null });
  calendars.retract(calendar, { key, name });
}

/** The item was elsewhere only for its mover, who may have another waiting edit. */
function nameAtDestination(context: DavContext, { object: { key }, name }: Transfer): void {
  const last = ownHeldEdits(key, context).at(-1);
  if (last) context.calendars.hold({ edit: last.id, key, name, object: null });
  else context.calendars.rename(key, name);
}

/** A waiting item that only its editor sees has its name there alone. */
function rename(context: DavContext, transfer: Transfer): void {
  const { object, name } = transfer;
  const last = ownHeldEdits(object.key, context).findLast(
    ({ action, patch }) => action === "create" || patch.place !== undefined,
  );
  if (last) hold(context, { edit: last.id, transfer });
  else context.calendars.rename(object.key, name);
}
